"""A Generative Agents persona's own plan for the day, from its memory, as plan steps with the times it names."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from pathlib import Path

from believable.replay.records import PlanStep

_TIME = r"(\d{1,2})(?::(\d{2}))?\s*([ap]m)?"
_SPAN = re.compile(rf"\b(?:from|at)\s+{_TIME}\s*(?:to|until|-)\s*{_TIME}\b", re.IGNORECASE)
_POINT = re.compile(rf"\bat\s+{_TIME}\b", re.IGNORECASE)


def day_plan_steps(nodes: Path, actor: str, start: datetime.datetime, duration_ms: int) -> Iterator[PlanStep]:
    """One root for the day with what the persona planned in the morning below it. Items without a stated time last all day."""
    text = _plan_text(nodes, start)
    if text is None:
        return
    title, _, listed = text.partition(": ")
    root = f"{actor}-plan"
    yield PlanStep(root, actor, None, 0, 0, duration_ms, title)
    for number, item in enumerate(listed.rstrip(".").split(", "), 1):
        t0, t1 = _stated_span(item, duration_ms)
        yield PlanStep(f"{actor}-p{number}", actor, root, 1, t0, t1, item)


def _plan_text(nodes: Path, start: datetime.datetime) -> str | None:
    day = f"{start.strftime('%A %B')} {start.day}"
    for node in json.loads(nodes.read_text("utf-8")).values():
        if node["predicate"] == "plan" and node["object"].replace(" 0", " ") == day:
            return str(node["description"])
    return None


def _stated_span(item: str, duration_ms: int) -> tuple[int, int]:
    """Milliseconds of the day an item names: `from 9:00 am to 10:00 am`, or from `at 6:00 am` on for one hour."""
    if found := _SPAN.search(item):
        h0, m0, half0, h1, m1, half1 = found.groups()
        t0, t1 = _ms(h0, m0, half0 or half1), _ms(h1, m1, half1 or half0)
        if t0 <= t1 <= duration_ms:
            return t0, t1
    if found := _POINT.search(item):
        t0 = _ms(*found.groups())
        return min(t0, duration_ms), min(t0 + 3_600_000, duration_ms)
    return 0, duration_ms


def _ms(hour: str, minute: str | None, half: str | None) -> int:
    hours = int(hour) % 12 + (12 if (half or "").lower() == "pm" else 0) if half else int(hour)
    return (hours * 60 + int(minute or 0)) * 60_000
