"""Does something change its turning only at the ticks of a clock? Rayleigh's test, on every clock.

An agent that decides once in seven frames changes its turning rate on one phase of a grid of seven
frames. People decide at any time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import finite_array

#: Slower clocks are the movement itself; faster ones are frames.
SLOWEST_HZ, FASTEST_SHARE = 1.5, 0.45
#: Clocks are tried at this number of steps per 1/duration.
STEPS = 4
#: Fewer changes show no clock.
LEAST_CHANGES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGrid:
    """The clock on which changes fall most of all.

    hz         ticks a second
    strength   0: changes fall on all phases; 1: all fall on one
    evidence   Rayleigh's z less the logarithm of the number of clocks tried: above 3, chance is
               a poor explanation
    """

    hz: float
    strength: float
    evidence: float


def find_grid(
    changes: ArrayLike, hz: float, *, fastest_hz: float | None = None
) -> DecisionGrid | None:
    """Return the clock that fits the sizes of the changes best; there are `hz` changes a second.

    fastest_hz   faster clocks are not tried, for changes that cannot follow each other closely
    Formula      R(f) = |Σ c exp(2πi f t)| / Σ c; z = n R², n = (Σ c)² / Σ c²
    Undefined    fewer than eight changes that are not 0: None
    Checked      astropy.stats.rayleightest's formula on planted clocks
    """
    sizes = np.abs(finite_array(changes, name="changes"))
    if hz <= 0:
        raise InvalidInput(f"hz: expected a rate above 0, got {hz}.")
    if np.count_nonzero(sizes) < LEAST_CHANGES:
        return None
    duration_s = len(sizes) / hz
    fastest = min(FASTEST_SHARE * hz, fastest_hz or np.inf)
    clocks = np.arange(SLOWEST_HZ, fastest, 1 / (STEPS * duration_s))
    if not len(clocks):
        return None
    times = np.arange(len(sizes)) / hz
    length = np.abs(np.exp(2j * np.pi * clocks[:, None] * times) @ sizes) / sizes.sum()
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    best = int(length.argmax())
    return DecisionGrid(
        hz=float(clocks[best]),
        strength=float(length[best]),
        evidence=float(effective * length[best] ** 2 - math.log(len(clocks))),
    )
