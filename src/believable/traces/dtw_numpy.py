"""The DTW kernel in NumPy: anti-diagonals, many pairs at once.

The cells of an anti-diagonal do not depend on each other, so each diagonal is five array operations over
(cells of the diagonal × pairs). Three diagonals are kept, in buffers that are used again for the next batch.
"""

from __future__ import annotations

import numpy as np

from believable.stats.inputs import FloatArray

_BUFFER_BYTES = 200_000


def batch_size(length: int) -> int:
    """How many pairs of traces of this length are worked on at once: many per call, yet within the cache."""
    return max(8, _BUFFER_BYTES // (8 * max(length, 1)))


class Batch:
    """Distances of up to `pairs` pairs at a time, their first traces of length `n`, in buffers of its own."""

    def __init__(self, n: int, pairs: int, *, square: bool, window: int | None) -> None:
        self._diagonals = np.empty(3 * (n + 2) * pairs)
        self._scratch = np.empty(2 * n * pairs)
        self._square, self._window = square, window

    def distances(self, traces: FloatArray, others_reversed: FloatArray) -> FloatArray:
        """DTW of each column of `traces` with the same column of `others_reversed` (time backwards × pairs)."""
        n, (m, pairs) = len(traces), others_reversed.shape
        before, last, now = self._diagonals[: 3 * (n + 2) * pairs].reshape(3, n + 2, pairs)
        cost, best = self._scratch[: 2 * n * pairs].reshape(2, n, pairs)
        last[:2] = np.inf  # what stands before the first diagonal
        for d in range(n + m - 1):
            low, high = _rows(d, n, m, self._window)
            c, s = cost[: high - low + 1], best[: high - low + 1]
            np.subtract(traces[low : high + 1], others_reversed[m - 1 - d + low : m - d + high], out=c)
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
