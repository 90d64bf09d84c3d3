"""The median of everybody else, for every annotator at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array


def others_medians(traces: ArrayLike) -> FloatArray:
    """Row k is the median of all rows but k, point by point: `gold_standard(traces, leave_out=k)` for all k in one pass.

    Taking one value out of an ordered column moves its middle by at most one place, so each column is sorted once.
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
