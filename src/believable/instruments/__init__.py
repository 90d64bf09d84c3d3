"""How people answer: one folder per instrument, each a declared record with its widget."""

from __future__ import annotations

from typing import Any

from believable.core.registry import Registry
from believable.instruments.contract import Act, AnswerCell, AnswerColumn, Instrument, InvalidAnswer
from believable.plugins import registry

#: In the order in which they are shown to authors.
BUILT_IN = (
    *("choice", "choices", "likert", "matrix", "number", "text", "long_text", "slider"),
    *("certainty", "clip_rating", "preference", "ranktrace", "gtrace", "btrace", "flags"),
)

INSTRUMENTS: Registry[Instrument[Any]] = registry(
    "instrument", Instrument, __name__, BUILT_IN, extensible=True
)

__all__ = ["INSTRUMENTS", "Act", "AnswerCell", "AnswerColumn", "Instrument", "InvalidAnswer"]
