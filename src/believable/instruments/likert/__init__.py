"""One of n ordered points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text


class LikertParams(Record):
    """`labels` names every point, or only the two ends."""

    points: int = Field(default=5, ge=2, le=11)
    """How many points there are."""
    labels: tuple[Text, ...] = ()
    """Words for every point, or for the two ends."""


class FivePointParams(Record):
    """The five points have built-in words (`texts: certainty.1`, `clip_rating.1` …); `labels`
    replaces them.
    """

    points: ClassVar[int] = 5
    labels: tuple[Text, ...] = ()
    """Words for the five points, instead of the built-in ones."""


def read_point(points: int, raw: Any) -> int:
    """A whole number from 1 to `points`."""
    if isinstance(raw, bool) or not isinstance(raw, int) or not 1 <= raw <= points:
        raise InvalidAnswer("error.point", points=points)
    return raw


def label_problems(points: int, labels: Sequence[Text]) -> list[tuple[str, str, str]]:
    """Labels must name all points, or the ends, or be left out."""
    if len(labels) in (0, 2, points):
        return []
    cure = f"Give {points} labels, or 2 for the ends, or none."
    return [("labels", f"{len(labels)} labels for {points} points.", cure)]


def read(params: LikertParams | FivePointParams, raw: Any) -> int:
    return read_point(params.points, raw)


def simulate(params: LikertParams | FivePointParams, rng: random.Random) -> int:
    return rng.randint(1, params.points)


def check(params: LikertParams) -> Sequence[tuple[str, str, str]]:
    return label_problems(params.points, params.labels)


def options(params: LikertParams | FivePointParams) -> Sequence[int]:
    return range(1, params.points + 1)


LIKERT = Instrument(
    name="likert",
    version=1,
    about="One of n ordered points.",
    params=LikertParams,
    records=(AnswerColumn("value", "integer", "the point chosen, counted from 1"),),
    folder=Path(__file__).parent,
    scale="ordinal",
    read=read,
    simulate=simulate,
    examples=(
        LikertParams(),
        LikertParams.model_validate(
            {"points": 5, "labels": ["never", "rarely", "monthly", "weekly", "daily"]}
        ),
        LikertParams.model_validate({"points": 7, "labels": ["not at all", "completely"]}),
    ),
    check=check,
    options=options,
)


def check_five(params: FivePointParams) -> Sequence[tuple[str, str, str]]:
    if len(params.labels) in (0, params.points):
        return ()
    return [
        (
            "labels",
            f"{len(params.labels)} labels for {params.points} points.",
            f"Give {params.points} labels, or none.",
        )
    ]


def five_points(folder: Path, *, about: str, first: str, last: str) -> Instrument[FivePointParams]:
    """An instrument named like its folder. `about` describes the question; the points go from
    `first` to `last`.
    """
    return Instrument(
        name=folder.name,
        version=1,
        about=f"{about}, in five points: 1 {first} … 5 {last}.",
        params=FivePointParams,
        records=(AnswerColumn("value", "integer", f"the point chosen: 1 {first} … 5 {last}"),),
        folder=folder,
        scale="ordinal",
        read=read,
        simulate=simulate,
        examples=(
            FivePointParams(),
            FivePointParams.model_validate({"labels": ["1", "2", "3", "4", "5"]}),
        ),
        check=check_five,
        options=options,
    )
