"""BTrace: two keys that leave a plus or a minus on the time line."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from believable.instruments.contract import Act, Column, Instrument
from believable.instruments.tracing import FOLLOW, MARK, TraceParams
from believable.instruments.tracing.perform import mark, pushes
from believable.study.records import Text


class BTraceParams(TraceParams):
    """`high` and `low` are the words on the two buttons."""


def perform(params: BTraceParams, rng: random.Random, duration_ms: int) -> Sequence[Act]:
    device = rng.choice(("key", "key", "pointer"))
    return [mark(push.media_ms, push.direction, device) for push in pushes(rng, duration_ms, longest_burst=2)]


BTRACE = Instrument(
    name="btrace",
    version=1,
    about="Two keys or buttons that leave a plus or a minus on the time line while watching.",
    use="annotate",
    params=BTraceParams,
    records=(Column("value", "integer", "1 for a plus, -1 for a minus"),),
    folder=Path(__file__).parent,
    streams=(MARK,),
    perform=perform,
    practice=FOLLOW,
    examples=(BTraceParams(), BTraceParams(high=Text("a human would"), low=Text("no human would"))),
)
