"""The indices of the published protocols: clips (believability, confidence), replay (rate),
navigation test (pass).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from believable.core.errors import InvalidInput
from believable.stats.bootstrap import bootstrap
from believable.stats.estimate import (
    Estimate,
    check_level,
    ratio_share,
    undefined,
    wilson,
    without_interval,
)
from believable.stats.inputs import FloatArray, finite_array, float_array, one_of, paired_arrays

#: The end of the five-point scale that says artificial.
ARTIFICIAL = 5
HUMAN_ANSWERS = (1.0, 2.0)
ARTIFICIAL_ANSWERS = (4.0, 5.0)
# The prior about flags of one session, used until enough flags are seen; the coverage table shows
# both.
_PRIOR_CORRELATION = 0.15
#: The prior about how flags cluster has the weight of this number of flags.
_PRIOR_FLAGS = 20.0
#: The lowest to the highest of fewer values cover a median less often than in 95 of 100 samples.
FEWEST_JUDGES = 6
#: Flags that hang together more than this within sessions make the share's distribution too skewed
#: for the interval.
_LARGE_CORRELATION = 0.2
#: Below this number of sessions the prior outweighs the observations.
_FEW_SESSIONS = 20


def believability_index(
    ratings: ArrayLike, experience: ArrayLike, *, highest: float = 5, level: float = 0.95
) -> Estimate:
    """How human does one type of clip look, answers weighted by the respondents' experience?

    Input       ratings: respondents × clips of one type, 1 human … 5 artificial; experience: one
                number from 1 to `highest` per respondent.
    Formula     h = |r − 5|/4, w = e_p·h/mean(e), b = ΣΣ w/(n·m), which is Σ e_p·mean(h_p)/Σ e_p.
    Range       0 (all certainly artificial) to 1 (all certainly human).
    Interval    over respondents: ratio estimator, Wilson's interval with the effective number,
                Student's t.
    Missing     respondents with a missing rating or experience are left out and noted.
    Undefined   no complete respondent. Only one: no interval.
    Source      Gorman, Thurau, Bauckhage & Humphrys 2006.
    Checked     the worked example (e = 1, 5; ratings 5, 1: b = .8333, c = .6).
    """
    check_level(level)
    method = "believability_index (ratio over respondents; Wilson interval)"
    table, weight = float_array(ratings, name="ratings", ndim=2), _experience(experience, highest)
    _check_ratings(table, "ratings")
    if len(weight) != len(table):
        raise InvalidInput(
            f"ratings, experience: expected one experience per respondent, got {len(table)} rows"
            f" and {len(weight)}."
        )
    complete = ~np.isnan(table).any(axis=1) & ~np.isnan(weight)
    notes = _left_out(int((~complete).sum()), len(table))
    if not complete.any() or not table.shape[1]:
        return undefined(
            "no respondent rated all clips", method=method, n=0, level=level, notes=notes
        )
    human = np.abs(table[complete] - ARTIFICIAL).mean(axis=1) / (ARTIFICIAL - 1)
    return _pool(weight[complete] * human, weight[complete], method, level, notes)


def confidence_index(experience: ArrayLike, *, highest: float = 5, level: float = 0.95) -> Estimate:
    """How experienced are the respondents, as a share of the highest level?

    Formula     c = mean(e)/highest; a good study needs c ≥ .6. Range 1/highest to 1.
    Interval    Student's t of the mean. Undefined: no respondent. One: no interval.
    """
    check_level(level)
    method = "confidence_index (t interval)"
    weight = _experience(experience, highest)
    known = weight[~np.isnan(weight)]
    notes = _left_out(len(weight) - len(known), len(weight))
    n = len(known)
    if n == 0:
        return undefined("there is no respondent", method=method, n=0, level=level, notes=notes)
    value = float(known.mean()) / highest
    if n == 1:
        return without_interval(
            value, "one respondent has no spread", method=method, n=1, level=level, notes=notes
        )
    half = (
        float(special.stdtrit(n - 1, 1 - (1 - level) / 2))
        * float(known.std(ddof=1))
        / n**0.5
        / highest
    )
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=level,
        n=n,
        method=method,
        notes=notes,
    )


def clip_recall(
    ratings: ArrayLike,
    *,
    middle: Literal["not_human", "left_out"] = "not_human",
    level: float = 0.95,
) -> Estimate:
    """The share of the ratings of one type of clip that call it human (1 or 2).

    The answer 3, "don't know", counts as not human, or is left out. Interval: over respondents,
    Wilson's with the effective number. Missing ratings are left out. Undefined: no rating counts.
    Report both treatments.
    """
    check_level(level)
    one_of(middle, ("not_human", "left_out"), name="middle")
    method = f"clip_recall ({middle}; Wilson interval over respondents)"
    table = float_array(ratings, name="ratings", ndim=2)
    _check_ratings(table, "ratings")
    counted = ~np.isnan(table) if middle == "not_human" else ~np.isnan(table) & (table != 3)
    called = np.isin(table, HUMAN_ANSWERS)
    return _pooled_counts(called.sum(axis=1), counted.sum(axis=1), method, level)


def clip_precision(
    ratings: Mapping[str, ArrayLike],
    *,
    correct: Collection[str],
    answer: Literal["human", "artificial"] = "human",
    level: float = 0.95,
) -> Estimate:
    """Of all clips called human (or artificial), the share that is of a correct type.

    Input       one table (respondents × clips) per type of clip, all with the same respondents;
                `correct`: the types for which the answer is right, {"human", "imitation"} for
                "human" in the published study.
    Interval    over respondents, Wilson's with the effective number. Undefined: nothing was called
                so.
    """
    check_level(level)
    one_of(answer, ("human", "artificial"), name="answer")
    unknown = sorted(set(correct) - set(ratings))
    if unknown:
        raise InvalidInput(
            f"correct: unknown type {unknown[0]!r}. Choose from: {', '.join(sorted(ratings))}."
        )
    answers = HUMAN_ANSWERS if answer == "human" else ARTIFICIAL_ANSWERS
    calls = {}
    for name, of_type in ratings.items():
        table = float_array(of_type, name=f"ratings[{name!r}]", ndim=2)
        _check_ratings(table, f"ratings[{name!r}]")
        calls[name] = np.isin(table, answers).sum(axis=1)
    if len({len(count) for count in calls.values()}) > 1:
        sizes = {name: len(count) for name, count in calls.items()}
        raise InvalidInput(f"ratings: expected the same respondents in every table, got {sizes}.")
    right = np.sum([calls[name] for name in sorted(set(correct))], axis=0)
    method = f"clip_precision ({answer}; Wilson interval over respondents)"
    return _pooled_counts(right, np.sum(list(calls.values()), axis=0), method, level)


def unbelievable_rate(flagged: int, viewed: int, *, level: float = 0.95) -> Estimate:
    """Of 100 viewed actions, how many were flagged as unbelievable?

    Formula     r = 100·F/A. Range 0 to 100, lower is better. Interval: Wilson's, per session.
    Undefined   no action was viewed (A = 0).
    """
    check_level(level)
    method = "unbelievable_rate (Wilson interval)"
    if not 0 <= flagged <= viewed:
        raise InvalidInput(
            f"flagged, viewed: expected 0 ≤ flagged ≤ viewed, got {flagged} and {viewed}. "
            "Count each viewed action once, and flags on actions never viewed separately."
        )
    if viewed == 0:
        return undefined("no action was viewed", method=method, n=0, level=level)
    low, high = wilson(flagged / viewed, viewed, level=level)
    return Estimate(
        value=100 * flagged / viewed,
        low=100 * low,
        high=100 * high,
        level=level,
        n=int(viewed),
        method=method,
    )


def pooled_unbelievable_rate(
    flagged: ArrayLike, viewed: ArrayLike, *, level: float = 0.95
) -> Estimate:
    """`unbelievable_rate` over sessions, one count of each per session: 100·ΣF/ΣA.

    Interval    over sessions, Wilson's with the effective number ΣA/d and Student's t. The design
                effect d (flags of one session hang together) is that of the sessions' residuals,
                each divided by 1 − its share of all views, but at least its mean with a prior: few
                flags say little about how they hang together. The prior is the d of an intraclass
                correlation of .15, and counts as much as 20 flags.
    Missing     sessions without a viewed action are left out and noted.
    Caution     with few sessions it is cautious: 98.5 instead of 95 % with 12. A note says so below
                20. If a few sessions hold most flags (5 % flagged, correlation .3) it covers 90 to
                94 % with 20 to 80 sessions. A note says so if the correlation within sessions
                appears to exceed .2.
    For comparing conditions use the mixed model.
    """
    check_level(level)
    flags, views = paired_arrays(flagged, viewed, names=("flagged", "viewed"))
    wrong = (flags < 0) | (flags > views)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidInput(
            f"flagged[{place}]: expected 0 to {views[place]:g} (viewed), got {flags[place]:g}."
        )
    method = "pooled_unbelievable_rate (Wilson interval over sessions)"
    notes = _left_out(int((views == 0).sum()), len(views))
    flags, views = flags[views > 0], views[views > 0]
    n, total = len(views), float(views.sum())
    if n == 0:
        return undefined("no action was viewed", method=method, n=0, level=level, notes=notes)
    share = float(flags.sum()) / total
    if n < 2:
        reason = "one session has no spread"
        return without_interval(100 * share, reason, method=method, n=n, level=level, notes=notes)
    low, high = wilson(share, total / _design_effect(flags, views), level=level, df=n - 1)
    if n < _FEW_SESSIONS:
        notes += (
            (
                f"fewer than {_FEW_SESSIONS} sessions: the interval is cautious, wider than its"
                " level asks for"
            ),
        )
    elif _seen_correlation(flags, views) > _LARGE_CORRELATION:
        notes += ("few sessions hold most of the flags: a 95 % interval covers 90 to 94 %",)
    return Estimate(
        value=100 * share,
        low=100 * low,
        high=100 * high,
        level=level,
        n=n,
        method=method,
        notes=notes,
    )


def _design_effect(flags: FloatArray, views: FloatArray) -> float:
    """By how much flags that hang together within sessions widen the variance of their share."""
    total, count = float(views.sum()), float(flags.sum())
    prior = 1 + (float(views @ views) / total - 1) * _PRIOR_CORRELATION
    share = count / total
    if share in (0.0, 1.0):
        return prior
    seen = _seen_effect(flags, views)
    # One flag shows nothing of how flags hang together, so it must not count: the bound would fall
    # with the first flag.
    pairs = min(count, total - count) - 1
    return max(seen, (pairs * seen + _PRIOR_FLAGS * prior) / (pairs + _PRIOR_FLAGS))


def _seen_effect(flags: FloatArray, views: FloatArray) -> float:
    """The design effect that the sessions' residuals show; the share is neither 0 nor 1."""
    total = float(views.sum())
    share = float(flags.sum()) / total
    residual = flags - share * views
    return float((residual**2 / (1 - views / total)).sum()) / (total * share * (1 - share))


