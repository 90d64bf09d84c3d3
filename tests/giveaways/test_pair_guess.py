"""Guesses within pairs: exact against scipy, honest under chance, blind to the spread of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wilcoxon

from believable.core.errors import InvalidInput
from believable.giveaways.pair_guess import TOGETHER, guess_pairs


def test_a_size_that_is_larger_in_every_pair_is_found_although_ranges_overlap() -> None:
    agent = np.array([9.20, 8.81, 10.95, 8.71, 8.16, 9.05])
    human = np.array([8.43, 8.31, 10.66, 7.92, 7.54, 8.22])
    guesses = guess_pairs({"bytes": agent - human}, np.random.default_rng(1))
    size = guesses.features[0]
    assert (size.larger, size.smaller, size.guessed) == (6, 0, 1.0)
    assert size.p_value == pytest.approx(2 / 64)
    assert guesses.least_p == pytest.approx(2 / 64)
    assert size.has_one_sign


def test_p_is_wilcoxons() -> None:
    rng = np.random.default_rng(2)
    for _ in range(5):
        differences = rng.normal(0.4, 1, 10)
        (guess, _) = guess_pairs({"x": differences}, rng).features
        assert guess.p_value == pytest.approx(wilcoxon(differences, method="exact").pvalue)


def test_many_features_do_not_raise_false_alarms() -> None:
    rng = np.random.default_rng(3)
    alarms = sum(
        bool(guess_pairs({f"f{k}": rng.normal(0, 1, 8) for k in range(20)}, rng).found)
        for _ in range(200)
    )
    assert alarms <= 20, "5 % of 200, and what chance adds"


def test_the_adjusted_p_of_one_feature_among_copies_is_its_own() -> None:
    """Equal features are one test, so nothing is paid for their number."""
    differences = np.array([1.0, 2, 3, 4, 5, -6, 7, 8])
    alone = guess_pairs({"a": differences}, np.random.default_rng(4)).features[0]
    copies = guess_pairs({f"a{k}": differences for k in range(9)}, np.random.default_rng(4))
    assert copies.features[0].p_adjusted == pytest.approx(alone.p_adjusted)


def test_weak_features_are_found_together() -> None:
    rng = np.random.default_rng(5)
    features = {f"f{k}": rng.normal(1.1, 1, 12) for k in range(10)}
    together = guess_pairs(features, rng).features[-1]
    assert together.feature == TOGETHER
    assert together.guessed > 0.9
    assert together.above_chance


def test_equal_values_reveal_nothing() -> None:
    guesses = guess_pairs({"bytes": [0.0] * 8}, np.random.default_rng(6))
    assert [(guess.guessed, guess.p_value) for guess in guesses.features] == [(0.5, 1.0)] * 2
    assert not guesses.found


def test_with_many_pairs_swaps_are_drawn_from_the_seed() -> None:
    differences = {"x": np.random.default_rng(7).normal(0.5, 1, 40)}
    first, again = (guess_pairs(differences, np.random.default_rng(8)) for _ in range(2))
    assert first == again
    assert first.features[0].p_value == pytest.approx(wilcoxon(differences["x"]).pvalue, abs=0.02)


@pytest.mark.parametrize("differences", [{}, {"x": [1.0]}, {"x": [1.0, float("nan")]}])
def test_too_little_is_refused(differences: dict[str, list[float]]) -> None:
    with pytest.raises(InvalidInput, match="guess: expected"):
        guess_pairs(differences, np.random.default_rng(9))
