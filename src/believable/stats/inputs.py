"""Checks that every array argument of this package passes, with one wording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean

FloatArray = NDArray[np.float64]
LARGEST = 1e75  # fourth powers, too, stay inside the range of floats


def float_array(values: ArrayLike, *, name: str, ndim: int = 1) -> FloatArray:
    """`values` as float64 with that many axes; NaN is allowed (a missing value), infinity is
    not.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name}: expected numbers, got {_short(values)} ({error}). Give numbers only, None or"
            " NaN for a missing one."
        ) from error
    if array.ndim != ndim:
        raise InvalidInput(
            f"{name}: expected {ndim} axis(es), got shape {array.shape}. "
            f"Give {'a flat list' if ndim == 1 else 'a table of equally long rows'}."
        )
    infinite = np.isinf(array)
    if infinite.any():
        raise InvalidInput(
            f"{name}{_where(infinite)}: expected a finite number, got {array[infinite][0]}. "
            "Remove the value or give NaN for missing."
        )
    return array


def finite_array(
    values: ArrayLike, *, name: str, ndim: int = 1, least: int = 0, squared: bool = False
) -> FloatArray:
    """`values` as float64 with that many axes, every one finite, at least `least` along the first
    axis.

    `squared` says that squares of them are summed: values whose squares leave the range of floats
    are refused.
    """
    array = float_array(values, name=name, ndim=ndim)
    missing = np.isnan(array)
    if missing.any():
        raise InvalidInput(
            f"{name}{_where(missing)}: expected a finite number, got nan. "
            "Leave missing values out (and count them) before the call."
        )
    if len(array) < least:
        raise InvalidInput(
            f"{name}: expected at least {least} value(s), got {len(array)}. Give more data."
        )
    if squared:
        check_squarable(array, name=name)
    return array


def check_squarable(array: FloatArray, *, name: str) -> None:
    """Refuse values so large or so small that a variance of them overflows or is lost."""
    largest = float(np.nanmax(np.abs(array), initial=0.0))
    if largest > LARGEST or 0 < largest < 1 / LARGEST:
        raise InvalidInput(
            f"{name}: expected values whose squares a computer can hold (up to {LARGEST:g}, or down"
            f" to {1 / LARGEST:g}), got {largest:g}. Give them in another unit."
        )


def paired_arrays(
    a: ArrayLike, b: ArrayLike, *, names: tuple[str, str] = ("a", "b"), squared: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Two finite flat arrays of the same length."""
    first, second = (
        finite_array(values, name=name, squared=squared)
        for values, name in zip((a, b), names, strict=True)
    )
    if len(first) != len(second):
        raise InvalidInput(
            f"{names[0]}, {names[1]}: expected the same length, got {len(first)} and {len(second)}."
            " Pair the values before the call."
        )
    return first, second


def one_of(value: Any, allowed: Sequence[Any], *, name: str) -> Any:
    """`value`, if it is one of those allowed."""
    if value not in allowed:
        known = [str(option) for option in allowed]
        raise InvalidInput(f"{name}: unknown value {value!r}. {did_you_mean(str(value), known)}")
    return value


def _where(mask: NDArray[np.bool_]) -> str:
    return "[" + ", ".join(str(int(i)) for i in np.argwhere(mask)[0]) + "]"


def _short(values: object, *, limit: int = 60) -> str:
    text = repr(values)
    return text if len(text) <= limit else text[: limit - 1] + "…"
