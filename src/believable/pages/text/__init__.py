"""Words to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from believable.contracts.page import PageKind, StudyChecks
from believable.contracts.record import Text
from believable.contracts.trial import Entry, TrialBase
from believable.study.reading import Reading


class TextPage(TrialBase):
    """Words to read: a `page` (a Markdown file) or a `text` (Markdown in place)."""

    kind: Literal["text"] = "text"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""


def check_words(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    """A page with words has them from a file or in place."""
    item, place = entry.item, reading.place(entry.item)
    if reading.is_broken(place.path):
        return
    ways = [way for way in ("page", "text") if getattr(item, way) is not None]
    if not ways:
        reading.report(
            place,
            f"{item.kind} has nothing to show.",
            "Give it a `page: pages/….md` or a `text: …`.",
        )
    if len(ways) == 2:
        reading.report(place, f"{item.kind} has both a page and a text.", "Keep one of them.")


TEXT = PageKind(
    name="text",
    record=TextPage,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=check_words),
    typical_ms=24_000,
)
