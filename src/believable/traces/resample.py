"""From events on change to a trace with one value per time bin, in windows of a few seconds, and on
a common scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays

Fill = Literal["hold", "hold_last", "zero"]

# Of a bin. With steps such as 1000/30 ms, k·step divided by step is slightly less than k: without
# this an event at the very start of a bin would fall into the previous one.
_ROUNDING = 1e-9


def resample(
    t_ms: ArrayLike,
    value: ArrayLike,
    *,
    step_ms: float = 250,
    duration_ms: float,
    fill: Fill = "hold",
    start: float | None = None,
) -> FloatArray:
    """One value per bin of `step_ms`: the mean of the events in [k·step, (k + 1)·step).

    fill      what an empty bin gets. "hold": the value of the bin before (RankTrace, GTrace; before
              the first event `start`, else 0), as in the published pipelines; "hold_last": the last
              event's own value instead of its bin's mean; "zero": 0 (BTrace, whose labels are
              moments and not a state).
    duration  of the stimulus; there are ⌈duration/step⌉ bins, the last one may be partial.
    Events    need not be in order (video time runs back when a viewer rewinds). An event before 0
              or after the end of the last bin is an error: it belongs to another stimulus, or the
              duration is wrong. So is a trace without any event, unless an empty bin is 0 or
              `start` is given: it is unknown which value to hold.
    Checked   the authors' 250 ms traces of the public PAGAN recordings, all 20 annotators, to the
              last digit (docs/validity.md lists the differences).
    """
    times, values = paired_arrays(t_ms, value, names=("t_ms", "value"))
    if not len(times) and fill != "zero" and start is None:
        raise InvalidInput(
            "t_ms: expected at least 1 event, got none, so that there is no value to hold. Leave"
            " the trace out and count it, or give the value at which it rested with start=."
        )
    traces = resample_all(
        np.zeros(len(times), dtype=np.int64),
        times,
        values,
        traces=1,
        step_ms=step_ms,
        duration_ms=duration_ms,
        fill=fill,
        start=0.0 if start is None else start,
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
    """`resample` of many traces of one duration at once: event k belongs to row `trace[k]` of the
    result.

    The grid is filled time by time, so ten million events take a fraction of a second.
    """
    times, values = paired_arrays(t_ms, value, names=("t_ms", "value"))
    one_of(fill, ("hold", "hold_last", "zero"), name="fill")
    owner = _owners(trace, traces, len(times))
    bins = _bin_count(duration_ms, step_ms)
    _check_times(times, bins * step_ms, duration_ms)
    place = np.minimum(np.floor(times / step_ms + _ROUNDING), bins - 1).astype(np.int64)
    cell = place * traces + owner
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


def _carry_forward(
    grid: FloatArray, state: FloatArray, counts: NDArray[np.int64], start: float
) -> None:
    current = np.full(grid.shape[1], start)
    for row in range(len(grid)):
        empty = counts[row] == 0
        grid[row, empty] = current[empty]
        current = np.where(empty, current, state[row])


def _owners(trace: ArrayLike, traces: int, events: int) -> NDArray[np.int64]:
    owner = np.asarray(trace)
    if owner.shape != (events,):
        raise InvalidInput(
            f"trace: expected one row number per event ({events}), got shape {owner.shape}."
        )
    owner = owner.astype(np.int64)
    if events and not (owner.min() >= 0 and owner.max() < traces):
        raise InvalidInput(
            f"trace: expected row numbers from 0 to {traces - 1}, got {owner.min()} to"
            f" {owner.max()}. Number the traces from 0 and give how many there are."
        )
    return owner


def _bin_count(duration_ms: float, step_ms: float) -> int:
    for name, number in (("duration_ms", duration_ms), ("step_ms", step_ms)):
        if not (math.isfinite(number) and number > 0):
            raise InvalidInput(f"{name}: expected a positive number of milliseconds, got {number}.")
    return max(1, math.ceil(duration_ms / step_ms - _ROUNDING))


def _check_times(times: FloatArray, end_ms: float, duration_ms: float) -> None:
    outside = (times < 0) | (times >= end_ms)
    if outside.any():
        first = int(np.argmax(outside))
        raise InvalidInput(
            f"t_ms[{first}]: expected a time from 0 to {end_ms:g} ms (duration {duration_ms:g} ms),"
            f" got {times[first]:g}. Correct duration_ms, or leave out the event and count it."
        )


def point_sample(values: ArrayLike, *, every: int) -> FloatArray:
    """Every `every`-th sample, from the first: how the known signal of a reliability test is read,
    never averaged.
    """
    array = finite_array(values, name="values", least=1)
    if every < 1 or every != int(every):
        raise InvalidInput(f"every: expected a whole number of samples, at least 1, got {every}.")
    return np.ascontiguousarray(array[:: int(every)])


def windows(trace: ArrayLike, *, per: int = 12) -> FloatArray:
    """Means over consecutive, non-overlapping windows of `per` points (12 bins of 250 ms are 3 s).

    The last window may be partial: it is kept when at least half full. A trace of less than half a
    window is an error.
    """
    values = finite_array(trace, name="trace")
    if per < 1 or per != int(per):
        raise InvalidInput(
            f"per: expected a whole number of points per window, at least 1, got {per}."
        )
    per = int(per)
    full, rest = divmod(len(values), per)
    means = values[: full * per].reshape(full, per).mean(axis=1)
    if rest and 2 * rest >= per:
        means = np.append(means, values[full * per :].mean())
    if not len(means):
        raise InvalidInput(
            f"trace: expected at least half a window ({(per + 1) // 2} points), got {len(values)}. "
            "Give a longer trace or a smaller per."
        )
    return np.asarray(means, dtype=np.float64)


def normalise(trace: ArrayLike, *, constant: float = 0.0) -> FloatArray:
    """The trace from its minimum at 0 to its maximum at 1.

    A constant trace has no range: it becomes `constant` throughout. The default 0 is what
    `inactive_outliers` needs (an untouched trace is inactive); give 0.5 for high/low counts against
    the neutral centre and for display.
    """
    return np.asarray(
        row_normalised(finite_array(trace, name="trace", least=1)[None], constant=constant)[0]
    )


def row_normalised(traces: FloatArray, *, constant: float = 0.0) -> FloatArray:
    """`normalise` of each row."""
    low, high = traces.min(axis=1, keepdims=True), traces.max(axis=1, keepdims=True)
    varies = low < high
    scaled = (traces - low) / np.where(varies, high - low, 1.0)
    # Subnormal ranges can round outside; the promise is [0, 1].
    return np.where(varies, np.clip(scaled, 0.0, 1.0), constant)


def btrace_values(
    windows: ArrayLike, *, rule: Literal["sign", "mean", "minmax"] = "sign"
) -> FloatArray:
    """Window means of a BTrace in [−1, 1] as values in [0, 1], for high/low counts and display.

    sign    not believable 0, nothing or a tie .5, believable 1 (the default: the only rule
            consistent with the published result for the neutral centre);  mean  (x + 1)/2;  minmax
            as `normalise`, constant .5
    """
    values = finite_array(windows, name="windows", least=1)
    one_of(rule, ("sign", "mean", "minmax"), name="rule")
    if np.abs(values).max() > 1:
        place = int(np.argmax(np.abs(values)))
        raise InvalidInput(
            f"windows[{place}]: expected a mean of labels −1 and 1, got {values[place]:g}."
        )
    if rule == "minmax":
        return normalise(values, constant=0.5)
    return np.asarray(((np.sign(values) if rule == "sign" else values) + 1) / 2)


#: Sums that differ by less are equal but for rounding.
_EQUAL_SUMS = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class HighLow:
    """H windows above centre + ε, L windows below centre − ε, and the mean of all windows."""

    high: int
    low: int
    mean: float
    centre: float
    windows: int

    @property
    def difference(self) -> int:
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class RisesFalls:
    """Steps from window to window that rise or fall by more than ε."""

    rises: int
    falls: int
    steps: int

    @property
    def difference(self) -> int:
        return self.rises - self.falls


def high_low(
    windows: ArrayLike, *, epsilon: float, centre: Literal["mean"] | float = "mean"
) -> HighLow:
    """How many windows of a session are clearly high, how many clearly low?

    H = windows > c + ε, L = windows < c − ε, D = H − L; the centre c is the session's own mean or a
    number (0.5: the neutral centre of values in [0, 1]). Rounding in the last digits does not make
    a window high or low.
    """
    values = finite_array(windows, name="windows", least=1)
    _check_epsilon(epsilon)
    mean = float(values.mean())
    if isinstance(centre, str) and centre != "mean":
        raise InvalidInput(f"centre: expected 'mean' or a number, got {centre!r}.")
    middle = mean if isinstance(centre, str) else float(centre)
    if not math.isfinite(middle):
        raise InvalidInput(f"centre: expected 'mean' or a finite number, got {centre!r}.")
    slack = _EQUAL_SUMS * max(1.0, float(np.abs(values).max()))
    high = int((values - middle > epsilon + slack).sum())
    low = int((middle - values > epsilon + slack).sum())
    return HighLow(high=high, low=low, mean=mean, centre=middle, windows=len(values))


def rises_falls(windows: ArrayLike, *, epsilon: float) -> RisesFalls:
    """How many windows rise by more than ε over the one before, how many fall? One window has no
    step: 0 and 0.
    """
    values = finite_array(windows, name="windows", least=1)
    _check_epsilon(epsilon)
    steps = np.diff(values)
    slack = _EQUAL_SUMS * max(1.0, float(np.abs(values).max()))
    return RisesFalls(
        int((steps > epsilon + slack).sum()), int((-steps > epsilon + slack).sum()), len(steps)
    )


def _check_epsilon(epsilon: float) -> None:
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise InvalidInput(f"epsilon: expected 0 or more, got {epsilon}.")
