"""Intervals for coefficients of the form 1 − observed/expected disagreement, from one contribution per item."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray


def wilson(share: float, n: float, *, level: float, df: float | None = None) -> tuple[float, float]:
    """The score interval of a share; with `df`, Student's quantile replaces the normal one."""
    tail = 1 - (1 - level) / 2
    z = float(stats.norm.ppf(tail) if df is None else stats.t.ppf(tail, df))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share) / n + z * z / (4 * n * n), 0.0))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def mean_share(shares: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of a mean of shares in [0, 1]: Wilson's, with the number of items that carry as much information.

    The spread between items gives the effective number, mean·(1 − mean)/SE². Without any spread it is the
    number of items itself.
    """
    n, mean = len(shares), float(shares.mean())
    variance = float(shares.var(ddof=1)) / n
    effective = mean * (1 - mean) / variance if variance > 0 and 0 < mean < 1 else float(n)
    return wilson(mean, effective, level=level, df=n - 1)


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
) -> Estimate:
    """A coefficient that cannot exceed 1, with its interval on the scale log(1 − value), Student's t with n − 1.

    That scale keeps the bounds below 1 and holds its level where the plain Wald interval falls short (high
    agreement, few items). With perfect agreement the data have no error to measure: the lower bound is then `at_one`.
    """
    if n < 2:
        return without_interval(
            value,
            "one item says nothing about the sampling error",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
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
    t = float(stats.t.ppf(1 - (1 - level) / 2, n - 1))
    spread = math.exp(min(t * se / (1 - value), 700.0))
    low, high = 1 - (1 - value) * spread, 1 - (1 - value) / spread
    return Estimate(value=value, low=low, high=high, se=se, **extra)  # type: ignore[arg-type]


def unseen_share(n: int, *, level: float) -> float:
    """The largest share of disagreeing items that n agreeing ones leave possible (Wilson's upper bound at 0)."""
    z = float(stats.norm.ppf(1 - (1 - level) / 2))
    return z * z / (n + z * z)


def jackknife_se(leave_one_out: FloatArray) -> float:
    """The standard error from the values without each item."""
    n = len(leave_one_out)
    centred = leave_one_out - leave_one_out.mean()
    return math.sqrt((n - 1) / n * float(np.dot(centred, centred)))


def no_items(method: str, level: float, *, notes: tuple[str, ...] = ()) -> Estimate:
    """The answer when nothing can be compared."""
    return undefined("no item has two ratings to compare", method=method, n=0, level=level, notes=notes)
