"""Permutation tests: exact where all rearrangements can be listed, by random ones otherwise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.core.work import Progress, bounds, map_chunks
from believable.stats.inputs import FloatArray, finite_array, one_of, paired_arrays
from believable.stats.result import TestResult, check_alternative, no_result, tail

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
    workers: int = 1,
    executor: Any = None,
    progress: Progress | None = None,
) -> TestResult:
    """Could chance rearrangement of the data give a statistic this large?

    statistic    "mean_difference", "median_difference", "correlation", or a function of both samples
    kind         "independent": any assignment of the pooled values to both samples; "paired": swap within
                 pairs; "association": pair every value of a with any of b
    p            exact over all rearrangements when there are at most `resamples` of them; otherwise
                 (1 + as extreme)/(1 + resamples), never 0. Two-sided: twice the smaller tail.
    Undefined    an empty sample; a statistic that is not a number on the data.
    Source       Fisher (1935); Phipson & Smyth (2010) for the 1 +.
    Checked      R exactRankTests::perm.test, coin::oneway_test(distribution = "exact"), cor.test(exact =
                 TRUE).
    """
    side = check_alternative(alternative)
    one_of(kind, ("independent", "paired", "association"), name="kind")
    if resamples < 100:
        raise InvalidInput(f"resamples: expected at least 100, got {resamples}. Give 10000 for a published p.")
    function = _function(statistic)
    first, second = (finite_array(a, name="a"), finite_array(b, name="b")) if kind == "independent" else paired_arrays(a, b)
    n = len(first) + len(second) if kind == "independent" else len(first)
    if min(len(first), len(second)) == 0:
        return no_result("a sample is empty", method=f"permutation test ({kind})", n=n, alternative=side)
    observed = float(function(first, second))
    if not math.isfinite(observed):
        return no_result(f"the statistic of the data is {observed}", method=f"permutation test ({kind})", n=n, alternative=side)
    total = _arrangements(kind, len(first), len(second))
    exact = total <= resamples
    jobs: list[tuple[int, int, int]]
    root = int(rng.integers(2**63))
    jobs = [(root, index, stop - start) for index, (start, stop) in enumerate(bounds(resamples, BLOCK))]
    if exact:
        drawn = np.array([float(function(*pair)) for pair in _every(kind, first, second)])
    else:
        block = partial(_random_block, kind, first, second, function)
        pool: Any = "threads" if isinstance(statistic, str) else "processes"
        drawn = np.concatenate(map_chunks(block, jobs, workers=workers, executor=executor, progress=progress, pool=pool))
    lower, upper = _tails(drawn, observed, extra=0 if exact else 1)
    how = f"exact over {total} arrangements" if exact else f"{resamples} random arrangements"
    method = f"permutation test ({kind}, {how})"
    symbol = _SYMBOLS.get(statistic, "statistic") if isinstance(statistic, str) else "statistic"
    return TestResult(observed, tail(lower, upper, side), n, method, (), side, symbol=symbol)


def _correlation(a: FloatArray, b: FloatArray) -> float:
    x, y = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0 else math.nan


_NAMED: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "mean_difference": lambda a, b: float(a.mean() - b.mean()),
    "median_difference": lambda a, b: float(np.median(a) - np.median(b)),
    "correlation": _correlation,
}


#: What the built-in statistics are called in print.
_SYMBOLS = {"mean_difference": "difference", "median_difference": "difference", "correlation": "r"}


def _function(statistic: Statistic) -> Callable[[FloatArray, FloatArray], float]:
    if callable(statistic):
        return statistic
    one_of(statistic, tuple(_NAMED), name="statistic")
    return _NAMED[statistic]


def _arrangements(kind: str, m: int, n: int) -> int:
    if kind == "independent":
        return math.comb(m + n, m)
    return 2**m if kind == "paired" else math.factorial(m)


def _every(kind: str, a: FloatArray, b: FloatArray) -> Any:
    if kind == "independent":
        pooled = np.concatenate([a, b])
        for chosen in itertools.combinations(range(len(pooled)), len(a)):
            mask = np.zeros(len(pooled), dtype=bool)
            mask[list(chosen)] = True
            yield pooled[mask], pooled[~mask]
    elif kind == "paired":
        for swap in itertools.product((False, True), repeat=len(a)):
            yield _swapped(a, b, np.array(swap))
    else:
        for order in itertools.permutations(range(len(b))):
            yield a, b[list(order)]


def _swapped(a: FloatArray, b: FloatArray, swap: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    return np.where(swap, b, a), np.where(swap, a, b)


def _random_block(
    kind: str, a: FloatArray, b: FloatArray, function: Callable[[FloatArray, FloatArray], float], job: tuple[int, int, int]
) -> FloatArray:
    rng = np.random.default_rng(np.random.SeedSequence(job[:2]))
    pooled = np.concatenate([a, b])
    replicates = np.empty(job[2])
    for index in range(job[2]):
        if kind == "independent":
            order = rng.permutation(pooled)
            pair = order[: len(a)], order[len(a) :]
        elif kind == "paired":
            pair = _swapped(a, b, rng.random(len(a)) < 0.5)
        else:
            pair = a, rng.permutation(b)
        replicates[index] = float(function(*pair))
    return replicates


def _tails(drawn: FloatArray, observed: float, *, extra: int) -> tuple[float, float]:
    """Shares at most and at least as large as observed; equal up to rounding counts as equal."""
    slack = 1e-12 * max(1.0, abs(observed), float(np.abs(drawn).max()))
    total = len(drawn) + extra
    lower = (int((drawn <= observed + slack).sum()) + extra) / total
    upper = (int((drawn >= observed - slack).sum()) + extra) / total
    return lower, upper
