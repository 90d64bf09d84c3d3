"""Whether what a clip shows is human or artificial, in five points: 1 human … 5 artificial."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.likert import read_point
from believable.study.records import Record, Text

POINTS = 5


class ClipRatingParams(Record):
    """The five points have built-in words (`texts: clip_rating.1` …); `labels` replaces them."""

    labels: tuple[Text, ...] = ()
    """Words for the five points, instead of the built-in ones."""


def read(params: ClipRatingParams, raw: Any) -> int:
    return read_point(POINTS, raw)


def cells(params: ClipRatingParams, answer: int) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: ClipRatingParams, rng: random.Random) -> int:
    return rng.randint(1, POINTS)


def check(params: ClipRatingParams) -> Sequence[tuple[str, str, str]]:
    if len(params.labels) in (0, POINTS):
        return ()
    return [
        ("labels", f"{len(params.labels)} labels for {POINTS} points.", f"Give {POINTS} labels, or none.")
    ]


def options(params: ClipRatingParams) -> Sequence[int]:
    return range(1, POINTS + 1)


CLIP_RATING = Instrument(
    name="clip_rating",
    version=1,
    about="Whether what a clip shows is human or artificial, in five points: 1 human … 5 artificial.",
    params=ClipRatingParams,
    records=(Column("value", "integer", "the point chosen: 1 human … 5 artificial"),),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        ClipRatingParams(),
        ClipRatingParams.model_validate({"labels": ["1", "2", "3", "4", "5"]}),
    ),
    check=check,
    options=options,
)