def _seen_correlation(flags: FloatArray, views: FloatArray) -> float:
    """The intraclass correlation that gives the design effect seen; 0 without flags, or if each
    session has one view.
    """
    total = float(views.sum())
    size = float(views @ views) / total - 1
    if size <= 0 or float(flags.sum()) in (0.0, total):
        return 0.0
    return (_seen_effect(flags, views) - 1) / size


@dataclass(frozen=True, slots=True, kw_only=True)
class HnttVerdict:
    """The agent passes if the interval of the judges' median accuracy contains chance.

    contains   whether it does, as published; None: there is no interval
    passes     the verdict: None, too, for an interval without width, which says nothing about other
               judges
    above      whether the interval lies above chance, so judges distinguish the agent from people
    """

    median: Estimate
    quartile_low: float
    quartile_high: float
    chance: float
    contains: bool | None

    @property
    def passes(self) -> bool | None:
        return None if self.median.low == self.median.high else self.contains

    @property
    def above(self) -> bool:
        return self.median.low is not None and self.median.low > self.chance


@dataclass(frozen=True, slots=True, kw_only=True)
class HnttSubsampling:
    """How often smaller samples of judges pass; means and variances of their median accuracies and
    of the bounds.

    variance_…   over the subsamples, with one less than their number as divisor; None of a single
    one
    """

    n: int
    repeats: int
    passed: int
    mean_median: float
    mean_low: float
    mean_high: float
    variance_median: float | None
    variance_low: float | None
    variance_high: float | None


