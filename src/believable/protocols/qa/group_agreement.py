"""The agreement of a group on a task: mean SDA of its annotators, with resampled gold standards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from believable.protocols.qa.annotator_scores import AnnotatorTrace, cut
from believable.stats.bootstrap import bca_by_moments
from believable.stats.estimate import Estimate, t_estimate, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.result import Alternative, TestResult, no_result, t_test

#: The number of resamples of a group's annotators.
RESAMPLES = 200


#: The number of subsets that represent the larger of two groups.
SUBSETS = 100


#: Of fewer, a resample repeats the same few annotators.
FEWEST = 6


@dataclass(frozen=True, slots=True, eq=False)
class GroupTask:
    """The traces of one group on the task, by stimulus with their owners' places, to be scored with
    any of its annotators.
    """

    annotators: tuple[str, ...]
    stimuli: tuple[tuple[NDArray[np.int64], ResampledTraces], ...]

    @classmethod
    def of(cls, traces: Sequence[AnnotatorTrace]) -> GroupTask:
        names = tuple(dict.fromkeys(trace.annotator for trace in traces))
        place = {name: index for index, name in enumerate(names)}
        by_stimulus: dict[str, list[AnnotatorTrace]] = {}
        for trace in traces:
            by_stimulus.setdefault(trace.stimulus, []).append(trace)
        stimuli = []
        for mine in by_stimulus.values():
            values = cut([trace.values for trace in mine])
            if values.shape[1] > 1:
                owners = np.array([place[trace.annotator] for trace in mine], dtype=np.int64)
                stimuli.append((owners, ResampledTraces.of(values)))
        return cls(names, tuple(stimuli))

    def __len__(self) -> int:
        return len(self.annotators)

    def mean_sda(self, counts: IntArray) -> FloatArray:
        """Per resample the mean over annotators, weighted by their counts, of their mean SDA; NaN
        if no annotator has others.
        """
        sums, seen = np.zeros(counts.shape), np.zeros(counts.shape)
        for owners, traces in self.stimuli:
            agreement = traces.sda(counts[:, owners])
            known = np.isfinite(agreement)
            sums[:, owners] += np.where(known, agreement, 0.0)
            seen[:, owners] += known
        weights = np.where(seen > 0, counts, 0)
        means = sums / np.maximum(seen, 1)
        with np.errstate(invalid="ignore"):
            whole: FloatArray = (weights * means).sum(axis=1) / weights.sum(axis=1)
        return whole

    def value(self) -> float:
        """The mean SDA of all; NaN if no annotator has others."""
        if not len(self):
            return math.nan
        return float(self.mean_sda(np.ones((1, len(self)), dtype=np.int64))[0])

    def value_of(self, size: int, rng: np.random.Generator) -> float:
        """The mean SDA expected of groups of this size: the mean over random subsets, or that of
        all.
        """
        if size == len(self):
            return self.value()
        counts = np.zeros((SUBSETS, len(self)), dtype=np.int64)
        for row in counts:
            row[rng.choice(len(self), size=size, replace=False)] = 1
        return float(np.nanmean(self.mean_sda(counts)))


def task_sda(group: GroupTask, rng: np.random.Generator, *, level: float = 0.95) -> Estimate:
    """A group's mean SDA with its own gold standards.

    Says        the expected value for groups of this many annotators
    Interval    BCa bootstrap over annotators from the moments of 200 resamples, t with n − 1
                degrees of freedom. All copies of an annotator are left out of that annotator's gold
                standard: a trace agrees perfectly with itself.
    Undefined   no annotator has others; fewer than six annotators have no interval.
    """
    n, value = len(group), group.value()
    method = "mean SDA, BCa bootstrap over annotators"
    if math.isnan(value):
        return undefined("nobody else annotated the same stimuli", method=method, n=n, level=level)
    if n < FEWEST:
        reason = f"the bootstrap needs at least {FEWEST} annotators, got {n}"
        return without_interval(value, reason, method=method, n=n, level=level)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    drawn = group.mean_sda(counts)
    known = np.isfinite(drawn)
    return bca_by_moments(
        value, drawn[known], counts[known], method=method, level=level, limits=(-1.0, 1.0)
    )


def compare_groups(
    groups: Sequence[tuple[GroupTask, Estimate]],
    rng: np.random.Generator,
    *,
    alternative: Alternative,
    level: float = 0.95,
) -> TestResult:
    """First group minus second, each with its own standard error and degrees of freedom
    (Satterthwaite).

    The larger group is represented by the mean over 100 random subsets as large as the smaller one.
    """
    (first, first_mean), (second, second_mean) = groups
    n = first_mean.n + second_mean.n
    method, named = (
        "t test of mean SDA, bootstrap over annotators",
        "difference of mean SDA, bootstrap standard errors",
    )
    if (
        first_mean.value is None
        or second_mean.value is None
        or first_mean.se is None
        or second_mean.se is None
    ):
        reason = first_mean.reason or second_mean.reason or "a group has no standard error"
        nothing = undefined(reason, method=named, n=n, level=level)
        return no_result(reason, method=method, n=n, alternative=alternative, estimate=nothing)
    size = min(len(first), len(second))
    difference = first.value_of(size, rng) - second.value_of(size, rng)
    se = math.hypot(first_mean.se, second_mean.se)
    df = se**4 / (first_mean.se**4 / first_mean.df[0] + second_mean.se**4 / second_mean.df[0])
    notes = (
        (f"groups of {size} annotators, the larger one standing for its subsets of that size",)
        if len(first) != len(second)
        else ()
    )
    estimate = replace(t_estimate(difference, se, df, level=level, n=n, method=named), notes=notes)
    return t_test(estimate, method=method, alternative=alternative)


IntArray = NDArray[np.int64]


#: Cells of the working table that are ordered at a time, so that it stays in the processor's
#: memory.
VALUES_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class ResampledTraces:
    """The traces of one stimulus `[time, annotator]`, with a last column of ∞ as a filler; the
    directions of their steps.
    """

    values: FloatArray
    directions: NDArray[np.int8]

    @classmethod
    def of(cls, traces: FloatArray) -> ResampledTraces:
        """From traces as rows."""
        nobody = np.full((1, traces.shape[1]), np.inf)
        steps = np.sign(np.diff(traces, axis=1)).astype(np.int8)
        return cls(
            np.ascontiguousarray(np.vstack([traces, nobody]).T), np.ascontiguousarray(steps.T)
        )

    def sda(self, counts: IntArray) -> FloatArray:
        """SDA `[resample, annotator]` of each annotator with the median of the others; NaN who does
        not count or has no others.

        counts   `[resample, annotator]`: how often each counts; no annotator's copies are in the
                 same annotator's gold standard
        """
        size = max(1, VALUES_AT_ONCE // self.values.size)
        return np.concatenate(
            [self._sda(counts[start : start + size]) for start in range(0, len(counts), size)]
        )

    def _sda(self, counts: IntArray) -> FloatArray:
        total = counts.sum(axis=1)
        drawn = self.values[:, self._members(counts, total)]
        drawn.sort(axis=2)
        agreement = np.full(counts.shape, np.nan)
        for copies in range(1, int(counts.max(initial=0)) + 1):
            resample, annotator = np.nonzero((counts == copies) & (total[:, None] > copies))
            others = total[resample] - copies
            own = self.values[:, annotator]
            gold = _at(drawn, own, resample, (others - 1) // 2, copies)
            if (others % 2 == 0).any():
                gold = (gold + _at(drawn, own, resample, others // 2, copies)) / 2
            agree = np.sign(np.diff(gold, axis=0)) == self.directions[:, annotator]
            agreement[resample, annotator] = 2 * agree.mean(axis=0) - 1
        return agreement

    @staticmethod
    def _members(counts: IntArray, total: IntArray) -> IntArray:
        """The annotators of each resample, repeated by their counts; the filler (the last column of
        `values`) completes shorter ones.
        """
        resamples, people = counts.shape
        members = np.full((resamples, int(total.max(initial=0))), people, dtype=np.int64)
        everybody = np.broadcast_to(np.arange(people), counts.shape)
        members[np.arange(members.shape[1]) < total[:, None]] = np.repeat(
            everybody.ravel(), counts.ravel()
        )
        return members


def _at(
    drawn: FloatArray, own: FloatArray, resample: IntArray, place: IntArray, copies: int
) -> FloatArray:
    """The value at a rank among the others: the ordered resample without the copies of the
    annotator's value.
    """
    near = drawn[:, resample, place]
    return np.where(own > near, near, drawn[:, resample, place + copies])
