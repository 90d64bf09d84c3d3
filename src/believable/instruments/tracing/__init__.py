"""What the tracing instruments share: the events they record, the words at the ends, and the practice page."""

from __future__ import annotations

from pathlib import Path

from believable.core.recorded import Recorded
from believable.study.records import Record, Text

INPUTS = ("wheel", "trackpad", "key", "pointer", "heartbeat")

SAMPLE = Recorded(
    "trace.sample",
    ("value", "media_ms", "frame", "input"),
    "the value after an input, or once a second without one (`input: heartbeat`), while the stimulus plays",
)
MARK = Recorded("trace.mark", ("sign", "media_ms", "frame", "input"), "a mark was set: 1 or -1")
PRACTICE = (
    Recorded("practice.start", ("try",), "a try at the practice began; counts from 1"),
    Recorded(
        "practice.result",
        ("try", "passed", "moves"),
        "how it went: for each movement of the disc its direction, the change of the trace, and whether they agree",
    ),
)

#: Scripts and styles that the tracing instruments share.
FOLDER = Path(__file__).parent

#: The practice page of all tracing instruments: follow a disc that grows and shrinks.
FOLLOW = "tracing/practice.js"


class TraceParams(Record):
    """`high` and `low` name the two directions."""

    high: Text | None = None
    """Words for up."""
    low: Text | None = None
    """Words for down."""
