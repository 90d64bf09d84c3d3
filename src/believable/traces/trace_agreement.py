"""Do traces agree? Direction and lag of two traces, the gold standard of several, outlying
annotators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.core.work import Progress
from believable.stats.agreement.kappas import shared_kappas
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.traces.dtw import dtw_matrix

_NO_INTERVAL = "the steps of one trace depend on each other; take the interval over annotators"


def sda(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> float:
    """Signed differential agreement: do two traces rise, fall and rest together?

    Formula     mean over steps of +1 where the signs of both first differences are equal (both zero
                included), −1 where not; a difference of at most `tolerance` counts as zero.
    Range       −1 (never together) to 1 (always). Higher is better; two unrelated traces are well
                below 0, since three directions rarely coincide by chance.
    Lengths     both are cut to the shorter, without a note: compare lengths before, and report
                the cut. Fewer than two common points: InvalidInput.
    Source      Booth & Narayanan 2020; used on annotation reliability by Barthet et al.
    Checked     the published crowdworker values of the auditory test, the green-intensity data.
    """
    return float(row_sdas(*_as_rows(a, b), tolerance=tolerance)[0])


def direction_kappa(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> Estimate:
    """Cohen's κ of the directions (falls, rests, rises) of two traces, step by step.

    Range       ≤ 1; 0 is what two annotators with the same habits reach by chance.
    Interval    none: the steps of one trace depend on each other. Take it over annotators.
    Undefined   both traces move in one and the same direction throughout (both constant, say).
    Lengths     as `sda`. Checked: scikit-learn, the published values of the auditory test.
    """
    return row_kappas(*_as_rows(a, b), tolerance=tolerance)[0]


def lag_ms(a: ArrayLike, truth: ArrayLike, *, max_ms: float, step_ms: float) -> Estimate:
    """By how many milliseconds does an annotation lag behind its stimulus?

    Formula     the shift 0, step, 2·step … up to `max_ms` with the highest Pearson correlation of
                the trace, moved back by that much, with the truth; the smallest of equals.
    Range       0 to max_ms. A value of max_ms says that the search was too short.
    Undefined   one of the two does not vary. Fewer than three points left at the largest shift:
                InvalidInput.
    """
    return row_lags(*_as_rows(a, truth, names=("a", "truth")), max_ms=max_ms, step_ms=step_ms)[0]


def row_sdas(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> FloatArray:
    """`sda` of each row of `a` with that row of `b`."""
    first, second = _steps(a, b, tolerance)
    return np.asarray(np.where(first == second, 1.0, -1.0).mean(axis=1))


def row_kappas(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> list[Estimate]:
    """`direction_kappa` of each row of `a` with that row of `b`."""
    first, second = _steps(a, b, tolerance)
    rows, n = first.shape
    cells = 9 * np.arange(rows)[:, None] + 3 * (first + 1) + second + 1
    kappas = shared_kappas(np.bincount(cells.ravel(), minlength=9 * rows).reshape(rows, 3, 3) / n)
    reason = "both traces move in one and the same direction throughout, so chance agreement is 1"
    nothing = undefined(reason, method="direction_kappa", n=n)
    return [
        (
            nothing
            if math.isnan(kappa)
            else without_interval(kappa, _NO_INTERVAL, method="direction_kappa", n=n)
        )
        for kappa in kappas.tolist()
    ]


def row_lags(a: ArrayLike, truth: ArrayLike, *, max_ms: float, step_ms: float) -> list[Estimate]:
    """`lag_ms` of each row of `a` with that row of `truth`."""
    first, second = _tables(a, truth)
    if not (math.isfinite(step_ms) and step_ms > 0 and math.isfinite(max_ms) and max_ms >= 0):
        raise InvalidInput(
            f"max_ms, step_ms: expected 0 or more and more than 0, got {max_ms} and {step_ms}."
        )
    n, most = first.shape[1], int(max_ms / step_ms + 1e-9)
    if n - most < 3:
        raise InvalidInput(
            f"max_ms: expected at least 3 points left after the largest shift, got {n} points and "
            f"{most} steps. Shorten the search."
        )
    scores = np.stack(
        [_correlations(first[:, shift:], second[:, : n - shift]) for shift in range(most + 1)],
        axis=1,
    )
    scores[np.isnan(scores)] = -np.inf
    best = scores.max(axis=1)
    shifts = (scores >= best[:, None] - 1e-12).argmax(axis=1)
    nothing = undefined("one of the two traces does not vary", method="lag_ms", n=n)
    return [
        (
            without_interval(
                shift * step_ms, _NO_INTERVAL, method="lag_ms (highest correlation)", n=n
            )
            if varies
            else nothing
        )
        for shift, varies in zip(shifts.tolist(), (best > -np.inf).tolist(), strict=True)
    ]


def correlation(x: FloatArray, y: FloatArray) -> float | None:
    """Pearson's r of two arrays of one length; None when one does not vary."""
    r = float(_correlations(x[None], y[None])[0])
    return None if math.isnan(r) else r


