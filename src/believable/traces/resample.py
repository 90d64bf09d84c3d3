"""From events on change to a trace with one value per time bin."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays

Fill = Literal["hold", "hold_last", "zero"]


def resample(
    t_ms: ArrayLike,
    value: ArrayLike,
    *,
    step_ms: float = 250,
    duration_ms: float,
    fill: Fill = "hold",
    start: float = 0.0,
) -> FloatArray:
    """One value per bin of `step_ms`: the mean of the events in [k·step, (k + 1)·step).

    fill      what an empty bin gets. "hold": the value of the bin before (RankTrace, GTrace; before the first event
              `start`), as in the published pipelines; "hold_last": the last event's own value instead of its bin's
              mean; "zero": 0 (BTrace, whose labels are moments and not a state).
    duration  of the stimulus; there are ⌈duration/step⌉ bins, the last one may be partial.
    Events    need not be in order (video time runs back when a viewer rewinds). An event before 0 or after the end of
              the last bin is an error: it belongs to another stimulus, or the duration is wrong.
    Checked   the authors' 250 ms traces of the public PAGAN recordings, all 20 annotators, to the last digit
              (docs/validity.md tells the differences).
    """
    times, values = paired_arrays(t_ms, value, names=("t_ms", "value"))
    traces = resample_all(
        np.zeros(len(times), dtype=np.int64),
        times,
        values,
        traces=1,
        step_ms=step_ms,
        duration_ms=duration_ms,
        fill=fill,
        start=start,
    )
    return np.asarray(traces[0], dtype=np.float64)


def resample_all(
    trace: ArrayLike,
    t_ms: ArrayLike,
    value: ArrayLike,
    *,
    traces: int,
    step_ms: float = 250,
    duration_ms: float,
    fill: Fill = "hold",
    start: float = 0.0,
) -> FloatArray:
    """`resample` of many traces of one duration at once: event k belongs to row `trace[k]` of the result.

    The grid is filled time by time, so ten million events take a fraction of a second.
    """
    times, values = paired_arrays(t_ms, value, names=("t_ms", "value"))
    one_of(fill, ("hold", "hold_last", "zero"), name="fill")
    owner = _owners(trace, traces, len(times))
    bins = _bin_count(duration_ms, step_ms)
    _check_times(times, bins * step_ms, duration_ms)
    cell = (times // step_ms).astype(np.int64) * traces + owner
    size = bins * traces
    counts = np.bincount(cell, minlength=size).reshape(bins, traces)
    sums = np.bincount(cell, values, minlength=size).reshape(bins, traces)
    grid = np.divide(sums, counts, out=np.zeros((bins, traces)), where=counts > 0)
    if fill != "zero":
        state = grid
        if fill == "hold_last":
            state = np.zeros(size)
            state[cell] = values  # of several events in one bin the last one given stays
            state = state.reshape(bins, traces)
        _carry_forward(grid, state, counts, start)
    return np.ascontiguousarray(grid.T)


def _carry_forward(grid: FloatArray, state: FloatArray, counts: NDArray[np.int64], start: float) -> None:
    current = np.full(grid.shape[1], start)
    for row in range(len(grid)):
        empty = counts[row] == 0
        grid[row, empty] = current[empty]
        current = np.where(empty, current, state[row])


def _owners(trace: ArrayLike, traces: int, events: int) -> NDArray[np.int64]:
    owner = np.asarray(trace)
    if owner.shape != (events,):
        raise InvalidInput(f"trace: expected one row number per event ({events}), got shape {owner.shape}.")
    owner = owner.astype(np.int64)
    if events and not (owner.min() >= 0 and owner.max() < traces):
        raise InvalidInput(
            f"trace: expected row numbers from 0 to {traces - 1}, got {owner.min()} to {owner.max()}. "
            "Number the traces from 0 and give how many there are."
        )
    return owner


def _bin_count(duration_ms: float, step_ms: float) -> int:
    for name, number in (("duration_ms", duration_ms), ("step_ms", step_ms)):
        if not (math.isfinite(number) and number > 0):
            raise InvalidInput(f"{name}: expected a positive number of milliseconds, got {number}.")
    return math.ceil(duration_ms / step_ms)


def _check_times(times: FloatArray, end_ms: float, duration_ms: float) -> None:
    outside = (times < 0) | (times >= end_ms)
    if outside.any():
        first = int(np.argmax(outside))
        raise InvalidInput(
            f"t_ms[{first}]: expected a time from 0 to {end_ms:g} ms (duration {duration_ms:g} ms), "
            f"got {times[first]:g}. Correct duration_ms, or leave out the event and count it."
        )


def point_sample(values: ArrayLike, *, every: int) -> FloatArray:
    """Every `every`-th sample, from the first: how the known signal of a reliability test is read, never averaged."""
    array = finite_array(values, name="values", least=1)
    if every < 1:
        raise InvalidInput(f"every: expected at least 1 sample, got {every}.")
    return np.ascontiguousarray(array[::every])
