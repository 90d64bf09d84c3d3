"""Several statements rated on one Likert scale."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from believable.contracts.instrument import AnswerCell, AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text
from believable.instruments.choice import AnswerOption, repeated_values
from believable.instruments.likert import label_problems, read_point


class MatrixRow(AnswerOption):
    """A statement, as a word or as a value with its label; or an instruction that only checks
    attention.
    """

    lab_only: ClassVar[frozenset[str]] = frozenset({"attention"})

    attention: int | None = Field(default=None, ge=1)
    """The point that attentive people choose (“Please choose 2 here.”). The row then checks
    attention: it counts in no mean, and `failed_check` looks at it.
    """


class MatrixParams(Record):
    """`rows` are the statements (`{value: calm, label: "I felt calm."}`). With `partial` a row may
    be left out.
    """

    rows: tuple[MatrixRow, ...] = Field(min_length=1)
    """The statements: words, or values with labels."""
    points: int = Field(default=5, ge=2, le=11)
    """How many points there are."""
    labels: tuple[Text, ...] = ()
    """Words for every point, or for the two ends."""
    partial: bool = False
    """Rows may be left out."""
    shuffle: bool = False
    """Each session sees the rows in a different order."""


def read(params: MatrixParams, raw: Any) -> dict[str, int]:
    """Row value → point, in the order in which the study lists the rows."""
    if not isinstance(raw, dict) or not raw:
        raise InvalidAnswer("error.rows")
    rows = [row.value for row in params.rows]
    if not set(raw) <= set(rows):
        raise InvalidAnswer("error.option")
    if not params.partial and len(raw) < len(rows):
        raise InvalidAnswer("error.rows")
    return {row: read_point(params.points, raw[row]) for row in rows if row in raw}


def cells(params: MatrixParams, answer: dict[str, int]) -> Sequence[AnswerCell]:
    return tuple(AnswerCell(row.value, answer.get(row.value)) for row in params.rows)


def simulate(params: MatrixParams, rng: random.Random) -> dict[str, int]:
    return {row.value: rng.randint(1, params.points) for row in params.rows}


def check(params: MatrixParams) -> Sequence[tuple[str, str, str]]:
    problems = [
        *repeated_values(params.rows, "rows"),
        *label_problems(params.points, params.labels),
    ]
    for number, row in enumerate(params.rows):
        if row.attention is not None and row.attention > params.points:
            message = f"{row.attention} is no point of this scale, which has {params.points}."
            problems.append(
                (f"rows[{number}].attention", message, f"Name a point from 1 to {params.points}.")
            )
    if all(row.attention is not None for row in params.rows):
        problems.append(
            ("rows", "every row checks attention, so that nothing is measured.", "Add a statement.")
        )
    return problems


def attention(params: MatrixParams) -> Mapping[str, int]:
    return {row.value: row.attention for row in params.rows if row.attention is not None}


def options(params: MatrixParams) -> Sequence[int]:
    return range(1, params.points + 1)


def items(params: MatrixParams) -> Sequence[str]:
    return [row.value for row in params.rows]


MATRIX = Instrument(
    name="matrix",
    version=1,
    about="Several statements rated on one Likert scale.",
    params=MatrixParams,
    records=(
        AnswerColumn(
            "value", "integer", "the point chosen for the row named by `item`, counted from 1"
        ),
    ),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        MatrixParams.model_validate({"rows": ["calm", "curious"]}),
        MatrixParams.model_validate(
            {
                "rows": [{"value": "calm", "label": "I feel calm."}],
                "points": 3,
                "labels": ["no", "so-so", "yes"],
                "partial": True,
            }
        ),
    ),
    check=check,
    options=options,
    items=items,
    attention=attention,
)
