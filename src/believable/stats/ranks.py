"""Rank distributions under the null hypothesis, and order statistics of pairwise sums and
differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from believable.stats.inputs import FloatArray

#: This number of differences fits into memory at once; if there are more, they are searched for.
_DIRECT_UP_TO = 1_000_000
_EXACT_INDEX_UP_TO = 60
_LOOK_AT = 4_000_000  # pairs; fewer than one more pass over a million values would cost

IntArray = NDArray[np.int64]


def paired_differences(a: FloatArray, b: FloatArray) -> FloatArray:
    """a − b to 12 digits of the data, so that 0.3 − 0.1 and 0.5 − 0.3 rank as the tie they are."""
    scale = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
    if scale == 0:
        return a - b
    rounded: FloatArray = np.round((a - b) / scale, 12) * scale
    return rounded


def signed_rank_chances(ranks: FloatArray) -> FloatArray:
    """P(2·W₊ = k) for k = 0, 1, …, given these midranks (their doubles are whole), each sign a fair
    coin.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        moved = np.zeros_like(chances)
        moved[rank:] = chances[: len(chances) - rank]
        chances = (chances + moved) / 2
    return chances


def rank_sum_chances(ranks: FloatArray, m: int) -> FloatArray:
    """P(2·rank sum = k) of m values drawn without replacement from these midranks."""
    doubled = np.sort(np.rint(2 * ranks).astype(np.int64))
    n = len(doubled)
    largest = int(doubled[n - m :].sum())
    # chances[j, k]: j drawn with doubled rank sum k; chances, not counts, to avoid overflow.
    chances = np.zeros((m + 1, largest + 1))
    chances[0, 0] = 1.0
    drawn = np.arange(m + 1, dtype=np.float64)[:, None]
    for seen, rank in enumerate(doubled):
        take = np.clip((m - drawn) / (n - seen), 0.0, 1.0)
        taken = chances * take
        chances = chances - taken
        chances[1:, rank:] += taken[:-1, : largest + 1 - rank]
    result: FloatArray = chances[m]
    return result


def signed_rank_index(n: int, level: float) -> int:
    """The k for which [k-th smallest, k-th largest] Walsh average covers at least `level`, or 0."""
    half = (1 - level) / 2
    if n <= _EXACT_INDEX_UP_TO:
        lower = np.cumsum(signed_rank_chances(np.arange(1.0, n + 1)))[::2]
        return int(np.searchsorted(lower, half, side="right"))
    mean, sd = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(mean - float(stats.norm.ppf(1 - half)) * sd))


def rank_sum_index(m: int, n: int, level: float) -> int:
    """The k for which [k-th smallest, k-th largest] difference covers at least `level`; 0 when none
    does.
    """
    half = (1 - level) / 2
    if m + n <= _EXACT_INDEX_UP_TO:
        chances = rank_sum_chances(np.arange(1.0, m + n + 1), m)[m * (m + 1) :: 2]
        return int(np.searchsorted(np.cumsum(chances), half, side="right"))
    mean, sd = m * n / 2, math.sqrt(m * n * (m + n + 1) / 12)
    return max(0, math.floor(mean - float(stats.norm.ppf(1 - half)) * sd))


def kth_walsh_average(values: FloatArray, k: int) -> float:
    """The k-th smallest (from 1) of (x_i + x_j)/2 over i ≤ j."""
    n = len(values)
    ordered = np.sort(values)
    if n * n <= _DIRECT_UP_TO:
        rows, columns = np.triu_indices(n)
        return float(np.partition(ordered[rows] + ordered[columns], k - 1)[k - 1]) / 2
    positions = np.arange(n)
    slack = _rounding(ordered, ordered)

    def reach(limit: float) -> IntArray:
        """For each i the number of j ≥ i with x_i + x_j ≤ limit."""
        return np.asarray(
            np.maximum(
                np.searchsorted(ordered, limit + slack - ordered, side="right") - positions, 0
            )
        )

    def sums(rows: IntArray, place: IntArray) -> FloatArray:
        return np.asarray(ordered[rows] + ordered[rows + place])

    return _select(reach, sums, 2 * float(ordered[0]), 2 * float(ordered[-1]), k) / 2


def kth_difference(a: FloatArray, b: FloatArray, k: int) -> float:
    """The k-th smallest (from 1) of a_i − b_j over all pairs."""
    if len(a) * len(b) <= _DIRECT_UP_TO:
        return float(np.partition(np.subtract.outer(a, b).ravel(), k - 1)[k - 1])
    rising, ordered = np.sort(a)[::-1], np.sort(-b)  # limits in rising order are looked up fastest
    slack = _rounding(rising, ordered)

    def reach(limit: float) -> IntArray:
        return np.asarray(np.searchsorted(ordered, limit + slack - rising, side="right"))

    def sums(rows: IntArray, place: IntArray) -> FloatArray:
        return np.asarray(rising[rows] + ordered[place])

    return _select(reach, sums, float(rising[-1] + ordered[0]), float(rising[0] + ordered[-1]), k)


def _rounding(a: FloatArray, b: FloatArray) -> float:
    """What subtracting instead of adding may lose: sums this close count as equal."""
    return 4 * float(np.spacing(max(np.abs(a).max(), np.abs(b).max())))


def _select(
    reach: Callable[[float], IntArray],
    sums: Callable[[IntArray, IntArray], FloatArray],
    low: float,
    high: float,
    k: int,
) -> float:
    """The k-th smallest pair sum: bisect on the value until few pairs are left between the bounds,
    then look at those.

    `reach` says for every row how many of its partners, in rising order, stay below a limit; `sums`
    adds row and partner.
    """
    below, up_to = np.zeros_like(reach(low)), reach(high)
    while (left := int((up_to - below).sum())) > _LOOK_AT:
        # Bounds that are sums themselves: with tied values few bisections separate the last two of
        # them.
        some = np.flatnonzero(up_to > below)
        low, high = float(sums(some, below[some]).min()), float(sums(some, up_to[some] - 1).max())
        middle = low + (high - low) / 2
        counts = reach(middle)
        if not low < middle < high or (counts == up_to).all():
            return high if int(reach(low).sum()) < k else low
        if int(counts.sum()) >= k:
            up_to = counts
        else:
            below = counts
    width = up_to - below
    rows = np.repeat(np.arange(len(width)), width)
    place = np.arange(left) - np.repeat(np.cumsum(width) - width, width) + below[rows]
    return float(
        np.partition(sums(rows, place), k - int(below.sum()) - 1)[k - int(below.sum()) - 1]
    )


def binomial_index(n: int, level: float) -> int:
    """The k for which [k-th smallest, k-th largest] value covers a median at least at `level`, or
    0.
    """
    half = (1 - level) / 2
    lower = special.bdtr(np.arange(n), n, 0.5)
    return int(np.searchsorted(lower, half, side="right"))
