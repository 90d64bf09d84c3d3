"""Paired differences between the conditions, and the preference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from believable.stats.counts import binomial
from believable.stats.estimate import Estimate
from believable.stats.inputs import FloatArray
from believable.stats.location import PairedComparison, paired_comparison
from believable.stats.means import mean_t
from believable.stats.result import TestResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedOutcome:
    """Ours against the baseline, one pair per person.

    people      who has both values
    difference  mean of ours minus baseline, t interval
    comparison  the test that the normality rule chose, the normality test and Cohen's dz
    """

    people: tuple[str, ...]
    ours: FloatArray
    baseline: FloatArray
    difference: Estimate
    comparison: PairedComparison


@dataclass(frozen=True, slots=True)
class Preference:
    """Who prefers which; `test` compares ours with an even split among those who decided."""

    ours: int
    baseline: int
    undecided: int
    test: TestResult


def paired_difference(
    values: Mapping[str, Mapping[str, float]],
    ours: str,
    baseline: str,
    *,
    alternative: str = "two-sided",
    normality_alpha: float = 0.05,
    level: float = 0.95,
) -> PairedOutcome:
    """Ours minus baseline over people who have both."""
    mine, theirs = values.get(ours, {}), values.get(baseline, {})
    people = tuple(sorted(mine.keys() & theirs.keys()))
    first = np.array([mine[person] for person in people], dtype=float)
    second = np.array([theirs[person] for person in people], dtype=float)
    comparison = paired_comparison(
        first, second, alpha=normality_alpha, alternative=alternative, level=level
    )
    return PairedOutcome(
        people=people,
        ours=first,
        baseline=second,
        difference=mean_t(first - second, level=level),
        comparison=comparison,
    )


def preference(
    chosen: Mapping[str, str],
    ours: str,
    baseline: str,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> Preference:
    """The share that prefers ours, exact binomial test against one half."""
    answers = list(chosen.values())
    mine, theirs = answers.count(ours), answers.count(baseline)
    test = binomial(mine, mine + theirs, alternative=alternative, level=level)
    return Preference(mine, theirs, len(answers) - mine - theirs, test)
