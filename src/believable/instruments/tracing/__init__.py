"""The common parts of the tracing instruments: the events they record, the texts at the ends, and
the practice page.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.contracts.instrument import Act, Rehearsal
from believable.contracts.record import Record, Text
from believable.core.event_chain import EventKind

INPUTS = ("wheel", "trackpad", "key", "pointer", "heartbeat")

SAMPLE = EventKind(
    "trace.sample",
    ("value", "media_ms", "frame", "input"),
    "the value after an input, or once a second without one (`input: heartbeat`), while the"
    " stimulus plays",
    table="traces",
)
MARK = EventKind(
    "trace.mark", ("sign", "media_ms", "frame", "input"), "a mark was set: 1 or -1", table="traces"
)
HOLD = EventKind(
    "trace.hold",
    ("sign", "from_ms", "media_ms", "repeat_ms", "frame", "input"),
    "the key or button of the mark at `from_ms` was held until `media_ms`: the mark is repeated"
    " every `repeat_ms` of the medium",
    is_input=False,
    table="traces",
)
PRACTICE = (
    EventKind("practice.start", ("try",), "a try at the practice began; counts from 1"),
    EventKind(
        "practice.result",
        ("try", "passed", "moves"),
        "how it went: for each movement of the disc its direction, the change of the trace, and"
        " whether they agree",
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


HEARTBEAT_MS = 1000
#: Median time between two bursts of inputs.
QUIET_MS = 2200
#: Pictures per second that the simulated browser shows.
FRAME_RATE = 30
DEVICES = ("wheel", "wheel", "trackpad", "key")


#: How long one try at the practice takes, and how the disc moves in it (see disc.js).
TRY_MS = 19_500
DIRECTIONS = (1, -1, 1, -1)


def follow_disc(params: TraceParams, rng: random.Random, care: float, number: int) -> Rehearsal:
    """One try of a simulated person, who may miss one movement of the disc."""
    slip = None if rng.random() < care else rng.randrange(len(DIRECTIONS))
    moves = tuple(
        {
            "direction": direction,
            "change": 0 if index == slip else direction * rng.randint(1, 6),
            "right": index != slip,
        }
        for index, direction in enumerate(DIRECTIONS)
    )
    return Rehearsal(TRY_MS, (), slip is None, moves)


@dataclass(frozen=True, slots=True)
class Push:
    """One input: up (1) or down (-1)."""

    media_ms: int
    direction: int


def pushes(rng: random.Random, duration_ms: int, *, longest_burst: int) -> Iterator[Push]:
    """Inputs of one viewing, strictly later one after the other, before the end."""
    mood = rng.gauss(0, 1)
    at_ms = rng.randint(300, 1500)
    while at_ms < duration_ms:
        mood = 0.75 * mood + rng.gauss(0, 0.7)
        direction = 1 if mood + rng.gauss(0, 0.4) > 0 else -1
        for _ in range(rng.randint(1, longest_burst)):
            if at_ms >= duration_ms:
                return
            yield Push(at_ms, direction)
            at_ms += rng.randint(45, 190)
        at_ms += 250 + round(QUIET_MS * rng.lognormvariate(0, 0.6))


def samples(
    values: Sequence[tuple[int, float]], duration_ms: int, start: float, device: str
) -> list[Act]:
    """Changes (media time, new value) with the heartbeats between them, as the browser would record
    them.
    """
    acts = [sample(0, start, "heartbeat")]
    last_ms, value = 0, start
    for at_ms, changed in [*values, (duration_ms, None)]:
        while last_ms + HEARTBEAT_MS < at_ms:
            last_ms += HEARTBEAT_MS
            acts.append(sample(last_ms, value, "heartbeat"))
        if changed is not None:
            last_ms, value = at_ms, changed
            acts.append(sample(at_ms, value, device))
    return acts


def sample(media_ms: int, value: float, how: str) -> Act:
    return Act(media_ms, SAMPLE.kind, {"value": value, **_media_time(media_ms), "input": how})


def mark(media_ms: int, sign: int, how: str) -> Act:
    return Act(media_ms, MARK.kind, {"sign": sign, **_media_time(media_ms), "input": how})


def hold_key(from_ms: int, to_ms: int, repeat_ms: int, sign: int, how: str) -> list[Act]:
    """A key that is pressed and released: the mark, and the hold if it lasted long enough to repeat
    it.
    """
    held = {
        "sign": sign,
        "from_ms": from_ms,
        "repeat_ms": repeat_ms,
        **_media_time(to_ms),
        "input": how,
    }
    lasts = 0 < repeat_ms <= to_ms - from_ms
    return [mark(from_ms, sign, how), *([Act(to_ms, HOLD.kind, held)] if lasts else [])]


def repeats(from_ms: float, to_ms: float, repeat_ms: float) -> list[float]:
    """When a held mark is repeated: every `repeat_ms` after `from_ms`, up to `to_ms` with it. A
    hold of 3 s at 100 ms repeats its mark 30 times, so that there are 31 of it.
    """
    count = int((to_ms - from_ms) // repeat_ms) if repeat_ms > 0 and to_ms >= from_ms else 0
    return [from_ms + repeat_ms * number for number in range(1, count + 1)]


def _media_time(media_ms: int) -> dict[str, Any]:
    return {"media_ms": media_ms, "frame": 1 + media_ms * FRAME_RATE // 1000}
