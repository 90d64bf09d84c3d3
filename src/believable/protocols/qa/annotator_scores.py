"""The reliability of annotators: against a known signal, and against all others on the same
stimulus.

Each annotator is compared on the task with the median of the others, so annotators of one group are
not independent: without any difference, a t test over annotators' means rejects in four studies of
ten. The intervals here resample annotators and compute every gold standard again, without the
copies of the annotator who is compared with it.

How well people agree with the median of the others depends on how many others there are, and on
whether their number is odd: the median of an even number is the mean of two traces and rests less
often. Groups are therefore compared at one size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from believable.stats.agreement import cronbach_alpha, krippendorff_alpha
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_skewed, mean_t
from believable.traces import normalise
from believable.traces.trace_agreement import others_medians, row_kappas, row_lags, row_sdas

Cell = Literal[
    "reliable in both", "unreliable in both", "failed the gate only", "failed the task only"
]
CELLS: tuple[Cell, ...] = (
    "reliable in both",
    "unreliable in both",
    "failed the gate only",
    "failed the task only",
)
Detail = Literal["sda", "kappa", "all"]
#: SDA and κ cannot be outside.
LIMITS = (-1.0, 1.0)
#: People trail their target by seconds; further away is no lag but another answer.
LONGEST_LAG_MS = 5000.0


@dataclass(frozen=True, eq=False, kw_only=True)
class AnnotatorTrace:
    """One annotator's trace of one stimulus, in bins. `place` is its turn among the annotator's
    stimuli of that kind, from 1.
    """

    annotator: str
    group: str
    stimulus: str
    bins: FloatArray
    place: int = 1

    @cached_property
    def values(self) -> FloatArray:
        """From 0 to 1; a trace that never moved is 0 throughout."""
        return normalise(self.bins)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The agreement of one trace with its reference. `kappa` and `lag` may be undefined, each with
    its reason.

    halves   SDA of the second half minus that of the first: does the annotator get better on the
             way?
    """

    annotator: str
    group: str
    stimulus: str
    place: int
    sda: float
    kappa: Estimate
    lag: Estimate
    halves: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """A group of annotators on one test or stimulus.

    sda, kappa                means over annotators; on the tests with t intervals corrected for
                              skewness
    sda_half, kappa_half      the ± of published tables: half of Student's interval, on the task
                              half of the one above
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One annotator's mean SDA on the tests and on the task, and which cell of the cross table that
    is.
    """

    annotator: str
    group: str
    gate: float
    task: float
    cell: Cell


def against(
    annotations: Sequence[AnnotatorTrace],
    truths: Sequence[FloatArray],
    *,
    step_ms: float,
    detail: Detail = "all",
) -> tuple[Score, ...]:
    """Each trace against its known signal or gold standard; both are cut to the shorter. Those of
    one length are scored at once.

    detail   "sda" alone, with "kappa", or "all": with lag and learning too
    """
    places: dict[int, list[int]] = {}
    for place, (annotation, truth) in enumerate(zip(annotations, truths, strict=True)):
        places.setdefault(min(len(annotation.bins), len(truth)), []).append(place)
    scores: dict[int, Score] = {}
    for length, mine in places.items():
        traces = np.stack([annotations[place].bins[:length] for place in mine])
        signals = np.stack([truths[place][:length] for place in mine])
        sdas = row_sdas(traces, signals).tolist()
        nothing = [undefined("not asked for", method="lag_ms", n=length)] * len(mine)
        kappas = row_kappas(traces, signals) if detail != "sda" else nothing
        lags = _lags(traces, signals, step_ms) if detail == "all" else nothing
        halves = _halves(traces, signals) if detail == "all" else [None] * len(mine)
        for place, sda, kappa, lag, half in zip(mine, sdas, kappas, lags, halves, strict=True):
            annotation = annotations[place]
            scores[place] = Score(
                annotator=annotation.annotator,
                group=annotation.group,
                stimulus=annotation.stimulus,
                place=annotation.place,
                sda=sda,
                kappa=kappa,
                lag=lag,
                halves=half,
            )
    return tuple(scores[place] for place in range(len(annotations)))


def _lags(traces: FloatArray, signals: FloatArray, step_ms: float) -> list[Estimate]:
    rows, length = traces.shape
    if length < 3:
        return [undefined("needs at least 3 points", method="lag_ms", n=length)] * rows
    return row_lags(
        traces, signals, max_ms=min(LONGEST_LAG_MS, (length - 3) * step_ms), step_ms=step_ms
    )


