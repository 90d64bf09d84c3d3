"""Intervals of tests, effect sizes, shares, correlations and equivalence."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from believable.stats import correlations, counts, effects, equivalence, location, regression
from believable.stats.estimate import Estimate
from believable.stats.means import mean_skewed, mean_t
from validation.coverage.case import COVERS_LEAST, CoverageCase

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
    """26 scores between −1 and 1, crowded towards the top (skewness −1), as of trained annotators
    on a test.
    """
    return 2 * rng.beta(4.5, 1.3, 26) - 1


def _within(rng: np.random.Generator) -> tuple[Any, Any, list[int]]:
    """12 things judged twice by each of 15 people, who have levels of their own."""
    both = rng.multivariate_normal([0.0, 0.0], [[1.0, _RHO], [_RHO, 1.0]], size=180)
    people = np.repeat(np.arange(15), 12)
    levels = rng.normal(0, 2, (15, 2))[people]
    return both[:, 0] + levels[:, 0], both[:, 1] + levels[:, 1], people.tolist()


def _own_slopes(rng: np.random.Generator) -> tuple[Any, Any, list[int]]:
    """As many, whose slopes differ by an SD of .3 around the same mean."""
    people = np.repeat(np.arange(15), 12)
    x, slope = rng.normal(size=180), rng.normal(_RHO, 0.3, 15)[people]
    return x, slope * x + rng.normal(0, math.sqrt(1 - _RHO**2), 180), people.tolist()


def _correlated(rng: np.random.Generator) -> Samples:
    both = rng.multivariate_normal([0.0, 0.0], [[1.0, _RHO], [_RHO, 1.0]], size=40)
    return both[:, 0], both[:, 1]


def _compared(sample: Samples) -> Estimate:
    """Cohen's q of the first twenty against the other twenty, each with a choice of one of two."""
    measure, leaning = sample
    halves = (
        correlations.pearson_with_choice(measure[part], np.sign(leaning[part]))
        for part in (slice(20), slice(20, None))
    )
    return _of(correlations.correlations_compared(*halves).estimate)


def _answers(rng: np.random.Generator) -> list[list[int]]:
    return [[yes, 60 - yes] for yes in (int(rng.binomial(60, share)) for share in _YES)]


def _multinomial(
    shares: np.ndarray[Any, np.dtype[np.float64]], n: int, rng: np.random.Generator
) -> Any:
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


_CAREFUL, _CARELESS = 0.6, -0.3
_NO_CARELESS = "many samples hold nobody careless and cannot know about them"


def _with_careless(rng: np.random.Generator, *, n: int, share: float) -> Any:
    """Agreement of those who care, close together, and of the others, far below."""
    return rng.normal(np.where(rng.random(n) < share, _CARELESS, _CAREFUL), 0.1)


