"""What is computed from judgements: accuracy with its intervals, the pass criterion, equivalence, uncertainty, familiarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from believable.analysis.data import Data
from believable.analysis.hntt.judgements import Against
from believable.analysis.plan import Plan
from believable.core.errors import InvalidInput
from believable.stats.association import OlsResult, ols
from believable.stats.effects import dz
from believable.stats.equivalence import EquivalenceResult, tost_mean
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.indices import HnttSubsampling, HnttVerdict, hntt_pass, hntt_subsampling
from believable.stats.inputs import FloatArray, finite_array
from believable.stats.resample import bootstrap, bootstrap_two_way
from believable.stats.result import TestResult, check_alternative, no_result, tail
from believable.stats.shares import mean_share


def mean_accuracy(accuracy: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The mean over judges of their share of right choices; Wilson's interval with the effective number, Student's t.

    It stays inside 0 and 1, and judges may differ. Undefined: no judge. One judge: no interval.
    """
    values = finite_array(accuracy, name="accuracy")
    method = "mean over judges, Wilson interval with the effective number"
    if not len(values):
        return undefined("no judge", method=method, n=0, level=level)
    if len(values) < 2:
        return without_interval(float(values[0]), "one judge has no spread", method=method, n=1, level=level)
    low, high = mean_share(values, level=level)
    return Estimate(float(values.mean()), low, high, level, len(values), method)


def against_chance(
    accuracy: ArrayLike, *, chance: float = 0.5, alternative: str = "two-sided", level: float = 0.95
) -> TestResult:
    """One-sample t test of the judges' accuracies against chance: judges are the units, so trials of one may hang together."""
    side = check_alternative(alternative)
    values = finite_array(accuracy, name="accuracy")
    method, n = f"one-sample t test over judges against {chance:g}", len(values)
    estimate = mean_accuracy(values, level=level)
    if n < 2 or values.min() == values.max():
        reason = f"needs at least 2 judges, got {n}" if n < 2 else "all judges have the same accuracy"
        return no_result(reason, method=method, n=n, alternative=side, estimate=estimate)
    sd = float(values.std(ddof=1))
    t = (float(values.mean()) - chance) / (sd / n**0.5)
    p = tail(float(special.stdtr(n - 1, t)), float(special.stdtr(n - 1, -t)), side)
    effect = dz(values, np.full(n, chance), level=level)
    return TestResult(t, p, n, method, (float(n - 1),), side, estimate, effect)


def equivalence(accuracy: ArrayLike, *, chance: float, margin: float, alpha: float) -> EquivalenceResult:
    """Two one-sided tests: is the mean accuracy within `margin` of chance?"""
    return tost_mean(accuracy, low=chance - margin, high=chance + margin, alpha=alpha)


def as_test(found: EquivalenceResult) -> TestResult:
    """The equivalence test as a test result: the side that is harder to reject."""
    if found.p_value is None or found.estimate.value is None or not found.estimate.se:
        return no_result(found.reason or "undefined", method=found.method, n=found.n, estimate=found.estimate)
    lower = found.p_low is not None and found.p_low == found.p_value
    margin = found.margin_low if lower else found.margin_high
    t = (found.estimate.value - margin) / found.estimate.se
    return TestResult(
        t, found.p_value, found.n, found.method, () if found.df is None else (found.df,), "greater" if lower else "less",
        found.estimate,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clustered:
    """The mean accuracy with the interval for new judges, for new pairs of clips, and for both."""

    judges: Estimate
    clips: Estimate
    both: Estimate


def clustered(found: Against, *, rng: np.random.Generator, resamples: int, level: float) -> Clustered:
    """Whose choice makes the accuracy vary: resampled judges, resampled pairs, or both at once."""
    values = found.correct.astype(np.float64)
    return Clustered(
        bootstrap(values, "mean", rng=rng, method="expanded", clusters=found.judge, resamples=resamples, level=level),
        bootstrap(values, "mean", rng=rng, method="expanded", clusters=found.pair.astype(str), resamples=resamples, level=level),
        bootstrap_two_way(values, found.judge, found.pair.astype(str), rng=rng, resamples=min(resamples, 2000), level=level),
    )  # fmt: skip


def verdict(accuracy: FloatArray, plan: Plan, rng: np.random.Generator) -> HnttVerdict:
    """The published criterion: the bootstrap interval of the median accuracy contains chance."""
    return hntt_pass(
        accuracy, rng=rng, resamples=plan.option("resamples"), chance=plan.option("chance"), level=plan.level
    )


def subsampled(accuracy: FloatArray, plan: Plan, rng: np.random.Generator) -> HnttSubsampling | str:
    """The verdict on smaller samples of judges; the reason where there are not more judges than a subsample takes."""
    n = int(plan.option("subsample"))
    if len(accuracy) <= n:
        return f"a subsample takes {n} judges, and there are {len(accuracy)}"
    return hntt_subsampling(
        accuracy, rng=rng, n=n, repeats=plan.option("subsamples"), resamples=plan.option("resamples"),
        chance=plan.option("chance"),
    )  # fmt: skip


def coded_familiarity(data: Data, role: str, words: Sequence[str]) -> FloatArray:
    """One number per session: the place of the answer among `words`, from 1; NaN for any other answer.

    Numbers stay as they are.
    """
    places = {word: float(place) for place, word in enumerate(words, start=1)}
    given = data.text_by_session(role)
    coded = np.array(
        [np.nan if one is None else places.get(str(one), np.nan) for one in given], dtype=np.float64
    )
    plain = data.number_by_session(role)
    return np.where(np.isnan(coded), plain, coded)


def familiarity_regression(
    accuracy: FloatArray, predictors: Mapping[str, FloatArray], *, level: float
) -> tuple[OlsResult | str, int]:
    """Accuracy on familiarity, judges without an answer left out; the fit or why there is none, and how many were left out."""
    known = np.all([~np.isnan(one) for one in predictors.values()], axis=0)
    left_out = int((~known).sum())
    try:
        return ols(
            accuracy[known], {name: one[known] for name, one in predictors.items()}, level=level
        ), left_out
    except InvalidInput as error:
        return str(error), left_out
