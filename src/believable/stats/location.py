"""Is one sample larger than the other? Paired and independent tests of location."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.effects import cliffs_delta, dz, rank_biserial
from believable.stats.estimate import Estimate, check_level, t_estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays
from believable.stats.ranks import (
    kth_difference,
    kth_walsh_average,
    paired_differences,
    rank_sum_chances,
    rank_sum_index,
    signed_rank_chances,
    signed_rank_index,
)
from believable.stats.result import (
    Alternative,
    TestResult,
    check_alternative,
    no_result,
    t_test,
    tail,
)

#: Up to this number of values the exact distribution is quickly computed; R's `wilcox.test` changes
#: over at 50, too.
EXACT_UP_TO = 50
_PVALUE = ("auto", "exact", "normal")
#: How differences of zero are treated, in words.
_ZEROS = {"drop": "zero differences left out", "pratt": "zero differences ranked, then left out"}


def paired_t(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", level: float = 0.95
) -> TestResult:
    """Student's t test of paired samples.

    Says         whether the mean of a − b differs from 0. `estimate` is that mean with its t
                 interval, `effect` is `dz`.
    Formula      t = mean(d) / (sd(d)/sqrt(n)), n − 1 degrees of freedom.
    Undefined    fewer than two pairs; differences without variance (t would be infinite): their
                 mean without an interval.
    Checked      R t.test(paired = TRUE).
    """
    side = check_alternative(alternative)
    check_level(level)
    first, second = paired_arrays(a, b)
    n, method = len(first), "paired t test"
    effect = dz(first, second, level=level)
    difference, of_mean = first - second, "mean difference, t interval"
    if not effect.is_defined:
        reason = str(effect.reason)
        mean = (
            without_interval(float(difference.mean()), reason, method=of_mean, n=n, level=level)
            if n
            else undefined(reason, method=of_mean, n=n, level=level)
        )
        return no_result(reason, method=method, n=n, alternative=side, estimate=mean, effect=effect)
    se = float(difference.std(ddof=1)) / math.sqrt(n)
    estimate = t_estimate(
        float(difference.mean()), se, float(n - 1), level=level, n=n, method=of_mean
    )
    return t_test(estimate, method=method, alternative=side, effect=effect)


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: str = "two-sided",
    zeros: str = "drop",
    p: str = "auto",
    level: float = 0.95,
) -> TestResult:
    """Wilcoxon's signed-rank test of paired samples.

    Says         whether a − b lies symmetrically around 0. `statistic` is W₊, the rank sum of the
                 positive differences; `estimate` the Hodges-Lehmann pseudo-median; `effect` the
                 rank-biserial correlation.
    zeros        "drop": leave zero differences out before ranking (Wilcoxon); "pratt": rank them,
                 then leave out.
    p            "exact": the permutation distribution of the observed midranks, so ties are exact
                 too; "normal": tie-corrected, continuity-corrected; "auto": exact up to 50
                 differences.
    Interval     of the pseudo-median: order statistics of the Walsh averages, guaranteed level
                 (wider with ties).
    Ties         differences that are equal to 12 digits of the data are ties, and zero below that:
                 .3 − .1 and .5 − .3 differ in the last bit only. scipy.stats.wilcoxon ranks them as
                 given, so that its p differs for rounded values.
    Undefined    no pairs; no difference other than zero.
    Source       Wilcoxon (1945), Pratt (1959), Hodges & Lehmann (1963).
    Checked      R wilcox.test, exactRankTests::wilcox.exact (ties), coin::wilcoxsign_test (Pratt).
    """
    side = check_alternative(alternative)
    check_level(level)
    one_of(zeros, ("drop", "pratt"), name="zeros")
    one_of(p, _PVALUE, name="p")
    first, second = paired_arrays(a, b)
    difference = paired_differences(first, second)
    kept = difference[difference != 0]
    effect = rank_biserial(first, second, level=level)
    estimate = _pseudo_median(first - second, level)
    if len(kept) == 0:
        return no_result(
            "no difference other than zero" if len(difference) else "no pairs",
            method="Wilcoxon signed-rank test",
            n=len(difference),
            alternative=side,
            estimate=estimate,
            effect=effect,
            notes=effect.notes,
        )
    ranks = stats.rankdata(np.abs(difference if zeros == "pratt" else kept))
    ranks = ranks[difference != 0] if zeros == "pratt" else ranks
    positive = float(ranks[kept > 0].sum())
    exact = p == "exact" or (p == "auto" and len(kept) <= EXACT_UP_TO)
    p_value = _signed_rank_p(ranks, positive, side, exact=exact)
    kind = "exact" if exact else "normal approximation, continuity-corrected"
    notes = (
        effect.notes
        if zeros == "drop"
        else tuple(note.replace("left out", "ranked, then left out") for note in effect.notes)
    )
    return TestResult(
        statistic=positive,
        p_value=p_value,
        n=len(difference),
        method=f"Wilcoxon signed-rank test, {kind}, {_ZEROS[zeros]}",
        df=(),
        alternative=side,
        estimate=estimate,
        effect=effect,
        notes=notes,
        symbol="W",
    )


def mann_whitney(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: str = "two-sided",
    p: str = "auto",
    level: float = 0.95,
) -> TestResult:
    """The Mann-Whitney U test (Wilcoxon's rank sum) of two independent samples.

    Says         whether values of a tend to lie above those of b. `statistic` is U of a, the number
                 of pairs in which a is larger, ties counting half; `estimate` the Hodges-Lehmann
                 shift; `effect` Cliff's delta.
    p            "exact": the permutation distribution of the observed midranks, ties included
                 (two-sided: rank sums at least as far from their mean); "normal": tie-corrected,
                 continuity-corrected; "auto": exact up to 50 values in all.
    Interval     of the shift: order statistics of all differences, guaranteed level (wider with
                 ties).
    Undefined    an empty sample; all values equal.
    Source       Mann & Whitney (1947), Hodges & Lehmann (1963).
    Checked      R wilcox.test, exactRankTests::wilcox.exact (ties); published values of a
                 Turing-test study.
    """
    side = check_alternative(alternative)
    check_level(level)
    one_of(p, _PVALUE, name="p")
    first, second = finite_array(a, name="a"), finite_array(b, name="b")
    sizes = len(first), len(second)
    n = sum(sizes)
    effect = cliffs_delta(first, second, level=level)
    estimate = _shift(first, second, level)
    pooled = np.concatenate([first, second])
    reason = (
        f"needs at least 1 value in each group; there are {sizes[0]} and {sizes[1]}"
        if min(sizes) == 0
        else "all values are equal"
        if pooled.min() == pooled.max()
        else None
    )
    if reason:
        return no_result(
            reason,
            method="Mann-Whitney U test",
            n=n,
            alternative=side,
            estimate=estimate,
            effect=effect,
        )
    ranks = stats.rankdata(pooled)
    u = float(ranks[: sizes[0]].sum()) - sizes[0] * (sizes[0] + 1) / 2
    exact = p == "exact" or (p == "auto" and n <= EXACT_UP_TO)
    p_value = _rank_sum_p(ranks, sizes, u, side, exact=exact)
    kind = "exact" if exact else "normal approximation, continuity-corrected"
    return TestResult(
        statistic=u,
        p_value=p_value,
        n=n,
        method=f"Mann-Whitney U test ({kind})",
        df=(),
        alternative=side,
        estimate=estimate,
        effect=effect,
        symbol="U",
    )


def shapiro(values: ArrayLike) -> TestResult:
    """The Shapiro-Wilk test of normality.

    Says         whether a sample looks unlike a normal one; W near 1 speaks for normality. The
                 approximation (Royston 1995) and the code are scipy's.
    Undefined    fewer than 3 values; all equal. Above 5,000 values p is an extrapolation, which a
                 note says.
    Checked      R shapiro.test.
    """
    sample = finite_array(values, name="values")
    n, method = len(sample), "Shapiro-Wilk test"
    if n < 3:
        return no_result(f"needs at least 3 values, got {n}", method=method, n=n)
    if sample.min() == sample.max():
        return no_result("all values are equal", method=method, n=n)
    notes = ("p is extrapolated above 5,000 values",) if n > 5000 else ()
    # Centred and scaled so that a tiny spread around a large mean does not lose its digits; W is
    # invariant.
    standard = (sample - np.median(sample)) / float(np.ptp(sample))
    test = stats.shapiro(standard) if n <= 5000 else _large_shapiro(standard)
    return TestResult(
        statistic=float(test[0]),
        p_value=float(min(1.0, max(0.0, test[1]))),
        n=n,
        method=method,
        notes=notes,
        symbol="W",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """The test a rule chose for paired samples, and why.

    rule      the rule's name; chosen   "paired_t" or "wilcoxon"
    normality the Shapiro-Wilk test of the differences; test   the chosen test; effect   Cohen's dz
    """

    rule: str
    chosen: str
    normality: TestResult
    test: TestResult
    effect: Estimate
    alpha: float


def paired_comparison(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rule: str = "shapiro",
    alpha: float = 0.05,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> PairedComparison:
    """Compare paired samples by the test a declared rule chooses.

    rule    "shapiro": paired t unless Shapiro-Wilk on the differences rejects at `alpha`, else
            Wilcoxon (also when Shapiro-Wilk is undefined: no variance, fewer than 3 pairs); "t",
            "wilcoxon": always that one.
    Says    what `paired_t` or `wilcoxon` says; `effect` is always `dz`, with its interval.
    Checked R: shapiro.test, then t.test or wilcox.test.
    """
    one_of(rule, ("shapiro", "t", "wilcoxon"), name="rule")
    if not 0 < alpha < 1:
        raise InvalidInput(
            f"alpha: expected a number between 0 and 1, got {alpha!r}. For 5 % give 0.05."
        )
    first, second = paired_arrays(a, b)
    normality = shapiro(first - second)
    normal = normality.p_value is not None and normality.p_value >= alpha
    chosen = "paired_t" if rule == "t" or (rule == "shapiro" and normal) else "wilcoxon"
    run = paired_t if chosen == "paired_t" else wilcoxon
    test = run(first, second, alternative=alternative, level=level)
    return PairedComparison(
        rule=rule,
        chosen=chosen,
        normality=normality,
        test=test,
        effect=dz(first, second, level=level),
        alpha=alpha,
    )


def _large_shapiro(sample: FloatArray) -> tuple[float, float]:
    """scipy warns above 5,000 values; the result's note says the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        test = stats.shapiro(sample)
    return float(test[0]), float(test[1])


def _signed_rank_p(ranks: FloatArray, positive: float, side: Alternative, *, exact: bool) -> float:
    if exact:
        chances = signed_rank_chances(ranks)
        at = round(2 * positive)
        return tail(float(chances[: at + 1].sum()), float(chances[at:].sum()), side)
    mean, sd = float(ranks.sum()) / 2, math.sqrt(float((ranks**2).sum()) / 4)
    return _corrected_normal(positive - mean, sd, side)


def _rank_sum_p(
    ranks: FloatArray, sizes: tuple[int, int], u: float, side: Alternative, *, exact: bool
) -> float:
    m, n = sizes
    total = m + n
    if exact:
        chances = rank_sum_chances(ranks, m)
        at = round(2 * (u + m * (m + 1) / 2))
        if side == "two-sided":
            # With ties the distribution is lopsided; as in R, at least as far from its mean counts
            # on both sides.
            far = np.abs(np.arange(len(chances)) - m * (total + 1)) >= abs(at - m * (total + 1))
            return min(1.0, float(chances[far].sum()))
        return tail(float(chances[: at + 1].sum()), float(chances[at:].sum()), side)
    _, ties = np.unique(ranks, return_counts=True)
    tied = float((ties.astype(np.float64) ** 3 - ties).sum()) / (total * (total - 1))
    return _corrected_normal(u - m * n / 2, math.sqrt(m * n / 12 * (total + 1 - tied)), side)


def _corrected_normal(deviation: float, sd: float, side: Alternative) -> float:
    """Continuity correction of one half towards the mean, as R does it."""
    if side == "two-sided":
        z = (deviation - math.copysign(0.5, deviation) if deviation else 0.0) / sd
        return min(1.0, 2 * float(stats.norm.sf(abs(z))))
    if side == "greater":
        return float(stats.norm.sf((deviation - 0.5) / sd))
    return float(stats.norm.cdf((deviation + 0.5) / sd))


def _pseudo_median(difference: FloatArray, level: float) -> Estimate:
    n, method = len(difference), "Hodges-Lehmann pseudo-median, Walsh-average interval"
    if n == 0:
        return undefined("no pairs", method=method, n=0, level=level)
    pairs = n * (n + 1) // 2
    middle = (
        kth_walsh_average(difference, (pairs + 1) // 2)
        + kth_walsh_average(difference, pairs // 2 + 1)
    ) / 2
    index = signed_rank_index(n, level)
    estimate = Estimate(
        value=middle, low=-math.inf, high=math.inf, level=level, n=n, method=method, exact=True
    )
    if index == 0:
        return replace(
            estimate, notes=(f"too few pairs for a bounded interval at this level: {n}",)
        )
    return replace(
        estimate,
        low=kth_walsh_average(difference, index),
        high=kth_walsh_average(difference, pairs + 1 - index),
    )


def _shift(a: FloatArray, b: FloatArray, level: float) -> Estimate:
    sizes, method = (len(a), len(b)), "Hodges-Lehmann shift, order-statistic interval"
    n, pairs = sum(sizes), len(a) * len(b)
    if pairs == 0:
        reason = f"needs at least 1 value in each group; there are {sizes[0]} and {sizes[1]}"
        return undefined(reason, method=method, n=n, level=level)
    middle = (kth_difference(a, b, (pairs + 1) // 2) + kth_difference(a, b, pairs // 2 + 1)) / 2
    index = rank_sum_index(*sizes, level)
    estimate = Estimate(
        value=middle, low=-math.inf, high=math.inf, level=level, n=n, method=method, exact=True
    )
    if index == 0:
        return replace(
            estimate, notes=("the groups are too small for a bounded interval at this level",)
        )
    return replace(
        estimate, low=kth_difference(a, b, index), high=kth_difference(a, b, pairs + 1 - index)
    )
