"""A small complete study, to look at and to change."""

from __future__ import annotations

from believable.contracts.protocol import ReadyStudy

DEMO = ReadyStudy(
    name="demo",
    about=(
        "Two short recordings of a figure in a maze: which walks like a person? About five minutes."
    ),
    package=__name__,
)