def _halves(traces: FloatArray, signals: FloatArray) -> list[float | None]:
    middle = traces.shape[1] // 2
    if middle < 2:
        return [None] * len(traces)
    first = row_sdas(traces[:, : middle + 1], signals[:, : middle + 1])
    second = row_sdas(traces[:, middle:], signals[:, middle:])
    halves: list[float | None] = (second - first).tolist()
    return halves


def against_others(
    traces: Sequence[AnnotatorTrace], *, step_ms: float, detail: Detail = "kappa"
) -> tuple[tuple[Score, ...], tuple[tuple[str, str, str], ...]]:
    """Every trace against the median of the others of its stimulus and group; and who has none
    (annotator, group, stimulus).
    """
    groups: dict[tuple[str, str], list[AnnotatorTrace]] = {}
    for trace in traces:
        groups.setdefault((trace.stimulus, trace.group), []).append(trace)
    scores: list[Score] = []
    alone: list[tuple[str, str, str]] = []
    for members in groups.values():
        if len(members) < 2:
            alone += [(member.annotator, member.group, member.stimulus) for member in members]
            continue
        gold = others_medians(cut([member.values for member in members]))
        scores += against(members, list(gold), step_ms=step_ms, detail=detail)
    return tuple(scores), tuple(alone)


def reliability(
    group: str, traces: Sequence[AnnotatorTrace], scores: Sequence[Score], *, level: float = 0.95
) -> Reliability:
    """All four metrics of one group on one test: `traces` for those of the group, `scores` for
    those against the truth.
    """
    sdas = [score.sda for score in scores]
    kappas = [score.kappa.value for score in scores if score.kappa.value is not None]
    table = cut([trace.values for trace in traces])
    return Reliability(
        group=group,
        annotators=len(traces),
        sda=mean_skewed(sdas, level=level, limits=LIMITS),
        kappa=mean_skewed(kappas, level=level, limits=LIMITS),
        cronbach_time_items=cronbach_alpha(table, level=level),
        cronbach_annotator_items=cronbach_alpha(table.T, level=level),
        krippendorff=krippendorff_alpha(table.T, "interval", confidence=level),
        sda_half=mean_t(sdas, level=level).half_width,
        kappa_half=mean_t(kappas, level=level).half_width,
    )


def mean_by_annotator(scores: Sequence[Score]) -> dict[str, float]:
    """Each annotator's mean SDA."""
    return {
        annotator: float(np.mean(values)) for annotator, values in _by_annotator(scores).items()
    }


def task_intervals(scores: Sequence[Score], level: float) -> dict[str, Estimate]:
    """Each annotator's mean SDA over stimuli, with Student's interval cut to what SDA can be."""
    means = {
        annotator: mean_t(values, level=level)
        for annotator, values in _by_annotator(scores).items()
    }
    return {
        annotator: mean
        if mean.low is None or mean.high is None
        else replace(mean, low=max(mean.low, LIMITS[0]), high=min(mean.high, LIMITS[1]))
        for annotator, mean in means.items()
    }


def _by_annotator(scores: Sequence[Score]) -> dict[str, list[float]]:
    listed: dict[str, list[float]] = {}
    for score in scores:
        listed.setdefault(score.annotator, []).append(score.sda)
    return listed


def verdicts(
    gate: Mapping[str, float],
    task: Mapping[str, float],
    groups: Mapping[str, str],
    *,
    threshold: float = 0.0,
) -> tuple[Verdict, ...]:
    """Gate against task for those who have both; below the threshold is unreliable."""
    return tuple(
        Verdict(
            annotator=annotator,
            group=groups[annotator],
            gate=tests,
            task=task[annotator],
            cell=_cell(tests, task[annotator], threshold),
        )
        for annotator, tests in gate.items()
        if annotator in task
    )


def gate_accuracy(outcomes: Sequence[Verdict], *, level: float = 0.95) -> Estimate:
    """The share of annotators on whom gate and task agree."""
    right = sum(verdict.cell in CELLS[:2] for verdict in outcomes)
    return proportion(right, len(outcomes), interval="exact", level=level)


def learning_slope(scores: Sequence[Score]) -> float | None:
    """By how much an annotator's SDA rises from one stimulus to the next; None with fewer than
    three of them.
    """
    if len({score.place for score in scores}) < 3:
        return None
    places = np.array([score.place for score in scores], dtype=float)
    values = np.array([score.sda for score in scores])
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
