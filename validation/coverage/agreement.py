"""Populations of raters with a known true agreement."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from believable.stats import agreement
from believable.stats.estimate import Estimate
from believable.stats.inputs import FloatArray
from validation.coverage.case import CoverageCase

_TWO = np.array([0.35, 0.65])
_THREE = np.array([0.5, 0.3, 0.2])
_NONE_SEEN = "many samples hold no disagreement, and their bound is cautious"
_FIVE = np.array([0.1, 0.2, 0.3, 0.25, 0.15])


def mixture(
    rng: np.random.Generator,
    *,
    n: int,
    raters: int,
    shares: FloatArray,
    care: float,
    missing: float = 0.0,
) -> FloatArray:
    """Each item has a true category; a rater reports it with probability `care`, else guesses from
    `shares`.

    Two ratings of an item are then equal to the truth with care², else independent: every
    chance-corrected coefficient whose chance is the pooled use of the categories, weighted or not,
    is care².
    """
    truth = rng.choice(len(shares), size=(n, 1), p=shares)
    guess = rng.choice(len(shares), size=(n, raters), p=shares)
    ratings = np.where(rng.random((n, raters)) < care, truth, guess).astype(np.float64)
    ratings[rng.random((n, raters)) < missing] = np.nan
    return ratings


def agreeing(shares: FloatArray, care: float) -> float:
    """The probability that two ratings of `mixture` are the same."""
    return care**2 + (1 - care**2) * float(shares @ shares)


def beyond(chance: float, shares: FloatArray, care: float) -> float:
    return (agreeing(shares, care) - chance) / (1 - chance)


def two_way(
    rng: np.random.Generator,
    *,
    n: int,
    raters: int,
    item: float,
    rater: float = 0.0,
    error: float = 1.0,
) -> FloatArray:
    """Item effect + rater effect + error, normal, with these standard deviations."""
    return np.asarray(
        item * rng.standard_normal((n, 1))
        + rater * rng.standard_normal((1, raters))
        + error * rng.standard_normal((n, raters))
    )


def of_pair(table: FloatArray, **options: Any) -> Estimate:
    return agreement.cohen_kappa(table[:, 0], table[:, 1], **options)


def alpha_above_zero(table: FloatArray, **options: Any) -> Estimate:
    """α of a scale from 3 to 7: ratio distances to a zero are all 1, which is no ordinary scale."""
    return agreement.krippendorff_alpha(table + 3, **options)


def _kappas() -> list[CoverageCase]:
    cases = []
    for n, care, shares in ((40, 0.7, _TWO), (60, 0.9, _THREE), (100, 0.8, _FIVE)):
        draw = partial(mixture, n=n, raters=2, shares=shares, care=care)
        label = f"n={n} q={len(shares)}"
        cases.append(CoverageCase(f"cohen_kappa: {label}", care**2, draw, of_pair))
    draw = partial(mixture, n=60, raters=2, shares=_FIVE, care=0.8)
    cases += [
        CoverageCase(
            f"cohen_kappa {weights}: n=60 q=5", 0.64, draw, partial(of_pair, weights=weights)
        )
        for weights in ("linear", "quadratic")
    ]
    return cases


def _category_cases() -> list[CoverageCase]:
    cases = []
    for raters, n, care, shares in ((3, 50, 0.8, _TWO), (5, 40, 0.9, _THREE), (4, 80, 0.6, _FIVE)):
        draw = partial(mixture, n=n, raters=raters, shares=shares, care=care)
        label = f"n={n} raters={raters} q={len(shares)}"
        ac1_chance = float((shares * (1 - shares)).sum()) / (len(shares) - 1)
        scale = range(len(shares))
        cases += [
            CoverageCase(f"fleiss_kappa: {label}", care**2, draw, agreement.fleiss_kappa),
            CoverageCase(
                f"krippendorff_alpha nominal: {label}", care**2, draw, agreement.krippendorff_alpha
            ),
            CoverageCase(
                f"gwet_ac1: {label}",
                beyond(ac1_chance, shares, care),
                draw,
                partial(agreement.gwet_ac1, categories=scale),
            ),
            CoverageCase(
                f"percent_agreement pairs: {label}",
                agreeing(shares, care),
                draw,
                agreement.percent_agreement,
            ),
        ]
    draw = partial(mixture, n=60, raters=4, shares=_THREE, care=0.8, missing=0.2)
    cases += [
        CoverageCase(
            "fleiss_kappa: n=60 raters=4 missing=20 %", 0.64, draw, agreement.fleiss_kappa
        ),
        CoverageCase(
            "krippendorff_alpha nominal: n=60 raters=4 missing=20 %",
            0.64,
            draw,
            agreement.krippendorff_alpha,
        ),
    ]
    rare = np.array([0.9, 0.1])
    for coefficient in (0.81, 0.9):
        draw = partial(mixture, n=53, raters=2, shares=rare, care=math.sqrt(coefficient))
        label = f"n=53, a code of 10 %, {coefficient}"
        cases += [
            CoverageCase(
                f"krippendorff_alpha nominal: {label}",
                coefficient,
                draw,
                agreement.krippendorff_alpha,
                wide=_NONE_SEEN,
            ),
            CoverageCase(f"cohen_kappa: {label}", coefficient, draw, of_pair, wide=_NONE_SEEN),
        ]
    share = agreeing(_THREE, 0.8)
    draw = partial(mixture, n=50, raters=2, shares=_THREE, care=0.8)
    cases.append(
        CoverageCase(
            "percent_agreement all: n=50 raters=2",
            share,
            draw,
            partial(agreement.percent_agreement, rule="all"),
        )
    )
    return cases


def _alpha_levels() -> list[CoverageCase]:
    cases = []
    for n, raters, care in ((40, 3, 0.8), (60, 5, 0.7)):
        draw = partial(mixture, n=n, raters=raters, shares=_FIVE, care=care, missing=0.1)
        for level in ("ordinal", "interval", "ratio"):
            estimate = partial(alpha_above_zero, level=level)
            name = f"krippendorff_alpha {level}: n={n} raters={raters} q=5 missing=10 %"
            cases.append(CoverageCase(name, care**2, draw, estimate))
    draw = partial(two_way, n=40, raters=4, item=1.0)
    cases.append(
        CoverageCase(
            "krippendorff_alpha interval: normal n=40 raters=4",
            0.5,
            draw,
            partial(agreement.krippendorff_alpha, level="interval"),
        )
    )
    return cases


def _number_cases() -> list[CoverageCase]:
    k, plain, biased = 4, 1.0 / 2.0, 1.0 / 2.25
    simple = partial(two_way, n=30, raters=k, item=1.0)
    crossed = partial(two_way, n=30, raters=k, item=1.0, rater=0.5)
    truths: dict[agreement.IccForm, tuple[partial[FloatArray], float]] = {
        "ICC1": (simple, plain),
        "ICC2": (crossed, biased),
        "ICC3": (crossed, plain),
        "ICC1k": (simple, k * plain / (1 + (k - 1) * plain)),
        "ICC2k": (crossed, k * biased / (1 + (k - 1) * biased)),
        "ICC3k": (crossed, k * plain / (1 + (k - 1) * plain)),
    }
    cases = [
        CoverageCase(f"icc {form}: n=30 raters=4", truth, draw, partial(agreement.icc, form=form))
        for form, (draw, truth) in truths.items()
    ]
    items = partial(two_way, n=50, raters=6, item=0.8, rater=1.0)
    cases.append(
        CoverageCase(
            "cronbach_alpha: n=50 items=6",
            6 * 0.64 / (6 * 0.64 + 1),
            items,
            agreement.cronbach_alpha,
        )
    )
    spearman = 6 / math.pi * math.asin(plain / 2)
    ranks = partial(two_way, n=40, raters=k, item=1.0, rater=0.5)
    truth = (1 + (k - 1) * spearman) / k
    cases.append(CoverageCase("kendall_w: n=40 raters=4", truth, ranks, agreement.kendall_w))
    return cases


CASES = (*_kappas(), *_category_cases(), *_alpha_levels(), *_number_cases())
