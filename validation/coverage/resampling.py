"""Bootstrap intervals and the exact median interval."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from believable.stats.bootstrap import bca_by_moments, bootstrap, median_interval
from believable.stats.estimate import Estimate
from believable.stats.two_way import bootstrap_two_way
from validation.coverage.case import CoverageCase


def _judges(rng: np.random.Generator) -> tuple[Any, Any]:
    """40 judges with 6 answers each and an effect of their own."""
    values = rng.normal(0, 0.5, 40)[:, None] + rng.normal(0, 1, (40, 6))
    return values.ravel(), np.repeat(np.arange(40), 6)


def _crossed(judges: int, clips: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    values = (
        rng.normal(0, 0.3, judges)[:, None]
        + rng.normal(0, 0.3, clips)
        + rng.normal(0, 1, (judges, clips))
    )
    rows, columns = np.indices((judges, clips))
    return values.ravel(), rows.ravel(), columns.ravel()


def _seeded(data: Any) -> np.random.Generator:
    """Resampling chance from the data themselves: independent between simulations, the same at
    every run.
    """
    return np.random.default_rng(abs(int(np.asarray(data).ravel()[0] * 1e12)))


def _boot(data: Any, statistic: Any, method: str, resamples: int = 1000) -> Estimate:
    return bootstrap(data, statistic, rng=_seeded(data), method=method, resamples=resamples)


def _by_moments(data: Any, power: int) -> Estimate:
    """The mean (1) or the variance (2) of values, by 200 resamples."""
    n = len(data)
    counts = _seeded(data).multinomial(n, np.full(n, 1 / n), size=200)
    means = counts @ data / n
    replicates = means if power == 1 else (counts @ data**2 - n * means**2) / (n - 1)
    value = float(data.mean() if power == 1 else data.var(ddof=1))
    return bca_by_moments(value, replicates, counts, method="by moments")


CASES: tuple[CoverageCase, ...] = (
    CoverageCase(
        "bootstrap: percentile, mean of 92 judges",
        0.0,
        lambda rng: rng.normal(size=92),
        lambda data: _boot(data, "mean", "percentile"),
    ),
    CoverageCase(
        "bootstrap: percentile, median of 92 judges",
        0.0,
        lambda rng: rng.normal(size=92),
        lambda data: _boot(data, "median", "percentile", 2000),
    ),
    CoverageCase(
        "bootstrap: expanded, mean of 20 judges",
        0.0,
        lambda rng: rng.normal(size=20),
        lambda data: _boot(data, "mean", "expanded"),
    ),
    CoverageCase(
        "bootstrap: bca, mean of 60 skewed values",
        1.0,
        lambda rng: rng.gamma(4.0, 0.25, size=60),
        lambda data: _boot(data, "mean", "bca", 2000),
    ),
    CoverageCase(
        "bootstrap: bca, sd of 100 values",
        1.0,
        lambda rng: rng.normal(size=100),
        lambda data: _boot(data, "sd", "bca"),
    ),
    CoverageCase(
        "bootstrap: expanded, mean of 40 judges with 6 answers each",
        0.0,
        _judges,
        lambda s: bootstrap(
            s[0], "mean", rng=_seeded(s[0]), method="expanded", clusters=s[1], resamples=1000
        ),
    ),
    CoverageCase(
        "bootstrap_two_way: 50 judges, 6 clips",
        0.0,
        lambda rng: _crossed(50, 6, rng),
        lambda s: bootstrap_two_way(*s, rng=_seeded(s[0]), resamples=500),
    ),
    CoverageCase(
        "bootstrap_two_way: 20 judges, 15 clips",
        0.0,
        lambda rng: _crossed(20, 15, rng),
        lambda s: bootstrap_two_way(*s, rng=_seeded(s[0]), resamples=500),
    ),
    CoverageCase(
        "bca_by_moments: mean of 40 skewed values",
        1.0,
        lambda rng: rng.gamma(4.0, 0.25, size=40),
        lambda data: _by_moments(data, 1),
    ),
    CoverageCase(
        "bca_by_moments: variance of 60 values",
        1.0,
        lambda rng: rng.normal(size=60),
        lambda data: _by_moments(data, 2),
    ),
    CoverageCase(
        "median_interval: 30 skewed values",
        math.log(2),
        lambda rng: rng.exponential(size=30),
        median_interval,
        exact=True,
    ),
)
