"""Intervals for coefficients of the form 1 − observed/expected disagreement, from one contribution per item."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray


def coefficient(
    value: float,
    se: float,
    *,
    n: int,
    level: float,
    method: str,
    at_one: float | None,
    notes: tuple[str, ...] = (),
    statistic: float | None = None,
    p_value: float | None = None,
    reported_se: float | None = None,
) -> Estimate:
    """A coefficient that cannot exceed 1, with its interval on the scale log(1 − value), Student's t with n − 1.

    That scale keeps the bounds below 1 and holds its level where the plain Wald interval falls short (high
    agreement, few items). `reported_se` is the standard error of the literature where the interval rests on another.
    With perfect agreement the data have no error to measure: the lower bound is then `at_one`.
    """
    if n < 2:
        return one_item(value, method, level, notes=notes)
    extra = {
        "n": n,
        "level": level,
        "method": method,
        "notes": notes,
        "statistic": statistic,
        "p_value": p_value,
    }
    if value >= 1 - 1e-12:
        low = 0.0 if at_one is None else at_one
        return Estimate(value=1.0, low=low, high=1.0, se=0.0, **extra)  # type: ignore[arg-type]
    if se <= 1e-12:
        return without_interval(
            value,
            "every item contributes the same, so the sampling error cannot be estimated",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    t = float(special.stdtrit(n - 1, 1 - (1 - level) / 2))
    spread = math.exp(min(t * se / (1 - value), 700.0))
    low, high = 1 - (1 - value) * spread, 1 - (1 - value) / spread
    shown = se if reported_se is None else reported_se
    return Estimate(value=value, low=low, high=high, se=shown, **extra)  # type: ignore[arg-type]


def unseen_share(n: int, *, level: float) -> float:
    """The largest share of disagreeing items that n agreeing ones leave possible (Wilson's upper bound at 0)."""
    z = float(special.ndtri(1 - (1 - level) / 2))
    return z * z / (n + z * z)


def jackknife_se(leave_one_out: FloatArray) -> float:
    """The standard error from the values without each item."""
    n = len(leave_one_out)
    centred = leave_one_out - np.add.reduce(leave_one_out) / n
    return math.sqrt((n - 1) / n * float(np.dot(centred, centred)))


def one_item(value: float, method: str, level: float, *, notes: tuple[str, ...] = ()) -> Estimate:
    """The answer when a single item can be compared."""
    reason = "one item says nothing about the sampling error"
    return without_interval(value, reason, method=method, n=1, level=level, notes=notes)


def no_items(method: str, level: float, *, notes: tuple[str, ...] = ()) -> Estimate:
    """The answer when nothing can be compared."""
    return undefined("no item has two ratings to compare", method=method, n=0, level=level, notes=notes)
