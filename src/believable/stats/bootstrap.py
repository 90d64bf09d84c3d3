"""Resampling: bootstrap intervals (also by cluster and two-way), permutation tests, the exact
median interval.

The same generator state gives the same result on any number of workers: every block of resamples
has its own seed, derived from the block's number alone.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from believable.core.errors import InvalidInput
from believable.core.work import Progress, bounds, map_chunks
from believable.stats.estimate import Estimate, check_level, without_interval
from believable.stats.inputs import FloatArray, finite_array, one_of
from believable.stats.ranks import binomial_index

Statistic = str | Callable[..., Any]
IntArray = NDArray[np.int64]

BLOCK = 1000
NAMED: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "median": np.median,
    "sd": partial(np.std, ddof=1),
}
METHODS = ("percentile", "bca", "expanded")


def bootstrap(
    data: ArrayLike,
    statistic: Statistic,
    *,
    rng: np.random.Generator,
    method: str = "percentile",
    clusters: ArrayLike | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
    workers: int = 1,
    executor: Any = None,
    progress: Progress | None = None,
) -> Estimate:
    """A statistic with its bootstrap interval; resampled are rows, or whole clusters of rows.

    data         one value per row, or a table whose rows are resampled together
    statistic    "mean", "median", "sd", or a function of the rows that returns a number. A function
                 with an `axis` argument is called on many resamples at once.
    method       "percentile": quantiles of the resampled statistic; "bca": corrected for bias and
                 skewness by a jackknife over rows (clusters); "expanded": percentile at quantiles
                 widened for the number of units, which corrects the percentile interval of a mean
                 in small samples.
    clusters     the unit each row belongs to (say its judge); units are drawn, with all their rows
    workers, executor, progress   as in `core.work.map_chunks`; worth it for slow statistics only
    Undefined    a statistic that is not a number on the data: None; one unit only, or resamples
                 without spread to correct by (bca): no interval. A median of too few values (5 at
                 95 %) has none: from the lowest to the highest of 3 values covers 75 % at most. Of
                 values without variance the interval has no width (noted). Resamples on which it is
                 undefined are left out and counted.
    Source       Efron (1979, 1987); Hesterberg (2015) for "expanded". The median of resamples is
                 drawn through its order statistics, which has the same distribution and costs O(1)
                 per resample.
    Checked      R boot (percentile, BCa); scipy.stats.bootstrap on the same resamples; the
                 closed-form bootstrap distribution of the median.
    """
    check_level(level)
    one_of(method, METHODS, name="method")
    _check_resamples(resamples)
    rows = _rows(data)
    function = _function(statistic)
    units = None if clusters is None else _members(clusters, len(rows), name="clusters")
    count = len(rows) if units is None else len(units)
    named = f"{_name(statistic)}, {method} bootstrap{' by cluster' if units is not None else ''}"
    value = float(function(rows))
    if not math.isfinite(value):
        return Estimate(
            value=None,
            low=None,
            high=None,
            level=level,
            n=count,
            method=named,
            reason=f"the statistic of the data is {value}",
        )
    if count < 2:
        return without_interval(
            value,
            f"needs at least 2 units to resample, got {count}",
            method=named,
            n=count,
            level=level,
        )
    if (
        units is None
        and rows.ndim == 1
        and (statistic == "median" or statistic is np.median)
        and binomial_index(count, level) == 0
    ):
        most = 1 - 2 * 0.5**count
        reason = (
            f"{count} values are too few for a median: from the lowest to the highest covers"
            f" {most:.0%} at most"
        )
        return without_interval(value, reason, method=named, n=count, level=level)
    draw = partial(_draw_rows, rows, statistic, units)
    replicates = _replicates(
        draw,
        resamples=resamples,
        rng=rng,
        workers=workers,
        executor=executor,
        progress=progress,
        statistic=statistic,
    )
    kept, notes = _finite(replicates)
    if len(kept) < 2:
        return without_interval(
            value,
            "undefined on nearly every resample",
            method=named,
            n=count,
            level=level,
            notes=notes,
        )
    if (rows == rows[0]).all():
        notes = (*notes, "the values have no variance, so the interval has no width")
    left_out = _jackknife(rows, function, units) if method == "bca" else None
    estimate = interval(kept, value, method=method, level=level, n=count, left_out=left_out)
    if estimate is None:
        return without_interval(
            value,
            "the resamples show no spread to correct by",
            method=named,
            n=count,
            level=level,
            notes=notes,
        )
    low, high = estimate
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        n=count,
        method=named,
        se=float(kept.std(ddof=1)),
        notes=notes,
    )


def interval(
    replicates: FloatArray,
    value: float,
    *,
    method: str,
    level: float,
    n: float,
    left_out: FloatArray | None = None,
) -> tuple[float, float] | None:
    """The bootstrap bounds from resampled statistics; None when BCa has no spread to correct by."""
    half = (1 - level) / 2
    chances = np.array([half, 1 - half])
    if method == "expanded":
        chances = special.ndtr(math.sqrt(n / (n - 1)) * special.stdtrit(n - 1, chances))
    if method == "bca" and replicates.min() != replicates.max():
        below = (replicates < value).mean() + (replicates == value).mean() / 2
        if left_out is None or not 0 < below < 1:
            return None
        bias, acceleration = float(special.ndtri(below)), _acceleration(left_out)
        shifted = bias + special.ndtri(chances)
        chances = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = np.quantile(replicates, chances)
    return float(low), float(high)


def median_interval(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The median with its exact order-statistic interval.

    Says         where the population median lies, whatever the distribution.
    Formula      [k-th smallest, k-th largest] with the largest k for which the binomial tail keeps
                 the level.
    Exact        covers at least its level (the achieved one is in the notes); with ties more.
    Undefined    no values. With too few values (5 at 95 %) the interval is unbounded.
    Source       Thompson (1936). Checked against R: sort(x)[qbinom(0.025, n, 0.5)], and the sign
                 test.
    """
    check_level(level)
    sample = np.sort(finite_array(values, name="values"))
    n, named = len(sample), "median, exact order-statistic interval"
    if n == 0:
        return Estimate(
            value=None, low=None, high=None, level=level, n=0, method=named, reason="no values"
        )
    index = binomial_index(n, level)
    value = float(np.median(sample))
    if index == 0:
        note = (f"too few values for a bounded interval at this level: {n}",)
        return Estimate(
            value=value,
            low=-math.inf,
            high=math.inf,
            level=level,
            n=n,
            method=named,
            exact=True,
            notes=note,
        )
    achieved = 1 - 2 * float(special.bdtr(index - 1, n, 0.5))
    return Estimate(
        value=value,
        low=float(sample[index - 1]),
        high=float(sample[n - index]),
        level=level,
        n=n,
        method=named,
        exact=True,
        notes=(f"achieved level {achieved:.4f}",),
    )


