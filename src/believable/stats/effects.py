"""Standardised effect sizes, each with an interval that keeps its level."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays
from believable.stats.ranks import paired_differences

#: The search for a bound ends here: no effect that people show is that large.
_LARGEST_NCP = 1e4
#: Beyond it the noncentral t distribution is not accurate any more.
_LARGEST_T = 2000.0


def dz(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Cohen's d of paired differences: their mean over their standard deviation.

    Says         how far the two conditions lie apart, in standard deviations of the difference
                 between them.
    Formula      mean(a − b) / sd(a − b), ddof 1; interval by inverting the noncentral t of the
                 paired t test.
    Range        unbounded; positive when a is larger. Conventional marks .2, .5, .8.
    Undefined    fewer than two pairs; differences without variance.
    Source       Cohen (1988); Steiger & Fouladi (1997) for the interval.
    Checked      R effectsize::cohens_d(paired = TRUE).
    """
    check_level(level)
    first, second = paired_arrays(a, b, squared=True)
    method, n = "Cohen's dz, noncentral t interval", len(first)
    difference = first - second
    if n < 2:
        return undefined(f"needs at least 2 pairs, got {n}", method=method, n=n, level=level)
    spread = _spread(difference)
    if _spread(paired_differences(first, second)) == 0:
        return undefined("the differences have no variance", method=method, n=n, level=level)
    value = float(difference.mean()) / spread
    low, high = noncentral_t_bounds(value * math.sqrt(n), n - 1, level)
    return Estimate(
        value=value,
        low=low / math.sqrt(n),
        high=high / math.sqrt(n),
        level=level,
        n=n,
        method=method,
    )


