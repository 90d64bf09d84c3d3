"""A clock is found if there is one, and chance finds none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.motion.decision_grid import find_grid


def test_a_planted_clock_is_found() -> None:
    changes = np.zeros(350)
    changes[3::7] = 2.0
    grid = find_grid(changes, 35.0)
    assert grid is not None
    assert grid.hz == pytest.approx(5.0, abs=0.03)
    assert grid.strength == pytest.approx(1.0)
    assert grid.evidence > 20


def test_a_clock_survives_skipped_decisions_and_noise() -> None:
    rng = np.random.default_rng(1)
    changes = rng.exponential(0.02, 700)
    decided = np.arange(0, 700, 7)[rng.random(100) < 0.4]
    changes[decided] += rng.uniform(1, 3, len(decided))
    grid = find_grid(changes, 35.0)
    assert grid is not None
    # a clock and its multiples fit alike
    assert grid.hz % 5 == pytest.approx(0, abs=0.05) or grid.hz % 5 == pytest.approx(5, abs=0.05)
    assert grid.strength > 0.8


def test_chance_finds_no_clock() -> None:
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(200):
        grid = find_grid(rng.exponential(1.0, 350), 35.0)
        assert grid is not None
        false += grid.evidence > 3
    assert false <= 20, "evidence of 3 is exp(-3) = .05 of tries with chance alone"


def test_the_formula_is_rayleighs() -> None:
    """Equal changes at known phases: z = n R², as in Mardia and Jupp (2000), 6.3."""
    changes = np.zeros(400)
    at = [0, 20, 40, 61, 79, 100, 121, 140, 160, 180]
    changes[at] = 1.0
    grid = find_grid(changes, 20.0)
    assert grid is not None
    angles = 2 * math.pi * grid.hz * np.array(at) / 20.0
    length = math.hypot(np.cos(angles).mean(), np.sin(angles).mean())
    assert grid.strength == pytest.approx(length)
    clocks = len(np.arange(1.5, 0.45 * 20.0, 1 / (4 * 20.0)))
    assert grid.evidence == pytest.approx(len(at) * length**2 - math.log(clocks))


def test_few_changes_show_nothing() -> None:
    assert find_grid([0, 1, 0, 1, 0, 0, 1], 10.0) is None
    with pytest.raises(InvalidInput, match="rate above 0"):
        find_grid(np.ones(20), 0.0)