def hntt_pass(
    accuracy: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    chance: float = 0.5,
    level: float = 0.95,
) -> HnttVerdict:
    """Do judges fail to distinguish the agent from the human? One accuracy per judge.

    Criterion   as published: the percentile bootstrap interval over judges of the median accuracy
                contains .5.
    Caution     not telling apart is no proof of sameness: few judges pass any agent. Report the
                equivalence test (`tost_proportion`) and the exact interval (`median_interval`) with
                it.
    Undefined   no judges: InvalidInput; one judge: no interval, passes is None, as for an interval
                without width.
    Source      the test: Devlin et al. 2021; the criterion: Milani et al. 2023.
    """
    values = _accuracies(accuracy)
    median = bootstrap(
        values,
        "median",
        rng=rng,
        method="percentile",
        resamples=resamples,
        level=check_level(level),
    )
    low, high = np.quantile(values, [0.25, 0.75])
    contains = None if median.low is None else median.contains(chance)
    return HnttVerdict(
        median=median,
        quartile_low=float(low),
        quartile_high=float(high),
        chance=chance,
        contains=contains,
    )


def hntt_subsampling(
    accuracy: ArrayLike,
    *,
    rng: np.random.Generator,
    n: int = 50,
    repeats: int = 100,
    resamples: int = 10_000,
    chance: float = 0.5,
) -> HnttSubsampling:
    """Would fewer judges have reached the same verdict? `hntt_pass` on `repeats` random subsets of
    n judges.

    Undefined   subsamples too small for an interval of the median (5 judges): InvalidInput.
    Source      Milani et al. 2023.
    """
    values = _accuracies(accuracy)
    if not FEWEST_JUDGES <= n <= len(values):
        raise InvalidInput(
            f"n: expected {FEWEST_JUDGES} (fewer judges have no interval of the median) to"
            f" {len(values)} judges (those there are), got {n}."
        )
    if repeats < 1:
        raise InvalidInput(f"repeats: expected at least 1, got {repeats}.")
    verdicts = [
        hntt_pass(rng.choice(values, n, replace=False), rng=rng, resamples=resamples, chance=chance)
        for _ in range(repeats)
    ]
    medians = np.array(
        [(verdict.median.value, verdict.median.low, verdict.median.high) for verdict in verdicts],
        dtype=np.float64,
    )
    means: list[float] = medians.mean(axis=0).tolist()
    variances: list[float] | list[None] = (
        [None] * 3 if repeats < 2 else medians.var(axis=0, ddof=1).tolist()
    )
    passed = sum(bool(verdict.contains) for verdict in verdicts)
    return HnttSubsampling(
        n=n,
        repeats=repeats,
        passed=passed,
        mean_median=means[0],
        mean_low=means[1],
        mean_high=means[2],
        variance_median=variances[0],
        variance_low=variances[1],
        variance_high=variances[2],
    )


