"""RankTrace: an unbounded trace that goes up and down with every notch of the wheel."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

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


class RankTraceParams(TraceParams):
    """Turning the wheel up or pressing the up arrow adds one, down takes one away; it starts at 0
    and has no ends.
    """


def perform(params: RankTraceParams, rng: random.Random, duration_ms: int) -> Sequence[Act]:
    device = rng.choice(DEVICES)
    pushed = list(pushes(rng, duration_ms, longest_burst=6))
    values = accumulate(push.direction for push in pushed)
    return samples(
        [(push.media_ms, value) for push, value in zip(pushed, values, strict=True)],
        duration_ms,
        0,
        device,
    )


RANKTRACE = Instrument(
    name="ranktrace",
    title="RankTrace",
    version=1,
    about=(
        "An unbounded trace, moved by the wheel or the arrow keys while watching; all of it stays"
        " visible."
    ),
    use="annotate",
    params=RankTraceParams,
    records=(
        AnswerColumn("value", "integer", "notches up minus notches down since the beginning"),
    ),
    folder=Path(__file__).parent,
    streams=(SAMPLE,),
    perform=perform,
    practice=FOLLOW,
    rehearse=follow_disc,
    examples=(RankTraceParams(), RankTraceParams(high=Text("more human"), low=Text("less human"))),
)
