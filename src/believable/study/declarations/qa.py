"""What the analysis of `qa` declares: is this annotator reliable?"""

from __future__ import annotations

from believable.study.declaration import Declaration, Option, Outcome, Role

QA = Declaration(
    name="qa",
    about="Annotators against known signals, and against each other on the main task.",
    roles=(
        Role("visual", "The visual quality test.", "trial", ("visual",)),
        Role("auditory", "The auditory quality test.", "trial", ("auditory",)),
        Role("task", "The trials of the main task.", "trial", ("watch", "task", "main"), several=True),
        Role("group", "The group of an annotator.", defaults=("about.group", "group")),
    ),
    outcomes=(
        Outcome("visual", "Visual test", "Agreement with the known signal: SDA and κ per group.", tested=True),
        Outcome("auditory", "Auditory test", "Agreement with the known signal: SDA and κ per group.", tested=True),
        Outcome("task", "Task", "Agreement with the others' median trace, annotators as units.", tested=True),
        Outcome("gate", "Gate against task", "Share of annotators on whom both agree."),
        Outcome("tests_agree", "Visual with auditory", "Correlation of both tests' SDA per group.", tested=True),
    ),
    options=(
        Option("bin_ms", "Length of a bin.", "integer", 250, 1),
        Option("drawn", "How many annotators of a group are drawn against the known signal.", "integer", 10, 0, 200),
        Option("selection", "How annotators were selected, in words, where the study file does not tell.", "word", ""),
        Option("threshold", "SDA below which an annotator is unreliable.", "number", 0, -1, 1),
    ),
)  # fmt: skip
