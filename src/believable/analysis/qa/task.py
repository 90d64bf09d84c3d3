"""How well a group agrees with itself on the task, with intervals that know about the shared gold standard.

Everybody is compared with the median of the others, so that annotators of one group are not independent: where nothing differs, a
t test over annotators' means rejects in four studies of ten. The intervals here leave out several annotators at a time and
compute every gold standard again (delete-d jackknife, as medians need it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.qa.scores import Annotated, cut
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.result import Alternative, TestResult, no_result, tail
from believable.traces.others import others_medians

#: So many subsets of annotators are left out in turn.
SUBSETS = 40
FEWEST = 6


@dataclass(frozen=True, slots=True, eq=False)
class _Stimulus:
    """The traces of one stimulus: whose they are (places in the group), their values, the directions of their steps."""

    owners: NDArray[np.int64]
    values: FloatArray
    directions: NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class GroupTask:
    """The traces of one group on the task, ready to be scored with some annotators left out."""

    annotators: tuple[str, ...]
    stimuli: tuple[_Stimulus, ...]

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
            owners = np.array([place[one.annotator] for one in mine], dtype=np.int64)
            made.append(_Stimulus(owners, values, np.sign(np.diff(values, axis=1)).astype(np.int8)))
        return cls(names, tuple(made))

    def mean_sda(self, kept: NDArray[np.bool_]) -> float:
        """The mean over annotators of their mean SDA with the others, among those kept; NaN where nobody has others."""
        sums, counts = np.zeros(len(self.annotators)), np.zeros(len(self.annotators))
        for one in self.stimuli:
            rows = np.flatnonzero(kept[one.owners])
            if len(rows) < 2 or one.values.shape[1] < 2:
                continue
            gold = np.sign(np.diff(others_medians(one.values[rows]), axis=1))
            score = 2 * (gold == one.directions[rows]).mean(axis=1) - 1
            np.add.at(sums, one.owners[rows], score)
            np.add.at(counts, one.owners[rows], 1)
        known = counts > 0
        return float((sums[known] / counts[known]).mean()) if known.any() else math.nan


def task_sda(traces: Sequence[Annotated], rng: np.random.Generator, *, level: float = 0.95) -> Estimate:
    """A group's mean SDA with its own gold standards.

    Interval    delete-d jackknife over annotators, d the even number next above √n (even, since the median of an odd and of an
                even number of traces differ), 40 random subsets, t with at most n − 1 degrees of freedom.
    Undefined   nobody has others; fewer than six annotators have no interval.
    """
    group = GroupTask.of(traces)
    n = len(group.annotators)
    value = group.mean_sda(np.ones(n, dtype=bool)) if n else math.nan
    method = "mean SDA, delete-d jackknife over annotators"
    if math.isnan(value):
        return undefined("nobody else annotated the same stimuli", method=method, n=n, level=level)
    if n < FEWEST:
        reason = f"the jackknife needs at least {FEWEST} annotators, got {n}"
        return without_interval(value, reason, method=method, n=n, level=level)
    left_out = 2 * math.ceil(math.sqrt(n) / 2)
    replicates = []
    for _ in range(SUBSETS):
        kept = np.ones(n, dtype=bool)
        kept[rng.choice(n, size=left_out, replace=False)] = False
        replicates.append(group.mean_sda(kept))
    found = np.array(replicates)
    found = found[np.isfinite(found)]
    if len(found) < 2 or found.min() == found.max():
        return without_interval(
            value, "leaving annotators out changes nothing", method=method, n=n, level=level
        )
    se = math.sqrt((n - left_out) / left_out * float(found.var(ddof=1)))
    df = float(min(n - 1, len(found) - 1))
    half = float(special.stdtrit(df, (1 + level) / 2)) * se
    return Estimate(
        value,
        max(-1.0, value - half),
        min(1.0, value + half),
        level,
        n,
        f"{method} (d = {left_out})",
        se=se,
        df=(df,),
    )


def compared(groups: Mapping[str, Estimate], *, alternative: Alternative, level: float = 0.95) -> TestResult:
    """First group minus second; each with its own standard error and degrees of freedom (Satterthwaite)."""
    first, second = list(groups.values())[:2]
    n, method, named = (
        first.n + second.n,
        "t test of mean SDA, jackknife over annotators",
        "difference of mean SDA, jackknife interval",
    )
    if first.value is None or second.value is None or first.se is None or second.se is None:
        reason = first.reason or second.reason or "a group has no standard error"
        nothing = undefined(reason, method=named, n=n, level=level)
        return no_result(reason, method=method, n=n, alternative=alternative, estimate=nothing)
    difference = first.value - second.value
    se = math.hypot(first.se, second.se)
    df = se**4 / (first.se**4 / first.df[0] + second.se**4 / second.df[0])
    half = float(special.stdtrit(df, (1 + level) / 2)) * se
    estimate = Estimate(difference, difference - half, difference + half, level, n, named, se=se, df=(df,))
    t = difference / se
    p_value = tail(float(special.stdtr(df, t)), float(special.stdtr(df, -t)), alternative)
    return TestResult(t, p_value, n, method, (df,), alternative, estimate)
