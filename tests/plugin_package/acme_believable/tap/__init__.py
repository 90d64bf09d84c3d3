"""A button to press whenever something moves the viewer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from believable.contracts.instrument import Act, AnswerColumn, Instrument
from believable.contracts.record import Record
from believable.core.event_chain import EventKind

PRESS = EventKind(
    "tap.press",
    ("media_ms", "strength"),
    "the button was pressed",
    types={"media_ms": "number", "strength": "integer"},
)


class TapParams(Record):
    strength: int = 1
    """What a press counts."""


def perform(params: TapParams, rng: random.Random, duration_ms: int) -> Sequence[Act]:
    times = sorted(rng.randrange(duration_ms) for _ in range(duration_ms // 1_000))
    return [
        Act(at_ms, PRESS.kind, {"media_ms": at_ms, "strength": params.strength}) for at_ms in times
    ]


TAP = Instrument(
    name="tap",
    version=1,
    about="A button to press whenever something moves the viewer.",
    params=TapParams,
    records=(AnswerColumn("strength", "integer", "what a press counts"),),
    folder=Path(__file__).parent,
    use="annotate",
    streams=(PRESS,),
    perform=perform,
    examples=(TapParams(), TapParams(strength=3)),
)
