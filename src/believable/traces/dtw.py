"""Dynamic time warping: how far apart are two traces when time may stretch?"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput, MissingExtra
from believable.core.work import Progress, map_chunks
from believable.stats.inputs import FloatArray, finite_array, one_of

Cost = Literal["abs", "square"]
IntArray = NDArray[np.int64]
Kernel = Literal["auto", "numpy", "numba"]

_COMPILED = "believable.traces.dtw_numba"
_WORTH_LOADING_CELLS = (
    50_000_000  # loading the compiled kernel takes about as long as this many cells in NumPy
)
#: A process computes about this number of cells at a time.
_CELLS_PER_CHUNK = 40_000_000


def dtw_distance(
    a: ArrayLike,
    b: ArrayLike,
    *,
    cost: Cost = "abs",
    window: int | None = None,
    kernel: Kernel = "auto",
) -> float:
    """How far two traces are apart when each may be stretched in time.

    Formula     the least sum of local costs, |x − y| ("abs") or (x − y)² ("square"), along a path
                from both starts to both ends that steps forward in one or both traces. The sum, not
                its root, not divided.
    Range       0 (same up to stretching) upwards, in units of the values times steps. Symmetric. No
                triangle inequality.
    Window      Sakoe–Chiba band: only |i − j| ≤ window points; None is unconstrained. The lengths
                may differ.
    Undefined   an empty trace or a band narrower than the difference of lengths: InvalidInput.
    Source      Sakoe & Chiba 1978. Own kernel: no library computes many short pairs as fast (see
                bench/dtw.py).
    Checked     aeon, dtaidistance, tslearn, dtw-python; GunPoint 1-NN accuracy .9067 (square, no
                window).
    """
    first, second = _trace(a, "a"), _trace(b, "b")
    square = one_of(cost, ("abs", "square"), name="cost") == "square"
    _check_window(window, min(len(first), len(second)), max(len(first), len(second)))
    compiled = _compiled_kernel(kernel, cells=len(first) * len(second))
    if compiled is not None:
        return float(compiled.pair_distance(first, second, square=square, window=window))
    batch = DiagonalBatch(len(first), 1, square=square, window=window)
    return float(batch.distances(first[:, None], second[::-1, None])[0])


def dtw_matrix(
    traces: Sequence[ArrayLike] | FloatArray,
    *,
    cost: Cost = "abs",
    window: int | None = None,
    workers: int | None = None,
    executor: Any = None,
    progress: Progress | None = None,
    kernel: Kernel = "auto",
) -> FloatArray:
    """`dtw_distance` of every pair of traces, as a symmetric matrix with a zero diagonal.

    Lengths may differ. The result is the same on any number of workers, cores or hosts, and from
    both kernels.
    workers   threads on this machine (the kernels release the interpreter lock); None: one per core
    executor  run elsewhere: a `concurrent.futures` executor or a `distributed.Client`
    progress  called with (chunks done, chunks in all)
    kernel    "numpy" (always there), "numba" (extra `fast`), or "auto": numba where installed and
              worth loading
    """
    series = [_trace(trace, f"traces[{index}]") for index, trace in enumerate(traces)]
    one_of(cost, ("abs", "square"), name="cost")
    lengths = np.array([len(trace) for trace in series], dtype=np.int64)
    if len(series):
        _check_window(window, int(lengths.min()), int(lengths.max()))
    cells = int((lengths.sum() ** 2 - (lengths**2).sum()) // 2)
    chosen = "numpy" if _compiled_kernel(kernel, cells=cells) is None else "numba"
    chunks = [
        _Rows(
            series=tuple(series),
            start=start,
            stop=stop,
            square=cost == "square",
            window=window,
            kernel=chosen,
        )
        for start, stop in _row_chunks(lengths)
    ]
    rows = map_chunks(
        _distances_of_rows, chunks, workers=workers, executor=executor, progress=progress
    )
    matrix = np.zeros((len(series), len(series)))
    for chunk, part in zip(chunks, rows, strict=True):
        matrix[chunk.start : chunk.stop] = part
    upper = np.triu(matrix, 1)
    return np.asarray(upper + upper.T)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """A share of the work: the distances of traces `start … stop − 1` to all later ones."""

    series: tuple[FloatArray, ...]
    start: int
    stop: int
    square: bool
    window: int | None
    kernel: str


def _distances_of_rows(rows: _Rows) -> FloatArray:
    """Rows × all traces; only the columns after the row's own are meant."""
    part = np.zeros((rows.stop - rows.start, len(rows.series)))
    lengths = np.array([len(trace) for trace in rows.series])
    fill = _fill_compiled if rows.kernel == "numba" else _fill_numpy
    for own in np.unique(lengths[rows.start : rows.stop]):
        mine = rows.start + np.flatnonzero(lengths[rows.start : rows.stop] == own)
        for other in np.unique(lengths[rows.start + 1 :]):
            members = rows.start + 1 + np.flatnonzero(lengths[rows.start + 1 :] == other)
            fill(rows, part, mine, members)
    return part


