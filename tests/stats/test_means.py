"""Means and differences of means, against R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.stats.means import mean_t, welch_t

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


def test_welch_is_that_of_r(groups: Any, expected: Any) -> None:
    found = welch_t(groups["a"], groups["b"])
    assert found.statistic == pytest.approx(expected["t"], abs=1e-10)
    assert found.df == pytest.approx((expected["df"],), abs=1e-9)
    assert found.estimate is not None
    assert [found.estimate.low, found.estimate.high] == pytest.approx(expected["difference_ci"], abs=1e-10)
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
    assert welch_t([1.0], [1.0, 2.0]).reason == "needs at least 2 values in each group, got (1, 2)"
    assert welch_t([1.0, 1.0], [2.0, 2.0]).reason == "neither group has any variance"


def test_one_constant_group_is_enough_to_compare() -> None:
    found = welch_t(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0]))
    assert found.defined
    assert found.df == pytest.approx((2.0,))