def _pool(
    parts: FloatArray, wholes: FloatArray, method: str, level: float, notes: tuple[str, ...]
) -> Estimate:
    value, n = float(parts.sum() / wholes.sum()), len(wholes)
    if n < 2:
        return without_interval(
            value, "one respondent has no spread", method=method, n=n, level=level, notes=notes
        )
    low, high = ratio_share(parts, wholes, level=level)
    return Estimate(value=value, low=low, high=high, level=level, n=n, method=method, notes=notes)


def _pooled_counts(parts: ArrayLike, wholes: ArrayLike, method: str, level: float) -> Estimate:
    part, whole = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    used = whole > 0
    notes = _left_out(int((~used).sum()), len(whole))
    if not used.any():
        return undefined("there is nothing to count", method=method, n=0, level=level, notes=notes)
    return _pool(part[used], whole[used], method, level, notes)


def _left_out(count: int, total: int) -> tuple[str, ...]:
    return (f"{count} of {total} left out for missing data",) if count else ()


def _experience(experience: ArrayLike, highest: float) -> FloatArray:
    values = float_array(experience, name="experience")
    if not highest > 1:
        raise InvalidInput(
            f"highest: expected the top of the experience scale, more than 1, got {highest}."
        )
    wrong = (values < 1) | (values > highest)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidInput(
            f"experience[{place}]: expected 1 to {highest:g}, got {values[place]:g}."
        )
    return values


def _check_ratings(table: FloatArray, name: str) -> None:
    wrong = ~np.isnan(table) & ~np.isin(table, (1.0, 2.0, 3.0, 4.0, 5.0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidInput(
            f"{name}[{row}, {column}]: expected 1 (human) to 5 (artificial), got"
            f" {table[row, column]:g}. Give NaN for a missing rating."
        )


def _accuracies(accuracy: ArrayLike) -> FloatArray:
    values = finite_array(accuracy, name="accuracy", least=1)
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InvalidInput(
            f"accuracy[{place}]: expected a share from 0 to 1, got {values[place]:g}."
        )
    return values
