"""One promise to test: data drawn from a population whose true value is known, and the interval for
it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from believable.stats.estimate import Estimate

COVERS_LEAST, COVERS_MOST = 0.93, 0.97


@dataclass(frozen=True, slots=True)
class CoverageCase:
    """`simulate(rng)` draws one data set, `estimate(data)` gives its 95 % interval, `truth` is its
    target.

    name    `function: situation`, unique
    exact   the interval is declared exact (guaranteed, so it may cover more): only the lower limit
            applies
    wide    why the interval covers more in this situation, which is then said and not a broken
            promise
    narrow  why it covers less, down to `least`, which is then said in docs/validity.md and in the
            data sheet
    """

    name: str
    truth: float
    simulate: Callable[[np.random.Generator], Any]
    estimate: Callable[[Any], Estimate]
    exact: bool = False
    wide: str = ""
    narrow: str = ""
    least: float = COVERS_LEAST

    def kept(self, counted: Tally) -> bool:
        """Does the interval keep what it promises, or less as it is said to?"""
        return counted.keeps(exact=self.exact or bool(self.wide), least=self.least)


@dataclass(frozen=True, slots=True)
class Tally:
    """What happened in some simulations of a case. An undefined interval counts as a miss."""

    simulations: int
    covered: int
    below: int
    above: int
    undefined: int
    width: float

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.simulations + other.simulations,
            self.covered + other.covered,
            self.below + other.below,
            self.above + other.above,
            self.undefined + other.undefined,
            self.width + other.width,
        )

    @property
    def coverage(self) -> float:
        return self.covered / self.simulations

    @property
    def mean_width(self) -> float:
        return self.width / max(self.simulations - self.undefined, 1)

    def keeps(self, *, exact: bool, least: float = COVERS_LEAST) -> bool:
        return self.coverage >= least and (exact or self.coverage <= COVERS_MOST)


def tally(case: CoverageCase, *, simulations: int, rng: np.random.Generator) -> Tally:
    """Draw, estimate, count. `below`: the whole interval lies below the truth."""
    total = Tally(0, 0, 0, 0, 0, 0.0)
    for _ in range(simulations):
        total = total + _once(case.estimate(case.simulate(rng)), case.truth)
    return total


def _once(estimate: Estimate, truth: float) -> Tally:
    if estimate.low is None or estimate.high is None:
        return Tally(1, 0, 0, 0, 1, 0.0)
    below, above = estimate.high < truth, estimate.low > truth
    return Tally(
        1, int(not below and not above), int(below), int(above), 0, estimate.high - estimate.low
    )
