"""Two one-sided tests (TOST): is an effect small enough to call it none? Non-significance is not
sameness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike
from scipy import stats

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.stats.counts import check_counts, proportion
from believable.stats.estimate import UNLIMITED, Estimate, t_estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array
from believable.stats.result import TestResult, no_result


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalenceResult:
    """The outcome of two one-sided tests against margins stated beforehand.

    p_low, p_high  one-sided p of "not above margin_low" and of "not below margin_high"
    p_value        the larger of both: equivalence is shown when both nulls are rejected
    estimate       with the 1 − 2·alpha interval, which lies inside the margins exactly when
                   equivalence is shown
    """

    p_value: float | None
    p_low: float | None
    p_high: float | None
    margin_low: float
    margin_high: float
    alpha: float
    n: int
    estimate: Estimate
    method: str
    df: float | None = None
    reason: str | None = None

    @property
    def equivalent(self) -> bool:
        """Is equivalence shown at alpha? False, too, when the tests are undefined."""
        return self.p_value is not None and self.p_value < self.alpha


def tost_mean(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    low: float,
    high: float,
    alpha: float = 0.05,
    limits: tuple[float, float] = UNLIMITED,
) -> EquivalenceResult:
    """Is a mean, or the difference of two independent means, inside [low, high]?

    Says         whether the mean of `a` (say judges' accuracy, or paired differences) is
                 practically equal to what lies between the margins. With `b`, the difference
                 mean(a) − mean(b), variances unequal.
    Formula      one-sided t tests against each margin, n − 1 (Welch) degrees of freedom.
    limits       values that the mean cannot leave, say (0, 1) for shares; the interval ends there
    Undefined    fewer than two values in a sample; no variance: the mean without an interval.
    Source       Schuirmann (1987).
    Checked      R t.test(alternative = "greater", mu = low) and t.test(alternative = "less", mu =
                 high).
    """
    _check_margins(low, high, alpha)
    level = 1 - 2 * alpha
    first = finite_array(a, name="a", squared=True)
    samples = [first] if b is None else [first, finite_array(b, name="b", squared=True)]
    n, method = (
        sum(len(sample) for sample in samples),
        f"TOST, {'one-sample' if b is None else 'Welch'} t tests",
    )
    named = "mean, t interval" if b is None else "difference of means, Welch interval"
    if min(len(sample) for sample in samples) < 2:
        sizes = " and ".join(str(len(sample)) for sample in samples)
        reason = (
            f"needs at least 2 values{' in each sample' if b is not None else ''}, there are"
            f" {sizes}"
        )
        return _none(
            reason,
            low=low,
            high=high,
            alpha=alpha,
            n=n,
            named=named,
            method=method,
            value=_difference(samples),
        )
    if all(sample.min() == sample.max() for sample in samples):
        return _none(
            "no variance",
            low=low,
            high=high,
            alpha=alpha,
            n=n,
            named=named,
            method=method,
            value=_difference(samples),
        )
    parts = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    df = sum(parts) ** 2 / sum(
        part**2 / (len(s) - 1) for part, s in zip(parts, samples, strict=True)
    )
    se = math.sqrt(sum(parts))
    mean = float(first.mean()) - (float(samples[1].mean()) if b is not None else 0.0)
    estimate = t_estimate(mean, se, df, level=level, n=n, method=named, limits=limits)
    return tost_estimate(estimate, low=low, high=high, alpha=alpha, method=method, limits=limits)


def tost_estimate(
    estimate: Estimate,
    *,
    low: float,
    high: float,
    alpha: float,
    method: str,
    limits: tuple[float, float] = UNLIMITED,
) -> EquivalenceResult:
    """Two one-sided tests of an estimate that has a standard error: does it lie between the
    margins?

    The interval at 1 − 2·alpha lies inside the margins exactly if equivalence is shown. Undefined
    without a standard error.
    """
    _check_margins(low, high, alpha)
    level = 1 - 2 * alpha
    if estimate.value is None or not estimate.se:
        reason = estimate.reason or "no standard error"
        kept = replace(estimate, low=None, high=None, level=level, reason=reason)
        return EquivalenceResult(
            p_value=None,
            p_low=None,
            p_high=None,
            margin_low=low,
            margin_high=high,
            alpha=alpha,
            n=estimate.n,
            estimate=kept,
            method=method,
            reason=reason,
        )
    value, se, df = estimate.value, estimate.se, estimate.df[0]
    narrow = t_estimate(
        value, se, df, level=level, n=estimate.n, method=estimate.method, limits=limits
    )
    p_low, p_high = (
        float(special.stdtr(df, (low - value) / se)),
        float(special.stdtr(df, (value - high) / se)),
    )
    return EquivalenceResult(
        p_value=max(p_low, p_high),
        p_low=p_low,
        p_high=p_high,
        margin_low=low,
        margin_high=high,
        alpha=alpha,
        n=estimate.n,
        estimate=narrow,
        method=method,
        df=df,
    )


def tost_proportion(
    successes: int, n: int, *, low: float, high: float, alpha: float = 0.05
) -> EquivalenceResult:
    """Is a share inside [low, high]?

    Says         whether, say, a preference of 50 % is shown up to a margin, rather than merely not
                 refuted.
    Formula      exact one-sided binomial tests against each margin; the interval is
                 Clopper-Pearson.
    Undefined    no observations.
    Checked      R binom.test(alternative = "greater", p = low) and (alternative = "less", p =
                 high).
    """
    _check_margins(low, high, alpha)
    if not 0 <= low < high <= 1:
        raise InvalidInput(
            f"low, high: expected shares between 0 and 1, got {low} and {high}. Give 0.4, 0.6 say."
        )
    check_counts(successes, n)
    method = "TOST, exact binomial tests"
    if n == 0:
        return _none(
            "no observations",
            low=low,
            high=high,
            alpha=alpha,
            n=0,
            named="share, Clopper-Pearson interval",
            method=method,
        )
    estimate = proportion(successes, n, interval="exact", level=1 - 2 * alpha)
    p_low = float(stats.binom.sf(successes - 1, n, low))
    p_high = float(stats.binom.cdf(successes, n, high))
    return EquivalenceResult(
        p_value=max(p_low, p_high),
        p_low=p_low,
        p_high=p_high,
        margin_low=low,
        margin_high=high,
        alpha=alpha,
        n=n,
        estimate=estimate,
        method=method,
    )


def _check_margins(low: float, high: float, alpha: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInput(
            f"low, high: expected finite margins with low < high, got {low} and {high}. "
            "State the margin before looking at the data."
        )
    if not 0 < alpha < 0.5:
        raise InvalidInput(
            f"alpha: expected a number between 0 and 0.5, got {alpha!r}. For 5 % give 0.05."
        )


def _difference(samples: list[FloatArray]) -> float | None:
    """The mean, or the difference of two means; None if a sample is empty."""
    if not all(len(sample) for sample in samples):
        return None
    return float(samples[0].mean()) - (float(samples[1].mean()) if len(samples) > 1 else 0.0)


def _none(
    reason: str,
    low: float,
    high: float,
    alpha: float,
    n: int,
    named: str,
    method: str,
    value: float | None = None,
) -> EquivalenceResult:
    level = 1 - 2 * alpha
    estimate = (
        undefined(reason, method=named, n=n, level=level)
        if value is None
        else without_interval(value, reason, method=named, n=n, level=level)
    )
    return EquivalenceResult(
        p_value=None,
        p_low=None,
        p_high=None,
        margin_low=low,
        margin_high=high,
        alpha=alpha,
        n=n,
        estimate=estimate,
        method=method,
        reason=reason,
    )


def as_test(result: EquivalenceResult) -> TestResult:
    """The equivalence test as a test result: the side that is harder to reject."""
    if result.p_value is None or result.estimate.value is None or not result.estimate.se:
        return no_result(
            result.reason or "undefined", method=result.method, n=result.n, estimate=result.estimate
        )
    lower = result.p_low is not None and result.p_low == result.p_value
    margin = result.margin_low if lower else result.margin_high
    t = (result.estimate.value - margin) / result.estimate.se
    return TestResult(
        statistic=t,
        p_value=result.p_value,
        n=result.n,
        method=result.method,
        df=() if result.df is None else (result.df,),
        alternative="greater" if lower else "less",
        estimate=result.estimate,
        symbol="t",
    )
