"""What the analysis of `trace` declares: time-continuous believability against the final choice."""

from __future__ import annotations

from believable.study.declaration import Declaration, Option, Outcome, Role

#: The annotation tools; most outcomes are found for each of them.
TOOLS = ("ranktrace", "btrace", "gtrace")

TRACE = Declaration(
    name="trace",
    about="Traces of two rounds, their windows above and below a centre, and the final choice.",
    roles=(
        Role("tool", "The arm that says which tool was used.", "arm", ("tool",)),
        Role("annotate", "The trial in which people annotate.", "trial", ("annotate",), required=True, several=True),
        Role("round", "The trial in which people play.", "trial", ("round",), several=True),
        Role(
            "preference", "Which of the two was more believable.", defaults=("exit.preference", "preference"), required=True,
            kinds=("preference", "choice"),
        ),
        Role("age", "Age.", defaults=("exit.age", "age")),
        Role("gender", "Gender.", defaults=("exit.gender", "gender")),
        Role("games", "How often they play.", defaults=("exit.games", "games")),
    ),
    outcomes=(
        Outcome("high", "High windows", "Correlation of the choice with H1 − H2.", tested=True, parts=TOOLS),
        Outcome("low", "Low windows", "Correlation of the choice with L1 − L2.", tested=True, parts=TOOLS),
        Outcome("difference", "High minus low", "Correlation of the choice with D1 − D2.", tested=True, parts=TOOLS),
        Outcome("mean", "Mean", "Correlation of the choice with the difference of means.", tested=True, parts=TOOLS),
        Outcome(
            "gradient", "Gradient", "Correlation of the choice with rising minus falling windows.", tested=True, parts=TOOLS,
        ),
        Outcome(
            "condition", "Conditions", "Paired difference of the traces' means: first-named condition minus the other.",
            tested=True, parts=TOOLS,
        ),
    ),
    options=(
        Option("bin_ms", "Length of a bin.", "integer", 250, 1),
        Option("window_ms", "Length of a window.", "integer", 3000, 1),
        Option("epsilons", "Uncertainty around the centre.", "numbers", (0.0, 0.05, 0.10, 0.15, 0.20, 0.25), 0, 1),
        Option("epsilon", "Uncertainty of the declared outcomes.", "number", 0.0, 0, 1),
        Option("centre", "Centre of the declared outcomes: own mean, or 0.5.", "word", "mean", one_of=("mean", "neutral")),
        Option("examples", "How many participants of each tool are drawn with their uncertainty band.", "integer", 3, 0, 24),
        Option("btrace_window", "How marks of a window become a value.", "word", "sign", one_of=("sign", "mean", "minmax")),
        Option("outlier_sd", "Standard deviations from the mean at which a session is an outlier.", "number", 2, 0.1),
        Option("least_full", "The share of a last window that has to be filled for it to be kept.", "number", 0.5, 0, 1),
    ),
)  # fmt: skip
