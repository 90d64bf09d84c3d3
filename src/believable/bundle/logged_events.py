"""Reads the events of a session, with values that broken clients cannot spoil."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

from believable.bundle.marks import Happening
from believable.bundle.session_records import CollectedSession


def read_events(collected: CollectedSession) -> list[Happening]:
    """The events in order. A body that is no event stays in the raw file and gives no row."""
    happenings: list[Happening] = []
    append, new = happenings.append, tuple.__new__  # there are millions of them
    for seq, text, _ in collected.events:
        try:
            body = orjson.loads(text)
        except ValueError:  # it is stricter than browsers are, about halves of characters for one
            body = parse_leniently(text)
        if type(body) is not dict:
            continue
        value_of = body.get
        kind, position, at_ms, data = (
            value_of("kind"),
            value_of("trial"),
            value_of("at_ms"),
            value_of("data"),
        )
        if type(kind) is not str:
            continue
        if type(position) is not int:
            position = None
        if type(at_ms) is not int:
            at_ms = None
        if type(data) is not dict:
            data = {}
        mono_ms = value_of("mono_ms")
        if type(mono_ms) is not int:
            mono_ms = finite_number(mono_ms)
        append(new(Happening, (seq, kind, position, at_ms, mono_ms, data)))
    return happenings


def parse_leniently(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def finite_number(value: Any) -> float | None:
    if type(value) is int:
        return value
    return value if isinstance(value, float) and math.isfinite(value) else None
