"""`replay`: action believability of two architectures."""

from __future__ import annotations

from believable.core.citation import Citation
from believable.protocols.contract import Protocol
from believable.study.declaration import Declaration, Option, Outcome, Role

DECLARATION = Declaration(
    name="replay",
    about="Two conditions watched by the same people: overall rating, flagged actions, preference.",
    roles=(
        Role("day", "The trial in which a recording is watched.", "trial", ("day",), required=True, several=True),
        Role("baseline", "The condition compared with.", "condition", ("baseline", "generative")),
        Role("ours", "The condition of interest.", "condition", ("ours", "neurosymbolic", "symbolic")),
        Role("believability", "Overall, 1 to 7.", defaults=("day.believability", "believability"), required=True,
             kinds=("likert", "slider", "number")),
        Role("coherence", "Causal coherence, 1 to 7.", defaults=("day.coherence", "coherence")),
        Role("adherence", "Plan adherence, 1 to 7, where the overlay was opened.", defaults=("day.adherence", "adherence")),
        Role("preference", "Which of both.", defaults=("choice.preference", "rate.preference", "preference"),
             kinds=("preference", "choice")),
        Role("why", "Why it is preferred.", defaults=("choice.why", "rate.why", "why")),
        Role("experience", "Prior experience.", defaults=("about.experience", "experience")),
    ),
    outcomes=(
        Outcome("believability", "Overall believability", "Paired difference of the overall rating.", tested=True,
                unit="points of the scale", no_effect=0),
        Outcome("rate", "Unbelievable rate", "Paired difference of flagged per 100 viewed actions.", tested=True,
                unit="flagged per 100 viewed actions", no_effect=0),
        Outcome("odds", "Odds of a flag", "Odds ratio of a flag by condition, mixed logistic regression.", tested=True,
                unit="odds ratio", no_effect=1),
        Outcome("preference", "Preference", "Share that prefers the condition of interest.", tested=True,
                unit="share of those who decided", no_effect=0.5),
        Outcome("coherence", "Causal coherence", "Paired difference.", tested=True, unit="points of the scale", no_effect=0),
        Outcome("adherence", "Plan adherence", "Paired difference where the overlay was opened in both.", tested=True,
                unit="points of the scale", no_effect=0),
        Outcome("categories", "Categories of reasons", "Shares of coded reasons by condition.",
                needs="coded reasons"),
        Outcome("order", "Order", "Rating by the order of watching, condition and overlay held fixed.", tested=True,
                unit="points of the scale", no_effect=0),
        Outcome("overlay", "Overlay", "Rating with an opened overlay, condition and order held fixed.", tested=True,
                unit="points of the scale", no_effect=0),
    ),
    options=(
        Option("least_shown_ms", "Wall time on screen for an action to count as viewed, in ms.", "number", 200, 0),
        Option("least_share", "Share of an action that has to be watched, unless its start was.", "number", 0.5, 0, 1),
        Option("merge_ms", "Flags on the same action within this time merge, in ms.", "number", 2000, 0),
        Option("normality_alpha", "Level of the normality test that chooses between t and Wilcoxon.", "number", 0.05, 0.001, 0.5),
        Option("flag_model", "What judges the odds of a flag: a model in which the effect may differ between participants, or the"
               " published one; the other stands beside it.", "word", "by_participant", one_of=("by_participant", "published")),
    ),
    compares=("ours", "baseline"),
    alike=("ours", "baseline"),
    t_test=True,
)  # fmt: skip

REPLAY = Protocol(
    name="replay",
    about="Days of a character of a town under two minds: flagged, rated, compared. About thirty minutes.",
    learn="Which of two architectures acts more believably, and which actions break belief.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="action_believability",
            title="User Study: Believability Evaluation",
            note="Methodology chapter, unpublished; it names neither its author nor a year.",
        ),
    ),
)  # fmt: skip
