"""Numbers from several raters or items: intraclass correlations, Cronbach's α, and relatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from believable.core.deferred import special
from believable.stats.agreement.coefficient import (
    coefficient,
    complete_rows,
    jackknife_se,
    number_table,
    too_small,
)
from believable.stats.estimate import Estimate, check_level, undefined, without_interval
from believable.stats.inputs import FloatArray, one_of

IccForm = Literal["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Squares:
    """Mean squares of the two-way table: between rows, within rows, between columns, residual."""

    n: int
    k: int
    rows: float
    within: float
    columns: float
    error: float

    @property
    def df_rows(self) -> int:
        return self.n - 1

    @property
    def df_error(self) -> int:
        return (self.n - 1) * (self.k - 1)


def icc(ratings: Any, form: IccForm = "ICC2", *, level: float = 0.95) -> Estimate:
    """How much of the variance of ratings is due to the rated items rather than to raters and
    error?

    Forms       Shrout & Fleiss: ICC1 (each item has its own raters), ICC2 (the same random raters,
                absolute agreement), ICC3 (the same fixed raters, consistency); with "k" the
                reliability of the mean of the k raters. McGraw & Wong: ICC(1), ICC(A,1), ICC(C,1),
                ICC(k), ICC(A,k), ICC(C,k).
    Formula     from the mean squares of items (R), within items (W), raters (C), residual (E), k
                raters, n items: ICC1 (R−W)/(R+(k−1)W) · ICC2 (R−E)/(R+(k−1)E+k(C−E)/n) · ICC3
                (R−E)/(R+(k−1)E) ICC1k (R−W)/R · ICC2k (R−E)/(R+(C−E)/n) · ICC3k (R−E)/R.
    Range       ≤ 1, higher is better; a negative value means less variance between items than
                chance gives.
    Interval    F distribution (McGraw & Wong 1996), ICC2 with Satterthwaite's degrees of freedom.
    Test        of ICC = 0: F = R/W or R/E with its exact degrees of freedom (`df`).
    Missing     rows with a missing cell are left out and noted.
    Undefined   fewer than two items or raters, or no variance at all.
    Checked     R psych 2.2.9 `ICC`, irr 0.84.1 `icc`, pingouin.
    """
    check_level(level)
    one_of(form, get_args(IccForm), name="form")
    method = f"{form} (F interval)"
    table, notes = complete_rows(number_table(ratings, name="ratings"))
    squares = _squares(table, method, level, notes)
    if isinstance(squares, Estimate):
        return squares
    denominator = _icc_denominator(squares, form)
    noise = squares.within if form.startswith("ICC1") else squares.error
    if denominator <= 1e-15 * max(squares.rows, squares.within):
        reason = "the ratings vary less between items than their error allows"
        return undefined(reason, method=method, n=squares.n, level=level, notes=notes)
    value = (squares.rows - noise) / denominator
    if noise <= 1e-14 * squares.rows and (
        (form != "ICC2" and form != "ICC2k") or value >= 1 - 1e-12
    ):
        reason = "the raters agree perfectly, so the error variance is 0 and has no interval"
        return without_interval(1.0, reason, method=method, n=squares.n, level=level, notes=notes)
    if squares.rows <= 1e-14 * noise:
        reason = "the items' mean ratings are all the same, so the F of the interval is 0"
        return without_interval(value, reason, method=method, n=squares.n, level=level, notes=notes)
    low, high = _icc_bounds(squares, form, level)
    df = (
        float(squares.df_rows),
        float(squares.n * (squares.k - 1) if form.startswith("ICC1") else squares.df_error),
    )
    statistic = squares.rows / noise if noise > 0 else None
    p_value = None if statistic is None else float(special.fdtrc(*df, statistic))
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=squares.n,
        method=method,
        statistic=statistic,
        df=df,
        p_value=p_value,
        notes=notes,
    )


def cronbach_alpha(items: Any, *, level: float = 0.95) -> Estimate:
    """Do several items (columns) measure one thing across cases (rows)?

    Formula     α = k/(k − 1) · (1 − Σ var(item)/var(sum of items)), variances with n − 1. Equals
                ICC3k.
    Range       ≤ 1, higher is more consistent; negative when items work against each other.
    Orientation rows are cases, columns are items. For annotation traces the two readings differ:
    annotators as
                items over time points as cases, or time points as items over annotators as cases.
                Say which.
    Interval    Feldt's, from F with n − 1 and (n − 1)(k − 1) degrees of freedom.
    Missing     rows with a missing cell are left out and noted.
    Undefined   fewer than two cases or items; the sums do not vary.
    Source      Cronbach 1951; Feldt 1965.
    Checked     R psych 2.2.9 `alpha`, `alpha.ci`; psy 1.2 `cronbach`; pingouin.
    """
    check_level(level)
    method = "cronbach_alpha (Feldt interval)"
    table, notes = complete_rows(number_table(items, name="items"))
    if small := too_small(
        table, method=method, level=level, notes=notes, rows="cases", columns="items"
    ):
        return small
    n, k = table.shape
    total = float(table.sum(axis=1).var(ddof=1))
    single = float(table.var(axis=0, ddof=1).sum())
    if total <= 1e-14 * max(single, float(np.abs(table).max()) ** 2, 1e-300):
        return undefined(
            "the sums of the items do not vary between cases",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    value = k / (k - 1) * (1 - single / total)
    df = (float(n - 1), float((n - 1) * (k - 1)))
    tail = (1 - level) / 2
    low = 1 - (1 - value) * float(special.fdtri(*df, 1 - tail))
    high = 1 - (1 - value) * float(special.fdtri(*df, tail))
    if value >= 1 - 1e-12:
        reason = "the items are identical up to constants, so the error variance is 0"
        return without_interval(1.0, reason, method=method, n=n, level=level, notes=notes)
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, method=method, df=df, notes=notes
    )


def _squares(
    table: FloatArray, method: str, level: float, notes: tuple[str, ...]
) -> _Squares | Estimate:
    if small := too_small(table, method=method, level=level, notes=notes):
        return small
    if np.ptp(table) == 0:
        return undefined(
            "all ratings are the same", method=method, n=len(table), level=level, notes=notes
        )
    return _mean_squares(table)


def _mean_squares(table: FloatArray) -> _Squares:
    n, k = table.shape
    centred = table - table.mean()  # keeps the digits of ratings far from zero
    row_means, column_means = centred.mean(axis=1), centred.mean(axis=0)
    rows = k * float(row_means @ row_means)
    columns = n * float(column_means @ column_means)
    residual = centred - row_means[:, None] - column_means[None, :]
    error = float((residual * residual).sum())
    return _Squares(
        n=n,
        k=k,
        rows=rows / (n - 1),
        within=(error + columns) / (n * (k - 1)),
        columns=columns / (k - 1),
        error=error / ((n - 1) * (k - 1)),
    )


def _icc_denominator(s: _Squares, form: IccForm) -> float:
    return {
        "ICC1": s.rows + (s.k - 1) * s.within,
        "ICC2": s.rows + (s.k - 1) * s.error + s.k * (s.columns - s.error) / s.n,
        "ICC3": s.rows + (s.k - 1) * s.error,
        "ICC1k": s.rows,
        "ICC2k": s.rows + (s.columns - s.error) / s.n,
        "ICC3k": s.rows,
    }[form]


def _icc_bounds(s: _Squares, form: IccForm, level: float) -> tuple[float, float]:
    tail = 1 - (1 - level) / 2
    if form.startswith("ICC2"):
        low, high = _absolute_bounds(s, tail)
        if form == "ICC2k":
            low, high = _of_the_mean(low, s.k), _of_the_mean(high, s.k)
        return low, high
    noise = s.within if form.startswith("ICC1") else s.error
    df_noise = s.n * (s.k - 1) if form.startswith("ICC1") else s.df_error
    ratio = s.rows / noise
    lower = ratio / float(special.fdtri(s.df_rows, df_noise, tail))
    upper = ratio * float(special.fdtri(df_noise, s.df_rows, tail))
    if form.endswith("k"):
        return 1 - 1 / lower, 1 - 1 / upper
    return (lower - 1) / (lower + s.k - 1), (upper - 1) / (upper + s.k - 1)


def _of_the_mean(single: float, k: int) -> float:
    """The reliability of k raters' mean from that of one (Spearman–Brown); it has no lower
    limit.
    """
    divisor = 1 + (k - 1) * single
    return k * single / divisor if divisor > 0 else -math.inf


def _absolute_bounds(s: _Squares, tail: float) -> tuple[float, float]:
    v = satterthwaite_df(s, (s.rows - s.error) / _icc_denominator(s, "ICC2"))
    f_low = float(special.fdtri(s.df_rows, v, tail))
    f_high = float(special.fdtri(v, s.df_rows, tail))
    rest = s.k * s.columns + (s.k * s.n - s.k - s.n) * s.error
    low = s.n * (s.rows - f_low * s.error) / (f_low * rest + s.n * s.rows)
    high = s.n * (f_high * s.rows - s.error) / (rest + s.n * f_high * s.rows)
    return low, high


def satterthwaite_df(s: _Squares, value: float) -> float:
    """The degrees of freedom of the mixture of rater and residual variance in ICC2's interval."""
    value = max(value, 0.0)  # a negative estimate would give rater variance a negative weight
    a = s.k * value / (s.n * (1 - value))
    b = 1 + s.k * value * (s.n - 1) / (s.n * (1 - value))
    mix = a * s.columns + b * s.error
    parts = (a * s.columns) ** 2 / (s.k - 1) + (b * s.error) ** 2 / s.df_error
    return mix * mix / parts if parts > 0 and math.isfinite(parts) else float(s.df_error)


