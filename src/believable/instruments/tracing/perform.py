"""How a simulated person traces: nothing for a while, then a few inputs in a row, following a mood that wanders."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from believable.instruments.contract import Act
from believable.instruments.tracing import MARK, SAMPLE

HEARTBEAT_MS = 1000
#: Median time between two bursts of inputs.
QUIET_MS = 2200
#: Pictures per second that the simulated browser shows.
FRAME_RATE = 30
DEVICES = ("wheel", "wheel", "trackpad", "key")


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


def samples(values: Sequence[tuple[int, float]], duration_ms: int, start: float, device: str) -> list[Act]:
    """Changes (media time, new value) with the heartbeats between them, as the browser would record them."""
    found = [sample(0, start, "heartbeat")]
    last_ms, value = 0, start
    for at_ms, changed in [*values, (duration_ms, None)]:
        while last_ms + HEARTBEAT_MS < at_ms:
            last_ms += HEARTBEAT_MS
            found.append(sample(last_ms, value, "heartbeat"))
        if changed is not None:
            last_ms, value = at_ms, changed
            found.append(sample(at_ms, value, device))
    return found


def sample(media_ms: int, value: float, how: str) -> Act:
    return Act(media_ms, SAMPLE.kind, {"value": value, **_when(media_ms), "input": how})


def mark(media_ms: int, sign: int, how: str) -> Act:
    return Act(media_ms, MARK.kind, {"sign": sign, **_when(media_ms), "input": how})


def _when(media_ms: int) -> dict[str, Any]:
    return {"media_ms": media_ms, "frame": 1 + media_ms * FRAME_RATE // 1000}
