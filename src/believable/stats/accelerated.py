"""BCa bounds from the moments of a few hundred resamples, for statistics that are too slow for thousands."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, check_level, without_interval
from believable.stats.inputs import FloatArray, finite_array


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
    """A statistic with its BCa interval, given its values on bootstrap resamples and how often each unit was drawn.

    value        the statistic of the data, taken as unbiased: resamples tell its spread and skewness, not its place
    replicates   the statistic of each resample
    counts       `[resample, unit]`: how often each unit is in each resample
    df           of the t quantile that stands for the normal one, as small samples need it; by default the number of units − 1,
                 `math.inf` for the normal quantile
    limits       values that the statistic cannot leave; the bounds end there
    Formula      value + SE·(w + γ(w² − 1)/6), w = z₀ + (z₀ + t)/(1 − a(z₀ + t)): the Cornish–Fisher expansion of the resamples'
                 quantile, with their standard deviation times √(n/(n − 1)) as SE and their skewness γ; z₀ = γ/6; a = skewness of
                 the units' influence/(6√n), the influence of a unit being its counts' covariance with the replicates.
    Undefined    replicates without spread: no interval.
    Source       Efron (1987), Better bootstrap confidence intervals; Hall (1992), The bootstrap and Edgeworth expansion;
                 Hesterberg (2015) for n − 1 and t; for the influence Efron (2014), Estimation and accuracy after model selection.
    Checked      R boot.ci(type = "bca") of means.
    """
    check_level(level)
    found, drawn = finite_array(replicates, name="replicates", least=1), np.asarray(counts, dtype=np.float64)
    if drawn.ndim != 2 or len(drawn) != len(found):
        raise InvalidInput(
            f"counts: expected a row for each of {len(found)} replicates, got shape {drawn.shape}. "
            "Give how often each unit is in each resample."
        )
    n = drawn.shape[1]
    if len(found) < 2 or np.ptp(found) == 0:
        return without_interval(value, "the resamples show no spread", method=method, n=n, level=level)
    deviations = found - found.mean()
    # Resamples of n units vary like samples from n units, a little less than samples from the population.
    se, skewness = float(found.std(ddof=1)) * math.sqrt(n / max(n - 1, 1)), _skewness(found)
    influence = deviations @ (drawn - drawn.mean(axis=0))
    acceleration = _skewness(influence) / (6 * math.sqrt(n)) if np.ptp(influence) > 0 else 0.0
    freedom = float(n - 1) if df is None else df
    quantile = float(special.stdtrit(freedom, (1 + level) / 2))
    low, high = (
        min(max(value + se * _bound(t, skewness, acceleration), limits[0]), limits[1])
        for t in (-quantile, quantile)
    )
    return Estimate(value, low, high, level, n, method, se=se, df=(freedom,))


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
