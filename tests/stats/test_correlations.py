"""Correlations with a choice and within people, against R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.correlations import (
    correlations_compared,
    pearson,
    pearson_with_choice,
    within_correlation,
)
from believable.stats.result import no_result

ORACLE = Path(__file__).parents[1] / "oracles" / "means"


@pytest.fixture(scope="module")
def data() -> Any:
    return json.loads((ORACLE / "input.json").read_text())


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((ORACLE / "output.json").read_text())


def test_with_a_choice_is_that_of_r(data: Any, expected: Any) -> None:
    found = pearson_with_choice(data["choice"]["measure"], data["choice"]["choice"])
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(expected["choice"]["r"], abs=1e-10)
    assert found.statistic == pytest.approx(expected["choice"]["t"], abs=1e-8)
    assert found.p_value == pytest.approx(expected["choice"]["p"], rel=1e-8)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(
        expected["choice"]["ci"], abs=1e-9
    )


def test_two_correlations_compared_are_those_of_r(data: Any, expected: Any) -> None:
    measure, choice = data["choice"]["measure"], data["choice"]["choice"]
    found = correlations_compared(
        pearson_with_choice(measure[:9], choice[:9]), pearson_with_choice(measure[9:], choice[9:])
    )
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(expected["compared"]["q"], abs=1e-10)
    assert found.statistic == pytest.approx(expected["compared"]["t"], abs=1e-8)
    assert found.df[0] == pytest.approx(expected["compared"]["df"], rel=1e-9)
    assert found.p_value == pytest.approx(expected["compared"]["p"], rel=1e-8)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(
        expected["compared"]["ci"], abs=1e-9
    )


def test_the_test_with_a_choice_never_contradicts_its_interval() -> None:
    rng = np.random.default_rng(9)
    decided = 0
    for _ in range(400):
        choice = rng.choice([-1.0, 0.0, 1.0], 14)
        found = pearson_with_choice(choice + rng.normal(scale=1.6, size=14), choice)
        if found.estimate is None or found.estimate.low is None:
            continue
        decided += found.significant(0.05)
        assert found.significant(0.05) == (not found.estimate.contains(0.0))
    assert 50 < decided < 350


def test_within_people_is_that_of_r(data: Any, expected: Any) -> None:
    found = within_correlation(data["within"]["a"], data["within"]["b"], data["within"]["people"])
    assert found.estimate is not None
    assert found.estimate.value == pytest.approx(expected["within"]["r"], abs=1e-10)
    assert found.statistic == pytest.approx(expected["within"]["t"], abs=1e-8)
    assert found.df == (expected["within"]["df"],)
    assert found.p_value == pytest.approx(expected["within"]["p"], rel=1e-8)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(
        expected["within"]["ci"], abs=1e-9
    )


def test_the_interval_with_a_choice_covers_where_fishers_is_too_wide() -> None:
    rng = np.random.default_rng(5)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        measure = rng.normal(size=n)
        leaning = 2 * measure + rng.normal(size=n)
        return measure, np.where(leaning > 1, 1.0, np.where(leaning < -1, -1.0, 0.0))

    truth = float(np.corrcoef(*draw(400_000))[0, 1])
    runs, ours, fisher = 1500, 0, 0
    for _ in range(runs):
        sample = draw(30)
        found, plain = pearson_with_choice(*sample).estimate, pearson(*sample).estimate
        assert found is not None
        assert plain is not None
        ours += found.contains(truth)
        fisher += plain.contains(truth)
    assert 0.93 < ours / runs < 0.97
    assert fisher / runs > 0.97


def test_differences_between_people_play_no_part(data: Any) -> None:
    people = data["within"]["people"]
    shift = np.array([100.0 * int(person[1:]) for person in people])
    plain = within_correlation(data["within"]["a"], data["within"]["b"], people)
    moved = within_correlation(np.array(data["within"]["a"]) + shift, data["within"]["b"], people)
    assert plain.statistic == pytest.approx(moved.statistic, abs=1e-6)


def test_what_cannot_be_had_says_why() -> None:
    assert pearson_with_choice([1, 2, 3], [1, 1, 1]).reason == (
        "the second measure does not vary, so that there is nothing to correlate"
    )
    four = pearson_with_choice([1.0, 2.0, 4.0, 3.0], [0, 1, 0, 1]).estimate
    assert four.value == pytest.approx(0)
    assert four.low == pytest.approx(-0.9999984, abs=1e-7)
    three = pearson_with_choice([1.0, 2.0, 4.0], [0, 1, 0]).estimate
    assert (three.low, three.reason) == (None, "needs at least 4 pairs, got 3")
    alone = pearson_with_choice([1.0, 2.0, 4.0, 3.0], [0, 0, 0, 1])
    assert alone.estimate is not None
    assert alone.estimate.low is None
    assert (
        alone.estimate.reason
        == "without one of the pairs nothing varies or the relation is perfect"
    )
    assert within_correlation([1, 2], [1, 2], ["a", "b"]).reason == (
        "needs more pairs than people plus one, got 2 pairs of 2 people"
    )
    still = within_correlation([1, 1, 2, 2, 3, 3], [1, 2, 3, 4, 5, 7], list("aabbcc"))
    assert still.reason == "a measure does not vary within people"
    with pytest.raises(InvalidInput, match="one per pair"):
        within_correlation([1, 2], [1, 2], ["a"])


def test_slopes_that_differ_between_people_are_said() -> None:
    rng = np.random.default_rng(4)
    people = np.repeat(np.arange(15), 12)
    x = rng.normal(size=180)
    for slopes, expected in ((np.full(15, 0.5), 0), (rng.normal(0.5, 0.6, 15), 1)):
        result = within_correlation(x, slopes[people] * x + rng.normal(size=180), people.tolist())
        assert len(result.notes) == expected
        assert all(
            note.startswith("slopes differ between people (F(14, 150) = ") for note in result.notes
        )


def test_a_level_that_is_none_is_refused_before_anything_is_computed() -> None:
    undefined_one = no_result("nothing", method="r", n=0)
    with pytest.raises(InvalidInput, match="level"):
        correlations_compared(undefined_one, undefined_one, level=1.5)