def dav(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Cohen's d of paired samples in units of the average standard deviation.

    Says         as `dz`, but comparable with studies of independent groups, since the correlation
                 of the pairs does not enter its unit.
    Formula      mean(a − b) / s, s² = (sd(a)² + sd(b)²) / 2; interval by the noncentral t of mean(a
                 − b) / (s·sqrt(2(1 − r*)/n)), r* = cov(a, b)/s², n − 1 degrees of freedom enlarged
                 for the averaging to 2(n − 1)/(1 + r²).
    Range        unbounded; positive when a is larger.
    Undefined    fewer than two pairs; both samples constant. Without variance of the difference: no
                 interval.
    Source       Algina & Keselman (2003); Cousineau (2020) for the degrees of freedom.
    Checked      the same inversion written in R with uniroot(pt).
    """
    check_level(level)
    first, second = paired_arrays(a, b, squared=True)
    method, n = "Cohen's dav, noncentral t interval", len(first)
    if n < 2:
        return undefined(f"needs at least 2 pairs, got {n}", method=method, n=n, level=level)
    variances = _spread(first) ** 2, _spread(second) ** 2
    unit = math.sqrt(sum(variances) / 2)
    if unit == 0:
        return undefined("both samples are constant", method=method, n=n, level=level)
    value = float((first - second).mean()) / unit
    of_difference = _spread(first - second)
    if _spread(paired_differences(first, second)) == 0:
        return without_interval(
            value, "the differences have no variance", method=method, n=n, level=level
        )
    covariance = float(np.cov(first, second)[0, 1])
    r_squared = covariance**2 / (variances[0] * variances[1]) if min(variances) > 0 else 0.0
    scale = of_difference / (unit * math.sqrt(n))
    low, high = noncentral_t_bounds(value / scale, 2 * (n - 1) / (1 + r_squared), level)
    return Estimate(
        value=value, low=low * scale, high=high * scale, level=level, n=n, method=method
    )


def g(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Hedges' g of two independent samples: Cohen's d without its small-sample bias.

    Says         how far two groups lie apart, in pooled standard deviations.
    Formula      J·(mean(a) − mean(b)) / s_pooled, J = Γ(ν/2) / (sqrt(ν/2)·Γ((ν − 1)/2)), ν = n₁ +
                 n₂ − 2; interval for the population difference by inverting the noncentral t.
    Range        unbounded; positive when a is larger.
    Undefined    a group of fewer than two; no variance in either group.
    Source       Hedges (1981).
    Checked      R effectsize::hedges_g; its bounds are ours times J (it shrinks the bounds too).
    """
    check_level(level)
    first, second = (
        finite_array(values, name=name, squared=True) for values, name in ((a, "a"), (b, "b"))
    )
    sizes = len(first), len(second)
    method, n = "Hedges' g, noncentral t interval", sum(sizes)
    if min(sizes) < 2:
        reason = f"needs at least 2 values in each group; there are {sizes[0]} and {sizes[1]}"
        return undefined(reason, method=method, n=n, level=level)
    df = n - 2
    pooled = math.sqrt(
        (_spread(first) ** 2 * (sizes[0] - 1) + _spread(second) ** 2 * (sizes[1] - 1)) / df
    )
    if pooled == 0:
        return undefined("neither group has any variance", method=method, n=n, level=level)
    correction = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
    plain = (float(first.mean()) - float(second.mean())) / pooled
    scale = math.sqrt(1 / sizes[0] + 1 / sizes[1])
    low, high = noncentral_t_bounds(plain / scale, df, level)
    return Estimate(
        value=correction * plain,
        low=low * scale,
        high=high * scale,
        level=level,
        n=n,
        method=method,
    )


def rank_biserial(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Matched-pairs rank-biserial correlation, the effect size of the signed-rank test.

    Says         how much of the rank total speaks for a against b.
    Formula      (W₊ − W₋)/(W₊ + W₋) = mean of sign(d_i + d_j) over i ≤ j, zero differences left
                 out; interval: jackknife standard error on the Fisher z scale, t with n − 1 degrees
                 of freedom.
    Range        −1 (every difference below zero) to 1 (every one above).
    Undefined    no pairs; no difference other than zero. At ±1 the data show no variance; the
                 interval is then the conservative one from the binomial bound on "a above b".
    Source       Kerby (2014); Tukey's identity for the Walsh form; Arvesen (1969) for the
                 jackknife.
    Checked      R effectsize::rank_biserial(paired = TRUE) (value), a jackknife written in R
                 (interval).
    """
    check_level(level)
    first, second = paired_arrays(a, b)
    differences = paired_differences(first, second)
    kept = differences[differences != 0]
    n = len(kept)
    notes = (
        (f"differences of zero left out: {len(differences) - n}",) if len(differences) - n else ()
    )
    method = "matched-pairs rank-biserial, jackknife interval"
    if n == 0:
        reason = "no difference other than zero" if len(differences) else "no pairs"
        return undefined(reason, method=method, n=0, level=level, notes=notes)
    rows = _walsh_row_signs(kept)
    total = (rows.sum() + np.sign(kept).sum()) / 2
    value = float(total / (n * (n + 1) / 2))
    if abs(value) >= 1:
        return _one_sided_walsh(value, n, level, notes)
    if n < 3:
        return without_interval(
            value,
            f"the jackknife needs at least 3 differences, got {n}",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    left_out = (total - rows) / ((n - 1) * n / 2)
    se = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    low, high = _fisher_bounds(value, se, n - 1, level)
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, method=method, se=se, notes=notes
    )


def cliffs_delta(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Cliff's delta of two independent samples, the effect size of the Mann-Whitney test.

    Says         how much more often a value of a lies above one of b than below it.
    Formula      P(a > b) − P(a < b) over all pairs; interval on the Fisher z scale (the logit of
                 the probability of superiority) with the placement variance and Welch's degrees of
                 freedom.
    Range        −1 to 1; 0 when neither tends to be larger. Probability of superiority is (1 +
                 delta)/2.
    Undefined    an empty group. Without placement variance (complete order): Newcombe's interval.
    Source       Cliff (1993); DeLong et al. (1988), Brunner & Munzel (2000); Newcombe (2006),
                 method 5.
    Checked      R effectsize::rank_biserial (value), the same formula over outer() in R (interval).
    """
    check_level(level)
    first, second = finite_array(a, name="a"), finite_array(b, name="b")
    sizes = len(first), len(second)
    method, n = "Cliff's delta, placement variance on the Fisher z scale", sum(sizes)
    if min(sizes) == 0:
        reason = f"needs at least 1 value in each group; there are {sizes[0]} and {sizes[1]}"
        return undefined(reason, method=method, n=n, level=level)
    placements_a, placements_b = _placements(first, second), -_placements(second, first)
    value = float(placements_a.mean())
    if min(sizes) < 2:
        reason = f"needs at least 2 values in each group; there are {sizes[0]} and {sizes[1]}"
        return without_interval(value, reason, method=method, n=n, level=level)
    parts = placements_a.var(ddof=1) / sizes[0], placements_b.var(ddof=1) / sizes[1]
    variance = float(sum(parts))
    if variance == 0:
        return _newcombe_bounds(value, sizes, level)
    df = variance**2 / sum(
        float(part) ** 2 / (size - 1) for part, size in zip(parts, sizes, strict=True)
    )
    low, high = _fisher_bounds(value, math.sqrt(variance), df, level)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=n,
        method=method,
        se=math.sqrt(variance),
        df=(df,),
    )


def odds_ratio(table: ArrayLike, *, interval: str = "midp", level: float = 0.95) -> Estimate:
    """Odds ratio of a 2 × 2 table of counts, [[yes, no] of group 1, [yes, no] of group 2].

    Says         by what factor the odds of "yes" are larger in group 1.
    Formula      conditional maximum likelihood given the margins (noncentral hypergeometric).
                 Interval: "midp" inverts both one-sided mid-p tests (covers about its level),
                 "exact" both Fisher tests (guaranteed, wider).
    Range        0 to infinity; 1 is no difference.
    Undefined    a margin of zero (one group empty, or only one kind of answer). With a zero cell
                 the conditional estimate is 0 or infinite: the value is then that with 0.5 added to
                 every cell.
    Source       Fisher (1935), Cornfield (1956), Lancaster (1961) for mid-p; Haldane (1956) for
                 zero cells.
    Checked      R fisher.test (value, "exact"), epitools::oddsratio.midp ("midp").
    """
    check_level(level)
    one_of(interval, ("midp", "exact"), name="interval")
    counts = count_table(table, name="table")
    if counts.shape != (2, 2):
        raise InvalidInput(
            f"table: expected 2 rows and 2 columns, got {counts.shape}. Use chi_square for larger"
            " ones."
        )
    n = int(counts.sum())
    method = f"conditional odds ratio, {interval} interval"
    if not counts.sum(axis=0).all() or not counts.sum(axis=1).all():
        return undefined("a row or a column of the table is empty", method=method, n=n, level=level)
    observed, support, log_weights = _hypergeometric(counts)
    low, high = _odds_bounds(
        observed, support, log_weights, 0.5 if interval == "midp" else 1.0, level
    )
    if counts.min() == 0:
        half = counts + 0.5
        value = float(half[0, 0] * half[1, 1] / (half[0, 1] * half[1, 0]))
        note = ("zero cell: the value has 0.5 added to every cell",)
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            n=n,
            method=method,
            exact=interval == "exact",
            notes=note,
        )
    value = math.exp(
        _root(
            lambda log_odds: (
                float(special.softmax(log_weights + support * log_odds) @ support) - observed
            )
        )
    )
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, method=method, exact=interval == "exact"
    )