CASES: tuple[CoverageCase, ...] = (
    CoverageCase("dz: 34 pairs", _D, _paired, lambda s: effects.dz(*s)),
    CoverageCase("dav: 34 pairs", _D, _paired, lambda s: effects.dav(*s)),
    CoverageCase("g: two groups of 30", _D, _groups, lambda s: effects.g(*s)),
    CoverageCase(
        "rank_biserial: 34 pairs",
        2 * float(special.ndtr(_D * math.sqrt(2))) - 1,
        _paired,
        lambda s: effects.rank_biserial(*s),
    ),
    CoverageCase(
        "cliffs_delta: two groups of 30",
        2 * float(special.ndtr(_D / math.sqrt(2))) - 1,
        _groups,
        lambda s: effects.cliffs_delta(*s),
    ),
    CoverageCase(
        "odds_ratio: 60 answers per group",
        _odds(_YES[0]) / _odds(_YES[1]),
        _answers,
        effects.odds_ratio,
    ),
    CoverageCase(
        "paired_t: mean difference of 34 pairs",
        _D,
        _paired,
        lambda s: _of(location.paired_t(*s).estimate),
    ),
    CoverageCase("mean_t: 26 values", 0.5, lambda rng: rng.normal(0.5, 0.2, 26), mean_t),
    CoverageCase(
        "mean_skewed: 26 bounded, skewed values", 2 * 4.5 / 5.8 - 1, _bounded, mean_skewed
    ),
    CoverageCase(
        "mean_skewed: 10 normal values", 0.5, lambda rng: rng.normal(0.5, 0.2, 10), mean_skewed
    ),
    *(
        CoverageCase(
            f"mean_skewed: {n} values, one in {careless} of careless people",
            _CAREFUL + (_CARELESS - _CAREFUL) / careless,
            partial(_with_careless, n=n, share=1 / careless),
            mean_skewed,
            narrow=_NO_CARELESS if least < COVERS_LEAST else "",
            wide=""
            if least < COVERS_LEAST
            else "two clusters far apart: the correction for skewness is cautious",
            least=least,
        )
        for n, careless, least in (
            (10, 5, 0.87),
            (10, 10, 0.71),
            (26, 5, 0.93),
            (26, 10, 0.89),
            (60, 10, 0.93),
        )
    ),
    CoverageCase(
        "mean_skewed: 40 exponential values", 1.0, lambda rng: rng.exponential(1, 40), mean_skewed
    ),
    CoverageCase(
        "wilcoxon: pseudo-median of 34 pairs",
        _D,
        _paired,
        lambda s: _of(location.wilcoxon(*s).estimate),
        exact=True,
    ),
    CoverageCase(
        "mann_whitney: shift of two groups of 30",
        _D,
        _groups,
        lambda s: _of(location.mann_whitney(*s).estimate),
        exact=True,
    ),
    CoverageCase(
        "proportion: 92 answers, share .1",
        0.1,
        lambda rng: int(rng.binomial(92, 0.1)),
        lambda k: counts.proportion(k, 92),
    ),
    CoverageCase(
        "proportion: 92 answers, share .7",
        0.7,
        lambda rng: int(rng.binomial(92, 0.7)),
        lambda k: counts.proportion(k, 92),
    ),
    CoverageCase(
        "binomial: 50 answers, share .7",
        0.7,
        lambda rng: int(rng.binomial(50, 0.7)),
        lambda k: _of(counts.binomial(k, 50).estimate),
        exact=True,
    ),
    CoverageCase(
        "mcnemar: difference of 60 pairs",
        0.15,
        lambda rng: _multinomial(_PAIRED, 60, rng),
        lambda t: _of(counts.mcnemar(t).estimate),
    ),
    CoverageCase(
        "mcnemar: paired odds ratio of 60 pairs",
        2.5,
        lambda rng: _multinomial(_PAIRED, 60, rng),
        lambda t: _of(counts.mcnemar(t).effect),
        exact=True,
    ),
    CoverageCase(
        "chi_square: Cramér's V of 200 answers",
        _cramers_v(),
        lambda rng: _multinomial(_TABLE, 200, rng),
        lambda t: _of(counts.chi_square(t).effect),
    ),
    CoverageCase(
        "pearson_with_choice: 40 people choose one of two",
        _RHO * math.sqrt(2 / math.pi),
        _correlated,
        lambda s: _of(correlations.pearson_with_choice(s[0], np.sign(s[1])).estimate),
    ),
    CoverageCase("correlations_compared: 20 people and 20 others", 0.0, _correlated, _compared),
    CoverageCase(
        "within_correlation: 15 people × 12",
        _RHO,
        _within,
        lambda s: _of(correlations.within_correlation(*s).estimate),
    ),
    CoverageCase(
        "within_correlation: 15 people × 12, slopes differ",
        _RHO / math.sqrt(1 + 0.3**2),
        _own_slopes,
        lambda s: _of(correlations.within_correlation(*s).estimate),
        narrow="one slope for everybody is assumed; a note says so where slopes differ",
        least=0.75,
    ),
    CoverageCase(
        "pearson: 40 pairs", _RHO, _correlated, lambda s: _of(correlations.pearson(*s).estimate)
    ),
    CoverageCase(
        "spearman: 40 pairs",
        6 / math.pi * math.asin(_RHO / 2),
        _correlated,
        lambda s: _of(correlations.spearman(*s).estimate),
    ),
    CoverageCase(
        "ols: slope of 50 rows", 0.4, _line, lambda s: regression.ols(s[1], {"x": s[0]}).term("x")
    ),
    CoverageCase(
        "ols: HC3 slope of 100 rows, unequal variances",
        0.4,
        _fan,
        lambda s: regression.ols(s[1], {"x": s[0]}, errors="HC3").term("x"),
    ),
    CoverageCase(
        "tost_mean: 30 values",
        0.1,
        lambda rng: rng.normal(0.1, 1, 30),
        lambda v: equivalence.tost_mean(v, low=-0.5, high=0.5, alpha=0.025).estimate,
    ),
    CoverageCase(
        "tost_mean: two groups of 30 and 20, unequal variances",
        0.0,
        lambda rng: (rng.normal(0, 1, 30), rng.normal(0, 2, 20)),
        lambda s: equivalence.tost_mean(*s, low=-0.5, high=0.5, alpha=0.025).estimate,
    ),
    CoverageCase(
        "tost_proportion: 80 answers",
        0.5,
        lambda rng: int(rng.binomial(80, 0.5)),
        lambda k: equivalence.tost_proportion(k, 80, low=0.4, high=0.6, alpha=0.025).estimate,
        exact=True,
    ),
)
