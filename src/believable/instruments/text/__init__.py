"""Free text: one line of it; the stored form of any text, and the texts of simulated
participants.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text

#: Lone surrogates cannot be stored as UTF-8 and NUL not in PostgreSQL; the event keeps the typed
#: text to the letter.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"

_SENTENCES = (
    "It moved in a way I did not expect.",
    "The turns looked too exact to me.",
    "It stopped and seemed to think.",
    "I could not say why, it just felt natural.",
    "It ran into the wall twice.",
    "The pace never changed.",
)


class WordsParams(Record):
    """What questions for free text have in common. Lengths count characters."""

    min_length: int = Field(default=0, ge=0, le=100_000)
    """How many characters are needed."""
    max_length: int
    """How many characters are possible."""
    placeholder: Text | None = None
    """Shown in the empty field."""


RECORDS = (AnswerColumn("value", "string", "the text as typed"),)


def read(params: WordsParams, raw: Any) -> str:
    """The text, if it says something and its length is within the bounds."""
    if not isinstance(raw, str) or not raw.strip():
        raise InvalidAnswer("error.required")
    if len(raw.strip()) < params.min_length:
        raise InvalidAnswer("error.text_min", min=params.min_length)
    if len(raw) > params.max_length:
        raise InvalidAnswer("error.text_max", max=params.max_length)
    return _UNSTORABLE.sub(_REPLACEMENT, raw)


def simulate(params: WordsParams, rng: random.Random) -> str:
    """A few plain sentences that fit the bounds."""
    text = rng.choice(_SENTENCES)
    while len(text) < params.min_length or (
        rng.random() < 0.5 and len(text) < params.max_length // 2
    ):
        text = f"{text} {rng.choice(_SENTENCES)}"
    cut = text[: params.max_length].rstrip()
    return cut if len(cut) >= params.min_length else cut.ljust(params.min_length, ".")


def check(params: WordsParams) -> Sequence[tuple[str, str, str]]:
    if params.min_length <= params.max_length:
        return ()
    return (
        (
            "min_length",
            f"{params.min_length} is above max_length {params.max_length}.",
            "Swap them.",
        ),
    )


class TextParams(WordsParams):
    """Lengths count characters."""

    max_length: int = Field(default=200, ge=1, le=1_000)
    """How many characters are possible."""


TEXT = Instrument(
    name="text",
    version=1,
    about="One line of free text.",
    params=TextParams,
    records=RECORDS,
    folder=Path(__file__).parent,
    scale="text",
    read=read,
    simulate=simulate,
    examples=(TextParams(), TextParams(min_length=3, max_length=5)),
    check=check,
)
