"""Means over judges and clips, if both are samples: the interval that decides, the tests on it, and
the parts of its variance.

A test over judges alone answers for the clips that were shown. With six clips that every judge
sees, it calls an agent different from people in a quarter to a half of studies in which it is not,
and more judges make it worse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.deferred import DeferredModule, sparse
from believable.core.errors import InvalidInput
from believable.stats.counts import binomial
from believable.stats.estimate import (
    UNLIMITED,
    Estimate,
    check_level,
    t_estimate,
    undefined,
    wilson,
    without_interval,
)
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.stats.result import Alternative, TestResult, no_result, t_test

IntArray = NDArray[np.int64]
csgraph: Any = DeferredModule("scipy.sparse.csgraph")
#: Whose choice the interval allows for: other judges with the same clips, or other judges with
#: other clips.
Over = Literal["judges", "both"]
OVER: tuple[Over, ...] = ("judges", "both")
#: Fewer cannot show how much they differ.
LEAST_UNITS = 2
_NEGLIGIBLE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedVariance:
    """The variance of an estimate from judgements of clips.

    judges, clips, cells   the variance of sums over judges, over clips, and over judgements of one
                           clip by one judge
    n_judges, n_clips      how many there are; of several groups, those of the group with the fewest
    judges_df, clips_df    degrees of freedom of the first two
    """

    judges: float
    clips: float
    cells: float
    n_judges: int
    n_clips: int
    judges_df: float
    clips_df: float

    def variance(self, over: Over) -> float:
        """Judges + clips − cells, since both sums hold the cells; sampling error must not take it
        below either of them.
        """
        if over == "judges":
            return self.judges
        return max(self.judges + self.clips - self.cells, self.judges, self.clips)

    def df(self, over: Over) -> float:
        return self.judges_df if over == "judges" else min(self.judges_df, self.clips_df)

    def problem(self, over: Over) -> str:
        """Why there is no interval; empty if there is one."""
        if self.n_judges < LEAST_UNITS:
            return f"needs at least {LEAST_UNITS} judges, got {self.n_judges}"
        if over == "both" and self.n_clips < LEAST_UNITS:
            return f"needs at least {LEAST_UNITS} clips, got {self.n_clips}"
        return "no spread between judges or clips" if self.variance(over) < _NEGLIGIBLE**2 else ""


def crossed_variance(
    influence: ArrayLike,
    weights: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    groups: ArrayLike | None = None,
) -> CrossedVariance:
    """How much an estimate varies with the choice of judges and of clips.

    Says         how far the estimate would move with other judges, and with other clips, of the
                 same kind.
    influence    by how much each judgement moves the estimate: for a mean its weight times its
                 deviation from the mean. They sum to 0 within a group.
    weights      the weight of each judgement in the mean of its group; they sum to 1 within a group
    groups       for a difference of two means: the group of each judgement. A judge, or a clip, may
                 belong to one or to both.
    Formula      Σ over judges (clips, cells) of the squared sum of influences, each divided by 1 −
                 the unit's weight in its group (the larger one, if it is in both), but not for
                 cells. With equal weights: n/(n − 1) Σ. Degrees of freedom: n − 1; if no unit is in
                 both groups, Welch–Satterthwaite's of the groups' parts.
    Source       Cameron, Gelbach & Miller (2011); Bell & McCaffrey (2002) for the weights.
    Checked      the closed forms of balanced designs, and simulated studies (`python -m
                 validation.verdict_size`).
    """
    rows = finite_array(influence, name="influence", least=1)
    shares = finite_array(weights, name="weights")
    group = np.zeros(len(rows), np.int64) if groups is None else _codes(groups, len(rows), "groups")
    judge, clip = _codes(judges, len(rows), "judges"), _codes(clips, len(rows), "clips")
    if len(shares) != len(rows):
        raise InvalidInput(
            f"weights: expected one for each of {len(rows)} judgements, got {len(shares)}."
        )
    of_judges, judges_df, n_judges = _of_units(rows, shares, judge, group)
    of_clips, clips_df, n_clips = _of_units(rows, shares, clip, group)
    cell = judge * (int(clip.max()) + 1) + clip
    of_cells = float((_sums(rows, np.unique(cell, return_inverse=True)[1]) ** 2).sum())
    return CrossedVariance(
        judges=of_judges,
        clips=of_clips,
        cells=of_cells,
        n_judges=n_judges,
        n_clips=n_clips,
        judges_df=judges_df,
        clips_df=clips_df,
    )


def _codes(labels: ArrayLike, n: int, name: str) -> IntArray:
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InvalidInput(
            f"{name}: expected one label for each of {n} judgements, got shape {array.shape}."
        )
    if (
        array.dtype == np.int64
        and n
        and 0 == array.min() <= array.max() < n
        and np.bincount(array).all()
    ):
        return array  # codes already
    if array.dtype == object:
        array = array.astype(str)
    return np.unique(array, return_inverse=True)[1].astype(np.int64)


def _sums(values: FloatArray, codes: IntArray) -> FloatArray:
    sums: FloatArray = np.bincount(codes, weights=values).astype(np.float64)
    return sums


def _of_units(
    rows: FloatArray, shares: FloatArray, unit: IntArray, group: IntArray
) -> tuple[float, float, int]:
    """The variance of sums over units, its degrees of freedom, and how many units the smallest
    group has.
    """
    n, n_groups = int(unit.max()) + 1, int(group.max()) + 1
    table = np.bincount(group * n + unit, weights=shares, minlength=n * n_groups).reshape(
        n_groups, n
    )
    there = np.bincount(group * n + unit, minlength=n * n_groups).reshape(n_groups, n) > 0
    counts = there.sum(axis=1)
    least = int(counts.min())
    if least < LEAST_UNITS:
        return 0.0, 0.0, least
    weight = table.max(axis=0)
    parts = _sums(rows, unit) ** 2 / np.maximum(1 - weight, _NEGLIGIBLE)
    variance = float(parts.sum())
    if n_groups > 1 and not (there.sum(axis=0) > 1).any() and variance > 0:
        by_group = (there * parts).sum(axis=1)
        return variance, float(variance**2 / (by_group**2 / (counts - 1)).sum()), least
    return variance, float(least - 1), least


def crossed_mean(
    values: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    over: Over = "both",
    limits: tuple[float, float] = UNLIMITED,
    level: float = 0.95,
) -> Estimate:
    """The mean over judges of their mean judgement, with an interval for other judges and other
    clips.

    Says         the expected mean with other judges of the same kind watching other clips of the
                 same kind (`over="judges"`: watching these clips). Each judge counts alike, with
                 few judgements or many.
    Formula      mean ± t·√V; V by `crossed_variance`: judges + clips − cells, never below either; t
                 with the smaller number of judges and clips minus 1 degrees of freedom.
    limits       the least and the greatest value there can be; the interval ends there
    Undefined    no judgement. No interval with fewer than 2 judges or 2 clips, or without any
                 spread.
    Source       Cameron, Gelbach & Miller (2011).
    Checked      with over="judges" R t.test of the judges' means; simulated coverage.
    """
    check_level(level)
    one_of(over, OVER, name="over")
    sample = finite_array(values, name="values")
    method = (
        f"mean over judges, t interval for other judges{' and clips' if over == 'both' else ''}"
    )
    if not len(sample):
        return undefined("no judgement", method=method, n=0, level=level)
    weights = judge_weights(_codes(judges, len(sample), "judges"))
    # Rounding must not take it out of the values: a mean of ones is one.
    mean = float(np.clip(weights @ sample, sample.min(), sample.max()))
    variance = crossed_variance(weights * (sample - mean), weights, judges, clips)
    return crossed_estimate(mean, variance, over=over, limits=limits, level=level, method=method)


def judge_weights(judges: IntArray) -> FloatArray:
    """The weight of each judgement, if all judges count alike. `judges` are codes from 0."""
    counts = np.bincount(judges)
    weights: FloatArray = 1.0 / (counts[judges] * (counts > 0).sum())
    return weights


def crossed_estimate(
    value: float,
    variance: CrossedVariance,
    *,
    over: Over,
    level: float,
    method: str,
    limits: tuple[float, float] = UNLIMITED,
) -> Estimate:
    """A value with the t interval of its crossed variance, or the reason why it has none. `n` is
    what limits it.
    """
    n = variance.n_judges if over == "judges" else min(variance.n_judges, variance.n_clips)
    problem = variance.problem(over)
    if problem:
        return without_interval(value, problem, method=method, n=n, level=level)
    se = math.sqrt(variance.variance(over))
    return t_estimate(value, se, variance.df(over), level=level, n=n, method=method, limits=limits)


def crossed_share(
    share: float, variance: CrossedVariance, *, over: Over, level: float, method: str
) -> Estimate:
    """A share with Wilson's interval: the effective number is the one that makes a share of
    independent answers vary as much.

    Without any spread it is the number of judges or of clips, whichever is smaller.
    """
    n = variance.n_judges if over == "judges" else min(variance.n_judges, variance.n_clips)
    if n < LEAST_UNITS:
        return without_interval(share, variance.problem(over), method=method, n=n, level=level)
    spread = variance.variance(over)
    known = spread > _NEGLIGIBLE**2 and 0 < share < 1
    effective = share * (1 - share) / spread if known else float(n)
    low, high = wilson(share, effective, level=level, df=variance.df(over) if known else n - 1)
    se, df = (math.sqrt(spread), (variance.df(over),)) if known else (None, ())
    return Estimate(value=share, low=low, high=high, level=level, n=n, method=method, se=se, df=df)


# ----------------------------------------------------------------------------------------------
# tests on an estimate


def t_against(
    estimate: Estimate, null: float, *, method: str, alternative: Alternative = "two-sided"
) -> TestResult:
    """Student's test of an estimate that has a standard error against a value. Undefined without
    one.
    """
    if estimate.value is None or not estimate.se:
        reason = estimate.reason or "no standard error"
        return no_result(
            reason, method=method, n=estimate.n, alternative=alternative, estimate=estimate
        )
    return t_test(estimate, method=method, alternative=alternative, null=null)


def unanimous_test(
    right: bool,
    judges: ArrayLike,
    clips: ArrayLike,
    *,
    null: float,
    over: Over = "both",
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestResult:
    """The exact test if all judgements are right, or all are wrong, so that there is no spread to
    test with.

    Says         whether chance explains this number of right (wrong) judgements.
    Formula      binomial test over as many judgements as there are with a different judge and a
                 different clip each (a largest matching; `over="judges"`: over judges). Their
                 judges and clips are
                 independent draws, so that none of them can be right more often than the mean
                 allows.
    """
    judge = np.unique(np.asarray(judges), return_inverse=True)[1]
    units = int(judge.max()) + 1
    if over == "both":
        clip = np.unique(np.asarray(clips).astype(str), return_inverse=True)[1]
        shown = sparse.csr_matrix((np.ones(len(judge), np.int8), (judge, clip)))
        units = int((csgraph.maximum_bipartite_matching(shown, perm_type="column") >= 0).sum())
    test = binomial(units if right else 0, units, null=null, alternative=alternative, level=level)
    what = "judges and clips" if over == "both" else "judges"
    return replace(test, method=f"exact binomial test over {what}, since all judgements are alike")


# ----------------------------------------------------------------------------------------------
# parts of the variance


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSplit:
    """The sources of variance of a mean or of a difference of means.

    judges, clips, rest   variances of single judgements between judges, between clips, and of
                          everything else. None: these data cannot separate it from the rest
                          (`reason` says why), and `rest`, if it is known, holds both
    of_mean               the variances that the three give the mean; None as above
    """

    judges: float | None
    clips: float | None
    rest: float | None
    of_mean: tuple[float | None, float | None, float | None]
    reason: str = ""

    @property
    def shares(self) -> tuple[float | None, float | None, float | None] | None:
        """The shares of judges, clips and rest in the variance of the mean; None if they are
        unknown, or if there is none.
        """
        total = sum(part for part in self.of_mean if part is not None)
        if self.rest is None or total <= 0:
            return None
        judges, clips, rest = (None if part is None else part / total for part in self.of_mean)
        return judges, clips, rest


def variance_split(
    values: ArrayLike, judges: ArrayLike, clips: ArrayLike, weights: ArrayLike | None = None
) -> VarianceSplit:
    """How much single judgements differ between judges, between clips, and otherwise.

    Says         whether more judges or more clips would help.
    weights      of each judgement in the mean; without them all judges count alike
    Formula      Henderson's method 1 (method of moments): the sums of squares of judges, of clips
                 and of all judgements, each equal to its expectation; negative variances are 0.
                 Without interaction: a judge's reaction to one particular clip is part of the rest.
                 The mean has the variance Σ σ²·(sum of squared weights of the units).
    Undefined    fewer than 2 judges or 2 clips. If each judge, or each clip, has one judgement, it
                 is part of the rest.
    Source       Henderson (1953); Searle, Casella & McCulloch (1992), Variance Components, chapter
                 5.
    Checked      balanced designs: the two-way analysis of variance.
    """
    sample = finite_array(values, name="values", least=1, squared=True)
    judge, clip = _codes(judges, len(sample), "judges"), _codes(clips, len(sample), "clips")
    weight = judge_weights(judge) if weights is None else finite_array(weights, name="weights")
    found, reason = _components(sample - sample.mean(), judge, clip)
    squares = [float((_sums(weight, unit) ** 2).sum()) for unit in (judge, clip)] + [
        float(weight @ weight)
    ]
    of_mean = tuple(
        None if part is None else part * square for part, square in zip(found, squares, strict=True)
    )
    return VarianceSplit(
        judges=found[0],
        clips=found[1],
        rest=found[2],
        of_mean=(of_mean[0], of_mean[1], of_mean[2]),
        reason=reason,
    )


_Parts = tuple[float | None, float | None, float | None]


def _components(centred: FloatArray, judge: IntArray, clip: IntArray) -> tuple[_Parts, str]:
    """The variances of judges, clips and rest, and why some are None."""
    single = []
    for name, unit in (("judge", judge), ("clip", clip)):
        counts = np.bincount(unit)
        if len(counts) < LEAST_UNITS:
            return (None, None, None), f"needs at least {LEAST_UNITS} {name}s, got {len(counts)}"
        if counts.max() == 1:
            single.append(name)
    if len(single) == 2:
        return (None, None, None), "each judge and each clip has one judgement"
    kept = [unit for name, unit in (("judge", judge), ("clip", clip)) if name not in single]
    solved = _moments(centred, kept)
    if solved is None:
        return (
            None,
            None,
            None,
        ), "each judge saw clips that no other judge saw: judges and clips cannot be separated"
    parts = iter(max(0.0, part) for part in solved)
    of_judges, of_clips = (None if name in single else next(parts) for name in ("judge", "clip"))
    reason = (
        f"each {single[0]} has one judgement, so that {single[0]}s are part of the rest"
        if single
        else ""
    )
    return (of_judges, of_clips, next(parts)), reason


def _moments(centred: FloatArray, units: Sequence[IntArray]) -> list[float] | None:
    """Henderson's method 1 for one or two crossed factors; None if the design cannot separate
    them.
    """
    n = len(centred)
    counts = [np.bincount(unit) for unit in units]
    expected = np.full((len(units) + 1, len(units) + 1), float(n))
    found = [
        float((_sums(centred, unit) ** 2 / count).sum())
        for unit, count in zip(units, counts, strict=True)
    ]
    for row, (unit, count) in enumerate(zip(units, counts, strict=True)):
        expected[row, -1] = len(count)
        for column, other in enumerate(units):
            if column != row:
                cell, in_cell = np.unique(unit * (int(other.max()) + 1) + other, return_counts=True)
                expected[row, column] = float(
                    (in_cell.astype(float) ** 2 / count[cell // (int(other.max()) + 1)]).sum()
                )
    mean = np.array([float((count.astype(float) ** 2).sum()) / n for count in counts] + [1.0])
    of_mean = float(centred.sum()) ** 2 / n
    if np.linalg.cond((expected - mean) / n) > 1 / _NEGLIGIBLE:
        return None
    solved: list[float] = np.linalg.solve(
        expected - mean, np.array([*found, float(centred @ centred)]) - of_mean
    ).tolist()
    return solved


def difference_split(
    values: ArrayLike,
    weights: ArrayLike,
    judges: ArrayLike,
    clips: ArrayLike,
    groups: ArrayLike,
    variance: CrossedVariance,
) -> VarianceSplit:
    """The same for a difference of the means of two groups; parts of single judgements are means
    over the groups.

    Formula      clips and rest: `variance_split` of each group, added up. Judges: the variance over
                 judges (`variance`) in excess of the rest, because a judge who judges both groups
                 high adds nothing to the difference.
    Undefined    as `variance_split` of either group.
    """
    sample = finite_array(values, name="values", least=1)
    weight, group = finite_array(weights, name="weights"), _codes(groups, len(sample), "groups")
    parts = []
    for number in range(int(group.max()) + 1):
        own = group == number
        part = variance_split(
            sample[own], np.asarray(judges)[own], np.asarray(clips)[own], weight[own]
        )
        if part.rest is None:
            return replace(part, judges=None, clips=None)
        parts.append(part)
    rest = sum(part.of_mean[2] or 0.0 for part in parts)
    together = all(part.clips is None for part in parts)
    of_clips = None if together else sum(part.of_mean[1] or 0.0 for part in parts)
    of_judges = max(0.0, variance.judges - rest)
    singles = [_mean_of([part.clips for part in parts]), _mean_of([part.rest for part in parts])]
    reason = "each clip has one judgement, so that clips are part of the rest" if together else ""
    return VarianceSplit(
        judges=None,
        clips=singles[0],
        rest=singles[1],
        of_mean=(of_judges, of_clips, rest),
        reason=reason,
    )


def _mean_of(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) / len(known) if known else None
