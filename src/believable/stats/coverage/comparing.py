"""Intervals of tests, effect sizes, shares, correlations and equivalence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from believable.stats import tests
from believable.stats.coverage.case import CoverageCase
from believable.stats.estimate import Estimate
from believable.stats.means import mean_skewed, mean_t

Samples = tuple[np.ndarray[Any, np.dtype[np.float64]], np.ndarray[Any, np.dtype[np.float64]]]

_D, _RHO, _YES = 0.5, 0.6, (0.7, 0.5)
_TABLE = np.array([[0.25, 0.15, 0.10], [0.10, 0.15, 0.25]])
_PAIRED = np.array([[0.40, 0.25], [0.10, 0.25]])


def _paired(rng: np.random.Generator) -> Samples:
    """34 pairs with standardised difference .5, correlation .5 and unit variances: dz = dav."""
    both = rng.multivariate_normal([_D, 0.0], [[1.0, 0.5], [0.5, 1.0]], size=34)
    return both[:, 0], both[:, 1]


def _groups(rng: np.random.Generator) -> Samples:
    return rng.normal(_D, 1, 30), rng.normal(0, 1, 30)


def _bounded(rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """26 scores between −1 and 1, crowded towards the top (skewness −1), as of trained annotators on a test."""
    return 2 * rng.beta(4.5, 1.3, 26) - 1


def _correlated(rng: np.random.Generator) -> Samples:
    both = rng.multivariate_normal([0.0, 0.0], [[1.0, _RHO], [_RHO, 1.0]], size=40)
    return both[:, 0], both[:, 1]


def _answers(rng: np.random.Generator) -> list[list[int]]:
    return [[yes, 60 - yes] for yes in (int(rng.binomial(60, share)) for share in _YES)]


def _multinomial(shares: np.ndarray[Any, np.dtype[np.float64]], n: int, rng: np.random.Generator) -> Any:
    return rng.multinomial(n, shares.ravel()).reshape(shares.shape)


def _line(rng: np.random.Generator) -> Samples:
    x = rng.normal(size=50)
    return x, 0.4 * x + rng.normal(size=50)


def _fan(rng: np.random.Generator) -> Samples:
    """Errors that grow with the predictor, where classical intervals fail."""
    x = rng.normal(size=100)
    return x, 0.4 * x + rng.normal(size=100) * (0.3 + np.abs(x))


def _cramers_v() -> float:
    expected = np.outer(_TABLE.sum(axis=1), _TABLE.sum(axis=0))
    return math.sqrt(float(((_TABLE - expected) ** 2 / expected).sum()))


def _of(result: Estimate | None) -> Estimate:
    if result is None:
        raise TypeError("the test under study has no such estimate")
    return result


def _odds(share: float) -> float:
    return share / (1 - share)


CASES: tuple[CoverageCase, ...] = (
    CoverageCase("dz: 34 pairs", _D, _paired, lambda s: tests.dz(*s)),
    CoverageCase("dav: 34 pairs", _D, _paired, lambda s: tests.dav(*s)),
    CoverageCase("g: two groups of 30", _D, _groups, lambda s: tests.g(*s)),
    CoverageCase(
        "rank_biserial: 34 pairs",
        2 * float(special.ndtr(_D * math.sqrt(2))) - 1,
        _paired,
        lambda s: tests.rank_biserial(*s),
    ),
    CoverageCase(
        "cliffs_delta: two groups of 30",
        2 * float(special.ndtr(_D / math.sqrt(2))) - 1,
        _groups,
        lambda s: tests.cliffs_delta(*s),
    ),
    CoverageCase(
        "odds_ratio: 60 answers per group", _odds(_YES[0]) / _odds(_YES[1]), _answers, tests.odds_ratio
    ),
    CoverageCase(
        "paired_t: mean difference of 34 pairs", _D, _paired, lambda s: _of(tests.paired_t(*s).estimate)
    ),
    CoverageCase("mean_t: 26 values", 0.5, lambda rng: rng.normal(0.5, 0.2, 26), mean_t),
    CoverageCase("mean_skewed: 26 bounded, skewed values", 2 * 4.5 / 5.8 - 1, _bounded, mean_skewed),
    CoverageCase("mean_skewed: 10 normal values", 0.5, lambda rng: rng.normal(0.5, 0.2, 10), mean_skewed),
    CoverageCase("mean_skewed: 40 exponential values", 1.0, lambda rng: rng.exponential(1, 40), mean_skewed),
    CoverageCase(
        "wilcoxon: pseudo-median of 34 pairs",
        _D,
        _paired,
        lambda s: _of(tests.wilcoxon(*s).estimate),
        exact=True,
    ),
    CoverageCase(
        "mann_whitney: shift of two groups of 30",
        _D,
        _groups,
        lambda s: _of(tests.mann_whitney(*s).estimate),
        exact=True,
    ),
    CoverageCase(
        "proportion: 92 answers, share .1",
        0.1,
        lambda rng: int(rng.binomial(92, 0.1)),
        lambda k: tests.proportion(k, 92),
    ),
    CoverageCase(
        "proportion: 92 answers, share .7",
        0.7,
        lambda rng: int(rng.binomial(92, 0.7)),
        lambda k: tests.proportion(k, 92),
    ),
    CoverageCase(
        "binomial: 50 answers, share .7",
        0.7,
        lambda rng: int(rng.binomial(50, 0.7)),
        lambda k: _of(tests.binomial(k, 50).estimate),
        exact=True,
    ),
    CoverageCase(
        "mcnemar: difference of 60 pairs",
        0.15,
        lambda rng: _multinomial(_PAIRED, 60, rng),
        lambda t: _of(tests.mcnemar(t).estimate),
    ),
    CoverageCase(
        "mcnemar: paired odds ratio of 60 pairs",
        2.5,
        lambda rng: _multinomial(_PAIRED, 60, rng),
        lambda t: _of(tests.mcnemar(t).effect),
        exact=True,
    ),
    CoverageCase(
        "chi_square: Cramér's V of 200 answers",
        _cramers_v(),
        lambda rng: _multinomial(_TABLE, 200, rng),
        lambda t: _of(tests.chi_square(t).effect),
    ),
    CoverageCase("pearson: 40 pairs", _RHO, _correlated, lambda s: _of(tests.pearson(*s).estimate)),
    CoverageCase(
        "spearman: 40 pairs",
        6 / math.pi * math.asin(_RHO / 2),
        _correlated,
        lambda s: _of(tests.spearman(*s).estimate),
    ),
    CoverageCase("ols: slope of 50 rows", 0.4, _line, lambda s: tests.ols(s[1], {"x": s[0]}).term("x")),
    CoverageCase(
        "ols: HC3 slope of 100 rows, unequal variances",
        0.4,
        _fan,
        lambda s: tests.ols(s[1], {"x": s[0]}, errors="HC3").term("x"),
    ),
    CoverageCase(
        "tost_mean: 30 values",
        0.1,
        lambda rng: rng.normal(0.1, 1, 30),
        lambda v: tests.tost_mean(v, low=-0.5, high=0.5, alpha=0.025).estimate,
    ),
    CoverageCase(
        "tost_mean: two groups of 30 and 20, unequal variances",
        0.0,
        lambda rng: (rng.normal(0, 1, 30), rng.normal(0, 2, 20)),
        lambda s: tests.tost_mean(*s, low=-0.5, high=0.5, alpha=0.025).estimate,
    ),
    CoverageCase(
        "tost_proportion: 80 answers",
        0.5,
        lambda rng: int(rng.binomial(80, 0.5)),
        lambda k: tests.tost_proportion(k, 80, low=0.4, high=0.6, alpha=0.025).estimate,
        exact=True,
    ),
)
