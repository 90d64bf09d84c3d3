"""BTrace: two keys that leave a plus or a minus on the time line, again and again while they are
held.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from believable.contracts.instrument import Act, AnswerColumn, Instrument
from believable.contracts.record import Text
from believable.instruments.tracing import (
    FOLLOW,
    HOLD,
    MARK,
    TraceParams,
    follow_disc,
    hold_key,
    pushes,
)


class BTraceParams(TraceParams):
    """`high` and `low` are the words on the two buttons. A key that is held repeats its mark."""

    repeat_ms: int = Field(default=100, ge=0)
    """How often a held key repeats its mark, in milliseconds of the medium; 0: a press is one mark,
    however long.
    """


def perform(params: BTraceParams, rng: random.Random, duration_ms: int) -> Sequence[Act]:
    device = rng.choice(("key", "key", "pointer"))
    acts: list[Act] = []
    for push in pushes(rng, duration_ms, longest_burst=1):
        # The next press follows after at least 250 ms, so no hold reaches into it.
        long = rng.random() < 0.5
        end_ms = min(
            duration_ms - 1,
            push.media_ms + (rng.randint(100, 245) if long else rng.randint(30, 95)),
        )
        acts += hold_key(
            push.media_ms, max(push.media_ms, end_ms), params.repeat_ms, push.direction, device
        )
    return acts


BTRACE = Instrument(
    name="btrace",
    title="BTrace",
    version=2,
    about=(
        "Two keys or buttons that leave a plus or a minus on the time line while watching, ten a"
        " second while held."
    ),
    use="annotate",
    params=BTraceParams,
    records=(AnswerColumn("value", "integer", "1 for a plus, -1 for a minus"),),
    folder=Path(__file__).parent,
    streams=(MARK, HOLD),
    perform=perform,
    practice=FOLLOW,
    rehearse=follow_disc,
    examples=(
        BTraceParams(),
        BTraceParams(repeat_ms=0, high=Text("a human would"), low=Text("no human would")),
    ),
)
