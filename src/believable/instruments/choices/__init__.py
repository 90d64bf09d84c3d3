"""Any number of several options."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.contracts.instrument import AnswerCell, AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record
from believable.instruments.choice import AnswerOption, read_option, repeated_values


class ChoicesParams(Record):
    """`at_least` and `at_most` bound how many may be ticked."""

    options: tuple[AnswerOption, ...] = Field(min_length=2)
    """What can be ticked: words, or values with labels."""
    at_least: int = Field(default=1, ge=1)
    """How many must be ticked."""
    at_most: int | None = Field(default=None, ge=1)
    """The maximum number of ticks; all by default."""
    shuffle: bool = False
    """Each session sees them in a different order."""


def read(params: ChoicesParams, raw: Any) -> list[str]:
    """The ticked values, in the order in which the study lists them."""
    if not isinstance(raw, list):
        raise InvalidAnswer("error.option")
    ticked = {read_option(params.options, value) for value in raw}
    if len(ticked) != len(raw):
        raise InvalidAnswer("error.option")
    if len(ticked) < params.at_least:
        raise InvalidAnswer("error.choose_at_least", n=params.at_least)
    if params.at_most is not None and len(ticked) > params.at_most:
        raise InvalidAnswer("error.choose_at_most", n=params.at_most)
    return [option.value for option in params.options if option.value in ticked]


def cells(params: ChoicesParams, answer: list[str]) -> Sequence[AnswerCell]:
    """A row per option, 1 or 0, so unticked options are data too."""
    return tuple(AnswerCell(option.value, int(option.value in answer)) for option in params.options)


def simulate(params: ChoicesParams, rng: random.Random) -> list[str]:
    values = [option.value for option in params.options]
    most = len(values) if params.at_most is None else params.at_most
    return rng.sample(values, rng.randint(params.at_least, most))


def check(params: ChoicesParams) -> Sequence[tuple[str, str, str]]:
    problems = repeated_values(params.options, "options")
    most = len(params.options) if params.at_most is None else params.at_most
    if most > len(params.options):
        problems.append(
            (
                "at_most",
                f"{most} is more than the {len(params.options)} options.",
                "Lower it or leave it out.",
            )
        )
    if params.at_least > most:
        problems.append(
            ("at_least", f"{params.at_least} is more than can be ticked ({most}).", "Lower it.")
        )
    return problems


def options(params: ChoicesParams) -> Sequence[str]:
    return [option.value for option in params.options]


CHOICES = Instrument(
    name="choices",
    version=1,
    about="Any number of several options.",
    params=ChoicesParams,
    records=(
        AnswerColumn("value", "integer", "1 if the option named by `item` was ticked, else 0"),
    ),
    folder=Path(__file__).parent,
    scale="nominal",
    read=read,
    cells=cells,
    simulate=simulate,
    examples=(
        ChoicesParams.model_validate({"options": ["red", "green", "blue"]}),
        ChoicesParams.model_validate(
            {"options": ["a", "b", "c", "d"], "at_least": 2, "at_most": 3, "shuffle": True}
        ),
    ),
    check=check,
    options=options,
)
