"""Intervals for shares: of items, of means of shares, and of shares pooled over people."""

from __future__ import annotations

import math

from scipy import special

from believable.stats.inputs import FloatArray


def wilson(share: float, n: float, *, level: float, df: float | None = None) -> tuple[float, float]:
    """The score interval of a share; with `df`, Student's quantile replaces the normal one."""
    tail = 1 - (1 - level) / 2
    z = float(special.ndtri(tail) if df is None else special.stdtrit(df, tail))
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share) / n + z * z / (4 * n * n), 0.0))
    return max(0.0, min(centre - half, share)), min(1.0, max(centre + half, share))


def mean_share(shares: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of a mean of shares in [0, 1], one per item: Wilson's, with the effective number of items.

    The spread between items gives the number of yes/no items that would carry as much information,
    mean·(1 − mean)/SE². Without any spread it is the number of items itself.
    """
    n, mean = len(shares), float(shares.mean())
    variance = float(shares.var(ddof=1)) / n
    return wilson(mean, _effective(mean, variance, n), level=level, df=n - 1)


def ratio_share(parts: FloatArray, wholes: FloatArray, *, level: float) -> tuple[float, float]:
    """The interval of Σ parts/Σ wholes, one part and whole per person: Wilson's, with the effective number.

    The variance is that of a ratio estimator over people (linearised), so ratings of one person may depend on
    each other.
    """
    n, total = len(wholes), float(wholes.sum())
    share = float(parts.sum()) / total
    residual = parts - share * wholes
    variance = n / (n - 1) * float(residual @ residual) / total**2
    return wilson(share, _effective(share, variance, n), level=level, df=n - 1)


def _effective(share: float, variance: float, n: int) -> float:
    return share * (1 - share) / variance if variance > 0 and 0 < share < 1 else float(n)
