"""How well a group agrees with itself on the task, with intervals that know about the shared gold standard.

Everybody is compared with the median of the others, so that annotators of one group are not independent: where nothing differs, a
t test over annotators' means rejects in four studies of ten. The intervals here draw annotators anew and compute every gold
standard again, without the copies of whoever is compared with it.

How well people agree with the median of the others depends on how many others there are, and on whether their number is odd:
the median of an even number is the mean of two traces and rests less often. Groups are therefore compared at one size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.qa.resampled import IntArray, Resampled
from believable.analysis.qa.scores import Annotated, cut
from believable.stats.accelerated import bca_by_moments
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.result import Alternative, TestResult, no_result, tail

#: So often a group's annotators are drawn anew.
RESAMPLES = 200
#: So many subsets stand for the larger of two groups.
SUBSETS = 100
FEWEST = 6


@dataclass(frozen=True, slots=True, eq=False)
class GroupTask:
    """The traces of one group on the task, by stimulus with their owners' places, to be scored with any of its annotators."""

    annotators: tuple[str, ...]
    stimuli: tuple[tuple[NDArray[np.int64], Resampled], ...]

    @classmethod
    def of(cls, traces: Sequence[Annotated]) -> GroupTask:
        names = tuple(dict.fromkeys(one.annotator for one in traces))
        place = {name: index for index, name in enumerate(names)}
        by_stimulus: dict[str, list[Annotated]] = {}
        for one in traces:
            by_stimulus.setdefault(one.stimulus, []).append(one)
        made = []
        for mine in by_stimulus.values():
            values = cut([one.values for one in mine])
            if values.shape[1] > 1:
                owners = np.array([place[one.annotator] for one in mine], dtype=np.int64)
                made.append((owners, Resampled.of(values)))
        return cls(names, tuple(made))

    def __len__(self) -> int:
        return len(self.annotators)

    def mean_sda(self, counts: IntArray) -> FloatArray:
        """Per resample the mean over annotators, as often as they count, of their mean SDA; NaN where nobody has others."""
        sums, seen = np.zeros(counts.shape), np.zeros(counts.shape)
        for owners, traces in self.stimuli:
            found = traces.sda(counts[:, owners])
            known = np.isfinite(found)
            sums[:, owners] += np.where(known, found, 0.0)
            seen[:, owners] += known
        weights = np.where(seen > 0, counts, 0)
        means = sums / np.maximum(seen, 1)
        with np.errstate(invalid="ignore"):
            whole: FloatArray = (weights * means).sum(axis=1) / weights.sum(axis=1)
        return whole

    def value(self) -> float:
        """The mean SDA of all; NaN where nobody has others."""
        if not len(self):
            return math.nan
        return float(self.mean_sda(np.ones((1, len(self)), dtype=np.int64))[0])

    def value_of(self, size: int, rng: np.random.Generator) -> float:
        """The mean SDA expected of groups of this size: the mean over random subsets, or that of all."""
        if size == len(self):
            return self.value()
        counts = np.zeros((SUBSETS, len(self)), dtype=np.int64)
        for row in counts:
            row[rng.choice(len(self), size=size, replace=False)] = 1
        return float(np.nanmean(self.mean_sda(counts)))


def task_sda(group: GroupTask, rng: np.random.Generator, *, level: float = 0.95) -> Estimate:
    """A group's mean SDA with its own gold standards.

    Says        what is to be expected of groups of this many annotators
    Interval    BCa bootstrap over annotators from the moments of 200 resamples, t with n − 1 degrees of freedom. All copies of an
                annotator are left out of their own gold standard: with itself a trace agrees perfectly.
    Undefined   nobody has others; fewer than six annotators have no interval.
    """
    n, value = len(group), group.value()
    method = "mean SDA, BCa bootstrap over annotators"
    if math.isnan(value):
        return undefined("nobody else annotated the same stimuli", method=method, n=n, level=level)
    if n < FEWEST:
        reason = f"the bootstrap needs at least {FEWEST} annotators, got {n}"
        return without_interval(value, reason, method=method, n=n, level=level)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    found = group.mean_sda(counts)
    known = np.isfinite(found)
    return bca_by_moments(value, found[known], counts[known], method=method, level=level, limits=(-1.0, 1.0))


def compared(
    groups: Sequence[tuple[GroupTask, Estimate]],
    rng: np.random.Generator,
    *,
    alternative: Alternative,
    level: float = 0.95,
) -> TestResult:
    """First group minus second, each with its own standard error and degrees of freedom (Satterthwaite).

    The larger group is represented by the mean over 100 random subsets as large as the smaller one.
    """
    (first, one), (second, other) = groups
    n = one.n + other.n
    method, named = (
        "t test of mean SDA, bootstrap over annotators",
        "difference of mean SDA, bootstrap standard errors",
    )
    if one.value is None or other.value is None or one.se is None or other.se is None:
        reason = one.reason or other.reason or "a group has no standard error"
        nothing = undefined(reason, method=named, n=n, level=level)
        return no_result(reason, method=method, n=n, alternative=alternative, estimate=nothing)
    size = min(len(first), len(second))
    difference = first.value_of(size, rng) - second.value_of(size, rng)
    se = math.hypot(one.se, other.se)
    df = se**4 / (one.se**4 / one.df[0] + other.se**4 / other.df[0])
    half = float(special.stdtrit(df, (1 + level) / 2)) * se
    notes = (
        (f"groups of {size} annotators, the larger one standing for its subsets of that size",)
        if len(first) != len(second)
        else ()
    )
    estimate = Estimate(
        difference, difference - half, difference + half, level, n, named, se=se, df=(df,), notes=notes
    )
    t = difference / se
    p_value = tail(float(special.stdtr(df, t)), float(special.stdtr(df, -t)), alternative)
    return TestResult(t, p_value, n, method, (df,), alternative, estimate)
