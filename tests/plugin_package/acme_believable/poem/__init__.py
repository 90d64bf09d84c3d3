"""A poem, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from believable.contracts.page import PageKind
from believable.contracts.record import Text
from believable.contracts.trial import TrialBase


class Poem(TrialBase):
    """Lines to read, one below the other."""

    kind: Literal["poem"] = "poem"
    text: Text
    """The poem, as Markdown."""
    pause_s: int = Field(default=1, ge=0, le=60)
    """Seconds between two lines."""


POEM = PageKind(name="poem", record=Poem, folder=Path(__file__).parent, typical_ms=8_000)
