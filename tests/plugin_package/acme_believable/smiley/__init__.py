"""One of three faces."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from believable.contracts.instrument import AnswerCell, AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record

FACES = ("sad", "calm", "glad")


class SmileyParams(Record):
    upside_down: bool = False
    """The glad face comes first."""


def read(params: SmileyParams, raw: Any) -> str:
    if raw not in FACES:
        raise InvalidAnswer("smiley.pick", n=len(FACES))
    return str(raw)


def cells(params: SmileyParams, answer: str) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: SmileyParams, rng: random.Random) -> str:
    return rng.choice(FACES)


SMILEY = Instrument(
    name="smiley",
    version=1,
    about="One of three faces.",
    params=SmileyParams,
    records=(AnswerColumn("value", "string", "the face chosen: sad, calm or glad"),),
    folder=Path(__file__).parent,
    scale="nominal",
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(SmileyParams(), SmileyParams(upside_down=True)),
    options=lambda params: FACES,
)
