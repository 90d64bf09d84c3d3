"""Tests on counts: shares, paired yes/no answers, contingency tables."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from believable.core.errors import InvalidInput
from believable.stats.effects import count_table, odds_ratio
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.stats.result import TestResult, check_alternative, no_result, tail

#: Below it the χ² distribution is a poor approximation (Cochran's rule).
_SMALL_EXPECTED = 5.0


def proportion(
    successes: int, n: int, *, interval: str = "wilson", level: float = 0.95
) -> Estimate:
    """A share with its interval.

    Formula      successes/n. "wilson": the score interval, covers about its level also near 0 and
                 1; "exact": Clopper-Pearson, guaranteed level, wider. The Wald interval is not
                 offered: near 0 and 1 it covers far less than it says.
    Range        0 to 1. Undefined without observations.
    Source       Wilson (1927); Clopper & Pearson (1934).
    Checked      R prop.test(correct = FALSE), binom.test.
    """
    check_level(level)
    one_of(interval, ("wilson", "exact"), name="interval")
    check_counts(successes, n)
    method = f"share, {'Wilson' if interval == 'wilson' else 'Clopper-Pearson'} interval"
    if n == 0:
        return undefined("no observations", method=method, n=0, level=level)
    low, high = (
        _wilson(successes, n, level)
        if interval == "wilson"
        else _clopper_pearson(successes, n, level)
    )
    return Estimate(
        value=successes / n,
        low=low,
        high=high,
        level=level,
        n=n,
        method=method,
        exact=interval == "exact",
    )


def binomial(
    successes: int,
    n: int,
    *,
    null: float = 0.5,
    alternative: str = "two-sided",
    interval: str = "exact",
    level: float = 0.95,
) -> TestResult:
    """The exact binomial test of a share against `null`.

    Says         whether a choice was made more often than chance allows. `statistic` is the number
                 of successes, `estimate` the share (Clopper-Pearson by default, so that test and
                 interval are both exact; "wilson" on request), `effect` Cohen's h with the bounds
                 of the share carried over.
    Formula      two-sided: the chance under `null` of every outcome no likelier than the one
                 observed.
    Undefined    no observations.
    Checked      R binom.test.
    """
    side = check_alternative(alternative)
    if not 0 <= null <= 1:
        raise InvalidInput(
            f"null: expected a share between 0 and 1, got {null!r}. Chance among two is 0.5."
        )
    share = proportion(successes, n, interval=interval, level=level)
    method = "exact binomial test"
    if n == 0:
        effect = undefined("no observations", method="Cohen's h", n=0, level=level)
        return no_result(
            "no observations", method=method, n=0, alternative=side, estimate=share, effect=effect
        )
    test = stats.binomtest(successes, n, null, alternative=side)
    return TestResult(
        statistic=float(successes),
        p_value=min(1.0, float(test.pvalue)),
        n=n,
        method=method,
        df=(),
        alternative=side,
        estimate=share,
        effect=_cohens_h(share, null),
        symbol="k",
    )


def mcnemar(table: ArrayLike, *, p: str = "exact", level: float = 0.95) -> TestResult:
    """McNemar's test of paired yes/no answers, [[both yes, only first], [only second, neither]].

    Says         whether "yes" is more frequent on the first occasion. `estimate` is the difference
                 of the two shares (Agresti-Min interval), `effect` the paired odds ratio (only
                 first over only second).
    p            "exact": binomial on the discordant pairs (statistic: only first); "midp": the same
                 with half the observed outcome; "chi2", "chi2_corrected": (|b − c| −
                 correction)²/(b + c).
    Undefined    no discordant pair. The odds ratio is undefined when "only second" is 0.
    Source       McNemar (1947); Fagerland et al. (2013) for mid-p; Agresti & Min (2005) for the
                 difference.
    Checked      R mcnemar.test, binom.test.
    """
    check_level(level)
    one_of(p, ("exact", "midp", "chi2", "chi2_corrected"), name="p")
    counts = count_table(table, name="table")
    if counts.shape != (2, 2):
        raise InvalidInput(
            f"table: expected 2 rows and 2 columns, got {counts.shape}. Tabulate the pairs first."
        )
    n, b, c = int(counts.sum()), int(counts[0, 1]), int(counts[1, 0])
    method = f"McNemar's test ({p})"
    estimate, effect = _paired_difference(counts, level), _paired_odds(b, c, level)
    if b + c == 0:
        return no_result("no discordant pair", method=method, n=n, estimate=estimate, effect=effect)
    if p in ("exact", "midp"):
        lower, upper = float(special.bdtr(b, b + c, 0.5)), float(stats.binom.sf(b - 1, b + c, 0.5))
        half = float(stats.binom.pmf(b, b + c, 0.5)) / 2 if p == "midp" else 0.0
        p_value = tail(lower - half, upper - half, "two-sided")
        return TestResult(
            statistic=float(b),
            p_value=p_value,
            n=n,
            method=method,
            estimate=estimate,
            effect=effect,
            symbol="k",
        )
    correction = 1.0 if p == "chi2_corrected" and b != c else 0.0
    statistic = max(0.0, abs(b - c) - correction) ** 2 / (b + c)
    return TestResult(
        statistic=statistic,
        p_value=float(stats.chi2.sf(statistic, 1)),
        n=n,
        method=method,
        df=(1.0,),
        estimate=estimate,
        effect=effect,
        symbol="χ²",
    )


def fisher(table: ArrayLike, *, alternative: str = "two-sided", level: float = 0.95) -> TestResult:
    """Fisher's exact test of two independent shares, [[yes, no] of group 1, [yes, no] of group 2].

    Says         whether "yes" is more frequent in group 1. `statistic` is the number of "yes" in
                 group 1, `estimate` the conditional odds ratio with the interval of both one-sided
                 exact tests.
    p            two-sided: all tables with the same margins that are at most as likely as this one.
    Undefined    a row or a column without any count: only one table has these margins, so that
                 nothing is compared. R and scipy give p = 1 for it.
    Source       Fisher (1935).
    Checked      R fisher.test.
    """
    side = check_alternative(alternative)
    odds = odds_ratio(table, interval="exact", level=level)
    counts = count_table(table, name="table")
    n, method = int(counts.sum()), "Fisher's exact test"
    if odds.value is None:
        return no_result(str(odds.reason), method=method, n=n, alternative=side, estimate=odds)
    p = float(stats.fisher_exact(counts.astype(np.int64), alternative=side).pvalue)
    return TestResult(
        statistic=float(counts[0, 0]),
        p_value=min(1.0, p),
        n=n,
        method=method,
        df=(),
        alternative=side,
        estimate=odds,
        symbol="k",
    )


def chi_square(
    table: ArrayLike, *, expected: ArrayLike | None = None, level: float = 0.95
) -> TestResult:
    """Pearson's chi-square test: independence in a two-way table, or fit of one row of counts to
    shares.

    Says         whether answers depend on the group (two axes), or differ from `expected` shares
                 (one axis; default equal shares). `effect` is Cramér's V (one axis: Cohen's w). No
                 continuity correction.
    Formula      Σ (observed − expected)²/expected. Interval of the effect by inverting the
                 noncentral chi-square distribution.
    Undefined    an empty row or column; a single category. Expected counts below 5 are noted.
    Source       Pearson (1900); Steiger (2004) for the interval.
    Checked      R chisq.test(correct = FALSE), effectsize::cramers_v(alternative = "two.sided").
    """
    check_level(level)
    array = np.asarray(table, dtype=np.float64)
    if array.ndim == 1:
        return _fit(array, expected, level)
    if expected is not None:
        raise InvalidInput(
            "expected: given for a two-way table, whose margins give it. Leave it out."
        )
    counts = count_table(table, name="table")
    n, smaller = int(counts.sum()), min(counts.shape)
    method = "Pearson chi-square test of independence"
    if smaller < 2 or not counts.sum(axis=0).all() or not counts.sum(axis=1).all():
        reason = "needs at least 2 rows and 2 columns, none of them empty"
        effect = undefined(reason, method="Cramér's V", n=n, level=level)
        return no_result(reason, method=method, n=n, effect=effect)
    wanted = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    df = float((counts.shape[0] - 1) * (counts.shape[1] - 1))
    return _pearson(
        counts,
        wanted=wanted,
        df=df,
        method=method,
        effect="Cramér's V",
        divisor=smaller - 1,
        level=level,
    )


def check_counts(successes: int, n: int) -> None:
    """Whole numbers with 0 ≤ successes ≤ n."""
    whole = all(
        isinstance(value, int | np.integer) and not isinstance(value, bool)
        for value in (successes, n)
    )
    if not whole or not 0 <= successes <= n:
        raise InvalidInput(
            f"successes, n: expected counts with 0 ≤ successes ≤ n, got {successes!r} of {n!r}. "
            "Give the number of successes and the number of trials."
        )


def _wilson(successes: int, n: int, level: float) -> tuple[float, float]:
    z2 = float(stats.norm.ppf((1 + level) / 2)) ** 2
    share = successes / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    return (0.0 if successes == 0 else centre - half), (1.0 if successes == n else centre + half)


def _clopper_pearson(successes: int, n: int, level: float) -> tuple[float, float]:
    half = (1 - level) / 2
    low = 0.0 if successes == 0 else float(special.betaincinv(successes, n - successes + 1, half))
    high = (
        1.0 if successes == n else float(special.betaincinv(successes + 1, n - successes, 1 - half))
    )
    return low, high


def _cohens_h(share: Estimate, null: float) -> Estimate:
    def h(value: float | None) -> float:
        return 2 * math.asin(math.sqrt(value or 0.0)) - 2 * math.asin(math.sqrt(null))

    return Estimate(
        value=h(share.value),
        low=h(share.low),
        high=h(share.high),
        level=share.level,
        n=share.n,
        method="Cohen's h against chance",
        exact=share.exact,
    )


def _paired_difference(counts: FloatArray, level: float) -> Estimate:
    n, method = int(counts.sum()), "difference of paired shares, Agresti-Min interval"
    if n == 0:
        return undefined("no pairs", method=method, n=0, level=level)
    padded = counts + 0.5
    b, c, total = float(padded[0, 1]), float(padded[1, 0]), float(padded.sum())
    centre = (b - c) / total
    half = float(stats.norm.ppf((1 + level) / 2)) * math.sqrt(b + c - (b - c) ** 2 / total) / total
    value = float(counts[0, 1] - counts[1, 0]) / n
    return Estimate(
        value=value,
        low=max(-1.0, centre - half),
        high=min(1.0, centre + half),
        level=level,
        n=n,
        method=method,
    )


def _paired_odds(b: int, c: int, level: float) -> Estimate:
    n, method = b + c, "paired odds ratio, Clopper-Pearson interval of the discordant pairs"
    if c == 0:
        why = "no discordant pair" if b == 0 else "no pair answers yes on the second occasion only"
        return undefined(why, method=method, n=n, level=level)
    low, high = _clopper_pearson(b, n, level)
    return Estimate(
        value=b / c,
        low=low / (1 - low),
        high=high / (1 - high) if high < 1 else math.inf,
        level=level,
        n=n,
        method=method,
        exact=True,
    )


def _fit(array: FloatArray, expected: ArrayLike | None, level: float) -> TestResult:
    counts = count_table(array[None, :], name="table")[0]
    n, categories = int(counts.sum()), len(counts)
    method = "Pearson chi-square test of fit"
    shares = (
        np.full(categories, 1 / max(categories, 1))
        if expected is None
        else finite_array(expected, name="expected")
    )
    if len(shares) != categories or (shares <= 0).any() or abs(shares.sum() - 1) > 1e-9:
        raise InvalidInput(
            f"expected: expected {categories} positive shares that sum to 1, got {shares.tolist()}."
            " Give one share per category."
        )
    if categories < 2 or n == 0:
        reason = f"needs at least 2 categories and 1 observation, got {categories} and {n}"
        effect = undefined(reason, method="Cohen's w", n=n, level=level)
        return no_result(reason, method=method, n=n, effect=effect)
    return _pearson(
        counts,
        wanted=shares * n,
        df=float(categories - 1),
        method=method,
        effect="Cohen's w",
        divisor=1,
        level=level,
    )


def _pearson(
    observed: FloatArray,
    wanted: FloatArray,
    df: float,
    method: str,
    effect: str,
    divisor: int,
    level: float,
) -> TestResult:
    n = int(observed.sum())
    statistic = float(((observed - wanted) ** 2 / wanted).sum())
    low, high = _noncentral_bounds(statistic, df, level)
    scale = 1 / (n * divisor)
    value = math.sqrt(statistic * scale)
    size = f"{effect}, noncentral chi-square interval"
    largest = 1.0 if effect == "Cramér's V" else math.inf
    bounded = (
        Estimate(
            value=value,
            low=math.sqrt(low * scale),
            high=min(math.sqrt(high * scale), largest),
            level=level,
            n=n,
            method=size,
        )
        if math.isfinite(high)
        else without_interval(value, "no noncentrality fits", method=size, n=n, level=level)
    )
    small = int((wanted < _SMALL_EXPECTED).sum())
    notes = (
        (f"{small} of {wanted.size} expected counts are below {_SMALL_EXPECTED:g}",)
        if small
        else ()
    )
    p_value = float(stats.chi2.sf(statistic, df))
    return TestResult(
        statistic=statistic,
        p_value=p_value,
        n=n,
        method=method,
        df=(df,),
        effect=bounded,
        notes=notes,
        symbol="χ²",
    )


def _noncentral_bounds(statistic: float, df: float, level: float) -> tuple[float, float]:
    half = (1 - level) / 2

    def solve(target: float) -> float:
        if float(special.chdtr(df, statistic)) <= target:
            return 0.0

        def off(ncp: float) -> float:
            return float(special.chndtr(statistic, df, ncp)) - target

        high = max(1.0, statistic)
        while off(high) > 0:
            high *= 2
        return float(optimize.brentq(off, 0.0, high, xtol=1e-12))

    return solve(1 - half), solve(half)
