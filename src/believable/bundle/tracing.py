"""Traces as rows: what annotating instruments recorded while something was watched. Practice stays in the raw events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from believable.bundle.tables import Cell

Row = Mapping[str, Cell]

#: Event → the key of its data that holds the value.
VALUES = {"trace.sample": "value", "trace.mark": "sign"}


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """A sample or a mark."""

    seq: int
    kind: str
    position: int
    at_ms: int | None
    mono_ms: float | None
    data: Mapping[str, Any]


def trace_rows(events: Iterable[TraceEvent], about: Callable[[TraceEvent], Row | None]) -> Iterator[Row]:
    """One row per sample or mark. `about` gives the columns of its trial; None where nothing is to be annotated there. An event
    that lacks its value or its time was made by no browser of ours: it stays in the raw file and gives no row.
    """
    for event in events:
        columns = about(event)
        value, media_ms = _finite(event.data.get(VALUES[event.kind])), _finite(event.data.get("media_ms"))
        if columns is None or value is None or media_ms is None or event.at_ms is None:
            continue
        frame, how = event.data.get("frame"), event.data.get("input")
        yield {
            **columns,
            "seq": event.seq,
            "at_ms": event.at_ms,
            "mono_ms": event.mono_ms,
            "media_ms": media_ms,
            "value": value,
            "frame": frame if isinstance(frame, int) and not isinstance(frame, bool) else None,
            "input": how if isinstance(how, str) else None,
        }


def _finite(value: Any) -> int | float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if number and math.isfinite(value) else None
