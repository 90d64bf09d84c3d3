"""Annotations over time in windows, and what each says in numbers: above and below a centre, rising
and falling.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from believable.analysis.findings import Drop
from believable.contracts.registries import INSTRUMENTS
from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.traces import btrace_values, normalise, resample_all, windows

BtraceRule = Literal["sign", "mean", "minmax"]
#: Reasons of drops, as they are counted.
PAST_THE_END = "events_past_the_end"
#: The meanings of the final answers.
CHOICES: Mapping[str, int] = {"first": 1, "second": -1, "both": 0, "neither": 0}

Centre = Literal["mean", "neutral"]
CENTRES: tuple[Centre, ...] = ("mean", "neutral")
NEUTRAL = 0.5
EPSILONS = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25)
MEASURES = ("high", "low", "difference", "rises", "falls", "gradient", "mean")

#: As in `traces.counts`: rounding in the last digits does not make a window high or low.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """The parameters of the cleaning, with the published values."""

    step_ms: float = 250
    window_ms: float = 3000
    btrace_window: BtraceRule = "sign"
    outlier_sd: float = 2.0
    least_full: float = 0.5

    @property
    def per_window(self) -> int:
        per = self.window_ms / self.step_ms
        if per < 1 or per != int(per):
            raise InvalidInput(
                f"window_ms: expected a multiple of step_ms ({self.step_ms:g}), got"
                f" {self.window_ms:g}."
            )
        return int(per)


PUBLISHED = Cleaning()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TraceAnnotation:
    """One person's record of one round. `place` is 1 for the first round, 2 for the second, and so
    on.
    """

    session: str
    trial_key: str
    tool: str
    place: int
    condition: str
    stimulus: str
    duration_ms: float
    media_ms: FloatArray
    value: FloatArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Windowed:
    """An annotation in windows.

    raw     window means on the tool's own scale
    judged  what outliers are found on: values of an open scale from 0 to 1 with a constant trace
            at 0, marks and bounded values in [−1, 1]
    values  0 to 1, the counted and drawn values
    """

    annotation: TraceAnnotation
    raw: FloatArray
    judged: FloatArray
    values: FloatArray
    lost_events: int = 0


def trace_tools() -> tuple[str, ...]:
    """The instruments whose events are curves, in the order of the registry."""
    return tuple(kind.name for kind in INSTRUMENTS if kind.trace_form)


def tool_title(tool: str) -> str:
    """The name of an instrument in reports."""
    return INSTRUMENTS[tool].title or tool


def cut_windows(
    annotations: Sequence[TraceAnnotation], cleaning: Cleaning = PUBLISHED
) -> tuple[tuple[Windowed, ...], tuple[Drop, ...]]:
    """Every annotation in windows, in the order given, and a row for those with events after the
    end of their stimulus.

    An event at the very end (browsers report the duration itself) belongs to the last bin. One that
    lies further out was made on something else: it is left out and counted.
    """
    groups: dict[tuple[str, float], list[int]] = defaultdict(list)
    for index, annotation in enumerate(annotations):
        groups[annotation.tool, annotation.duration_ms].append(index)
    by_index: dict[int, Windowed] = {}
    for (tool, duration_ms), members in groups.items():
        grid, lost = _bin([annotations[index] for index in members], tool, duration_ms, cleaning)
        for row, index in enumerate(members):
            by_index[index] = _scale(annotations[index], grid[row], int(lost[row]), cleaning)
    traces = tuple(by_index[index] for index in range(len(annotations)))
    drops = tuple(
        Drop(
            session=trace.annotation.session,
            level="answer",
            reason=PAST_THE_END,
            detail=f"inputs after the end of the stimulus ({trace.annotation.duration_ms:g} ms):"
            f" {trace.lost_events}",
            trial_key=trace.annotation.trial_key,
        )
        for trace in traces
        if trace.lost_events
    )
    return traces, drops


def count_windows(
    traces: Sequence[Windowed], epsilon: float, centre: Centre
) -> dict[str, FloatArray]:
    """Per trace: high, low and difference (of high and low), rises, falls and gradient (their
    difference), mean.

    The same numbers as `traces.high_low` and `traces.rises_falls`, for all traces of one length at
    once.
    """
    measures = {name: np.empty(len(traces)) for name in MEASURES}
    lengths = np.array([len(trace.values) for trace in traces], dtype=np.int64)
    for length in np.unique(lengths):
        members = np.flatnonzero(lengths == length).tolist()
        values = np.stack([traces[index].values for index in members])
        for name, numbers in _of_table(values, epsilon, centre).items():
            measures[name][members] = numbers
    return measures


def _of_table(values: FloatArray, epsilon: float, centre: Centre) -> dict[str, FloatArray]:
    mean = values.mean(axis=1)
    middle = mean if centre == "mean" else np.full(len(values), NEUTRAL)
    limit = epsilon + _ROUNDING * np.maximum(1.0, np.abs(values).max(axis=1))[:, None]
    away, steps = values - middle[:, None], np.diff(values, axis=1)
    high, low = (away > limit).sum(axis=1), (-away > limit).sum(axis=1)
    rises, falls = (steps > limit).sum(axis=1), (-steps > limit).sum(axis=1)
    return {
        "high": high.astype(np.float64),
        "low": low.astype(np.float64),
        "difference": (high - low).astype(np.float64),
        "rises": rises.astype(np.float64),
        "falls": falls.astype(np.float64),
        "gradient": (rises - falls).astype(np.float64),
        "mean": mean,
    }


def _bin(
    annotations: Sequence[TraceAnnotation], tool: str, duration_ms: float, cleaning: Cleaning
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    sizes = [len(annotation.media_ms) for annotation in annotations]
    owner = np.repeat(np.arange(len(annotations)), sizes)
    times = (
        np.concatenate([annotation.media_ms for annotation in annotations])
        if annotations
        else np.empty(0)
    )
    values = (
        np.concatenate([annotation.value for annotation in annotations])
        if annotations
        else np.empty(0)
    )
    end_ms = math.ceil(duration_ms / cleaning.step_ms) * cleaning.step_ms
    inside = (times >= 0) & (times < end_ms + cleaning.step_ms)
    lost = np.bincount(owner[~inside], minlength=len(annotations))
    grid = resample_all(
        owner[inside],
        np.minimum(times[inside], np.nextafter(end_ms, 0.0)),
        values[inside],
        traces=len(annotations),
        step_ms=cleaning.step_ms,
        duration_ms=duration_ms,
        fill="zero" if INSTRUMENTS[tool].trace_form == "marks" else "hold",
    )
    return grid, lost


def _scale(
    annotation: TraceAnnotation, bins: FloatArray, lost: int, cleaning: Cleaning
) -> Windowed:
    raw = _windows(bins, cleaning)
    kind = INSTRUMENTS[annotation.tool]
    if kind.trace_form == "relative":
        return Windowed(
            annotation=annotation,
            raw=raw,
            judged=normalise(raw),
            values=normalise(raw, constant=0.5),
            lost_events=lost,
        )
    low, high = kind.trace_bounds
    if low is not None and high is not None and kind.trace_form == "bounded":
        values = (raw - low) / (high - low)
        return Windowed(
            annotation=annotation,
            raw=raw,
            judged=(raw - (high + low) / 2) / ((high - low) / 2),
            values=values,
            lost_events=lost,
        )
    judged = np.sign(raw) if cleaning.btrace_window == "sign" else raw
    return Windowed(
        annotation=annotation,
        raw=raw,
        judged=judged,
        values=btrace_values(raw, rule=cleaning.btrace_window),
        lost_events=lost,
    )


def _windows(bins: FloatArray, cleaning: Cleaning) -> FloatArray:
    """Window means; the last window may be partial if it is full enough."""
    rest = len(bins) % cleaning.per_window
    if rest and len(bins) > rest and rest < cleaning.least_full * cleaning.per_window:
        bins = bins[:-rest]
    elif rest and 2 * rest < cleaning.per_window:
        # `windows` would leave out windows that are less than half full.
        return np.append(windows(bins[:-rest], per=cleaning.per_window), bins[-rest:].mean())
    return windows(bins, per=cleaning.per_window)
