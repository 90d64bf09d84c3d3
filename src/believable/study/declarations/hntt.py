"""What the analysis of `hntt` declares: which of two navigates more like a human?"""

from __future__ import annotations

from believable.study.declaration import CONDITIONS, Declaration, Option, Outcome, Role

MARGIN = Option(
    "margin", "Equivalence margin around chance, on the accuracy scale.", "number", 0.1, 0.001, 0.49
)

HNTT = Declaration(
    name="hntt",
    about="Judges choose which of two plays like a human; accuracy, its median interval and the pass criterion.",
    roles=(
        Role(
            "human", "Conditions whose stimuli are human.", "condition", ("human", "standin_human"),
            required=True, several=True,
        ),
        Role(
            "choice", "Which of the two is more human.", defaults=("pairs.which", "which"), required=True,
            kinds=("preference", "choice"),
        ),
        Role("why", "Why it was chosen.", defaults=("pairs.why", "why"), kinds=("text", "long_text")),
        Role(
            "certainty", "1 extremely certain … 5 extremely uncertain.", defaults=("pairs.certainty", "certainty"),
            kinds=("certainty", "likert", "choice", "number"),
        ),
        Role(
            "familiarity_game", "How well the judge knows this game, coded by `familiarity`.",
            defaults=("familiarity.game", "game"), kinds=("choice", "likert", "number"),
        ),
        Role(
            "familiarity_genre", "How well the judge knows the genre, coded by `familiarity`.",
            defaults=("familiarity.genre", "genre"), kinds=("choice", "likert", "number"),
        ),
    ),
    outcomes=(
        Outcome(
            "accuracy", "Accuracy", "Mean share of trials in which a judge chose the human one, against chance.",
            tested=True, equivalence=True, tests=(MARGIN,), parts=CONDITIONS,
        ),
        Outcome("median_accuracy", "Median accuracy", "Median over judges; the agent passes if its interval contains chance.",
                parts=CONDITIONS),
        Outcome("uncertainty", "Uncertainty", "Median over judges of their mean uncertainty, 1 to 5.", parts=CONDITIONS),
        Outcome(
            "familiarity", "Familiarity", "Accuracy by familiarity with game and genre: F test of the regression.", tested=True,
            parts=CONDITIONS,
        ),
        Outcome("strength", "Strength", "Bradley–Terry strengths, where more than one pairing was judged.", parts=CONDITIONS),
        Outcome("groups", "Groups of judges", "Judges of different arms compared by Mann–Whitney tests.", tested=True),
        Outcome("reasons", "Reasons", "Shares of coded reasons, where the texts were coded."),
    ),
    options=(
        Option("chance", "Accuracy of guessing.", "number", 0.5, 0.01, 0.99),
        Option("resamples", "Bootstrap resamples.", "integer", 10_000, 100, 1_000_000),
        Option("subsample", "Judges in each subsample of the robustness check.", "integer", 50, 2),
        Option("subsamples", "How many subsamples.", "integer", 100, 1, 100_000),
        Option(
            "familiarity", "Answers about familiarity from least to most, coded 1, 2, …; any other is missing.", "words",
            ("never_heard", "aware", "sometimes", "regularly"),
        ),
        Option("high_accuracy", "Judges above this accuracy are the accurate ones in the coded reasons.", "number", 0.8, 0, 1),
    ),
)  # fmt: skip
