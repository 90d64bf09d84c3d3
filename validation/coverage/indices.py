"""Populations of respondents and judges with known indices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from believable.stats import indices
from believable.stats.estimate import Estimate
from believable.stats.inputs import FloatArray
from validation.coverage.case import CoverageCase

_EXPERIENCE = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
_ANSWERS = np.array([0.35, 0.25, 0.15, 0.15, 0.10])
_LEVELS = np.arange(1, 6)


def respondents(
    rng: np.random.Generator, *, n: int, clips: int, habit: float = 0.3
) -> tuple[FloatArray, FloatArray]:
    """Each repeats one favourite answer with probability `habit`, else answers afresh; experience
    apart from that.
    """
    favourite = rng.choice(_LEVELS, size=(n, 1), p=_ANSWERS)
    fresh = rng.choice(_LEVELS, size=(n, clips), p=_ANSWERS)
    ratings = np.where(rng.random((n, clips)) < habit, favourite, fresh).astype(np.float64)
    return ratings, rng.choice(_LEVELS, size=n, p=_EXPERIENCE).astype(np.float64)


def sessions(rng: np.random.Generator, *, n: int) -> tuple[Any, Any]:
    """Each session views 40 to 80 actions and flags with its own propensity, Beta(2, 14)."""
    viewed = rng.integers(40, 81, size=n)
    return rng.binomial(viewed, rng.beta(2, 14, size=n)), viewed


def hanging_together(
    rng: np.random.Generator, *, n: int, share: float, correlation: float
) -> tuple[Any, Any]:
    """30 to 50 views a session; flags of one session are correlated that much (beta-binomial)."""
    viewed, weight = rng.integers(30, 51, size=n), 1 / correlation - 1
    return rng.binomial(viewed, rng.beta(share * weight, (1 - share) * weight, size=n)), viewed


def _of_both(data: tuple[Any, Any], function: Any) -> Estimate:
    estimate: Estimate = function(*data)
    return estimate


def _of_ratings(data: tuple[Any, Any], **options: Any) -> Estimate:
    return indices.clip_recall(data[0], **options)


def _of_experience(data: tuple[Any, Any]) -> Estimate:
    return indices.confidence_index(data[1])


def _one_rate(flagged: int) -> Estimate:
    return indices.unbelievable_rate(int(flagged), 80)


def _two_types(rng: np.random.Generator) -> dict[str, FloatArray]:
    """Human clips as `respondents` see them, rule-based ones with the answers the other way
    round.
    """
    human, _ = respondents(rng, n=20, clips=15)
    artificial, _ = respondents(rng, n=20, clips=15)
    return {"human": human, "rules": 6 - artificial}


def _precision(tables: dict[str, FloatArray]) -> Estimate:
    return indices.clip_precision(tables, correct={"human"})


def _flags(rng: np.random.Generator) -> int:
    return int(rng.binomial(80, 0.15))


_DRAW = partial(respondents, n=20, clips=15)

CASES = (
    CoverageCase(
        "believability_index: 20 respondents, 15 clips",
        float((_ANSWERS * (5 - _LEVELS) / 4).sum()),
        _DRAW,
        partial(_of_both, function=indices.believability_index),
    ),
    CoverageCase(
        "confidence_index: 20 respondents",
        float((_EXPERIENCE * _LEVELS).sum()) / 5,
        _DRAW,
        _of_experience,
    ),
    CoverageCase("clip_recall not_human: 20 respondents", 0.60, _DRAW, _of_ratings),
    CoverageCase(
        "clip_recall left_out: 20 respondents",
        0.60 / 0.85,
        _DRAW,
        partial(_of_ratings, middle="left_out"),
    ),
    CoverageCase("clip_precision: 20 respondents, 2 types", 0.60 / 0.85, _two_types, _precision),
    CoverageCase("unbelievable_rate: 80 actions", 15.0, _flags, _one_rate),
    CoverageCase(
        "pooled_unbelievable_rate: 40 sessions",
        12.5,
        partial(sessions, n=40),
        partial(_of_both, function=indices.pooled_unbelievable_rate),
    ),
    *(
        CoverageCase(
            f"pooled_unbelievable_rate: {n} sessions, {100 * share:g} % flagged, correlation"
            f" {correlation}",
            100 * share,
            partial(hanging_together, n=n, share=share, correlation=correlation),
            partial(_of_both, function=indices.pooled_unbelievable_rate),
            wide=(
                ""
                if (n, share) == (20, 0.05)
                else "few flags, or flags that hang together less than is taken for granted"
            ),
        )
        for n, share, correlation in (
            (12, 0.05, 0.15),
            (34, 0.05, 0.15),
            (34, 0.05, 0.05),
            (20, 0.05, 0.3),
            (34, 0.01, 0.15),
        )
    ),
)
