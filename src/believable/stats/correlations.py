"""Correlations: of two measures, with a choice among few, and within people who judged several
things.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, check_level, t_estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, paired_arrays
from believable.stats.result import TestResult, check_alternative, no_result, t_test, tail

#: 9! = 362,880 orders can be gone through; the next step is ten times as many.
_EXACT_SPEARMAN_UP_TO = 9
#: A correlation this close to ±1 cannot be distinguished from ±1 because of rounding.
_PERFECT = 1e-14


def pearson(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", level: float = 0.95
) -> TestResult:
    """Pearson's product-moment correlation.

    Says         how closely two measures follow a straight line together. `estimate` is r with
                 Fisher's z interval, `statistic` t with n − 2 degrees of freedom.
    Range        −1 to 1, the sign is the direction.
    Undefined    fewer than 3 pairs; a measure without variance. At r = ±1 t is infinite: no test,
                 no interval.
    Checked      R cor.test.
    """
    side = check_alternative(alternative)
    check_level(level)
    first, second = paired_arrays(a, b)
    n, method = len(first), "Pearson correlation"
    named = "Pearson's r, Fisher z interval"
    reason = _uncorrelatable(first, second)
    if reason:
        return no_result(
            reason,
            method=method,
            n=n,
            alternative=side,
            estimate=undefined(reason, method=named, n=n, level=level),
        )
    r = _correlation(first, second)
    if 1 - r * r < _PERFECT:
        reason = "the correlation is perfect: t is infinite"
        perfect = without_interval(math.copysign(1.0, r), reason, method=named, n=n, level=level)
        return no_result(reason, method=method, n=n, alternative=side, estimate=perfect)
    df = float(n - 2)
    t = r * math.sqrt(df / (1 - r * r))
    p_value = tail(float(stats.t.cdf(t, df)), float(stats.t.sf(t, df)), side)
    estimate = _fisher_interval(r, 1.0, n, named, level)
    return TestResult(
        statistic=t,
        p_value=p_value,
        n=n,
        method=method,
        df=(df,),
        alternative=side,
        estimate=estimate,
        symbol="t",
    )


def spearman(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", level: float = 0.95
) -> TestResult:
    """Spearman's rank correlation.

    Says         how closely two measures rise together, whatever the shape. `statistic` and
                 `estimate` are rho (Pearson's r of the midranks).
    p            up to 9 pairs exact over all permutations, ties included; above that t with n − 2
                 degrees of freedom. Interval: Fisher's z with the variance (1 + rho²/2)/(n − 3).
    Undefined    fewer than 3 pairs; a measure without variance. At rho = ±1 there is no interval,
                 and above 9 pairs no test (t is infinite).
    Source       Bonett & Wright (2000) for the interval.
    Checked      R cor.test(method = "spearman").
    """
    side = check_alternative(alternative)
    check_level(level)
    first, second = paired_arrays(a, b)
    n, named = len(first), "Spearman's rho, Fisher z interval (Bonett-Wright)"
    reason = _uncorrelatable(first, second)
    if reason:
        return no_result(
            reason,
            method="Spearman correlation",
            n=n,
            alternative=side,
            estimate=undefined(reason, method=named, n=n, level=level),
        )
    ranks = stats.rankdata(first), stats.rankdata(second)
    rho = max(-1.0, min(1.0, _correlation(*ranks)))
    perfect = 1 - rho * rho < _PERFECT
    estimate = (
        without_interval(
            math.copysign(1.0, rho), "the correlation is perfect", method=named, n=n, level=level
        )
        if perfect
        else _fisher_interval(rho, 1 + rho * rho / 2, n, named, level)
    )
    if n <= _EXACT_SPEARMAN_UP_TO:
        p_value = tail(*_permutation_tails(*ranks), side)
        return TestResult(
            statistic=rho,
            p_value=p_value,
            n=n,
            method="Spearman correlation (exact)",
            df=(),
            alternative=side,
            estimate=estimate,
            symbol="ρ",
        )
    if perfect:
        reason = "the correlation is perfect: t is infinite"
        return no_result(
            reason, method="Spearman correlation", n=n, alternative=side, estimate=estimate
        )
    df = float(n - 2)
    t = rho * math.sqrt(df / (1 - rho * rho))
    p_value = tail(float(stats.t.cdf(t, df)), float(stats.t.sf(t, df)), side)
    return TestResult(
        statistic=rho,
        p_value=p_value,
        n=n,
        method="Spearman correlation (t approximation)",
        df=(df,),
        alternative=side,
        estimate=estimate,
        symbol="ρ",
    )


def _uncorrelatable(a: FloatArray, b: FloatArray) -> str | None:
    if len(a) < 3:
        return f"needs at least 3 pairs, got {len(a)}"
    still = [bool(values.min() == values.max()) for values in (a, b)]
    if not any(still):
        return None
    which = (
        "neither measure varies"
        if all(still)
        else f"the {'first' if still[0] else 'second'} measure does not vary"
    )
    return f"{which}, so that there is nothing to correlate"


def _correlation(a: FloatArray, b: FloatArray) -> float:
    # Scaling first keeps squares of very small or very large values inside the range of floats.
    x, y = a - a.mean(), b - b.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    return max(-1.0, min(1.0, float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))))


def _fisher_interval(r: float, factor: float, n: int, method: str, level: float) -> Estimate:
    if n < 4:
        return without_interval(
            r, f"needs at least 4 pairs, got {n}", method=method, n=n, level=level
        )
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(factor / (n - 3))
    return Estimate(
        value=r,
        low=math.tanh(math.atanh(r) - half),
        high=math.tanh(math.atanh(r) + half),
        level=level,
        n=n,
        method=method,
    )


@functools.lru_cache(maxsize=8)
def _permutations(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.int8]]:
    return np.array(list(itertools.permutations(range(n))), dtype=np.int8)


def _permutation_tails(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """The shares of permutations with a rank product at most, and at least, the observed one.

    All products at once: `scipy.stats.permutation_test` calls a function for each permutation.
    """
    products = b[_permutations(len(a))] @ a
    observed = float(a @ b)
    return float((products <= observed + 1e-9).mean()), float((products >= observed - 1e-9).mean())


def pearson_with_choice(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> TestResult:
    """Pearson's r of a measure with a choice coded −1, 0, 1 (or of any two measures that are not
    both normal).

    Says         r with an interval and a test that assume no normality and never contradict each
                 other.
    Formula      Fisher's z of r over its jackknife standard error is t with n − 2 degrees of
                 freedom; the interval holds the values of r that this test does not reject.
                 Fisher's own interval is far too wide for a strong relation with a choice (it
                 covers 98 % at r = .8). With the two unrelated, 8 to 24 people and counts as
                 measure, the test rejects in .04 to .05 of studies at .05.
    Undefined    as `pearson`. When leaving one pair out leaves no variance or a perfect relation:
                 no interval, and the test is that of `pearson`.
    Source       Arvesen (1969) for the jackknife.
    Checked      R cor.test (r), the same jackknife written in R (t, p, interval).
    """
    check_level(level)
    first, second = paired_arrays(a, b)
    plain = pearson(first, second, level=level)
    r = None if plain.estimate is None else plain.estimate.value
    if r is None or not plain.is_defined:
        return plain
    estimate = _jackknife(first, second, r, level)
    if estimate.se is None:
        return replace(plain, estimate=estimate)
    t, df = math.atanh(r) / estimate.se, plain.df[0]
    p_value = min(1.0, 2 * float(special.stdtr(df, -abs(t))))
    method = "Pearson correlation, jackknife t test on the Fisher z scale"
    return replace(plain, statistic=t, p_value=p_value, method=method, estimate=estimate)


def correlations_compared(
    first: TestResult, second: TestResult, *, level: float = 0.95
) -> TestResult:
    """Two correlations of different people, each from `pearson_with_choice`: are they of one size?

    Says         whether a measure goes with a choice more closely in one group than in another.
                 `estimate` is Cohen's q, the difference of the two r on the Fisher z scale, first
                 minus second.
    Formula      q over √(se₁² + se₂²), jackknife standard errors of each z, is t with the degrees
                 of freedom of Welch and Satterthwaite, from n − 2 of each group; the interval is
                 that of the same t.
    Undefined    one of the two has no jackknife standard error.
    Source       Cohen (1988) for q; Arvesen (1969) for the jackknife.
    Checked      the same written in R.
    """
    check_level(level)
    n, method = first.n + second.n, "t test of two independent correlations on the Fisher z scale"
    named = "Cohen's q, t interval with jackknife standard errors"
    parts = [test.estimate for test in (first, second)]
    known = [
        part
        for part in parts
        if part is not None and part.value is not None and part.se is not None
    ]
    if len(known) < 2:
        reasons = [
            test.reason or (part.reason if part else None)
            for test, part in zip((first, second), parts, strict=True)
        ]
        reason = next((words for words in reasons if words), "a correlation has no standard error")
        nothing = undefined(reason, method=named, n=n, level=level)
        return no_result(reason, method=method, n=n, estimate=nothing)
    variances = [float(part.se or 0.0) ** 2 for part in known]
    q = math.atanh(float(known[0].value or 0.0)) - math.atanh(float(known[1].value or 0.0))
    se = math.sqrt(sum(variances))
    df = se**4 / sum(
        variance**2 / part.df[0] for variance, part in zip(variances, known, strict=True)
    )
    return t_test(t_estimate(q, se, df, level=level, n=n, method=named), method=method)


def within_correlation(
    a: ArrayLike, b: ArrayLike, people: Sequence[Hashable], *, level: float = 0.95
) -> TestResult:
    """The correlation of two measures within people: do they rise and fall together from thing to
    thing?

    Says         differences between people, such as how they use a scale, play no part.
    Formula      Pearson's r of both measures less each person's mean; t with N − people − 1 degrees
                 of freedom, N pairs in all (the test of a common slope with one intercept per
                 person). Interval: Fisher's z with these degrees of freedom less one.
    Undefined    fewer than one degree of freedom; no variance within people. At r = ±1: no test, no
                 interval.
    Caution      assumes one slope for all people: if people's slopes differ (SD .3 of r = .5, 15
                 people × 12 things), the interval covers 83 instead of 95 %. A note says so when an
                 F test of separate slopes rejects at .05.
    Source       Bland & Altman (1995); Bakdash & Marusich (2017).
    Checked      R lm with one intercept per person.
    """
    check_level(level)
    first, second = paired_arrays(a, b, squared=True)
    if len(people) != len(first):
        raise InvalidInput(f"people: expected one per pair ({len(first)}), got {len(people)}.")
    codes = np.unique(np.array([str(person) for person in people]), return_inverse=True)[1].ravel()
    groups = int(codes.max()) + 1 if len(codes) else 0
    df = len(first) - groups - 1
    method, named = "within-person correlation", "within-person r, Fisher z interval"
    x, y = _centre(first, codes), _centre(second, codes)
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
        estimate = without_interval(
            math.copysign(1.0, r), perfect, method=named, n=groups, level=level
        )
        return no_result(perfect, method=method, n=groups, estimate=estimate)
    t = r * math.sqrt(df / (1 - r * r))
    p_value = min(1.0, 2 * float(special.stdtr(df, -abs(t))))
    estimate = _fisher(r, df, named, groups, level)
    notes = _differing_slopes(x, y, codes, groups)
    return TestResult(
        statistic=t,
        p_value=p_value,
        n=groups,
        method=method,
        df=(float(df),),
        alternative="two-sided",
        estimate=estimate,
        notes=notes,
        symbol="t",
    )


def _differing_slopes(
    x: FloatArray, y: FloatArray, codes: NDArray[np.int64], groups: int
) -> tuple[str, ...]:
    """A note when one slope per person fits better than a common one (F test at .05)."""
    xx, xy, yy = (
        np.bincount(codes, product, minlength=groups) for product in (x * x, x * y, y * y)
    )
    own = xx > 1e-12 * float(xx.max())
    df = int(own.sum()) - 1, len(x) - groups - int(own.sum())
    separate = float((yy - np.divide(xy**2, xx, out=np.zeros(groups), where=own)).sum())
    common = float(yy.sum() - xy.sum() ** 2 / xx.sum())
    if min(df) < 1 or separate <= 1e-12 * common:
        return ()
    f = (common - separate) / df[0] / (separate / df[1])
    if float(special.fdtrc(*df, max(f, 0.0))) >= 0.05:
        return ()
    return (
        (
            f"slopes differ between people (F({df[0]}, {df[1]}) = {f:.2f}): the interval covers"
            " less than its level"
        ),
    )


def _jackknife(a: FloatArray, b: FloatArray, r: float, level: float) -> Estimate:
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
    centre, known = math.atanh(r), se if se > 0 else None
    return Estimate(
        value=r,
        low=math.tanh(centre - half),
        high=math.tanh(centre + half),
        level=level,
        n=n,
        method=method,
        se=known,
        df=(float(n - 2),),
    )


def _leave_one_out(a: FloatArray, b: FloatArray) -> FloatArray:
    """r without each pair in turn; NaN if nothing varies."""
    x, y, m = a - a.mean(), b - b.mean(), len(a) - 1
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    sx, sy = x.sum() - x, y.sum() - y
    products = float(x @ y) - x * y - sx * sy / m
    squares_x = float(x @ x) - x * x - sx * sx / m
    squares_y = float(y @ y) - y * y - sy * sy / m
    varies = (squares_x > 1e-12 * float(x @ x)) & (squares_y > 1e-12 * float(y @ y))
    scale = np.sqrt(np.where(varies, squares_x * squares_y, 1.0))
    return np.where(varies, np.clip(products / scale, -1.0, 1.0), np.nan)


def _centre(
    values: FloatArray, codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> FloatArray:
    if not len(values):
        return values
    means = np.bincount(codes, values) / np.bincount(codes)
    centred: FloatArray = values - means[codes]
    # The remainder of equal values is rounding, not variance.
    return np.where(np.abs(centred) <= 1e-12 * max(1.0, float(np.abs(values).max())), 0.0, centred)


def _fisher(r: float, df: int, method: str, n: int, level: float) -> Estimate:
    if df < 2:
        return without_interval(
            r, f"needs at least 2 degrees of freedom, got {df}", method=method, n=n, level=level
        )
    half = float(special.ndtri((1 + level) / 2)) / math.sqrt(df - 1)
    centre = math.atanh(r)
    return Estimate(
        value=r,
        low=math.tanh(centre - half),
        high=math.tanh(centre + half),
        level=level,
        n=n,
        method=method,
        df=(float(df),),
    )
