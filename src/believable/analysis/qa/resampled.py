"""Agreement with the median of the others when annotators count several times, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from believable.stats.inputs import FloatArray

IntArray = NDArray[np.int64]
#: Cells of the working table that are ordered at a time, so that it stays in the processor's memory.
CELLS = 200_000


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The traces of one stimulus `[time, annotator]`, a last column of ∞ stands for nobody; the directions of their steps."""

    values: FloatArray
    directions: NDArray[np.int8]

    @classmethod
    def of(cls, traces: FloatArray) -> Resampled:
        """From traces as rows."""
        nobody = np.full((1, traces.shape[1]), np.inf)
        steps = np.sign(np.diff(traces, axis=1)).astype(np.int8)
        return cls(np.ascontiguousarray(np.vstack([traces, nobody]).T), np.ascontiguousarray(steps.T))

    def sda(self, counts: IntArray) -> FloatArray:
        """SDA `[resample, annotator]` of each annotator with the median of the others; NaN who does not count or has no others.

        counts   `[resample, annotator]`: how often each counts; nobody's own copies are in their gold standard
        """
        size = max(1, CELLS // self.values.size)
        return np.concatenate(
            [self._sda(counts[start : start + size]) for start in range(0, len(counts), size)]
        )

    def _sda(self, counts: IntArray) -> FloatArray:
        total = counts.sum(axis=1)
        drawn = self.values[:, self._members(counts, total)]
        drawn.sort(axis=2)
        found = np.full(counts.shape, np.nan)
        for copies in range(1, int(counts.max(initial=0)) + 1):
            resample, annotator = np.nonzero((counts == copies) & (total[:, None] > copies))
            others = total[resample] - copies
            own = self.values[:, annotator]
            gold = _at(drawn, own, resample, (others - 1) // 2, copies)
            if (others % 2 == 0).any():
                gold = (gold + _at(drawn, own, resample, others // 2, copies)) / 2
            agree = np.sign(np.diff(gold, axis=0)) == self.directions[:, annotator]
            found[resample, annotator] = 2 * agree.mean(axis=0) - 1
        return found

    @staticmethod
    def _members(counts: IntArray, total: IntArray) -> IntArray:
        """Who is in each resample, as often as they count; nobody (the last column of `values`) fills up shorter ones."""
        resamples, people = counts.shape
        members = np.full((resamples, int(total.max(initial=0))), people, dtype=np.int64)
        everybody = np.broadcast_to(np.arange(people), counts.shape)
        members[np.arange(members.shape[1]) < total[:, None]] = np.repeat(everybody.ravel(), counts.ravel())
        return members


def _at(drawn: FloatArray, own: FloatArray, resample: IntArray, place: IntArray, copies: int) -> FloatArray:
    """The value at a place among the others: the ordered resample without the copies of one's own value."""
    near = drawn[:, resample, place]
    return np.where(own > near, near, drawn[:, resample, place + copies])