def _correlations(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's r of each row of `x` with that row of `y`; NaN when one does not vary."""
    dx, dy = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt(np.vecdot(dx, dx) * np.vecdot(dy, dy))
    varies = (np.ptp(x, axis=1) > 0) & (np.ptp(y, axis=1) > 0) & (scale > 0)
    return np.asarray(
        np.divide(np.vecdot(dx, dy), scale, out=np.full(len(x), np.nan), where=varies)
    )


def _steps(
    a: ArrayLike, b: ArrayLike, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise InvalidInput(f"tolerance: expected 0 or more, got {tolerance}.")
    first, second = _tables(a, b)
    if first.shape[1] < 2:
        raise InvalidInput(
            f"a, b: expected at least 2 common points, got {first.shape[1]}. A direction needs a"
            " step."
        )
    return _signs(first, tolerance), _signs(second, tolerance)


def _signs(traces: FloatArray, tolerance: float) -> NDArray[np.int64]:
    step = np.diff(traces, axis=1)
    return np.where(np.abs(step) <= tolerance, 0, np.sign(step)).astype(np.int64)


def _as_rows(
    a: ArrayLike, b: ArrayLike, *, names: tuple[str, str] = ("a", "b")
) -> tuple[FloatArray, FloatArray]:
    """Two traces as tables of one row, cut to the shorter."""
    first, second = finite_array(a, name=names[0]), finite_array(b, name=names[1])
    length = min(len(first), len(second))
    return first[None, :length], second[None, :length]


def _tables(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = (finite_array(table, name=name, ndim=2) for table, name in ((a, "a"), (b, "b")))
    if first.shape != second.shape:
        raise InvalidInput(
            f"a, b: expected tables of one shape, got {first.shape} and {second.shape}. Cut traces"
            " to one length."
        )
    return first, second


Method = Literal["median", "mean", "lag_aligned"]


def gold_standard(
    traces: Sequence[ArrayLike] | FloatArray,
    *,
    leave_out: int | None = None,
    method: Method = "median",
    max_lag: int = 16,
) -> FloatArray:
    """The trace of a group: the median or mean at each point, over all annotators but `leave_out`.

    Traces are cut to the shortest of those used, without a note: report how much was cut.
    "lag_aligned": each trace is first moved by the shift (at most `max_lag` points either way,
    shifts relative to their median) that correlates best with the median of the others, then the
    mean is taken; a constant trace is not moved. Leave one out before judging an annotator against
    the gold standard, or the annotator is judged against himself.
    """
    one_of(method, ("median", "mean", "lag_aligned"), name="method")
    table = _table(traces, leave_out)
    if method == "median":
        return np.asarray(np.median(table, axis=0))
    if method == "mean":
        return np.asarray(table.mean(axis=0))
    if not 0 <= max_lag < table.shape[1] - 2:
        raise InvalidInput(
            f"max_lag: expected 0 to {table.shape[1] - 3} points for traces of {table.shape[1]},"
            f" got {max_lag}."
        )
    return _lag_aligned(table, max_lag)


def _table(traces: Sequence[ArrayLike] | FloatArray, leave_out: int | None) -> FloatArray:
    series = [
        finite_array(trace, name=f"traces[{index}]", least=1) for index, trace in enumerate(traces)
    ]
    if leave_out is not None:
        if not 0 <= leave_out < len(series):
            raise InvalidInput(
                f"leave_out: expected a position from 0 to {len(series) - 1}, got {leave_out}."
            )
        del series[leave_out]
    if not series:
        raise InvalidInput(
            "traces: expected at least one trace to average, got none. Give more annotators."
        )
    length = min(len(trace) for trace in series)
    return np.stack([trace[:length] for trace in series])


def _lag_aligned(table: FloatArray, max_lag: int) -> FloatArray:
    if len(table) < 2:
        return np.asarray(table.mean(axis=0))
    shifts = np.array([_shift(table, row, max_lag) for row in range(len(table))])
    shifts -= int(np.median(shifts))
    moved = [_shift_trace(trace, int(shift)) for trace, shift in zip(table, shifts, strict=True)]
    return np.asarray(np.mean(moved, axis=0))


def _shift(table: FloatArray, row: int, max_lag: int) -> int:
    """How many points the trace trails the median of the others."""
    trace, others = table[row], np.median(np.delete(table, row, axis=0), axis=0)
    best, best_score = 0, -np.inf
    for shift in sorted(range(-max_lag, max_lag + 1), key=abs):
        late, early = (
            (trace[shift:], others[: len(others) - shift])
            if shift >= 0
            else (trace[:shift], others[-shift:])
        )
        score = correlation(late, early)
        if score is not None and score > best_score + 1e-12:
            best, best_score = shift, score
    return best


def _shift_trace(trace: FloatArray, shift: int) -> FloatArray:
    """The trace earlier by `shift` points; its first or last value fills the gap."""
    places = np.clip(np.arange(len(trace)) + shift, 0, len(trace) - 1)
    return np.asarray(trace[places])


def others_medians(traces: ArrayLike) -> FloatArray:
    """Row k is the median of all rows but k, point by point: `gold_standard(traces, leave_out=k)`
    for all k in one pass.

    Taking one value out of an ordered column moves its middle by at most one place, so each column
    is sorted once.
    """
    table = finite_array(traces, name="traces", ndim=2)
    n = len(table)
    if n < 2:
        raise InvalidInput(f"traces: expected at least 2 annotators, got {n}. One has no others.")
    order = np.argsort(table, axis=0, kind="stable")
    ordered = np.take_along_axis(table, order, axis=0)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(n)[:, None], order.shape), axis=0)
    half = (n - 1) // 2
    if (n - 1) % 2:
        return _without(ordered, ranks, half)
    return np.asarray((_without(ordered, ranks, half - 1) + _without(ordered, ranks, half)) / 2)


def _without(ordered: FloatArray, ranks: np.ndarray, place: int) -> FloatArray:
    """The value at this place of each column once the row's own is gone."""
    return np.take_along_axis(ordered, np.where(ranks <= place, place + 1, place), axis=0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outliers:
    """kept[i] says whether trace i stays; its distance lies from `low` to `high` (None: no such
    limit).

    `reason` says why nothing could be judged (fewer than two traces have no standard deviation).
    """

    kept: NDArray[np.bool_]
    distances: FloatArray
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    reason: str | None = None

    @property
    def dropped_indexes(self) -> tuple[int, ...]:
        """The positions of the traces to set aside."""
        return tuple(np.flatnonzero(~self.kept).tolist())


def inactive_outliers(
    traces: Sequence[ArrayLike] | FloatArray, *, baseline: float = 0.0, sd: float = 2.0
) -> Outliers:
    """Sessions nearer to an untouched trace than the others: distance < mean − sd·SD.

    The distance is DTW with |x − y| to the constant trace `baseline` of the same length. Every path
    visits each point at least once and the diagonal exactly once, so it is Σ|x − baseline|,
    computed as such. SD with n − 1. Give RankTraces after `normalise` (constant = 0), BTraces as
    window values in [−1, 1].
    """
    series = _series(traces)
    distances = np.array([float(np.abs(trace - baseline).sum()) for trace in series])
    return _judge(distances, sd, both_sides=False)


def consensus_outliers(
    traces: Sequence[ArrayLike] | FloatArray,
    *,
    sd: float = 2.0,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
) -> Outliers:
    """Sessions whose summed DTW distance to all others is more than sd·SD from the mean, on either
    side. SD with n − 1.
    """
    matrix = dtw_matrix(_series(traces), workers=workers, executor=executor, progress=progress)
    return _judge(matrix.sum(axis=1), sd, both_sides=True)


def _series(traces: Sequence[ArrayLike] | FloatArray) -> list[FloatArray]:
    return [
        finite_array(trace, name=f"traces[{index}]", least=1) for index, trace in enumerate(traces)
    ]


def _judge(distances: FloatArray, sd: float, *, both_sides: bool) -> Outliers:
    if not sd > 0:
        raise InvalidInput(f"sd: expected a positive number of standard deviations, got {sd}.")
    kept = np.ones(len(distances), dtype=bool)
    if len(distances) < 2:
        reason = (
            f"too few traces for a standard deviation ({len(distances)}), so that none is set aside"
        )
        mean = float(distances[0]) if len(distances) else None
        return Outliers(
            kept=kept, distances=distances, mean=mean, sd=None, low=None, high=None, reason=reason
        )
    mean, spread = float(distances.mean()), float(distances.std(ddof=1))
    # Equal distances differ by rounding only; that is no reason to drop one.
    slack = 1e-12 * max(1.0, abs(mean))
    low, high = mean - sd * spread, mean + sd * spread
    kept = distances >= low - slack
    if both_sides:
        kept &= distances <= high + slack
    return Outliers(
        kept=kept,
        distances=distances,
        mean=mean,
        sd=spread,
        low=low,
        high=high if both_sides else None,
    )
