"""One of five points with words of its own: what instruments that differ in their words only have in common."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.likert import read_point
from believable.study.records import Record, Text

POINTS = 5


class FivePointParams(Record):
    """The five points have built-in words (`texts: certainty.1`, `clip_rating.1` …); `labels` replaces them."""

    labels: tuple[Text, ...] = ()
    """Words for the five points, instead of the built-in ones."""


def read(params: FivePointParams, raw: Any) -> int:
    return read_point(POINTS, raw)


def cells(params: FivePointParams, answer: int) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: FivePointParams, rng: random.Random) -> int:
    return rng.randint(1, POINTS)


def check(params: FivePointParams) -> Sequence[tuple[str, str, str]]:
    if len(params.labels) in (0, POINTS):
        return ()
    return [
        ("labels", f"{len(params.labels)} labels for {POINTS} points.", f"Give {POINTS} labels, or none.")
    ]


def options(params: FivePointParams) -> Sequence[int]:
    return range(1, POINTS + 1)


def five_points(folder: Path, *, about: str, first: str, last: str) -> Instrument[FivePointParams]:
    """An instrument named like its folder. `about` says what is asked; the points go from `first` to `last`."""
    return Instrument(
        name=folder.name,
        version=1,
        about=f"{about}, in five points: 1 {first} … 5 {last}.",
        params=FivePointParams,
        records=(Column("value", "integer", f"the point chosen: 1 {first} … 5 {last}"),),
        folder=folder,
        read=read,
        cells=cells,
        simulate=simulate,
        examples=(
            FivePointParams(),
            FivePointParams.model_validate({"labels": ["1", "2", "3", "4", "5"]}),
        ),
        check=check,
        options=options,
    )
