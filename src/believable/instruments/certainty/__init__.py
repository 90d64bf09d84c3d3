"""How certain people are, in five points: 1 extremely certain … 5 extremely uncertain."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.likert import read_point
from believable.study.records import Record, Text

POINTS = 5


class CertaintyParams(Record):
    """The five points have built-in words (`texts: certainty.1` …); `labels` replaces them."""

    labels: tuple[Text, ...] = ()
    """Words for the five points, instead of the built-in ones."""


def read(params: CertaintyParams, raw: Any) -> int:
    return read_point(POINTS, raw)


def cells(params: CertaintyParams, answer: int) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: CertaintyParams, rng: random.Random) -> int:
    return rng.randint(1, POINTS)


def check(params: CertaintyParams) -> Sequence[tuple[str, str, str]]:
    if len(params.labels) in (0, POINTS):
        return ()
    return [
        ("labels", f"{len(params.labels)} labels for {POINTS} points.", f"Give {POINTS} labels, or none.")
    ]


def options(params: CertaintyParams) -> Sequence[int]:
    return range(1, POINTS + 1)


CERTAINTY = Instrument(
    name="certainty",
    version=1,
    about="How certain people are, in five points: 1 extremely certain … 5 extremely uncertain.",
    params=CertaintyParams,
    records=(Column("value", "integer", "the point chosen: 1 extremely certain … 5 extremely uncertain"),),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        CertaintyParams(),
        CertaintyParams.model_validate({"labels": ["1", "2", "3", "4", "5"]}),
    ),
    check=check,
    options=options,
)
