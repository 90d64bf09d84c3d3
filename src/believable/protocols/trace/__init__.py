"""`trace`: time-continuous believability against the final choice."""

from __future__ import annotations

from believable.core.citation import Citation
from believable.protocols.contract import Protocol
from believable.study.declaration import Declaration, Option, Outcome, Role

#: The annotation tools; most outcomes are found for each of them.
TOOLS = ("ranktrace", "btrace", "gtrace")

R = "Pearson's r"

DECLARATION = Declaration(
    name="trace",
    about="Traces of two rounds, their windows above and below a centre, and the final choice.",
    roles=(
        Role("tool", "The arm that says which tool was used.", "arm", ("tool",)),
        Role("choice_time", "Whether people chose last, or first: before they annotated.", "arm", ("choice",)),
        Role("annotate", "The trial in which people annotate.", "trial", ("annotate",), required=True, several=True),
        Role("round", "The trial in which people play.", "trial", ("round",), several=True),
        Role(
            "preference", "Which of the two was more believable.",
            defaults=("choice.preference", "preference"), required=True, kinds=("preference", "choice"),
        ),
        Role("age", "Age.", defaults=("exit.age", "age")),
        Role("gender", "Gender.", defaults=("exit.gender", "gender")),
        Role("games", "How often they play.", defaults=("exit.games", "games")),
    ),
    outcomes=(
        Outcome("high", "High windows", "Correlation of the choice with H1 − H2.", tested=True, parts=TOOLS, unit=R,
                no_effect=0),
        Outcome("low", "Low windows", "Correlation of the choice with L1 − L2.", tested=True, parts=TOOLS, unit=R,
                no_effect=0),
        Outcome("difference", "High minus low", "Correlation of the choice with D1 − D2.", tested=True, parts=TOOLS, unit=R,
                no_effect=0),
        Outcome("mean", "Mean", "Correlation of the choice with the difference of means.", tested=True, parts=TOOLS, unit=R,
                no_effect=0),
        Outcome(
            "gradient", "Gradient", "Correlation of the choice with rising minus falling windows.", tested=True, parts=TOOLS,
            unit=R, no_effect=0,
        ),
        Outcome(
            "condition", "Conditions", "Paired difference of the traces' means: first-named condition minus the other.",
            tested=True, parts=TOOLS, unit="on the scale of the trace, 0 to 1", no_effect=0,
        ),
        Outcome("tools", "Tools compared", "Whether the traces of two tools agree with the choice to the same degree.",
                tested=True, needs="participants of two tools", unit="Cohen's q", no_effect=0),
        Outcome("choice_time", "When the choice was made",
                "Whether traces agree with the choice to the same degree when people chose last and when they chose first.",
                tested=True, parts=TOOLS, needs="people who chose last and people who chose first", unit="Cohen's q",
                no_effect=0),
        Outcome("recency", "First or second round", "Share that chose the second round, against one half.", tested=True,
                unit="share of those who chose", no_effect=0.5),
    ),
    options=(
        Option("bin_ms", "Length of a bin, in ms.", "integer", 250, 1),
        Option("window_ms", "Length of a window, in ms.", "integer", 3000, 1),
        Option("epsilons", "Uncertainty around the centre.", "numbers", (0.0, 0.05, 0.10, 0.15, 0.20, 0.25), 0, 1),
        Option("epsilon", "Uncertainty of the declared outcomes.", "number", 0.0, 0, 1),
        Option("centre", "Centre of the declared outcomes (the trace's own mean, or neutral: 0.5).", "word", "mean",
               one_of=("mean", "neutral")),
        Option("examples", "How many participants of each tool are drawn with their uncertainty band.", "integer", 3, 0, 24),
        Option("btrace_window", "How marks of a window become a value.", "word", "sign", one_of=("sign", "mean", "minmax")),
        Option("outlier_sd", "Standard deviations from the mean at which a session is an outlier.", "number", 2, 0.1),
        Option("least_full", "The share of a last window that has to be filled for it to be kept.", "number", 0.5, 0, 1),
    ),
)  # fmt: skip

TRACE = Protocol(
    name="trace",
    about="Two rounds against an opponent, each watched again and annotated throughout. About fifteen minutes.",
    learn="When an opponent stops being believable, moment by moment, and whether that agrees with the final choice.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="pacheco2021",
            title="Discrete versus Ordinal Time-Continuous Believability Assessment",
            authors=(
                "Pacheco, Cristiana", "Melhart, David", "Liapis, Antonios", "Yannakakis, Georgios N.",
                "Perez-Liebana, Diego",
            ),
            year=2021,
            venue="ACII Workshop on Multimodal Analyses enabling Artificial Agents in Human-Machine Interaction (MA3HMI)",
        ),
    ),
)  # fmt: skip
