"""Differences and odds ratios of two groups of judgements, if judges and clips are samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.counts import binomial
from believable.stats.crossed import (
    LEAST_UNITS,
    CrossedVariance,
    Over,
    VarianceSplit,
    crossed_estimate,
    crossed_mean,
    crossed_variance,
    difference_split,
    judge_weights,
    t_against,
    unanimous_test,
)
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, finite_array
from believable.stats.result import Alternative, TestResult, no_result

BoolArray = NDArray[np.bool_]
#: The least and the greatest share.
SHARES = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedContrast:
    """A test of one group against another, and the parts of its variance. `split` is None if there
    is no test at all.
    """

    test: TestResult
    split: VarianceSplit | None


def crossed_difference(
    values: ArrayLike,
    is_first: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    over: Over = "both",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> CrossedContrast:
    """The mean of the first group minus that of the second, tested against 0.

    Says         the expected difference with other judges of the same kind and other clips of the
                 same kind (`over="judges"`: with these clips).
    is_first     for each judgement, whether it belongs to the first group
    clips        a clip that belongs to both groups, such as a scenario played by both, is one unit
    Formula      means over judges of their mean judgement; variance by `crossed_variance`; t.
    Undefined    a group without judgements. No test with fewer than 2 judges or 2 clips in a group,
                 or without any spread.
    Source       Cameron, Gelbach & Miller (2011).
    Checked      with over="judges" scipy.stats.ttest_rel and ttest_ind (Welch); simulated size.
    """
    sample, first = _groups(values, is_first)
    named, method = _names("difference of means", over)
    blank = _blank(first, named, method, alternative, level)
    if blank is not None:
        return blank
    judge = np.unique(np.asarray(judges).astype(str), return_inverse=True)[1]
    weights = np.empty(len(sample))
    for own in (first, ~first):
        weights[own] = judge_weights(judge[own])
    means = [float(weights[own] @ sample[own]) for own in (first, ~first)]
    influence = weights * np.where(first, sample - means[0], means[1] - sample)
    variance = crossed_variance(influence, weights, judge, clips, first)
    estimate = crossed_estimate(means[0] - means[1], variance, over=over, level=level, method=named)
    test = t_against(estimate, 0.0, method=method, alternative=alternative)
    return CrossedContrast(test=test, split=_split(sample, weights, judge, clips, first, variance))


def crossed_odds(
    yes: ArrayLike,
    wholes: ArrayLike,
    is_first: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    over: Over = "both",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> CrossedContrast:
    """The odds ratio of the first group to the second, from counts `yes` out of `wholes`, tested
    against 1.

    Says         how the odds of all judgements together differ, with an interval for other judges
                 and other clips.
    Formula      log odds of the groups' pooled shares, their variance by the delta method and
                 `crossed_variance`; t. If a share is 0 or 1, one half is added to yes and to no in
                 both groups.
    Undefined    a group without judgements; no test as in `crossed_difference`.
    Source       Cameron, Gelbach & Miller (2011).
    Checked      the odds ratio of pooled counts; simulated size.
    """
    count, first = _groups(yes, is_first)
    whole = finite_array(wholes, name="wholes")
    if len(whole) != len(count) or (whole <= 0).any() or (count > whole).any():
        raise InvalidInput(
            "wholes: expected a positive number for each count, at least as large as it."
        )
    named, method = _names("odds ratio", over)
    blank = _blank(first, named, method, alternative, level)
    if blank is not None:
        return blank
    totals = [(float(count[own].sum()), float(whole[own].sum())) for own in (first, ~first)]
    added = 0.5 if any(total in (0.0, most) for total, most in totals) else 0.0
    logits, influence, weights = [], np.empty(len(count)), np.empty(len(count))
    for own, (total, most), sign in zip((first, ~first), totals, (1, -1), strict=True):
        share = (total + added) / (most + 2 * added)
        logits.append(math.log(share / (1 - share)))
        weights[own] = whole[own] / most
        influence[own] = (
            sign * (count[own] - total / most * whole[own]) / most / (share * (1 - share))
        )
    judge = np.asarray(judges).astype(str)
    variance = crossed_variance(influence, weights, judge, clips, first)
    log_odds = crossed_estimate(
        logits[0] - logits[1], variance, over=over, level=level, method=named
    )
    test = t_against(log_odds, 0.0, method=method, alternative=alternative)
    split = _split(count / whole, weights, judge, clips, first, variance)
    return CrossedContrast(test=replace(test, estimate=_ratio(log_odds, test)), split=split)


def crossed_share_test(
    values: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    null: float = 0.5,
    over: Over = "both",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
    mean: Estimate | None = None,
) -> TestResult:
    """The mean over judges of their share of yes, tested against a value.

    values       one entry per judgement: 1 for yes, 0 for no
    mean         `crossed_mean` of the same values, if the caller has it already
    Formula      `crossed_mean` and t; if all judgements are alike, `unanimous_test`. If no judge
                 and no clip occurs twice, the answers are independent, and the exact binomial test
                 decides: t rejects .065 of true nulls at 50 answers.
    Undefined    no judgement. No test with fewer than 2 judges or 2 clips.
    Source       Cameron, Gelbach & Miller (2011).
    Checked      with over="judges" scipy.stats.ttest_1samp of the judges' shares; simulated size.
    """
    sample = finite_array(values, name="values")
    if mean is None:
        mean = crossed_mean(sample, judges, clips, over=over, limits=SHARES, level=level)
    method = f"t test over judges{' and clips' if over == 'both' else ''} against {null:g}"
    if mean.value in SHARES and mean.n >= LEAST_UNITS:
        yes = bool(sample[0])
        return unanimous_test(
            yes, judges, clips, null=null, over=over, alternative=alternative, level=level
        )
    units = (judges,) if over == "judges" else (judges, clips)
    if mean.n >= LEAST_UNITS and all(
        len(np.unique(np.asarray(unit).astype(str))) == len(sample) for unit in units
    ):
        return binomial(
            int(sample.sum()), len(sample), null=null, alternative=alternative, level=level
        )
    return t_against(mean, null, method=method, alternative=alternative)


def _ratio(log_odds: Estimate, test: TestResult) -> Estimate:
    """An estimate of log odds as an odds ratio; its test stays that of the log odds."""
    if log_odds.value is None:
        return log_odds
    bounds = (
        (None, None)
        if log_odds.low is None or log_odds.high is None
        else (log_odds.low, log_odds.high)
    )
    low, high = (None if bound is None else math.exp(bound) for bound in bounds)
    return replace(
        log_odds,
        value=math.exp(log_odds.value),
        low=low,
        high=high,
        se=None,
        statistic=test.statistic,
        p_value=test.p_value,
    )


def _groups(values: ArrayLike, is_first: ArrayLike) -> tuple[FloatArray, BoolArray]:
    sample = finite_array(values, name="values")
    first = np.asarray(is_first, dtype=np.bool_)
    if first.shape != sample.shape:
        raise InvalidInput(
            f"is_first: expected one entry for each of {len(sample)} judgements, got shape"
            f" {first.shape}."
        )
    return sample, first


def _names(what: str, over: Over) -> tuple[str, str]:
    whom = "judges and clips" if over == "both" else "judges"
    return f"{what}, t interval over {whom}", f"t test of the {what} over {whom}"


def _blank(
    first: BoolArray, named: str, method: str, alternative: Alternative, level: float
) -> CrossedContrast | None:
    check_level(level)
    if first.any() and not first.all():
        return None
    reason = f"there is no judgement of the {'first' if not first.any() else 'second'} group"
    nothing = undefined(reason, method=named, n=0, level=level)
    return CrossedContrast(
        test=no_result(reason, method=method, n=0, alternative=alternative, estimate=nothing),
        split=None,
    )


def _split(
    values: FloatArray,
    weights: FloatArray,
    judges: ArrayLike,
    clips: ArrayLike,
    first: BoolArray,
    variance: CrossedVariance,
) -> VarianceSplit:
    return difference_split(values, weights, judges, clips, first, variance)
