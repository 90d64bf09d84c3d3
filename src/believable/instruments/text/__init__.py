"""One line of free text."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from believable.instruments import words
from believable.instruments.contract import Instrument


class TextParams(words.WordsParams):
    """Lengths count characters."""

    max_length: int = Field(default=200, ge=1, le=1_000)
    """How many characters are possible."""


TEXT = Instrument(
    name="text",
    version=1,
    about="One line of free text.",
    params=TextParams,
    records=words.RECORDS,
    folder=Path(__file__).parent,
    read=words.read,
    cells=words.cells,
    simulate=words.simulate,
    examples=(
        TextParams(),
        TextParams(min_length=3, max_length=5),
    ),
    check=words.check,
)
