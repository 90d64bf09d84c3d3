"""Adjusting p values for the number of tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's step-down adjustment: the chance of any false rejection stays below alpha.

    Formula      the i-th smallest of m times (m − i + 1), made non-decreasing, at most 1.
    Undefined    a None (a test that was undefined) stays None and does not count in m.
    Source       Holm (1979). Checked against R p.adjust(method = "holm").
    """
    return _adjust(p_values, _step_down)


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """The Benjamini-Hochberg adjustment: the expected share of false rejections stays below alpha.

    Formula      the i-th smallest of m times m/i, made non-decreasing from the largest down, at most 1.
    Undefined    a None (a test that was undefined) stays None and does not count in m.
    Source       Benjamini & Hochberg (1995). Checked against R p.adjust(method = "BH").
    """
    return _adjust(p_values, _step_up)


def _step_down(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum(np.maximum.accumulate(ordered * np.arange(m, 0, -1)), 1.0)


def _step_up(ordered: FloatArray) -> FloatArray:
    m = len(ordered)
    return np.minimum(np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1], 1.0)


def _adjust(
    p_values: Sequence[float | None], step: Callable[[FloatArray], FloatArray]
) -> tuple[float | None, ...]:
    for index, p in enumerate(p_values):
        if p is not None and not 0 <= p <= 1:
            raise InvalidInput(
                f"p_values[{index}]: expected a probability or None, got {p!r}. "
                "Give None for a test that is undefined."
            )
    places = [index for index, p in enumerate(p_values) if p is not None]
    given = np.array([p_values[index] for index in places], dtype=np.float64)
    order = np.argsort(given, kind="stable")
    adjusted = np.empty_like(given)
    adjusted[order] = step(given[order])
    result: list[float | None] = [None] * len(p_values)
    for place, value in zip(places, adjusted, strict=True):
        result[place] = float(value)
    return tuple(result)
