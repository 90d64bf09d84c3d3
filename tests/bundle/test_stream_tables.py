"""Events that only one instrument records: a table in the bundle, or a refusal by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from believable.bundle.marks import Happening
from believable.bundle.stream_tables import stream_row
from believable.contracts.instrument import Act, Instrument, check_instrument
from believable.core.errors import InvalidInput
from believable.core.event_chain import EventKind
from believable.instruments.flags import FLAGS
from believable.instruments.ranktrace import RANKTRACE

MOOD = EventKind(
    "mood.change",
    ("media_ms", "level", "sure", "note"),
    "the mood changed",
    types={"media_ms": "number", "level": "integer", "sure": "boolean"},
)


def recording(stream: EventKind) -> Instrument[Any]:
    """An instrument that records this event only."""
    data = dict.fromkeys(stream.data, 1)
    return replace(
        RANKTRACE,
        streams=(stream,),
        practice=None,
        perform=lambda params, rng, duration_ms: [Act(0, stream.kind, data)],
    )


@pytest.mark.parametrize("instrument", [FLAGS, RANKTRACE, recording(MOOD)])
def test_events_with_a_table_pass(instrument: Instrument[Any]) -> None:
    check_instrument(instrument)


@pytest.mark.parametrize(
    ("stream", "complaint"),
    [
        (replace(MOOD, kind="trace.sample"), "'trace.sample' belongs into the table 'traces'"),
        (replace(MOOD, table="traces"), "cannot go into 'traces', which is made of trace.sample"),
        (replace(MOOD, table="reactions"), "its kind must end with `.delay`"),
        (replace(MOOD, kind="Mood"), "must be small letters with a dot"),
        (replace(MOOD, data=("seq",), types={}), "every table has seq already"),
        (replace(MOOD, types={"depth": "number"}), "`types` names depth, which `data` does not"),
    ],
)
def test_events_that_would_reach_no_table_are_refused(stream: EventKind, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        check_instrument(recording(stream))


@pytest.mark.parametrize(
    ("data", "cells"),
    [
        (
            {"media_ms": 1.5, "level": 2, "sure": True, "note": "a"},
            {"media_ms": 1.5, "level": 2, "sure": True, "note": "a"},
        ),
        (
            {"media_ms": "1", "level": True, "sure": 1, "note": [1]},
            {"media_ms": None, "level": None, "sure": None, "note": "[1]"},
        ),
        (
            {"media_ms": float("inf"), "level": 2.0},
            {"media_ms": None, "level": 2, "sure": None, "note": None},
        ),
        ({"level": 2.5}, {"media_ms": None, "level": None, "sure": None, "note": None}),
    ],
)
def test_a_row_holds_only_values_of_the_declared_types(
    data: Mapping[str, Any], cells: Mapping[str, Any]
) -> None:
    event = Happening(7, MOOD.kind, 2, 1_000, 5.0, data)
    row = stream_row(MOOD, event, {"session": "s"})
    assert row == {"session": "s", "seq": 7, "at_ms": 1_000, "mono_ms": 5.0, **cells}
