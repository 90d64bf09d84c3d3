"""Intervals of mixed models, paired-comparison models and signal detection."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from believable.stats.bradley_terry import bradley_terry
from believable.stats.detection import criterion, d_prime
from believable.stats.estimate import Estimate
from believable.stats.models import mixed_linear, mixed_logistic, mixed_ordinal
from believable.stats.pairs import Comparisons, comparisons, win_rates
from validation.coverage.case import CoverageCase

_SHIFT, _LOG_ODDS = 0.4, 0.8
_STRENGTH = np.array([0.6, 0.1, -0.2, -0.5])
_RATES = (0.75, 0.35)


def _ratings(rng: np.random.Generator) -> dict[str, Any]:
    """24 participants × 8 scenarios, both conditions, random slopes of the participants."""
    people, scenes, condition = (axis.ravel() for axis in np.indices((24, 8, 2)))
    by_person, by_scene, slope = (
        rng.normal(0, 0.6, 24),
        rng.normal(0, 0.4, 8),
        rng.normal(0, 0.3, 24),
    )
    rating = (
        (_SHIFT + slope[people]) * condition
        + by_person[people]
        + by_scene[scenes]
        + rng.normal(size=384)
    )
    return {"rating": rating, "condition": condition, "person": people, "scene": scenes}


def _flags(rng: np.random.Generator) -> dict[str, Any]:
    """30 participants × 10 scenarios, both conditions, two actions each."""
    people, scenes, condition, _ = (axis.ravel() for axis in np.indices((30, 10, 2, 2)))
    by_person, by_scene = rng.normal(0, 0.6, 30), rng.normal(0, 0.4, 10)
    chance = special.expit(-1 + _LOG_ODDS * condition + by_person[people] + by_scene[scenes])
    return {
        "flag": (rng.random(len(people)) < chance).astype(int),
        "condition": condition,
        "person": people,
        "scene": scenes,
    }


def _ordered(rng: np.random.Generator, *, people: int, thresholds: tuple[float, ...]) -> Any:
    """Everybody rates twelve clips, six of each condition; people differ."""
    person, clip = (axis.ravel() for axis in np.indices((people, 12)))
    condition = clip % 2
    latent = _LOG_ODDS * condition + rng.normal(0, 1, people)[person]
    latent += rng.normal(0, 0.3, len(person)) * 0 + rng.logistic(size=len(person))
    return {"rating": np.digitize(latent, thresholds), "condition": condition, "person": person}


def _own_effects(rng: np.random.Generator, *, people: int, spread: float) -> dict[str, Any]:
    """Everybody judges 25 to 45 actions of each condition; the effect is 0 on average and differs
    between people.
    """
    seen = rng.integers(25, 46, size=(people, 2))
    effect = np.column_stack([np.zeros(people), rng.normal(0, spread, people)])
    flags = rng.binomial(seen, special.expit(-2.2 + rng.normal(0, 0.6, (people, 1)) + effect))
    person, condition = (axis.ravel() for axis in np.indices(seen.shape))
    return {"flags": flags.ravel(), "seen": seen.ravel(), "condition": condition, "person": person}


def _coefficient(model: Any) -> Estimate:
    return model.term("condition").estimate  # type: ignore[no-any-return]


def _choices(rng: np.random.Generator, *, ties: float, repeats: int) -> Comparisons:
    """40 judges see every pair; each gives every answer `repeats` times, so answers of a judge hang
    together.
    """
    pairs = [(i, j) for i in range(4) for j in range(i)]
    left, right, winner, judges = [], [], [], []
    for judge in range(40):
        for i, j in pairs:
            weights = np.array(
                [
                    np.exp((_STRENGTH[i] - _STRENGTH[j]) / 2),
                    np.exp((_STRENGTH[j] - _STRENGTH[i]) / 2),
                    ties,
                ]
            )
            outcome = ("left", "right", "tie")[rng.choice(3, p=weights / weights.sum())]
            left += [f"agent {i}"] * repeats
            right += [f"agent {j}"] * repeats
            winner += [outcome] * repeats
            judges += [judge] * repeats
    return comparisons(left, right, winner, judges=judges if repeats > 1 else None)


def _first(data: Comparisons, ties: str) -> Estimate:
    return bradley_terry(data, ties=ties).of("agent 0")


def _tie(data: Comparisons) -> Estimate:
    tie = bradley_terry(data).tie
    if tie is None:
        raise TypeError("the simulated comparisons hold no tie")
    return tie


def _expected_share() -> float:
    """Agent 0's mean share over its three opponents, without ties."""
    return float(np.mean(special.expit(_STRENGTH[0] - _STRENGTH[1:])))


