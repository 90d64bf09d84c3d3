"""One of several options, without an order between them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.instruments.contract import AnswerCell, Column, Instrument
from believable.instruments.option import Option, read_option, repeated_values
from believable.study.records import Record


class ChoiceParams(Record):
    """`shuffle` shows the options in an order of their own for each session; the order shown is recorded."""

    options: tuple[Option, ...] = Field(min_length=2)
    """What can be chosen: words, or values with labels."""
    shuffle: bool = False
    """Each session sees them in an order of its own."""


def read(params: ChoiceParams, raw: Any) -> str:
    return read_option(params.options, raw)


def cells(params: ChoiceParams, answer: str) -> Sequence[AnswerCell]:
    return (AnswerCell("", answer),)


def simulate(params: ChoiceParams, rng: random.Random) -> str:
    return rng.choice(params.options).value


def check(params: ChoiceParams) -> Sequence[tuple[str, str, str]]:
    return repeated_values(params.options, "options")


def options(params: ChoiceParams) -> Sequence[str]:
    return [option.value for option in params.options]


CHOICE = Instrument(
    name="choice",
    version=1,
    about="One of several options.",
    params=ChoiceParams,
    records=(Column("value", "string", "value of the chosen option"),),
    folder=Path(__file__).parent,
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        ChoiceParams.model_validate({"options": ["red", "green", "blue"]}),
        ChoiceParams.model_validate(
            {"options": [{"value": "y", "label": "Yes"}, {"value": "n", "label": "No"}], "shuffle": True}
        ),
    ),
    check=check,
    options=options,
)
