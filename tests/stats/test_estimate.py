"""The result record: what it accepts, what it refuses, and what it says."""

from __future__ import annotations

import dataclasses
import math

import pytest

from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, check_level, undefined, without_interval


def make(**changes: object) -> Estimate:
    fields = {"value": 0.8, "low": 0.49, "high": 0.94, "level": 0.95, "n": 10, "method": "wilson"}
    return Estimate(**{**fields, **changes})  # type: ignore[arg-type]


def test_it_is_frozen_and_keeps_full_precision() -> None:
    estimate = make(value=1 / 3)
    assert estimate.value == 1 / 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        estimate.value = 0.5  # type: ignore[misc]


def test_half_width_and_contains() -> None:
    estimate = make(low=0.25, high=0.75)
    assert estimate.half_width == 0.25
    assert estimate.contains(0.25)
    assert estimate.contains(0.75)
    assert not estimate.contains(0.76)


def test_bounds_may_be_infinite_but_the_value_may_not() -> None:
    assert make(high=math.inf).high == math.inf
    with pytest.raises(InvalidInput, match="must be finite, got inf"):
        make(value=math.inf)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": math.nan}, "must be finite"),
        ({"low": None}, "one bound is missing"),
        ({"low": 0.95, "high": 0.9}, "must be ordered"),
        ({"low": math.nan}, "must be ordered"),
        ({"level": 95}, "between 0 and 1, got 95"),
        ({"value": None}, "cannot have bounds"),
        ({"value": None, "low": None, "high": None}, "undefined without a reason"),
        ({"low": None, "high": None}, "no interval and no reason"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make(**changes)


def test_an_undefined_value_has_a_reason_and_no_interval() -> None:
    estimate = undefined("one rater only", method="kappa", n=3)
    assert not estimate.is_defined
    assert (estimate.value, estimate.low, estimate.high, estimate.half_width) == (
        None,
        None,
        None,
        None,
    )
    assert estimate.reason == "one rater only"
    assert not estimate.contains(0)


def test_a_value_without_interval_says_why() -> None:
    estimate = without_interval(0.5, "one item", method="kappa", n=1)
    assert estimate.is_defined
    assert estimate.value == 0.5
    assert estimate.reason == "one item"


def test_level_is_checked() -> None:
    assert check_level(0.9) == 0.9
    with pytest.raises(InvalidInput, match=r"For 95 % give 0.95"):
        check_level(0)