def _answers(rng: np.random.Generator) -> tuple[int, int, int, int]:
    hits, false_alarms = (int(rng.binomial(60, rate)) for rate in _RATES)
    return hits, 60 - hits, false_alarms, 60 - false_alarms


_Z = tuple(float(special.ndtri(rate)) for rate in _RATES)

CASES: tuple[CoverageCase, ...] = (
    CoverageCase(
        "mixed_linear: 24 participants × 8 scenarios, random slopes",
        _SHIFT,
        _ratings,
        lambda t: _coefficient(
            mixed_linear("rating ~ condition + (condition | person) + (1 | scene)", t)
        ),
    ),
    CoverageCase(
        "mixed_logistic: 30 participants × 10 scenarios",
        _LOG_ODDS,
        _flags,
        lambda t: _coefficient(mixed_logistic("flag ~ condition + (1 | person) + (1 | scene)", t)),
    ),
    *(
        CoverageCase(
            f"mixed_logistic: {people} participants, effects differ by {spread}",
            0.0,
            partial(_own_effects, people=people, spread=spread),
            lambda t: _coefficient(
                mixed_logistic("flags ~ condition + (1 + condition | person)", t, trials="seen")
            ),
        )
        for people, spread in ((34, 0.8), (34, 0.4), (34, 0.0), (12, 0.8))
    ),
    *(
        CoverageCase(
            f"mixed_ordinal: {people} participants × 12 clips, {name}",
            _LOG_ODDS,
            partial(_ordered, people=people, thresholds=thresholds),
            lambda t: _coefficient(mixed_ordinal("rating ~ condition + (1 | person)", t)),
        )
        for people, name, thresholds in (
            (20, "five answers", (-1.5, -0.3, 0.8, 2.0)),
            (50, "five answers", (-1.5, -0.3, 0.8, 2.0)),
            (20, "seven answers, rare ones outside", (-4.5, -2.0, -0.5, 0.8, 2.5, 5.5)),
        )
    ),
    CoverageCase(
        "bradley_terry: davidson, 40 judges",
        0.6,
        lambda rng: _choices(rng, ties=0.4, repeats=1),
        lambda d: _first(d, "davidson"),
    ),
    CoverageCase(
        "bradley_terry: davidson tie parameter, 40 judges",
        0.4,
        lambda rng: _choices(rng, ties=0.4, repeats=1),
        _tie,
    ),
    CoverageCase(
        "bradley_terry: half, no ties, 40 judges",
        0.6,
        lambda rng: _choices(rng, ties=0.0, repeats=1),
        lambda d: _first(d, "half"),
    ),
    CoverageCase(
        "bradley_terry: 40 judges who repeat themselves",
        0.6,
        lambda rng: _choices(rng, ties=0.4, repeats=3),
        lambda d: _first(d, "davidson"),
    ),
    CoverageCase(
        "win_rates: 40 judges",
        _expected_share(),
        lambda rng: _choices(rng, ties=0.0, repeats=1),
        lambda d: win_rates(d)[0].share,
    ),
    CoverageCase(
        "win_rates: 40 judges who repeat themselves",
        _expected_share(),
        lambda rng: _choices(rng, ties=0.0, repeats=3),
        lambda d: win_rates(d, rng=np.random.default_rng(d.n + int(d.score.sum())))[0].share,
    ),
    CoverageCase("d_prime: 60 trials of each kind", _Z[0] - _Z[1], _answers, lambda a: d_prime(*a)),
    CoverageCase(
        "criterion: 60 trials of each kind", -(_Z[0] + _Z[1]) / 2, _answers, lambda a: criterion(*a)
    ),
)