def count_table(table: ArrayLike, *, name: str) -> FloatArray:
    """A two-way table of counts: whole numbers, none negative."""
    counts = finite_array(table, name=name, ndim=2)
    wrong = (counts < 0) | (counts != np.floor(counts))
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidInput(
            f"{name}[{row}, {column}]: expected a count, got {counts[row, column]}. "
            "Give whole numbers of observations, not shares."
        )
    return counts


def noncentral_t_bounds(t: float, df: float, level: float) -> tuple[float, float]:
    """The noncentralities for which `t` is the upper and the lower quantile."""
    half = (1 - level) / 2
    if abs(t) > _LARGEST_T:
        # Beyond the reach of the library's distribution only the spread of the standard deviation
        # matters.
        ends = [t * math.sqrt(float(special.chdtri(df, q)) / df) for q in (half, 1 - half)]
        return min(ends), max(ends)

    def solve(target: float) -> float:
        def off(ncp: float) -> float:
            return float(special.nctdtr(df, ncp, t)) - target

        step = max(1.0, abs(t) / 4)
        low, high = t - step, t + step
        while off(low) < 0 and low > -_LARGEST_NCP:
            low -= step
        while off(high) > 0 and high < _LARGEST_NCP:
            high += step
        return float(optimize.brentq(off, low, high, xtol=1e-12, rtol=1e-13))

    return solve(1 - half), solve(half)


def _spread(values: FloatArray) -> float:
    """The standard deviation, with a constant sample exactly 0 (rounding would leave a trace)."""
    return 0.0 if values.min() == values.max() else float(values.std(ddof=1))


