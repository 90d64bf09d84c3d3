"""Several lines of free text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.words import length_problems, read_words, simulated_words
from believable.study.records import Record, Text


class LongTextParams(Record):
    """Lengths count characters."""

    min_length: int = Field(default=0, ge=0, le=100_000)
    """How many characters are needed."""
    max_length: int = Field(default=5_000, ge=1, le=2_000_000)
    """How many characters are possible."""
    placeholder: Text | None = None
    """Shown in the empty field."""
    lines: int = Field(default=5, ge=2, le=40)
    """How high the field is."""


def read(params: LongTextParams, raw: Any) -> str:
    return read_words(raw, min_length=params.min_length, max_length=params.max_length)


def cells(params: LongTextParams, answer: str) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: LongTextParams, rng: random.Random) -> str:
    return simulated_words(rng, min_length=params.min_length, max_length=params.max_length)


def check(params: LongTextParams) -> Sequence[tuple[str, str, str]]:
    return length_problems(params.min_length, params.max_length)


LONG_TEXT = Instrument(
    name="long_text",
    version=1,
    about="Several lines of free text.",
    params=LongTextParams,
    records=(Column("value", "string", "the text as typed"),),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        LongTextParams(),
        LongTextParams(min_length=200, max_length=300, lines=10),
    ),
    check=check,
)
