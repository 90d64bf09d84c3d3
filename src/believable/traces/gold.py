"""One trace for a group of annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.traces.direction import correlation

Method = Literal["median", "mean", "lag_aligned"]


def gold_standard(
    traces: Sequence[ArrayLike] | FloatArray,
    *,
    leave_out: int | None = None,
    method: Method = "median",
    max_lag: int = 16,
) -> FloatArray:
    """The trace of a group: the median or mean at each point, over all annotators but `leave_out`.

    Traces are cut to the shortest of those used. "lag_aligned": each trace is first moved by the shift (at most
    `max_lag` points either way, shifts relative to their median) that correlates best with the median of the others,
    then the mean is taken; a constant trace is not moved. Leave one out before judging an annotator against the gold
    standard, or the annotator is judged against himself.
    """
    one_of(method, ("median", "mean", "lag_aligned"), name="method")
    table = _table(traces, leave_out)
    if method == "median":
        return np.asarray(np.median(table, axis=0))
    if method == "mean":
        return np.asarray(table.mean(axis=0))
    if not 0 <= max_lag < table.shape[1] - 2:
        raise InvalidInput(
            f"max_lag: expected 0 to {table.shape[1] - 3} points for traces of {table.shape[1]}, got {max_lag}."
        )
    return _lag_aligned(table, max_lag)


def _table(traces: Sequence[ArrayLike] | FloatArray, leave_out: int | None) -> FloatArray:
    series = [finite_array(trace, name=f"traces[{index}]", least=1) for index, trace in enumerate(traces)]
    if leave_out is not None:
        if not 0 <= leave_out < len(series):
            raise InvalidInput(
                f"leave_out: expected a position from 0 to {len(series) - 1}, got {leave_out}."
            )
        del series[leave_out]
    if not series:
        raise InvalidInput("traces: expected at least one trace to average, got none. Give more annotators.")
    length = min(len(trace) for trace in series)
    return np.stack([trace[:length] for trace in series])


def _lag_aligned(table: FloatArray, max_lag: int) -> FloatArray:
    if len(table) < 2:
        return np.asarray(table.mean(axis=0))
    shifts = np.array([_shift(table, row, max_lag) for row in range(len(table))])
    shifts -= int(np.median(shifts))
    moved = [_moved(trace, int(shift)) for trace, shift in zip(table, shifts, strict=True)]
    return np.asarray(np.mean(moved, axis=0))


def _shift(table: FloatArray, row: int, max_lag: int) -> int:
    """How many points the trace trails the median of the others."""
    trace, others = table[row], np.median(np.delete(table, row, axis=0), axis=0)
    best, best_score = 0, -np.inf
    for shift in sorted(range(-max_lag, max_lag + 1), key=abs):
        late, early = (
            (trace[shift:], others[: len(others) - shift]) if shift >= 0 else (trace[:shift], others[-shift:])
        )
        score = correlation(late, early)
        if score is not None and score > best_score + 1e-12:
            best, best_score = shift, score
    return best


def _moved(trace: FloatArray, shift: int) -> FloatArray:
    """The trace earlier by `shift` points; its first or last value fills the gap."""
    places = np.clip(np.arange(len(trace)) + shift, 0, len(trace) - 1)
    return np.asarray(trace[places])