def _check_resamples(resamples: int) -> None:
    if resamples < 100:
        raise InvalidInput(
            f"resamples: expected at least 100, got {resamples}. Give 10000 for a published"
            " interval."
        )


def _rows(data: ArrayLike) -> FloatArray:
    array = np.asarray(data)
    return finite_array(data, name="data", ndim=2 if array.ndim == 2 else 1, least=1, squared=True)


def _function(statistic: Statistic) -> Callable[..., Any]:
    if callable(statistic):
        return statistic
    one_of(statistic, tuple(NAMED), name="statistic")
    return NAMED[statistic]


def _name(statistic: Statistic) -> str:
    return (
        statistic
        if isinstance(statistic, str)
        else str(getattr(statistic, "__name__", "statistic"))
    )


def _members(labels: ArrayLike, n: int, *, name: str) -> list[IntArray]:
    """For each unit the rows that belong to it, units in the order of their first appearance."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InvalidInput(
            f"{name}: expected one label for each of {n} rows, got shape {array.shape}."
        )
    _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(inverse))[:-1])
    return [groups[index].astype(np.int64) for index in np.argsort(first)]


def _replicates(
    draw: Callable[[tuple[int, int, int]], FloatArray],
    resamples: int,
    rng: np.random.Generator,
    workers: int,
    executor: Any,
    progress: Progress | None,
    statistic: Statistic,
) -> FloatArray:
    root = int(rng.integers(2**63))
    blocks = [
        (root, index, stop - start) for index, (start, stop) in enumerate(bounds(resamples, BLOCK))
    ]
    # A named statistic spends its time inside numpy; a function of the user's in Python.
    pool: Any = "threads" if isinstance(statistic, str) else "processes"
    parts = map_chunks(
        draw, blocks, workers=workers, executor=executor, progress=progress, pool=pool
    )
    return np.concatenate(parts)


def _finite(replicates: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    good = np.isfinite(replicates)
    lost = len(replicates) - int(good.sum())
    note = (f"undefined on {lost} of {len(replicates)} resamples, left out",) if lost else ()
    return replicates[good], note


def _draw_rows(
    rows: FloatArray,
    statistic: Statistic,
    units: list[IntArray] | None,
    block: tuple[int, int, int],
) -> FloatArray:
    rng, count = np.random.Generator(np.random.SFC64(np.random.SeedSequence(block[:2]))), block[2]
    if units is not None:
        return _draw_clusters(rows, statistic, units, rng, count)
    if rows.ndim == 1 and (statistic == "median" or statistic is np.median):
        return _draw_medians(np.sort(rows), rng, count)
    picks = rng.integers(0, len(rows), size=(count, len(rows)))
    function = _function(statistic)
    if rows.ndim == 1 and _is_vectorised(statistic):
        return np.asarray(function(rows[picks], axis=-1), dtype=np.float64)
    return np.array([float(function(rows[pick])) for pick in picks])


def _is_vectorised(statistic: Statistic) -> bool:
    if isinstance(statistic, str):
        return True
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):  # a compiled function without a signature
        return False


def _draw_medians(ordered: FloatArray, rng: np.random.Generator, count: int) -> FloatArray:
    """Medians of resamples, drawn as order statistics of uniform positions: no resample is ever
    written down.
    """
    n = len(ordered)
    k = (n + 1) // 2  # the lower middle one, counted from 1
    lower = rng.beta(k, n - k + 1, size=count)
    low = ordered[np.minimum((lower * n).astype(np.int64), n - 1)]
    if n % 2:
        return low
    # Given the k-th of n uniforms, the next one is the smallest of n − k uniforms on the interval
    # above it.
    upper = lower + (1 - lower) * rng.beta(1, n - k, size=count)
    high = ordered[np.minimum((upper * n).astype(np.int64), n - 1)]
    middle: FloatArray = (low + high) / 2
    return middle


def _draw_clusters(
    rows: FloatArray,
    statistic: Statistic,
    units: list[IntArray],
    rng: np.random.Generator,
    count: int,
) -> FloatArray:
    picks = rng.integers(0, len(units), size=(count, len(units)))
    if rows.ndim == 1 and (statistic == "mean" or statistic is np.mean):
        sums = np.array([rows[unit].sum() for unit in units])
        sizes = np.array([len(unit) for unit in units], dtype=np.float64)
        means: FloatArray = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
        return means
    function = _function(statistic)
    return np.array(
        [float(function(rows[np.concatenate([units[i] for i in pick])])) for pick in picks]
    )


def _jackknife(
    rows: FloatArray, function: Callable[..., Any], units: list[IntArray] | None
) -> FloatArray:
    groups = [np.array([index]) for index in range(len(rows))] if units is None else units
    return np.array([float(function(np.delete(rows, group, axis=0))) for group in groups])


def _acceleration(left_out: FloatArray) -> float:
    deviation = left_out.mean() - left_out
    spread = float((deviation**2).sum())
    return float((deviation**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def bca_by_moments(
    value: float,
    replicates: ArrayLike,
    counts: ArrayLike,
    *,
    method: str,
    level: float = 0.95,
    df: float | None = None,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """A statistic with its BCa interval, given its values on bootstrap resamples and how often each
    unit was drawn.

    value        the statistic of the data, taken as unbiased: resamples show its spread and
                 skewness, not its location
    replicates   the statistic of each resample
    counts       `[resample, unit]`: how often each unit is in each resample
    df           of the t quantile used instead of the normal one, which small samples need; by
                 default the number of units − 1, `math.inf` for the normal quantile
    limits       values that the statistic cannot leave; the bounds end there
    Formula      value + SE·(w + γ(w² − 1)/6), w = z₀ + (z₀ + t)/(1 − a(z₀ + t)): the Cornish–Fisher
                 expansion of the resamples' quantile, with their standard deviation times √(n/(n −
                 1)) as SE and their skewness γ; z₀ = γ/6; a = skewness of the units'
                 influence/(6√n), the influence of a unit being its counts' covariance with the
                 replicates.
    Undefined    replicates without spread: no interval.
    Source       Efron (1987), Better bootstrap confidence intervals; Hall (1992), The bootstrap and
                 Edgeworth expansion; Hesterberg (2015) for n − 1 and t; for the influence Efron
                 (2014), Estimation and accuracy after model selection.
    Checked      R boot.ci(type = "bca") of means.
    """
    check_level(level)
    values, drawn = (
        finite_array(replicates, name="replicates", least=1),
        np.asarray(counts, dtype=np.float64),
    )
    if drawn.ndim != 2 or len(drawn) != len(values):
        raise InvalidInput(
            f"counts: expected a row for each of {len(values)} replicates, got shape {drawn.shape}."
            " Give how often each unit is in each resample."
        )
    n = drawn.shape[1]
    if len(values) < 2 or np.ptp(values) == 0:
        return without_interval(
            value, "the resamples show no spread", method=method, n=n, level=level
        )
    deviations = values - values.mean()
    # Resamples of n units vary like samples from n units, a little less than samples from the
    # population.
    se, skewness = float(values.std(ddof=1)) * math.sqrt(n / max(n - 1, 1)), _skewness(values)
    influence = deviations @ (drawn - drawn.mean(axis=0))
    acceleration = _skewness(influence) / (6 * math.sqrt(n)) if np.ptp(influence) > 0 else 0.0
    freedom = float(n - 1) if df is None else df
    quantile = float(special.stdtrit(freedom, (1 + level) / 2))
    low, high = (
        min(max(value + se * _bound(t, skewness, acceleration), limits[0]), limits[1])
        for t in (-quantile, quantile)
    )
    return Estimate(
        value=value, low=low, high=high, level=level, n=n, method=method, se=se, df=(freedom,)
    )


def _bound(quantile: float, skewness: float, acceleration: float) -> float:
    """A bound in standard errors from the value."""
    bias = skewness / 6
    shifted = bias + quantile
    slowed = 1 - acceleration * shifted
    if slowed <= 0:
        return math.copysign(math.inf, shifted)
    w = bias + shifted / slowed
    # The expansion turns back at w = −3/γ; a bound ends there.
    if skewness * w < -3:
        w = -3 / skewness
    return w + skewness * (w**2 - 1) / 6


def _skewness(values: FloatArray) -> float:
    deviations = values - values.mean()
    return float((deviations**3).mean() / (deviations**2).mean() ** 1.5)
