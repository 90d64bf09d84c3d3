"""Which sessions to set aside: those that did nothing, and those unlike all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array
from believable.stats.parallel import Progress
from believable.traces.dtw import dtw_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Outliers:
    """kept[i] says whether trace i stays; its distance lies from `low` to `high` (None: no such limit).

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
    def dropped(self) -> tuple[int, ...]:
        """The positions of the traces to set aside."""
        return tuple(np.flatnonzero(~self.kept).tolist())


def inactive_outliers(
    traces: Sequence[ArrayLike] | FloatArray, *, baseline: float = 0.0, sd: float = 2.0
) -> Outliers:
    """Sessions nearer to an untouched trace than the others: distance < mean − sd·SD.

    The distance is DTW with |x − y| to the constant trace `baseline` of the same length. Every path visits each point
    at least once and the diagonal exactly once, so it is Σ|x − baseline|, computed as such. SD with n − 1.
    Give RankTraces after `normalise` (constant = 0), BTraces as window values in [−1, 1].
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
    """Sessions whose summed DTW distance to all others is more than sd·SD from the mean, on either side. SD with n − 1."""
    matrix = dtw_matrix(_series(traces), workers=workers, executor=executor, progress=progress)
    return _judge(matrix.sum(axis=1), sd, both_sides=True)


def _series(traces: Sequence[ArrayLike] | FloatArray) -> list[FloatArray]:
    return [finite_array(trace, name=f"traces[{index}]", least=1) for index, trace in enumerate(traces)]


def _judge(distances: FloatArray, sd: float, *, both_sides: bool) -> Outliers:
    if not sd > 0:
        raise InvalidInput(f"sd: expected a positive number of standard deviations, got {sd}.")
    kept = np.ones(len(distances), dtype=bool)
    if len(distances) < 2:
        reason = f"{len(distances)} trace(s) have no standard deviation, so none is set aside"
        mean = float(distances[0]) if len(distances) else None
        return Outliers(kept, distances, mean, None, None, None, reason)
    mean, spread = float(distances.mean()), float(distances.std(ddof=1))
    # Equal distances differ by rounding only; that is no reason to drop one.
    slack = 1e-12 * max(1.0, abs(mean))
    low, high = mean - sd * spread, mean + sd * spread
    kept = distances >= low - slack
    if both_sides:
        kept &= distances <= high + slack
    return Outliers(kept, distances, mean, spread, low, high if both_sides else None)
