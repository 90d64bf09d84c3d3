"""One line of free text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.words import length_problems, read_words, simulated_words
from believable.study.records import Record, Text


class TextParams(Record):
    """Lengths count characters."""

    min_length: int = Field(default=0, ge=0, le=100_000)
    """How many characters are needed."""
    max_length: int = Field(default=200, ge=1, le=1_000)
    """How many characters are possible."""
    placeholder: Text | None = None
    """Shown in the empty field."""


def read(params: TextParams, raw: Any) -> str:
    return read_words(raw, min_length=params.min_length, max_length=params.max_length)


def cells(params: TextParams, answer: str) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: TextParams, rng: random.Random) -> str:
    return simulated_words(rng, min_length=params.min_length, max_length=params.max_length)


def check(params: TextParams) -> Sequence[tuple[str, str, str]]:
    return length_problems(params.min_length, params.max_length)


TEXT = Instrument(
    name="text",
    version=1,
    about="One line of free text.",
    params=TextParams,
    records=(Column("value", "string", "the text as typed"),),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        TextParams(),
        TextParams(min_length=3, max_length=5),
    ),
    check=check,
)