def _fill_compiled(rows: _Rows, part: FloatArray, mine: IntArray, members: IntArray) -> None:
    compiled = importlib.import_module(_COMPILED)
    to_members = compiled.rows_distances(
        np.stack([rows.series[index] for index in mine]),
        compiled.pack(np.stack([rows.series[index] for index in members], axis=1)),
        np.searchsorted(members, mine, side="right"),
        square=rows.square,
        window=rows.window,
    )
    part[np.ix_(mine - rows.start, members)] = to_members[:, : len(members)]


def _fill_numpy(rows: _Rows, part: FloatArray, mine: IntArray, members: IntArray) -> None:
    own = np.stack([rows.series[index] for index in mine], axis=1)
    others = np.stack([rows.series[index][::-1] for index in members], axis=1)
    first, second = np.nonzero(members[None, :] > mine[:, None])
    size = batch_size(len(own))
    batch = DiagonalBatch(
        len(own), min(size, max(len(first), 1)), square=rows.square, window=rows.window
    )
    for start in range(0, len(first), size):
        i, j = first[start : start + size], second[start : start + size]
        part[mine[i] - rows.start, members[j]] = batch.distances(
            np.take(own, i, axis=1),
            np.take(others, j, axis=1),  # plain indexing would give another memory order
        )


def _row_chunks(lengths: IntArray) -> list[tuple[int, int]]:
    """Runs of rows with about equal work; the borders depend on the lengths only."""
    later = (
        np.concatenate([np.cumsum(lengths[::-1])[::-1][1:], [0]]) if len(lengths) else np.zeros(0)
    )
    work = lengths * later
    chunks, start, load = [], 0, 0
    for row in range(len(lengths) - 1):
        load += int(work[row])
        if load >= _CELLS_PER_CHUNK:
            chunks.append((start, row + 1))
            start, load = row + 1, 0
    if start < len(lengths) - 1:
        chunks.append((start, len(lengths) - 1))
    return chunks


def _compiled_kernel(kernel: Kernel, *, cells: int) -> ModuleType | None:
    """The compiled kernel, where asked for, or where installed and loaded already or worth
    loading.
    """
    one_of(kernel, ("auto", "numpy", "numba"), name="kernel")
    if kernel == "numpy":
        return None
    if importlib.util.find_spec("numba") is None:
        if kernel == "numba":
            raise MissingExtra(what="the compiled DTW kernel", extra="fast")
        return None
    if kernel == "auto" and _COMPILED not in sys.modules and cells < _WORTH_LOADING_CELLS:
        return None
    return importlib.import_module(_COMPILED)


def _trace(values: ArrayLike, name: str) -> FloatArray:
    return np.ascontiguousarray(finite_array(values, name=name, least=1))


def _check_window(window: int | None, shortest: int, longest: int) -> None:
    if window is None:
        return
    if window < 0 or window < longest - shortest:
        raise InvalidInput(
            f"window: expected at least the difference of the lengths ({longest - shortest}), got"
            f" {window}. Widen it, or give None for no band."
        )


#: The diagonals of a batch stay in the processor's cache.
_BUFFER_BYTES = 200_000


def batch_size(length: int) -> int:
    """How many pairs of traces of this length are worked on at once: many per call, yet within the
    cache.
    """
    return max(8, _BUFFER_BYTES // (8 * max(length, 1)))


class DiagonalBatch:
    """Distances of up to `pairs` pairs at a time, their first traces of length `n`, in separate
    buffers.
    """

    def __init__(self, n: int, pairs: int, *, square: bool, window: int | None) -> None:
        self._diagonals = np.empty(3 * (n + 2) * pairs)
        self._scratch = np.empty(2 * n * pairs)
        self._square, self._window = square, window

    def distances(self, traces: FloatArray, others_reversed: FloatArray) -> FloatArray:
        """DTW of each column of `traces` with the same column of `others_reversed` (time backwards
        × pairs).
        """
        n, (m, pairs) = len(traces), others_reversed.shape
        before, last, now = self._diagonals[: 3 * (n + 2) * pairs].reshape(3, n + 2, pairs)
        cost, best = self._scratch[: 2 * n * pairs].reshape(2, n, pairs)
        last[:2] = np.inf  # the value before the first diagonal
        for d in range(n + m - 1):
            low, high = _rows(d, n, m, self._window)
            c, s = cost[: high - low + 1], best[: high - low + 1]
            np.subtract(
                traces[low : high + 1], others_reversed[m - 1 - d + low : m - d + high], out=c
            )
            np.multiply(c, c, out=c) if self._square else np.abs(c, out=c)
            if d == 0:
                now[1] = c[0]
            else:
                # Row i of the table lives at i + 1; next to the diagonal's rows there is infinity.
                np.minimum(last[low + 1 : high + 2], last[low : high + 1], out=s)
                np.minimum(s, before[low : high + 1], out=s)
                np.add(c, s, out=now[low + 1 : high + 2])
            now[low] = np.inf
            now[high + 2 : high + 3] = np.inf
            before, last, now = last, now, before
        return np.array(last[n], dtype=np.float64)


def _rows(d: int, n: int, m: int, window: int | None) -> tuple[int, int]:
    """The first and last row of anti-diagonal d of the n × m table, inside the band."""
    low, high = max(0, d - m + 1), min(n - 1, d)
    if window is None:
        return low, high
    return max(low, (d - window + 1) // 2), min(high, (d + window) // 2)
