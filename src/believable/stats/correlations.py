"""Correlations beyond two normal measures: with a choice among few, and within people who judged several things."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from believable.core.errors import InvalidInput
from believable.stats.association import pearson
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import FloatArray, paired_arrays
from believable.stats.result import TestResult, no_result

_PERFECT = 1e-14


def pearson_with_choice(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> TestResult:
    """Pearson's r of a measure with a choice coded −1, 0, 1 (or of any two measures that are not both normal).

    Says         statistic and p are those of `pearson` (t with n − 2 degrees of freedom, which keeps its level when
                 the two are unrelated); `estimate` is r with an interval that does not assume normality.
    Interval     jackknife standard error of Fisher's z, t with n − 2 degrees of freedom. Fisher's own interval is
                 far too wide for a strong relation with a choice (it covers 98 % at r = .8).
    Undefined    as `pearson`. No interval when leaving one pair out leaves no variance or a perfect relation.
    Source       Arvesen (1969) for the jackknife.
    Checked      R cor.test (r, p), the same jackknife written in R (interval).
    """
    check_level(level)
    first, second = paired_arrays(a, b)
    found = pearson(first, second, level=level)
    r = None if found.estimate is None else found.estimate.value
    if r is None or not found.defined:
        return found
    return replace(found, estimate=_jackknifed(first, second, r, level))


def within_correlation(
    a: ArrayLike, b: ArrayLike, people: Sequence[Hashable], *, level: float = 0.95
) -> TestResult:
    """The correlation of two measures within people: do they rise and fall together from thing to thing?

    Says         differences between people, such as how they use a scale, play no part.
    Formula      Pearson's r of both measures less each person's mean; t with N − people − 1 degrees of freedom, N pairs
                 in all (the test of a common slope beside one intercept per person). Interval: Fisher's z with these
                 degrees of freedom less one.
    Undefined    fewer than one degree of freedom; no variance within people. At r = ±1: no test, no interval.
    Source       Bland & Altman (1995); Bakdash & Marusich (2017).
    Checked      R lm with one intercept per person.
    """
    check_level(level)
    first, second = paired_arrays(a, b)
    if len(people) != len(first):
        raise InvalidInput(f"people: expected one per pair ({len(first)}), got {len(people)}.")
    codes = np.unique(np.array([str(one) for one in people]), return_inverse=True)[1].ravel()
    groups = int(codes.max()) + 1 if len(codes) else 0
    df = len(first) - groups - 1
    method, named = "within-person correlation", "within-person r, Fisher z interval"
    x, y = _centred(first, codes), _centred(second, codes)
    reason = (
        f"needs more pairs than people plus one, got {len(first)} pairs of {groups} people"
        if df < 1
        else "a measure does not vary within people"
        if np.ptp(x) == 0 or np.ptp(y) == 0
        else ""
    )
    if reason:
        nothing = undefined(reason, method=named, n=groups, level=level)
        return no_result(reason, method=method, n=groups, estimate=nothing)
    r = max(-1.0, min(1.0, float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))))
    if 1 - r * r < _PERFECT:
        perfect = "the correlation is perfect: t is infinite"
        estimate = without_interval(math.copysign(1.0, r), perfect, method=named, n=groups, level=level)
        return no_result(perfect, method=method, n=groups, estimate=estimate)
    t = r * math.sqrt(df / (1 - r * r))
    p_value = min(1.0, 2 * float(special.stdtr(df, -abs(t))))
    return TestResult(
        t, p_value, groups, method, (float(df),), "two-sided", _fisher(r, df, named, groups, level)
    )


def _jackknifed(a: FloatArray, b: FloatArray, r: float, level: float) -> Estimate:
    n, method = len(a), "Pearson's r, jackknife interval on the Fisher z scale"
    left_out = _leave_one_out(a, b)
    if n < 4 or not np.isfinite(left_out).all() or float(np.abs(left_out).max()) >= 1 - 1e-12:
        reason = (
            f"needs at least 4 pairs, got {n}"
            if n < 4
            else "without one of the pairs nothing varies or the relation is perfect"
        )
        return without_interval(r, reason, method=method, n=n, level=level)
    z = np.arctanh(left_out)
    se = math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))
    half = float(special.stdtrit(n - 2, (1 + level) / 2)) * se
    centre = math.atanh(r)
    return Estimate(
        r, math.tanh(centre - half), math.tanh(centre + half), level, n, method, df=(float(n - 2),)
    )


def _leave_one_out(a: FloatArray, b: FloatArray) -> FloatArray:
    """r without each pair in turn; NaN where nothing varies any more."""
    x, y, m = a - a.mean(), b - b.mean(), len(a) - 1
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    sx, sy = x.sum() - x, y.sum() - y
    products = float(x @ y) - x * y - sx * sy / m
    squares_x = float(x @ x) - x * x - sx * sx / m
    squares_y = float(y @ y) - y * y - sy * sy / m
    varies = (squares_x > 1e-12 * float(x @ x)) & (squares_y > 1e-12 * float(y @ y))
    scale = np.sqrt(np.where(varies, squares_x * squares_y, 1.0))
    return np.where(varies, np.clip(products / scale, -1.0, 1.0), np.nan)


def _centred(values: FloatArray, codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> FloatArray:
    if not len(values):
        return values
    means = np.bincount(codes, values) / np.bincount(codes)
    centred: FloatArray = values - means[codes]
    # What is left of equal values is rounding, not variance.
    return np.where(np.abs(centred) <= 1e-12 * max(1.0, float(np.abs(values).max())), 0.0, centred)


def _fisher(r: float, df: int, method: str, n: int, level: float) -> Estimate:
    if df < 2:
        return without_interval(
            r, f"needs at least 2 degrees of freedom, got {df}", method=method, n=n, level=level
        )
    half = float(special.ndtri((1 + level) / 2)) / math.sqrt(df - 1)
    centre = math.atanh(r)
    return Estimate(r, math.tanh(centre - half), math.tanh(centre + half), level, n, method, df=(float(df),))
