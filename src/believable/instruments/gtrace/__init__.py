"""GTrace: a slider between two ends that shows its earlier positions."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from believable.contracts.instrument import Act, AnswerColumn, Instrument
from believable.contracts.record import Text
from believable.instruments.tracing import (
    DEVICES,
    FOLLOW,
    SAMPLE,
    TraceParams,
    follow_disc,
    pushes,
    samples,
)

#: Values are kept to this many decimals: finer than the eye can place the handle.
DECIMALS = 2


class GTraceParams(TraceParams):
    """From -1 (`low`) to 1 (`high`), starting in the middle; moved with the pointer, the wheel or
    the arrow keys.
    """

    step: float = Field(default=0.1, ge=0.01, le=1)
    """How far one notch of the wheel or one key press goes."""


def perform(params: GTraceParams, rng: random.Random, duration_ms: int) -> Sequence[Act]:
    device = rng.choice(("pointer", *DEVICES))
    changes: list[tuple[int, float]] = []
    value = 0.0
    for push in pushes(rng, duration_ms, longest_burst=5):
        moved = round(min(1.0, max(-1.0, value + push.direction * params.step)), DECIMALS)
        if moved != value:
            value = moved
            changes.append((push.media_ms, value))
    return samples(changes, duration_ms, 0.0, device)


GTRACE = Instrument(
    name="gtrace",
    title="GTrace",
    version=1,
    about="A slider from -1 to 1, moved while watching; its past positions stay visible.",
    use="annotate",
    params=GTraceParams,
    records=(AnswerColumn("value", "number", "the position of the slider, from -1 to 1"),),
    folder=Path(__file__).parent,
    streams=(SAMPLE,),
    bounds=lambda params: (-1.0, 1.0),
    perform=perform,
    practice=FOLLOW,
    rehearse=follow_disc,
    examples=(
        GTraceParams(),
        GTraceParams(step=0.25, high=Text("lifelike"), low=Text("mechanical")),
    ),
)
