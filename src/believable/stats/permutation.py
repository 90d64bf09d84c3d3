"""Permutation tests: exact where all rearrangements can be listed, by random ones otherwise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from believable.core.errors import InvalidInput
from believable.core.work import bounds
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays
from believable.stats.result import TestResult, check_alternative, no_result

BLOCK = 1000
Statistic = str | Callable[[FloatArray, FloatArray], float]


def permutation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    rng: np.random.Generator,
    statistic: Statistic = "mean_difference",
    kind: str = "independent",
    alternative: str = "two-sided",
    resamples: int = 10_000,
) -> TestResult:
    """Could chance rearrangement of the data give a statistic this large?

    statistic    "mean_difference", "median_difference", "correlation", or a function of both
                 samples
    kind         "independent": any assignment of the pooled values to both samples; "paired": swap
                 within pairs; "association": pair every value of a with any of b
    p            exact over all rearrangements when there are at most `resamples` of them; otherwise
                 (1 + as extreme)/(1 + resamples), never 0. Two-sided: twice the smaller tail.
                 Statistics that are equal up to rounding count as equal.
    Undefined    an empty sample; a statistic that is not a number on the data.
    Source       scipy.stats.permutation_test; Fisher (1935); Phipson & Smyth (2010) for the 1 +.
    Checked      R exactRankTests::perm.test, coin::oneway_test(distribution = "exact"),
                 cor.test(exact = TRUE).
    """
    side = check_alternative(alternative)
    one_of(kind, tuple(_TYPES), name="kind")
    if resamples < 100:
        raise InvalidInput(
            f"resamples: expected at least 100, got {resamples}. Give 10000 for a published p."
        )
    if isinstance(statistic, str):
        one_of(statistic, tuple(_NAMED), name="statistic")
    function = statistic if callable(statistic) else _NAMED[statistic]
    first, second = (
        (finite_array(a, name="a"), finite_array(b, name="b"))
        if kind == "independent"
        else paired_arrays(a, b)
    )
    n = len(first) + len(second) if kind == "independent" else len(first)
    method = f"permutation test ({kind})"
    if min(len(first), len(second)) == 0:
        return no_result("a sample is empty", method=method, n=n, alternative=side)
    observed = float(function(first, second))
    if not math.isfinite(observed):
        return no_result(
            f"the statistic of the data is {observed}", method=method, n=n, alternative=side
        )
    total = _arrangements(kind, len(first), len(second))
    samples = (second,) if kind == "association" else (first, second)
    found = stats.permutation_test(
        samples,
        partial(
            _round_statistic, function, first if kind == "association" else None, abs(observed)
        ),
        permutation_type=_TYPES[kind],
        vectorized=False,
        n_resamples=resamples,
        alternative=side,
        rng=rng,
    )
    exact = total <= resamples
    how = f"exact over {total} arrangements" if exact else f"{resamples} random arrangements"
    return TestResult(
        statistic=observed,
        p_value=float(found.pvalue),
        n=n,
        method=f"permutation test ({kind}, {how})",
        alternative=side,
        symbol=_SYMBOLS.get(statistic, "statistic") if isinstance(statistic, str) else "statistic",
    )


def _round_statistic(
    function: Callable[[FloatArray, FloatArray], float],
    fixed: FloatArray | None,
    scale: float,
    *samples: FloatArray,
) -> float:
    """The statistic to twelve digits: SciPy's tolerance is relative to the observed statistic, and
    therefore none if that is 0.
    """
    pair = samples if fixed is None else (fixed, *samples)
    return round(float(function(*pair)) / max(1.0, scale), 12)


def _correlation(a: FloatArray, b: FloatArray) -> float:
    x, y = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0 else math.nan


_NAMED: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "mean_difference": lambda a, b: float(a.mean() - b.mean()),
    "median_difference": lambda a, b: float(np.median(a) - np.median(b)),
    "correlation": _correlation,
}
#: Printed names of the built-in statistics.
_SYMBOLS = {"mean_difference": "difference", "median_difference": "difference", "correlation": "r"}
#: What SciPy calls the kinds.
_TYPES = {"independent": "independent", "paired": "samples", "association": "pairings"}


def _arrangements(kind: str, m: int, n: int) -> int:
    if kind == "independent":
        return math.comb(m + n, m)
    return 2**m if kind == "paired" else math.factorial(m)


def permutation_anova(
    values: ArrayLike, groups: ArrayLike, *, rng: np.random.Generator, resamples: int = 9_999
) -> TestResult:
    """Do groups of units differ in any of several cells?

    values       a row for each unit (session), a column for each cell (condition) in the same unit
                 of measurement; NaN: none
    groups       the group of each unit, as numbers
    Formula      F = (ΣSSB/Σ(k−1)) / (ΣSSW/Σ(n−k)), each sum over the cells; with a single cell the
                 F of a one-way ANOVA.
    p            share of arrangements of whole units over groups with an F at least as large: exact
                 over all of them if there are at most `resamples`, otherwise (1 + as large)/(1 +
                 resamples).
    Limit        without variance within groups F is infinite; R² = ΣSSB/(ΣSSB + ΣSSW) = 1 is given
                 instead, with the same p.
    Undefined    fewer than two groups of at least two units; no cell with values of two groups; no
                 variance at all.
    Why ours     SciPy rearranges single values, not units with a value in each of several cells.
    Source       Anderson (2001), with Euclidean distances; Phipson & Smyth (2010) for the 1 +.
    Checked      scipy.stats.permutation_test of f_oneway.
    """
    method = "permutation ANOVA"
    table = np.asarray(values, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    labels = np.asarray(groups)
    if len(table) != len(labels):
        raise InvalidInput(
            f"groups: expected one for each of {len(table)} units, got {len(labels)}."
        )
    used = ~np.isnan(table).all(axis=1)
    table, labels = table[used], labels[used]
    names, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes, minlength=len(names))
    if len(names) < 2 or sizes.min() < 2:
        return no_result("a group has fewer than two units", method=method, n=len(table))
    observed = float(_pseudo_f(table, codes[None, :], len(names))[0])
    if math.isnan(observed):
        return no_result(
            "the values do not vary, or no cell has values of two groups",
            method=method,
            n=len(table),
        )
    total = math.factorial(len(codes))
    for size in sizes.tolist():
        total //= math.factorial(size)
    exact = total <= resamples
    if exact:
        drawn = _pseudo_f(
            table, np.array(list(_arrange_labels(sizes.tolist(), len(codes)))), len(names)
        )
    else:
        blocks = [
            rng.permuted(np.tile(codes, (stop - start, 1)), axis=1)
            for start, stop in bounds(resamples, BLOCK)
        ]
        drawn = np.concatenate([_pseudo_f(table, block, len(names)) for block in blocks])
    separate = math.isinf(observed)
    least = observed if separate else observed - 1e-9 * max(1.0, abs(observed))
    extra = 0 if exact else 1
    at_least = int((np.nan_to_num(drawn, nan=-np.inf, posinf=np.inf) >= least).sum())
    p_value = (at_least + extra) / (len(drawn) + extra)
    how = f"exact over {total} arrangements" if exact else f"{resamples} random arrangements"
    if separate:
        method = f"{method} without variance within groups"
        return TestResult(
            statistic=1.0, p_value=p_value, n=len(table), method=f"{method}, {how}", symbol="R²"
        )
    return TestResult(
        statistic=observed, p_value=p_value, n=len(table), method=f"{method}, {how}", symbol="F"
    )


def _pseudo_f(table: FloatArray, labels: NDArray[np.int64], n_groups: int) -> FloatArray:
    """F for each row of `labels`; NaN if it is undefined."""
    known = (~np.isnan(table)).astype(np.float64)
    centred = np.where(
        known > 0, table - np.nanmean(np.where(known.any(axis=0), table, 0.0), axis=0), 0.0
    )
    one_hot = (labels[:, None, :] == np.arange(n_groups)[None, :, None]).astype(np.float64)
    counts, sums = one_hot @ known, one_hot @ centred
    between = np.divide(sums**2, counts, out=np.zeros_like(sums), where=counts > 0).sum(axis=1)
    within = (centred**2).sum(axis=0) - between
    filled = (counts > 0).sum(axis=1)
    compared = filled > 1
    df_between = np.where(compared, filled - 1, 0).sum(axis=1)
    df_within = np.where(compared, known.sum(axis=0) - filled, 0).sum(axis=1)
    ss_between, ss_within = (
        np.where(compared, between, 0).sum(axis=1),
        np.where(compared, within, 0).sum(axis=1),
    )
    ss_within = np.where(ss_within < 1e-12 * np.maximum(ss_between, 1e-300), 0.0, ss_within)
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (ss_between / df_between) / (ss_within / df_within)
    undefined = (df_between == 0) | (df_within <= 0) | ((ss_between <= 0) & (ss_within <= 0))
    return np.where(undefined, np.nan, f)


def _arrange_labels(sizes: list[int], n: int) -> Any:
    """Every assignment of n units to groups of these sizes."""

    def fill(free: tuple[int, ...], group: int, labels: list[int]) -> Any:
        if group == len(sizes) - 1:
            for unit in free:
                labels[unit] = group
            yield list(labels)
            return
        for chosen in itertools.combinations(free, sizes[group]):
            for unit in chosen:
                labels[unit] = group
            yield from fill(tuple(unit for unit in free if unit not in chosen), group + 1, labels)

    yield from fill(tuple(range(n)), 0, [0] * n)
