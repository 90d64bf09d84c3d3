"""`qa`: is this annotator reliable?"""

from __future__ import annotations

from believable.core.citation import Citation
from believable.protocols.contract import Protocol
from believable.study.declaration import Declaration, Option, Outcome, Role

DECLARATION = Declaration(
    name="qa",
    about="Annotators against known signals, and against each other on the main task.",
    roles=(
        Role("visual", "The visual quality test.", "trial", ("visual",)),
        Role("auditory", "The auditory quality test.", "trial", ("auditory",)),
        Role("task", "The trials of the main task.", "trial", ("watch", "task", "main"), several=True),
        Role("group", "The group of an annotator.", defaults=("about.group", "group")),
    ),
    outcomes=(
        Outcome("visual", "Visual test", "Agreement with the known signal: SDA and κ per group.",
                tested=True, unit="difference of mean SDA", no_effect=0),
        Outcome("auditory", "Auditory test", "Agreement with the known signal: SDA and κ per group.",
                tested=True, unit="difference of mean SDA", no_effect=0),
        Outcome("task", "Task", "Agreement with the others' median trace, annotators as units.",
                tested=True, unit="difference of mean SDA", no_effect=0),
        Outcome("gate", "Gate against task", "Share of annotators on whom both agree.", unit="share of annotators"),
        Outcome("tests_agree", "Visual with auditory", "Correlation of both tests' SDA per group.", tested=True,
                unit="Pearson's r", no_effect=0),
    ),
    options=(
        Option("bin_ms", "Length of a bin, in ms.", "integer", 250, 1),
        Option("drawn", "How many annotators of a group are drawn against the known signal.", "integer", 10, 0, 200),
        Option("selection", "How annotators were selected, in words, where the study file does not tell.", "word", ""),
        Option("threshold", "SDA below which an annotator is unreliable.", "number", 0, -1, 1),
    ),
)  # fmt: skip

QA = Protocol(
    name="qa",
    about="Annotators tested on known signals, then a task of annotating. About ten minutes.",
    learn="Which annotators can be relied on, and whether short tests predict it.",
    package=__name__,
    version=1,
    declaration=DECLARATION,
    cites=(
        Citation(
            key="barthet2023",
            title="Knowing Your Annotator: Rapidly Testing the Reliability of Affect Annotation",
            authors=(
                "Barthet, Matthew", "Trivedi, Chintan", "Pinitas, Kosmas", "Xylakis, Emmanouil",
                "Makantasis, Konstantinos", "Liapis, Antonios", "Yannakakis, Georgios N.",
            ),
            year=2023,
            venue="11th International Conference on Affective Computing and Intelligent Interaction Workshops and Demos (ACIIW)",
        ),
    ),
)  # fmt: skip
