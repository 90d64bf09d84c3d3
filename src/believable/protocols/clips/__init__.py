"""`clips`: human or artificial?"""

from __future__ import annotations

from believable.core.citation import Citation
from believable.protocols.contract import Protocol
from believable.study.declaration import Declaration, Option, Outcome, Role

#: The three types of clips.
TYPES = ("human", "imitation", "artificial")

DECLARATION = Declaration(
    name="clips",
    about="Clips rated from human to artificial; indices weighted by experience, recall, precision, signal detection.",
    roles=(
        Role(
            "human", "Conditions whose clips are human.", "condition", ("human", "standin_human"), required=True, several=True
        ),
        Role(
            "imitation", "Conditions whose clips imitate humans.", "condition",
            ("imitation", "standin_imitation"), several=True,
        ),
        Role(
            "artificial", "Conditions whose clips are artificial.", "condition",
            ("artificial", "rule_based", "scripted", "standin_agent", "standin_rules"), several=True,
        ),
        Role(
            "rating", "1 human … 5 artificial.", defaults=("page.rating", "rating"), required=True,
            kinds=("clip_rating", "likert"), stimuli=1,
        ),
        Role(
            "experience", "1 never … 5 daily, one number per respondent.", defaults=("about.experience", "experience"),
            required=True, kinds=("likert", "choice", "number"),
        ),
        Role("viewed", "How often the clip was viewed, as answered.", defaults=("page.viewed", "viewed"),
             kinds=("likert", "choice", "number")),
        Role("comment", "A comment on the clip.", defaults=("page.comment", "comment"), kinds=("text", "long_text")),
        Role("how_human", "How human-like, 1 to 10, where rated artificial.", defaults=("page.how_human", "how_human"),
             kinds=("likert", "slider", "number", "choice")),
    ),
    outcomes=(
        Outcome("believability", "Believability index", "b of each type, answers weighted by experience.", parts=TYPES,
                unit="index from 0 to 1"),
        Outcome(
            "contrast", "Difference of indices", "b of one type minus b of another, over the same respondents.", tested=True,
            equivalence=True,
            tests=(Option("margin", "Equivalence margin of the difference.", "number", 0.1, 0.001, 0.99),),
            parts=("human-imitation", "human-artificial", "imitation-artificial"), unit="difference of indices",
            no_effect=0,
        ),
        Outcome("confidence", "Confidence index", "c: mean experience as a share of the highest.", unit="index from 0 to 1"),
        Outcome("recall", "Recall", "Share of a type's ratings that say human.", parts=TYPES, unit="share of ratings"),
        Outcome("precision", "Precision", "Of all clips called human (artificial), the share called so rightly.",
                parts=("human", "artificial"), unit="share of clips called so"),
        Outcome("sensitivity", "Sensitivity d′", "How well human and other clips are told apart.",
                parts=("imitation", "artificial"), unit="d′"),
        Outcome("bias", "Criterion c", "Leaning towards one answer, whatever is shown.",
                parts=("imitation", "artificial"), unit="criterion c"),
    ),
    compares=TYPES,
    options=(
        Option("highest", "Top of the experience scale.", "number", 5, 2),
        Option("resamples", "Bootstrap resamples.", "integer", 10_000, 100, 1_000_000),
        Option("good_confidence", "The confidence index of a good result.", "number", 0.6, 0, 1),
        Option("enough_experience", "Mean experience at which collecting may stop.", "number", 3, 1),
        Option("middle", "Treatment of the answer 3 in signal detection.", "word", "not_human", one_of=("not_human", "left_out")),
    ),
)  # fmt: skip

CLIPS = Protocol(
    name="clips",
    about="Pages of clips rated from human to artificial. About fifteen minutes.",
    learn="Believability and confidence indices of each kind of player, and how well kinds are told apart.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="gorman2006",
            title="Believability Testing and Bayesian Imitation in Interactive Computer Games",
            authors=("Gorman, Bernard", "Thurau, Christian", "Bauckhage, Christian", "Humphrys, Mark"),
            year=2006,
            venue="From Animals to Animats 9 (SAB 2006), LNCS 4095, pp. 655–666, Springer",
            note="The believability index.",
        ),
    ),
)  # fmt: skip
