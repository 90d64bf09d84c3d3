"""A number typed in."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text

#: The largest integer that a browser and a double represent exactly.
LARGEST_WHOLE = 2**53


class NumberParams(Record):
    """Bounds are inclusive; `whole` asks for a whole number; `unit` is shown behind the box."""

    min: float | None = Field(default=None, allow_inf_nan=False)
    """The least number."""
    max: float | None = Field(default=None, allow_inf_nan=False)
    """The greatest number."""
    whole: bool = True
    """Only whole numbers."""
    unit: Text | None = None
    """Shown behind the box."""


def read(params: NumberParams, raw: Any) -> int | float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) <= LARGEST_WHOLE:
        raise InvalidAnswer("error.number")
    if params.whole and raw != math.floor(raw):
        raise InvalidAnswer("error.whole_number")
    if params.min is not None and raw < params.min:
        raise InvalidAnswer("error.number_min", min=_plain(params.min))
    if params.max is not None and raw > params.max:
        raise InvalidAnswer("error.number_max", max=_plain(params.max))
    return int(raw) if params.whole else float(raw)


def simulate(params: NumberParams, rng: random.Random) -> int | float:
    low, high = _range(params)
    return rng.randint(math.ceil(low), math.floor(high)) if params.whole else rng.uniform(low, high)


def check(params: NumberParams) -> Sequence[tuple[str, str, str]]:
    if params.min is None or params.max is None:
        return ()
    if params.min > params.max:
        return (("min", f"{_plain(params.min)} is above max {_plain(params.max)}.", "Swap them."),)
    if params.whole and math.ceil(params.min) > math.floor(params.max):
        return (
            (
                "whole",
                "no whole number lies between min and max.",
                "Set `whole: false` or widen them.",
            ),
        )
    return ()


def _range(params: NumberParams) -> tuple[float, float]:
    """The bounds, with an open side set 100 away from the other."""
    low = (
        params.min if params.min is not None else (0.0 if params.max is None else params.max - 100)
    )
    return low, params.max if params.max is not None else low + 100


def _plain(number: float) -> int | float:
    return int(number) if number == math.floor(number) else number


def bounds(params: NumberParams) -> tuple[float | None, float | None]:
    return params.min, params.max


def nearest(params: NumberParams, number: float) -> int | float:
    """The nearest number that may be typed in."""
    low, high = (
        -LARGEST_WHOLE if params.min is None else params.min,
        LARGEST_WHOLE if params.max is None else params.max,
    )
    if params.whole:
        low, high = math.ceil(low), math.floor(high)
    bounded = min(max(number, low), high)
    return round(bounded) if params.whole else float(bounded)


NUMBER = Instrument(
    name="number",
    version=1,
    about="A number typed in.",
    params=NumberParams,
    records=(AnswerColumn("value", "number", "the number, in the unit shown"),),
    folder=Path(__file__).parent,
    scale="interval",
    read=read,
    simulate=simulate,
    examples=(
        NumberParams(),
        NumberParams.model_validate({"min": 18, "max": 120, "unit": "years"}),
        NumberParams(min=-1.5, max=2.25, whole=False),
    ),
    check=check,
    bounds=bounds,
    nearest=nearest,
)
