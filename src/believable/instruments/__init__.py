"""How people answer: one folder per instrument, each a declared record with its widget."""

from __future__ import annotations

from typing import Any

from believable.core.registry import Registry
from believable.instruments.btrace import BTRACE
from believable.instruments.certainty import CERTAINTY
from believable.instruments.choice import CHOICE
from believable.instruments.choices import CHOICES
from believable.instruments.clip_rating import CLIP_RATING
from believable.instruments.contract import Act, AnswerCell, Column, Instrument, InvalidAnswer
from believable.instruments.flags import FLAGS
from believable.instruments.gtrace import GTRACE
from believable.instruments.likert import LIKERT
from believable.instruments.long_text import LONG_TEXT
from believable.instruments.matrix import MATRIX
from believable.instruments.number import NUMBER
from believable.instruments.preference import PREFERENCE
from believable.instruments.ranktrace import RANKTRACE
from believable.instruments.slider import SLIDER
from believable.instruments.text import TEXT

INSTRUMENTS: Registry[Instrument[Any]] = Registry(
    "instrument",
    [
        CHOICE,
        CHOICES,
        LIKERT,
        MATRIX,
        NUMBER,
        TEXT,
        LONG_TEXT,
        SLIDER,
        CERTAINTY,
        CLIP_RATING,
        PREFERENCE,
        RANKTRACE,
        GTRACE,
        BTRACE,
        FLAGS,
    ],
)

__all__ = ["INSTRUMENTS", "Act", "AnswerCell", "Column", "Instrument", "InvalidAnswer"]
