"""One self-contained page of a run's trace: it opens without a server, a network or anything installed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, NotFound
from believable.worlds.town.language.opening import USAGE_FILE
from believable.worlds.town.town_folder import TRACE_FILE, read_settings
from believable.worlds.town.townsfolk import townsfolk

PARTS = Path(__file__).parent
PAGE_FILE = "inspect.html"


def read_trace(folder: Path) -> Iterator[dict[str, Any]]:
    """Every note of the minds, in order. A last line that a crash cut off is left out."""
    path = folder / TRACE_FILE
    if not path.is_file():
        raise NotFound(f"{path}: there is no trace. Make a run with: believable town run {folder}")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                note = json.loads(line)
            except ValueError as error:
                raise InvalidInput(
                    f"{path}:{number}: expected a note as JSON, got something else ({error})."
                ) from error
            yield note


def page_data(folder: Path) -> dict[str, Any]:
    """What the page shows: prompts that recur are kept once."""
    settings = read_settings(folder)
    people = [
        {"id": persona.id, "name": persona.name, "role": persona.role, "about": persona.about}
        for persona in townsfolk(settings.seed, settings.people)
    ]
    notes = list(read_trace(folder))
    usage = folder / USAGE_FILE
    return {
        "run": {
            "mind": settings.mind, "seed": settings.seed, "days": settings.days, "options": dict(settings.options),
            "steps": max((note["step"] for note in notes), default=0),
        },
        "people": people,
        "notes": notes,
        "usage": json.loads(usage.read_text("utf-8")) if usage.is_file() else None,
        "counts": _counts(notes),
    }  # fmt: skip


def _counts(notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    calls = [note for note in notes if note["kind"] == "call"]
    return {
        "calls": len(calls),
        "failed": sum("failed" in note for note in calls),
        "unanswered": sum(note["kind"] == "unanswered" for note in notes),
        "memories": sum(note["kind"] == "memory" for note in notes),
        "by_prompt": dict(Counter(note["prompt"] for note in calls).most_common()),
    }


def inspect_page(folder: Path) -> str:
    """The page as HTML; data, script and style are in it."""
    data = json.dumps(page_data(folder), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    page = (PARTS / "inspect.html").read_text("utf-8")
    for mark, text in (
        ("/* style */", (PARTS / "inspect.css").read_text("utf-8")),
        ("/* script */", (PARTS / "inspect.js").read_text("utf-8")),
        ("/* data */", data),
    ):
        page = page.replace(mark, text, 1)
    return page


def write_page(folder: Path) -> Path:
    path = folder / PAGE_FILE
    path.write_text(inspect_page(folder), "utf-8")
    return path
