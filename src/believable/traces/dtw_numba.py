"""The compiled DTW kernels of the extra `fast`: one pair of traces per SIMD lane.

Plain scalar code over `_LANES` independent pairs, written so that the compiler turns the innermost
loop into vector instructions: unsigned indices (no wrap-around checks), four rows per pass (each
value of the second trace is loaded once for four cells), and the local state in one flat scratch
array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from believable.stats.inputs import FloatArray

_LANES = 32
_ONE = np.uint64(1)
_L1, _L2, _L3, _L4 = (np.uint64(_LANES * k) for k in (1, 2, 3, 4))
_FAST = {"nnan", "nsz", "contract"}  # no NaN reaches the kernel; infinity must stay exact


@njit(nogil=True, cache=True, inline="always")
def _least(a: float, b: float) -> float:
    return a if a < b else b


@njit(nogil=True, cache=True, inline="always")
def _local(difference: float, square: bool) -> float:
    return difference * difference if square else abs(difference)


@njit(nogil=True, cache=True, fastmath=_FAST, error_model="numpy")
def _lanes(
    a: FloatArray, b: FloatArray, row: FloatArray, state: FloatArray, out: FloatArray, square: bool
) -> None:
    """Distances of one trace `a` to the `_LANES` traces in the columns of `b`, unconstrained."""
    n, m = a.shape[0], np.uint64(b.shape[0])
    for k in range(m * _L1 + _L1):
        row[k] = np.inf
    i = 0
    while i + 4 <= n:
        x0, x1, x2, x3 = a[i], a[i + 1], a[i + 2], a[i + 3]
        for lane in range(_L1):
            state[lane] = state[_L1 + lane] = state[_L2 + lane] = state[_L3 + lane] = np.inf
            state[_L4 + lane] = 0.0 if i == 0 else np.inf
        for j in range(m):
            at = (j + _ONE) * _L1
            for lane in range(_L1):
                y, up = b[j, lane], row[at + lane]
                p0, p1, p2, p3 = (
                    state[lane],
                    state[_L1 + lane],
                    state[_L2 + lane],
                    state[_L3 + lane],
                )
                s0 = _local(x0 - y, square) + _least(_least(up, state[_L4 + lane]), p0)
                s1 = _local(x1 - y, square) + _least(_least(s0, p0), p1)
                s2 = _local(x2 - y, square) + _least(_least(s1, p1), p2)
                s3 = _local(x3 - y, square) + _least(_least(s2, p2), p3)
                state[lane], state[_L1 + lane], state[_L2 + lane], state[_L3 + lane] = (
                    s0,
                    s1,
                    s2,
                    s3,
                )
                state[_L4 + lane] = up
                row[at + lane] = s3
        i += 4
    while i < n:
        x0 = a[i]
        for lane in range(_L1):
            state[lane] = np.inf
            state[_L4 + lane] = 0.0 if i == 0 else np.inf
        for j in range(m):
            at = (j + _ONE) * _L1
            for lane in range(_L1):
                up = row[at + lane]
                s0 = _local(x0 - b[j, lane], square) + _least(
                    _least(up, state[_L4 + lane]), state[lane]
                )
                state[lane] = s0
                state[_L4 + lane] = up
                row[at + lane] = s0
        i += 1
    for lane in range(_L1):
        out[lane] = row[m * _L1 + lane]


@njit(nogil=True, cache=True, fastmath=_FAST, error_model="numpy")
def _lanes_in_band(
    a: FloatArray,
    b: FloatArray,
    row: FloatArray,
    state: FloatArray,
    out: FloatArray,
    square: bool,
    window: int,
) -> None:
    """As `_lanes`, only cells with |i − j| ≤ window."""
    n, m = a.shape[0], b.shape[0]
    for k in range(np.uint64(m + 1) * _L1):
        row[k] = np.inf
    for i in range(n):
        first, stop = max(0, i - window), min(m, i + window + 1)
        x = a[i]
        start = np.uint64(first) * _L1
        for lane in range(_L1):
            state[lane] = np.inf
            # The cell up and to the left of the band's first; the corner before both traces is 0.
            state[_L4 + lane] = 0.0 if i == 0 else (row[start + lane] if first > 0 else np.inf)
        for j in range(np.uint64(first), np.uint64(stop)):
            at = (j + _ONE) * _L1
            for lane in range(_L1):
                up = row[at + lane]
                s = _local(x - b[j, lane], square) + _least(
                    _least(up, state[_L4 + lane]), state[lane]
                )
                state[lane] = s
                state[_L4 + lane] = up
                row[at + lane] = s
        for lane in range(_L1):
            row[start + lane] = np.inf  # left of the next row's band
    for lane in range(_L1):
        out[lane] = row[np.uint64(m) * _L1 + lane]


@njit(nogil=True, cache=True)
def _rows_to_blocks(
    rows: FloatArray, blocks: FloatArray, first: NDArray[np.int64], square: bool, out: FloatArray
) -> None:
    row, state = np.empty((blocks.shape[1] + 1) * _LANES), np.empty(5 * _LANES)
    for r in range(rows.shape[0]):
        for k in range(first[r] // _LANES, blocks.shape[0]):
            _lanes(rows[r], blocks[k], row, state, out[r, k * _LANES : (k + 1) * _LANES], square)


@njit(nogil=True, cache=True)
def _rows_to_blocks_in_band(
    rows: FloatArray,
    blocks: FloatArray,
    first: NDArray[np.int64],
    square: bool,
    window: int,
    out: FloatArray,
) -> None:
    row, state = np.empty((blocks.shape[1] + 1) * _LANES), np.empty(5 * _LANES)
    for r in range(rows.shape[0]):
        for k in range(first[r] // _LANES, blocks.shape[0]):
            _lanes_in_band(
                rows[r],
                b=blocks[k],
                row=row,
                state=state,
                out=out[r, k * _LANES : (k + 1) * _LANES],
                square=square,
                window=window,
            )


@njit(nogil=True, cache=True, fastmath=_FAST, error_model="numpy")
def _one_pair(a: FloatArray, b_reversed: FloatArray, square: bool, window: int) -> Any:
    """One pair by anti-diagonals: the cells of a diagonal do not depend on each other."""
    n, m = a.shape[0], b_reversed.shape[0]
    before, last, now = np.full(n + 2, np.inf), np.full(n + 2, np.inf), np.full(n + 2, np.inf)
    for d in range(n + m - 1):
        low, high = max(0, d - m + 1), min(n - 1, d)
        if window >= 0:
            low, high = max(low, (d - window + 1) // 2), min(high, (d + window) // 2)
        shift = np.uint64(m - 1 - d + low)
        lo = np.uint64(low)
        for k in range(np.uint64(high - low + 1)):
            i = lo + k
            c = _local(a[i] - b_reversed[shift + k], square)
            now[i + _ONE] = c + _least(_least(last[i + _ONE], last[i]), before[i])
        if d == 0:
            now[1] = _local(a[0] - b_reversed[m - 1], square)
        now[low] = np.inf
        now[high + 2] = np.inf
        before, last, now = last, now, before
    return last[n]


def pack(columns: FloatArray) -> FloatArray:
    """Traces in columns (time × traces) as blocks of `_LANES`, the last one padded with zeros."""
    length, count = columns.shape
    blocks = -(-count // _LANES)
    padded = np.zeros((length, blocks * _LANES))
    padded[:, :count] = columns
    return np.ascontiguousarray(padded.reshape(length, blocks, _LANES).transpose(1, 0, 2))


def rows_distances(
    rows: FloatArray,
    packed: FloatArray,
    first: NDArray[np.int64],
    *,
    square: bool,
    window: int | None,
) -> FloatArray:
    """Distances of row r to the packed traces from `first[r]` on; entries before are not meant."""
    out = np.zeros((len(rows), packed.shape[0] * _LANES))
    if window is None:
        _rows_to_blocks(rows, packed, first, square, out)
    else:
        _rows_to_blocks_in_band(rows, packed, first, square, window, out)
    return out


def pair_distance(a: FloatArray, b: FloatArray, *, square: bool, window: int | None) -> float:
    return float(
        _one_pair(a, np.ascontiguousarray(b[::-1]), square, -1 if window is None else window)
    )
