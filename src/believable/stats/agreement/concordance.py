"""Do raters put the items into the same order? Kendall's W and the mean rank correlation."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from believable.stats.agreement.interval import coefficient, jackknife_se
from believable.stats.agreement.ratings import complete_rows, number_table, too_small
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray

_CELLS_AT_ONCE = 2_000_000


def kendall_w(ratings: Any, *, level: float = 0.95) -> Estimate:
    """Do several raters (columns) rank the items (rows) alike?

    Formula     W = 12 S/(k²(n³ − n) − k ΣT): S the squared deviations of the items' rank sums, T = Σ(t³ − t) over
                each rater's ties (the tie correction).
    Range       0 (no common order) to 1 (the same order). W relates to the mean Spearman correlation r of all pairs
                of raters by r = (kW − 1)/(k − 1).
    Interval    jackknife over items of r, scale log(1 − r), Student's t, carried back to W.
    Test        statistic = k(n − 1)W against χ² with n − 1 degrees of freedom.
    Missing     rows with a missing cell are left out and noted.
    Undefined   fewer than two raters or items, or every rater ties all items.
    Source      Kendall & Babington Smith 1939; Kendall 1948.
    Checked     R irr 0.84.1 `kendall(correct = TRUE)`.
    """
    check_level(level)
    method = "kendall_w (tie-corrected; jackknife interval)"
    table, notes = complete_rows(number_table(ratings, name="ratings"))
    if small := too_small(table, method=method, level=level, notes=notes):
        return small
    n, k = table.shape
    ranks = _mid_ranks(table)
    sums, ties = ranks.sum(axis=1), _tie_sums(table)
    limit = k * k * (n**3 - n) - k * float(ties.sum())
    if limit <= 0:
        return undefined("every rater ties all items", method=method, n=n, level=level, notes=notes)
    value = float(12 * ((sums - sums.mean()) ** 2).sum() / limit)
    chi_square = k * (n - 1) * value
    mean_r = (k * value - 1) / (k - 1)
    inner = coefficient(
        mean_r,
        jackknife_se(_mean_r_without_each(table, ranks)) if n > 2 else 0.0,
        n=n,
        level=level,
        method=method,
        at_one=None,
        notes=notes,
    )
    low, high = (
        None if b is None else min(max((1 + (k - 1) * b) / k, 0.0), 1.0) for b in (inner.low, inner.high)
    )
    return Estimate(
        value,
        low,
        high,
        level,
        n,
        method,
        reason=inner.reason,
        statistic=chi_square,
        df=(float(n - 1),),
        p_value=float(special.chdtrc(n - 1, chi_square)),
        notes=notes,
    )


def mean_rank_correlation(ratings: Any, *, level: float = 0.95) -> Estimate:
    """The mean Spearman correlation of all pairs of raters (columns) over the items (rows), by Fisher's z.

    Formula     tanh(mean of atanh(r_s)). Range −1 to 1, higher is better.
    Interval    jackknife over items, scale log(1 − r), Student's t.
    Undefined   fewer than three items or two raters, a rater who ties all items, or two raters with the same order
                (r_s = ±1 has no Fisher z).
    Checked     R irr 0.84.1 `meanrho`.
    """
    check_level(level)
    method = "mean_rank_correlation (Fisher mean; jackknife interval)"
    table, notes = complete_rows(number_table(ratings, name="ratings"))
    if small := too_small(table, method=method, level=level, notes=notes, least_rows=3):
        return small
    n = len(table)
    value = _fisher_mean(table)
    if value is None:
        return undefined(
            "a pair of raters has no rank correlation, or a perfect one",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    left = [_fisher_mean(np.delete(table, row, axis=0)) for row in range(n)]
    known = np.array([value if one is None else one for one in left])
    return coefficient(value, jackknife_se(known), n=n, level=level, method=method, at_one=None, notes=notes)


def _fisher_mean(table: FloatArray) -> float | None:
    ranks = _mid_ranks(table)
    spread = ranks.std(axis=0)
    if (spread == 0).any():
        return None
    correlation = np.asarray(np.corrcoef(ranks, rowvar=False))
    pairs = np.array([correlation[i, j] for i, j in combinations(range(table.shape[1]), 2)])
    if (np.abs(pairs) >= 1 - 1e-12).any():
        return None
    return float(np.tanh(np.arctanh(pairs).mean()))


def _tie_sums(table: FloatArray) -> FloatArray:
    """Per rater: Σ(t³ − t) over groups of tied items."""
    sums = []
    for column in table.T:
        times = np.unique(column, return_counts=True)[1].astype(np.float64)
        sums.append(float((times**3 - times).sum()))
    return np.array(sums)


def _mean_r_without_each(table: FloatArray, ranks: FloatArray) -> FloatArray:
    """(kW − 1)/(k − 1) without each item in turn, exact: the other items' ranks move down past the one removed."""
    n, k = table.shape
    ties = _tie_sums(table)
    group = np.stack([_group_size(column) for column in table.T], axis=1)
    # A rater's Σ(t³ − t) loses (t³ − t) − ((t−1)³ − (t−1)) = 3t² − 3t when one of t tied items goes.
    ties_left = (ties - (3 * group**2 - 3 * group)).sum(axis=1)
    limit = k * k * ((n - 1) ** 3 - (n - 1)) - k * ties_left
    squares = np.empty(n)
    step = max(1, _CELLS_AT_ONCE // n)
    sums = ranks.sum(axis=1)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        moved = np.zeros((rows.stop - start, n))
        for column in table.T:
            moved += (column[None, :] > column[rows, None]) + 0.5 * (column[None, :] == column[rows, None])
        left = sums[None, :] - moved
        left[np.arange(rows.stop - start), np.arange(start, rows.stop)] = np.nan
        squares[rows] = np.nansum((left - np.nanmean(left, axis=1, keepdims=True)) ** 2, axis=1)
    w = np.divide(12 * squares, limit, out=np.zeros(n), where=limit > 0)
    return np.asarray((k * w - 1) / (k - 1))


def _mid_ranks(table: FloatArray) -> FloatArray:
    """Each rater's ranks of the items, ties sharing the mean of theirs."""
    ranks = np.empty(table.shape)
    for column, values in enumerate(table.T):
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks[:, column] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def _group_size(column: FloatArray) -> FloatArray:
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    return counts[inverse].astype(np.float64)
