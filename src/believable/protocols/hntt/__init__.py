"""`hntt`: which of two navigates more like a human?"""

from __future__ import annotations

from believable.core.citation import Citation
from believable.protocols.contract import Protocol
from believable.study.declaration import CONDITIONS, Declaration, Option, Outcome, Role

MARGIN = Option("margin", "Equivalence margin around chance, on the accuracy scale.", "number", 0.1, 0.001, 0.49)

DECLARATION = Declaration(
    name="hntt",
    about="Judges choose which of two plays like a human; accuracy, its median interval and the pass criterion.",
    roles=(
        Role(
            "human", "Conditions whose stimuli are human.", "condition", ("human", "standin_human"),
            required=True, several=True,
        ),
        Role(
            "choice", "Which of the two is more human.", defaults=("pairs.which", "which"), required=True,
            kinds=("preference", "choice"), stimuli=2, beside="human",
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
            tested=True, equivalence=True, tests=(MARGIN,), parts=CONDITIONS, unit="share of a judge's trials",
        ),
        Outcome("median_accuracy", "Median accuracy", "Median over judges; the agent passes if its interval contains chance.",
                parts=CONDITIONS, unit="share of a judge's trials"),
        Outcome("uncertainty", "Uncertainty", "Median over judges of their mean uncertainty, 1 to 5.", parts=CONDITIONS,
                unit="points from 1 to 5"),
        Outcome(
            "familiarity", "Familiarity", "Accuracy by familiarity with game and genre: F test of the regression.", tested=True,
            parts=CONDITIONS,
        ),
        Outcome("strength", "Strength", "Bradley–Terry strengths, where more than one pairing was judged.", parts=CONDITIONS,
                needs="more than one pairing", unit="log odds"),
        Outcome("groups", "Groups of judges", "Judges of different arms compared by Mann–Whitney tests.", tested=True,
                needs="judges in different arms"),
        Outcome("behaviour", "Behaviour", "What judges went by: choices by the difference in what was measured in the two clips.",
                needs="measures of stimuli", unit="log odds per standard deviation"),
        Outcome("controls", "Controls", "People against people, and pairs to different goals: the baseline.",
                needs="control pairs", unit="share of a judge's trials"),
        Outcome("reasons", "Reasons", "Shares of coded reasons, where the texts were coded.", needs="coded reasons"),
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
        Option("criterion_studies", "Studies simulated to show what the pass criterion can tell; 0: none.", "integer", 400,
               0, 100_000),
        Option("judge_sd", "Assumed spread of judges in those studies, in log-odds.", "number", 0.5, 0, 5),
        Option("pair_sd", "Assumed spread of pairs in those studies, in log-odds.", "number", 0.5, 0, 5),
        Option("mismatched", "Scenarios whose two recordings go to different goals on purpose: a control, not in the accuracy.",
               "words", ()),
        Option("high_accuracy", "Judges above this accuracy are the accurate ones in the coded reasons.", "number", 0.8, 0, 1),
    ),
    t_test=True,
)  # fmt: skip

HNTT = Protocol(
    name="hntt",
    about="Pairs of recordings: which finds its way more like a person? About fifteen minutes.",
    learn="Whether judges tell an agent from people, how certain they are, and what they go by.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="milani2023",
            title="Navigates Like Me: Understanding How People Evaluate Human-Like AI in Video Games",
            authors=(
                "Milani, Stephanie", "Juliani, Arthur", "Momennejad, Ida", "Georgescu, Raluca", "Rzepcki, Jaroslaw",
                "Shaw, Alison", "Costello, Gavin", "Fang, Fei", "Devlin, Sam", "Hofmann, Katja",
            ),
            year=2023,
            venue="Proceedings of the 2023 CHI Conference on Human Factors in Computing Systems (CHI '23), ACM",
            doi="10.1145/3544548.3581348",
            note="The pass criterion.",
        ),
        Citation(
            key="devlin2021",
            title="Navigation Turing Test (NTT): Learning to Evaluate Human-Like Navigation",
            authors=(
                "Devlin, Sam", "Georgescu, Raluca", "Momennejad, Ida", "Rzepecki, Jaroslaw", "Zuniga, Evelyn",
                "Costello, Gavin", "Leroy, Guy", "Shaw, Ali", "Hofmann, Katja",
            ),
            year=2021,
            venue="Proceedings of the 38th International Conference on Machine Learning, PMLR",
            note="The earlier test.",
        ),
    ),
)  # fmt: skip
