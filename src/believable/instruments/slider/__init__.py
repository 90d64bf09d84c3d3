"""A point on a line. Untouched means unanswered: there is no preset value."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text

#: How far, in steps, a value may lie from a step: decimal fractions are not exact in binary.
_STEP_TOLERANCE = 1e-6


class SliderParams(Record):
    """`low` and `high` name the ends; `show_value` shows the number while it moves."""

    min: float = Field(default=0, allow_inf_nan=False)
    """The number at the low end."""
    max: float = Field(default=100, allow_inf_nan=False)
    """The number at the high end."""
    step: float = Field(default=1, gt=0, allow_inf_nan=False)
    """The smallest difference that can be set."""
    low: Text | None = None
    """Words at the low end."""
    high: Text | None = None
    """Words at the high end."""
    show_value: bool = False
    """The number is shown while it moves."""


def read(params: SliderParams, raw: Any) -> int | float:
    if (
        isinstance(raw, bool)
        or not isinstance(raw, int | float)
        or not params.min <= raw <= params.max
    ):
        raise InvalidAnswer("error.slider")
    steps = (raw - params.min) / params.step
    if abs(steps - round(steps)) > _STEP_TOLERANCE:
        raise InvalidAnswer("error.slider")
    return int(raw) if raw == math.floor(raw) else raw


def simulate(params: SliderParams, rng: random.Random) -> int | float:
    steps = math.floor((params.max - params.min) / params.step + _STEP_TOLERANCE)
    return min(params.max, params.min + rng.randint(0, steps) * params.step)


def check(params: SliderParams) -> Sequence[tuple[str, str, str]]:
    if params.min >= params.max:
        return (
            (
                "min",
                f"{params.min:g} is not below max {params.max:g}.",
                "Make min smaller than max.",
            ),
        )
    if params.step > params.max - params.min:
        return (("step", f"{params.step:g} is wider than the whole line.", "Make it smaller."),)
    return ()


def bounds(params: SliderParams) -> tuple[float | None, float | None]:
    return params.min, params.max


def nearest(params: SliderParams, number: float) -> int | float:
    """The nearest step of the line."""
    steps = round((min(max(number, params.min), params.max) - params.min) / params.step)
    most = math.floor((params.max - params.min) / params.step + _STEP_TOLERANCE)
    return read(params, params.min + min(steps, most) * params.step)


SLIDER = Instrument(
    name="slider",
    version=1,
    about="A point on a line, with no preset value.",
    params=SliderParams,
    records=(AnswerColumn("value", "number", "the point, from min to max"),),
    folder=Path(__file__).parent,
    scale="interval",
    read=read,
    simulate=simulate,
    examples=(
        SliderParams(),
        SliderParams.model_validate(
            {"min": -1, "max": 1, "step": 0.1, "low": "sad", "high": "happy", "show_value": True}
        ),
    ),
    check=check,
    bounds=bounds,
    nearest=nearest,
)
