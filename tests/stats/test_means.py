"""Means and differences of means, against R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.means import mean_skewed, mean_t, welch_t

ORACLE = Path(__file__).parents[1] / "oracles" / "means"


@pytest.fixture(scope="module")
def groups() -> Any:
    return json.loads((ORACLE / "input.json").read_text())["means"]


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((ORACLE / "output.json").read_text())["means"]


def test_mean_is_that_of_r(groups: Any, expected: Any) -> None:
    found = mean_t(groups["a"])
    assert found.value == pytest.approx(expected["mean"], abs=1e-12)
    assert [found.low, found.high] == pytest.approx(expected["ci"], abs=1e-10)


@pytest.mark.parametrize("name", ["bounded", "right", "outlier"])
def test_the_mean_of_skewed_values_has_the_bounds_that_r_solves_for(name: str) -> None:
    values = json.loads((ORACLE / "input.json").read_text())["skewed"][name]
    expected = json.loads((ORACLE / "output.json").read_text())["skewed"][name]
    found, plain = mean_skewed(values), mean_t(values)
    assert [found.low, found.high] == pytest.approx(expected["ci"], abs=1e-11)
    assert (found.value, found.se, found.df) == (plain.value, plain.se, plain.df)
    assert [plain.low, plain.high] == pytest.approx(expected["t"], abs=1e-10)
    # The studentised bootstrap moves both bounds the same way, away from the crowded side.
    way = np.sign(np.array(expected["studentised"]) - expected["t"])
    assert np.array_equal(np.sign(np.array(expected["ci"]) - expected["t"]), way)


def test_of_moderately_skewed_values_the_bounds_are_nearly_those_of_the_studentised_bootstrap() -> (
    None
):
    for name in ("bounded", "right"):
        expected = json.loads((ORACLE / "output.json").read_text())["skewed"][name]
        width = expected["t"][1] - expected["t"][0]
        assert expected["ci"] == pytest.approx(expected["studentised"], abs=0.05 * width)


def test_without_skewness_the_interval_is_students() -> None:
    found, plain = (method([0.1, 0.2, 0.4, 0.6, 0.7]) for method in (mean_skewed, mean_t))
    assert [found.low, found.high] == pytest.approx([plain.low, plain.high], abs=1e-12)
    assert found.method == "mean, t interval corrected for skewness (Hall)"


def test_skewed_intervals_turn_move_and_grow_with_the_values() -> None:
    values = np.random.default_rng(1).exponential(size=15)
    found, turned, moved = mean_skewed(values), mean_skewed(-values), mean_skewed(3 * values + 2)
    assert [turned.low, turned.high] == pytest.approx([-found.high, -found.low])  # type: ignore[operator]
    assert [moved.low, moved.high] == pytest.approx([3 * found.low + 2, 3 * found.high + 2])  # type: ignore[operator]


def test_bounds_end_at_the_limits_and_where_the_cubic_is_flat() -> None:
    values = [0.97, 0.98, 0.99, 0.99, 0.2]
    free, limited = mean_skewed(values), mean_skewed(values, limits=(0.2, 0.99))
    assert free.low < 0.2  # type: ignore[operator]
    assert free.high > 0.99  # type: ignore[operator]
    assert (limited.low, limited.high) == (0.2, 0.99)
    deviations = np.array(values) - np.mean(values)
    skewness = (deviations**3).mean() / (deviations**2).mean() ** 1.5
    assert free.low == pytest.approx(np.mean(values) + 3 * np.std(values, ddof=1) / skewness)


def test_welch_is_that_of_r(groups: Any, expected: Any) -> None:
    found = welch_t(groups["a"], groups["b"])
    assert found.statistic == pytest.approx(expected["t"], abs=1e-10)
    assert found.df == pytest.approx((expected["df"],), abs=1e-9)
    assert found.estimate is not None
    assert [found.estimate.low, found.estimate.high] == pytest.approx(
        expected["difference_ci"], abs=1e-10
    )
    sides = [
        welch_t(groups["a"], groups["b"], alternative=side).p_value
        for side in ("two-sided", "less", "greater")
    ]
    assert sides == pytest.approx(expected["p"], rel=1e-8)


def test_swapping_the_groups_turns_the_sign(groups: Any) -> None:
    one, other = welch_t(groups["a"], groups["b"]), welch_t(groups["b"], groups["a"])
    assert one.statistic == pytest.approx(-(other.statistic or 0))
    assert one.p_value == pytest.approx(other.p_value)


def test_what_cannot_be_had_says_why() -> None:
    assert mean_t([]).reason == "no values"
    assert mean_t([0.2]).reason == "one value has no spread"
    assert mean_t([0.2, 0.2]).reason == "the values have no variance"
    assert mean_skewed([]).reason == "no values"
    assert mean_skewed([0.2]).reason == "one value has no spread"
    assert mean_skewed([0.2, 0.2]).reason == "the values have no variance"
    assert (
        welch_t([1.0], [1.0, 2.0]).reason
        == "needs at least 2 values in each group; there are 1 and 2"
    )
    assert welch_t([1.0, 1.0], [2.0, 2.0]).reason == "neither group has any variance"


def test_constant_groups_keep_their_difference() -> None:
    found = welch_t([1.0, 1.0], [0.25, 0.25, 0.25])
    assert found.estimate is not None
    assert (found.estimate.value, found.estimate.low) == (0.75, None)
    assert found.p_value is None


@pytest.mark.parametrize(("n", "noted"), [(19, True), (20, False)])
def test_few_values_say_what_they_cannot_show(n: int, noted: bool) -> None:
    notes = mean_skewed(np.linspace(0, 1, n)).notes
    assert any("covers about 90 %" in note for note in notes) == noted


def test_one_constant_group_is_enough_to_compare() -> None:
    found = welch_t(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    assert found.is_defined
    assert found.df == pytest.approx((2.0,))


def test_values_outside_the_limits_are_refused() -> None:
    with pytest.raises(
        InvalidInput,
        match=r"values\[2\]: expected 0 to 1, got 1.5. Correct the value or the limits",
    ):
        mean_skewed([0.2, 0.4, 1.5], limits=(0, 1))


def test_a_few_values_far_from_the_rest_of_a_small_sample_are_noted() -> None:
    """Where the interval was seen to cover as little as 75 %, the result says so itself."""
    rng = np.random.default_rng(4)
    close = rng.normal(0.6, 0.1, 20)
    careless = np.append(close, [-0.3, -0.35])
    assert mean_skewed(close).notes == ()
    (note,) = mean_skewed(careless).notes
    assert note.startswith("2 of 22 values lie far from the rest")
    assert mean_skewed(np.append(rng.normal(0.6, 0.1, 70), [-0.3])).notes == ()
    assert mean_skewed([1.0] * 19 + [5.0]).notes == (), (
        "most values are equal, so that nothing tells how far is far"
    )