_CELLS_AT_ONCE = 2_000_000


def kendall_w(ratings: Any, *, level: float = 0.95) -> Estimate:
    """Do several raters (columns) rank the items (rows) alike?

    Formula     W = 12 S/(k²(n³ − n) − k ΣT): S the squared deviations of the items' rank sums, T =
                Σ(t³ − t) over each rater's ties (the tie correction).
    Range       0 (no common order) to 1 (the same order). W relates to the mean Spearman
                correlation r of all pairs of raters by r = (kW − 1)/(k − 1).
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
        None if b is None else min(max((1 + (k - 1) * b) / k, 0.0), 1.0)
        for b in (inner.low, inner.high)
    )
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=n,
        method=method,
        reason=inner.reason,
        statistic=chi_square,
        df=(float(n - 1),),
        p_value=float(special.chdtrc(n - 1, chi_square)),
        notes=notes,
    )


def _tie_sums(table: FloatArray) -> FloatArray:
    """Per rater: Σ(t³ − t) over groups of tied items."""
    sums = []
    for column in table.T:
        times = np.unique(column, return_counts=True)[1].astype(np.float64)
        sums.append(float((times**3 - times).sum()))
    return np.array(sums)


def _mean_r_without_each(table: FloatArray, ranks: FloatArray) -> FloatArray:
    """(kW − 1)/(k − 1) without each item in turn, exact: the other items' ranks move down past the
    one removed.
    """
    n, k = table.shape
    ties = _tie_sums(table)
    group = np.stack([_group_size(column) for column in table.T], axis=1)
    # A rater's Σ(t³ − t) loses (t³ − t) − ((t−1)³ − (t−1)) = 3t² − 3t when one of t tied items
    # goes.
    ties_left = (ties - (3 * group**2 - 3 * group)).sum(axis=1)
    limit = k * k * ((n - 1) ** 3 - (n - 1)) - k * ties_left
    squares = np.empty(n)
    step = max(1, _CELLS_AT_ONCE // n)
    sums = ranks.sum(axis=1)
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        moved = np.zeros((rows.stop - start, n))
        for column in table.T:
            moved += (column[None, :] > column[rows, None]) + 0.5 * (
                column[None, :] == column[rows, None]
            )
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
