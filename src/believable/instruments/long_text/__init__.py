"""Several lines of free text."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from believable.contracts.instrument import Instrument
from believable.instruments.text import RECORDS, WordsParams, check, read, simulate


class LongTextParams(WordsParams):
    """Lengths count characters."""

    max_length: int = Field(default=5_000, ge=1, le=2_000_000)
    """How many characters are possible."""
    lines: int = Field(default=5, ge=2, le=40)
    """How high the field is."""


LONG_TEXT = Instrument(
    name="long_text",
    version=1,
    about="Several lines of free text.",
    params=LongTextParams,
    records=RECORDS,
    folder=Path(__file__).parent,
    scale="text",
    short_text=15,
    read=read,
    simulate=simulate,
    examples=(LongTextParams(), LongTextParams(min_length=200, max_length=300, lines=10)),
    check=check,
)
