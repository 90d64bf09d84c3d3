"""A self-contained page of a run's trace. It opens without a server or a network."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, NotFound, parsing
from believable.core.shell import quote_command
from believable.core.whole_files import write_whole
from believable.recordings.recording import Action
from believable.worlds.town.clock import STEP_MS
from believable.worlds.town.language.opening import USAGE_FILE
from believable.worlds.town.map import activities
from believable.worlds.town.run_folder import RECORDING_FILE, TRACE_FILE, read_settings, read_town
from believable.worlds.town.townsfolk import townsfolk

PARTS = Path(__file__).parent
PAGE_FILE = "inspect.html"
#: First words of tasks that consist of one primitive.
_FETCHING = {"getting": "pick-up", "putting": "put"}


def read_trace(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield every note of the minds in order. A last line that a crash cut off is skipped."""
    path = folder / TRACE_FILE
    if not path.is_file():
        raise NotFound(
            f"{path}: there is no trace. Make a run with:"
            f" {quote_command('believable town run', folder)}"
        )
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
    """Return the data of the page."""
    with parsing(folder, "Make the run again."):
        return _page_data(folder)


def _page_data(folder: Path) -> dict[str, Any]:
    settings = read_settings(folder)
    people = [
        {"id": persona.id, "name": persona.name, "role": persona.role, "about": persona.about}
        for persona in townsfolk(settings.seed, settings.people)
    ]
    traced = list(read_trace(folder))
    notes = (
        traced
        if any(note["kind"] == "plan" for note in traced)
        else [*traced, *_recorded_plans(folder)]
    )
    usage = folder / USAGE_FILE
    return {
        "run": {
            "mind": settings.mind,
            "seed": settings.seed,
            "days": settings.days,
            "options": dict(settings.options),
            "steps": max((note["step"] for note in traced), default=0),
        },
        "people": people,
        "notes": notes,
        "usage": json.loads(usage.read_text("utf-8")) if usage.is_file() else None,
        "counts": _counts(notes),
    }


def _recorded_plans(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield plans from the recording, for a mind that traces none. A task counts as dropped if no
    action served it, and none of its kind served the goal above it.
    """
    if not (folder / RECORDING_FILE).is_file():
        return
    recording = read_town(folder)
    did = {
        (action.serves, _kind_of(action)) for action in recording.actions if action.refused is None
    }
    served = {serves for serves, _ in did}
    for step in recording.plans:
        done = (
            step.id in served
            or (step.parent, _FETCHING.get(step.text.partition(" ")[0], step.text)) in did
        )
        first, last = step.t0_ms // STEP_MS, step.t1_ms // STEP_MS
        yield {
            "step": first,
            "person": step.actor,
            "kind": "plan",
            "id": step.id,
            "parent": step.parent,
            "level": step.level,
            "from_step": first,
            "to_step": last,
            "text": step.text,
            "reason": "",
            "status": "open" if step.level < 2 else "done" if done else "dropped",
        }


def _kind_of(action: Action) -> str:
    known = activities().get(action.activity or "")
    return action.verb if known is None else known.en


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
    """Return the page as HTML with data, script and style."""
    data = json.dumps(page_data(folder), ensure_ascii=False, separators=(",", ":")).replace(
        "<", "\\u003c"
    )
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
    write_whole(path, inspect_page(folder))
    return path
