"""A table for each kind of event that only one instrument records: a row per event, a column per
key of its data.

An event whose kind has a shared table (`traces`, `flags`, `reactions`) goes there instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from believable.bundle.marks import Happening
from believable.bundle.tables import BY_NAME, BundleTable, Cell, Field, Row, declare_table
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import outline
from believable.core.errors import InvalidInput
from believable.core.event_chain import EventKind
from believable.study.definition import Definition


def own_streams(definitions: Iterable[Definition]) -> Mapping[str, EventKind]:
    """Kind of event → its declaration, of the instruments that any definition annotates with."""
    items = [entry.item for one in definitions for entry in outline(one.study.timeline)]
    names = dict.fromkeys(item.annotation.kind for item in items if item.annotation is not None)
    streams: dict[str, EventKind] = {}
    for name in names:
        for stream in INSTRUMENTS[name].streams:
            if stream.table is None and streams.setdefault(stream.kind, stream) != stream:
                raise InvalidInput(
                    f"two instruments of the study record events {stream.kind!r} and declare them"
                    " differently. Rename the event in one of them."
                )
    return streams


def stream_tables(definitions: Iterable[Definition]) -> tuple[BundleTable, ...]:
    """The tables of those events."""
    return tuple(_table(stream) for stream in own_streams(definitions).values())


def _table(stream: EventKind) -> BundleTable:
    if stream.own_table in BY_NAME:
        raise InvalidInput(
            f"the events {stream.kind!r} of an instrument would need a table"
            f" {stream.own_table!r}, which every bundle has. Rename the event."
        )
    about = f"One row per event `{stream.kind}`: {stream.about}."
    columns = [
        Field(name=name, type=stream.types.get(name, "string"), about=f"`{name}` of the event.")
        for name in stream.data
    ]
    return replace(declare_table("stream", data=columns), name=stream.own_table, about=about)


def stream_row(stream: EventKind, event: Happening, columns: Row) -> Row:
    """One event as a row of its table. `columns` are those of its trial."""
    cells = {name: _cell(event.data.get(name), stream.types.get(name)) for name in stream.data}
    times = {"seq": event.seq, "at_ms": event.at_ms, "mono_ms": event.mono_ms}
    return {**columns, **times, **cells}


def _cell(value: Any, type_: str | None) -> Cell:
    """The value if it has the declared type; else nothing: no browser of ours made it."""
    if type_ is None or type_ == "string":
        return value if value is None or isinstance(value, str) else json.dumps(value)
    if type_ == "boolean":
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if type_ == "number":
        return value
    return int(value) if value == int(value) else None
