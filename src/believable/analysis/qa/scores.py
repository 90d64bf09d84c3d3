"""How reliable annotators are: against a known signal, and against everybody else on the same stimulus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from believable.stats.agreement import cronbach_alpha, krippendorff_alpha
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_skewed, mean_t
from believable.traces import direction_kappa, lag_ms, normalise, sda
from believable.traces.others import others_medians

Cell = Literal["reliable in both", "unreliable in both", "failed the gate only", "failed the task only"]
CELLS: tuple[Cell, ...] = (
    "reliable in both",
    "unreliable in both",
    "failed the gate only",
    "failed the task only",
)
Detail = Literal["sda", "kappa", "all"]
#: SDA and κ cannot be outside.
LIMITS = (-1.0, 1.0)
#: People trail what they annotate by seconds; further away is no lag but another answer.
LONGEST_LAG_MS = 5000.0


@dataclass(frozen=True, slots=True, eq=False)
class Annotated:
    """One annotator's trace of one stimulus, in bins. `place` is its turn among the annotator's stimuli of that kind, from 1."""

    annotator: str
    group: str
    stimulus: str
    bins: FloatArray
    place: int = 1

    @property
    def values(self) -> FloatArray:
        """From 0 to 1; a trace that never moved is 0 throughout."""
        return normalise(self.bins)


@dataclass(frozen=True, slots=True)
class Score:
    """How well one trace goes with what it is compared with. `kappa` and `lag` may be undefined, each with its reason.

    halves   SDA of the second half minus that of the first: does the annotator get better on the way?
    """

    annotator: str
    group: str
    stimulus: str
    place: int
    sda: float
    kappa: Estimate
    lag: Estimate
    halves: float | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """A group of annotators on one test or stimulus.

    sda, kappa                means over annotators; on the tests with t intervals corrected for skewness
    sda_half, kappa_half      the ± of published tables: half of Student's interval, on the task half of the one above
    cronbach_time_items       time points are items, annotators are cases (as published)
    cronbach_annotator_items  annotators are items, time points are cases
    krippendorff              interval level, time points are units
    """

    group: str
    annotators: int
    sda: Estimate
    kappa: Estimate
    cronbach_time_items: Estimate
    cronbach_annotator_items: Estimate
    krippendorff: Estimate
    sda_half: float | None = None
    kappa_half: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One annotator's mean SDA on the tests and on the task, and which cell of the cross table that is."""

    annotator: str
    group: str
    gate: float
    task: float
    cell: Cell


def against(one: Annotated, truth: FloatArray, *, step_ms: float, detail: Detail = "all") -> Score:
    """One trace against a known signal or a gold standard; both are cut to the shorter.

    detail   "sda" alone, with "kappa", or "all": with lag and learning too
    """
    length = min(len(one.bins), len(truth))
    trace, signal = one.bins[:length], truth[:length]
    score = sda(trace, signal)
    nothing = undefined("not asked for", method="lag_ms", n=length)
    kappa = direction_kappa(trace, signal) if detail != "sda" else nothing
    if detail != "all":
        return Score(one.annotator, one.group, one.stimulus, one.place, score, kappa, nothing, None)
    longest = min(LONGEST_LAG_MS, max(0.0, (length - 3) * step_ms))
    lag = (
        lag_ms(trace, signal, max_ms=longest, step_ms=step_ms)
        if length >= 3
        else undefined("needs at least 3 points", method="lag_ms", n=length)
    )
    middle = length // 2
    halves = (
        sda(trace[middle:], signal[middle:]) - sda(trace[: middle + 1], signal[: middle + 1])
        if middle >= 2
        else None
    )
    return Score(one.annotator, one.group, one.stimulus, one.place, score, kappa, lag, halves)


def against_others(
    traces: Sequence[Annotated], *, step_ms: float, detail: Detail = "kappa"
) -> tuple[tuple[Score, ...], tuple[tuple[str, str, str], ...]]:
    """Every trace against the median of the others of its stimulus and group; and who has none (annotator, group, stimulus)."""
    groups: dict[tuple[str, str], list[Annotated]] = {}
    for one in traces:
        groups.setdefault((one.stimulus, one.group), []).append(one)
    scores: list[Score] = []
    alone: list[tuple[str, str, str]] = []
    for members in groups.values():
        if len(members) < 2:
            alone += [(one.annotator, one.group, one.stimulus) for one in members]
            continue
        gold = others_medians(cut([one.values for one in members]))
        scores += [
            against(one, median, step_ms=step_ms, detail=detail)
            for one, median in zip(members, gold, strict=True)
        ]
    return tuple(scores), tuple(alone)


def reliability(
    group: str, traces: Sequence[Annotated], scores: Sequence[Score], *, level: float = 0.95
) -> Reliability:
    """All four metrics of one group on one test: `traces` for those of the group, `scores` for those against the truth."""
    sdas = [one.sda for one in scores]
    kappas = [one.kappa.value for one in scores if one.kappa.value is not None]
    table = cut([one.values for one in traces])
    return Reliability(
        group,
        len(traces),
        mean_skewed(sdas, level=level, limits=LIMITS),
        mean_skewed(kappas, level=level, limits=LIMITS),
        cronbach_alpha(table, level=level),
        cronbach_alpha(table.T, level=level),
        krippendorff_alpha(table.T, "interval", confidence=level),
        mean_t(sdas, level=level).half_width,
        mean_t(kappas, level=level).half_width,
    )


def mean_by_annotator(scores: Sequence[Score]) -> dict[str, float]:
    """Each annotator's mean SDA."""
    listed: dict[str, list[float]] = {}
    for one in scores:
        listed.setdefault(one.annotator, []).append(one.sda)
    return {annotator: float(np.mean(values)) for annotator, values in listed.items()}


def verdicts(
    gate: Mapping[str, float], task: Mapping[str, float], groups: Mapping[str, str], *, threshold: float = 0.0
) -> tuple[Verdict, ...]:
    """Gate against task for those who have both; below the threshold is unreliable."""
    return tuple(
        Verdict(
            annotator, groups[annotator], tests, task[annotator], _cell(tests, task[annotator], threshold)
        )
        for annotator, tests in gate.items()
        if annotator in task
    )


def gate_accuracy(found: Sequence[Verdict], *, level: float = 0.95) -> Estimate:
    """The share of annotators on whom gate and task agree."""
    right = sum(one.cell in CELLS[:2] for one in found)
    return proportion(right, len(found), interval="exact", level=level)


def learning_slope(scores: Sequence[Score]) -> float | None:
    """By how much an annotator's SDA rises from one stimulus to the next; None with fewer than three of them."""
    if len({one.place for one in scores}) < 3:
        return None
    places = np.array([one.place for one in scores], dtype=float)
    values = np.array([one.sda for one in scores])
    centred = places - places.mean()
    return float(centred @ values / (centred @ centred))


def cut(traces: Sequence[FloatArray]) -> FloatArray:
    """The traces as rows, cut to the shortest."""
    length = min((len(trace) for trace in traces), default=0)
    return np.stack([trace[:length] for trace in traces]) if traces else np.empty((0, 0))


def _cell(gate: float, task: float, threshold: float) -> Cell:
    if (gate < threshold) == (task < threshold):
        return "unreliable in both" if gate < threshold else "reliable in both"
    return "failed the gate only" if gate < threshold else "failed the task only"
