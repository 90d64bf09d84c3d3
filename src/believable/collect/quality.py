"""Scoring quality tests: the trace that was drawn, against the signal that was shown."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from believable.stimuli.signal import Signal, draw
from believable.store.events import Event
from believable.study.records import Qa
from believable.traces.direction import sda
from believable.traces.resample import resample

STEP_MS = 250
#: RankTrace begins here.
START = 0.0


def signal_of(test: Qa) -> Signal:
    return draw(test.signal_seed, test.duration_s)


def score(test: Qa, events: Iterable[Event]) -> float:
    """SDA of the trace with the truth. The trace: means of bins of 250 ms, held where nothing happened, 0 before the first
    sample; the truth: its value at the beginning of each bin. A trace that never moved is scored like any other.
    """
    signal = signal_of(test)
    samples = [
        (media_ms, value)
        for event in events
        if event.kind == "trace.sample"
        and (media_ms := _finite(event.data.get("media_ms"))) is not None
        and (value := _finite(event.data.get("value"))) is not None
        and 0 <= media_ms < signal.duration_ms
    ]
    truth = signal.levels(np.arange(0, signal.duration_ms, STEP_MS, dtype=np.float64))
    if not samples:
        return sda(np.full(len(truth), START), truth)
    times_ms, values = zip(*samples, strict=True)
    trace = resample(
        times_ms, values, step_ms=STEP_MS, duration_ms=signal.duration_ms, fill="hold", start=START
    )
    return sda(trace, truth)


def _finite(value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and math.isfinite(value) else None