def _walsh_row_signs(differences: FloatArray) -> FloatArray:
    """For each i the sum over all j of sign(d_i + d_j), the pair (i, i) included once."""
    ordered = np.sort(differences)
    above = len(ordered) - np.searchsorted(ordered, -differences, side="right")
    below = np.searchsorted(ordered, -differences, side="left")
    return (above - below).astype(np.float64)


def _placements(values: FloatArray, against: FloatArray) -> FloatArray:
    """For each value the share of `against` below it minus the share above it."""
    ordered = np.sort(against)
    below = np.searchsorted(ordered, values, side="left")
    above = len(ordered) - np.searchsorted(ordered, values, side="right")
    return (below - above) / len(ordered)


def _fisher_bounds(value: float, se: float, df: float, level: float) -> tuple[float, float]:
    half = float(stats.t.ppf((1 + level) / 2, df)) * se / (1 - value**2)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _one_sided_walsh(value: float, n: int, level: float, notes: tuple[str, ...]) -> Estimate:
    """All differences on one side: P(d > 0) ≥ q means P(d_i + d_j > 0) ≥ q², so r ≥ 2q² − 1."""
    bound = 2 * ((1 - level) / 2) ** (2 / n) - 1
    low, high = (bound, 1.0) if value > 0 else (-1.0, -bound)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=n,
        method="matched-pairs rank-biserial, conservative binomial interval",
        exact=True,
        notes=notes,
    )


def _newcombe_bounds(value: float, sizes: tuple[int, int], level: float) -> Estimate:
    """Newcombe's method 5: score-type bounds for P(a > b) under a proportional-odds shape of the
    variance.
    """
    m, n = sizes
    z, theta, extra = float(stats.norm.ppf((1 + level) / 2)), (1 + value) / 2, (m + n) / 2 - 1

    def off(t: float) -> float:
        variance = t * (1 - t) * (1 + extra * ((1 - t) / (2 - t) + t / (1 + t))) / (m * n)
        return (t - theta) ** 2 - z**2 * variance

    low = 0.0 if theta == 0 else float(optimize.brentq(off, 0.0, min(theta, 1 - 1e-12)))
    high = 1.0 if theta == 1 else float(optimize.brentq(off, max(theta, 1e-12), 1.0))
    return Estimate(
        value=value,
        low=2 * low - 1,
        high=2 * high - 1,
        level=level,
        n=m + n,
        method="Cliff's delta, Newcombe's method 5",
    )


def _hypergeometric(counts: FloatArray) -> tuple[int, FloatArray, FloatArray]:
    """The first cell, its possible values given the margins, and their log weights at odds ratio
    1.
    """
    row, column, total = int(counts[0].sum()), int(counts[:, 0].sum()), int(counts.sum())
    support = np.arange(max(0, row + column - total), min(row, column) + 1, dtype=np.float64)
    log_weights = -(
        special.gammaln(support + 1)
        + special.gammaln(row - support + 1)
        + special.gammaln(column - support + 1)
        + special.gammaln(total - row - column + support + 1)
    )
    return int(counts[0, 0]), support, log_weights


def _odds_bounds(
    observed: int, support: FloatArray, log_weights: FloatArray, weight: float, level: float
) -> tuple[float, float]:
    """Bounds from one-sided tests in which the observed table itself counts with `weight`."""
    half = (1 - level) / 2

    def upper_tail(log_odds: float) -> float:
        chances = special.softmax(log_weights + support * log_odds)
        return float(
            chances[support > observed].sum() + weight * chances[support == observed].sum()
        )

    def lower_tail(log_odds: float) -> float:
        chances = special.softmax(log_weights + support * log_odds)
        return float(
            chances[support < observed].sum() + weight * chances[support == observed].sum()
        )

    low = 0.0 if observed == support[0] else math.exp(_root(lambda t: upper_tail(t) - half))
    high = math.inf if observed == support[-1] else math.exp(_root(lambda t: half - lower_tail(t)))
    return low, high


def _root(increasing: Callable[[float], float]) -> float:
    """The root of an increasing function of a log odds ratio."""
    low, high = -1.0, 1.0
    while increasing(low) > 0 and low > -_LARGEST_NCP:
        low *= 2
    while increasing(high) < 0 and high < _LARGEST_NCP:
        high *= 2
    return float(optimize.brentq(increasing, low, high, xtol=1e-13))
