"""Two one-sided tests: R's numbers, and agreement of test and interval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stats.equivalence import EquivalenceResult, tost_mean, tost_proportion

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())


def as_in_r(found: EquivalenceResult, r: dict[str, Any]) -> None:
    assert (found.p_low, found.p_high) == pytest.approx((r["p_low"], r["p_high"]), rel=1e-9)
    assert found.p_value == max(found.p_low or 0, found.p_high or 0)
    assert (found.estimate.low, found.estimate.high) == pytest.approx(r["ci"], rel=1e-9)


@pytest.mark.parametrize("index", [0, 1])
def test_tost_as_in_r(index: int) -> None:
    mean, welch, share = (INPUT[f"tost_{kind}"][index] for kind in ("mean", "welch", "proportion"))
    as_in_r(tost_mean(mean["a"], low=mean["low"], high=mean["high"]), OUTPUT["tost_mean"][index])
    as_in_r(
        tost_mean(welch["a"], welch["b"], low=welch["low"], high=welch["high"]),
        OUTPUT["tost_welch"][index],
    )
    as_in_r(
        tost_proportion(share["k"], share["n"], low=share["low"], high=share["high"]),
        OUTPUT["tost_proportion"][index],
    )


@given(st.lists(st.integers(0, 6), min_size=3, max_size=40).filter(lambda v: len(set(v)) > 1))
def test_equivalence_is_shown_exactly_when_the_interval_lies_inside(correct: list[int]) -> None:
    found = tost_mean([value / 6 for value in correct], low=0.4, high=0.6)
    inside = (
        found.estimate.low is not None
        and found.estimate.low > 0.4
        and (found.estimate.high or 1) < 0.6
    )
    assert found.equivalent == inside


def test_undefined_is_not_equivalent() -> None:
    for found in (
        tost_mean([0.5], low=0.4, high=0.6),
        tost_mean([0.5, 0.5], low=0.4, high=0.6),
        tost_proportion(0, 0, low=0.4, high=0.6),
    ):
        assert not found.equivalent
        assert found.p_value is None
        assert found.reason


def test_shares_alike_keep_their_mean() -> None:
    for found, mean in (
        (tost_mean([1.0, 1.0, 1.0], low=0.4, high=0.6), 1.0),
        (tost_mean([0.75], low=0.4, high=0.6), 0.75),
        (tost_mean([0.5, 0.5], [0.25, 0.25], low=-0.1, high=0.1), 0.25),
    ):
        assert found.estimate.value == mean
        assert found.estimate.low is None
    assert tost_mean([], low=0.4, high=0.6).estimate.value is None


def test_an_interval_of_shares_ends_at_its_limits() -> None:
    """Three judges with .5, .67 and 1.0: the plain interval runs beyond 1."""
    shares = [0.5, 2 / 3, 1.0]
    free, limited = (
        tost_mean(shares, low=0.4, high=0.6),
        tost_mean(shares, low=0.4, high=0.6, limits=(0, 1)),
    )
    assert (free.estimate.high or 0) > 1
    assert limited.estimate.high == 1
    assert (limited.estimate.low, limited.p_value) == (free.estimate.low, free.p_value)


def test_margins_are_checked() -> None:
    with pytest.raises(InvalidInput, match=r"low < high, got 0.6 and 0.4. State the margin before"):
        tost_mean([1, 2], low=0.6, high=0.4)
    with pytest.raises(InvalidInput, match=r"expected shares between 0 and 1, got -0\.1 and 0\.6"):
        tost_proportion(3, 6, low=-0.1, high=0.6)
    with pytest.raises(InvalidInput, match=r"alpha: expected a number between 0 and 0.5"):
        tost_mean([1, 2], low=0, high=1, alpha=0.7)
