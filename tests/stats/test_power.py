"""Power: R's numbers, n and power as inverses, and a simulation where the formula is an
approximation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from believable.core.errors import InvalidInput
from believable.stats import power
from believable.stats.location import mann_whitney

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "power"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())
SIDE = {"two.sided": "two-sided", "less": "less", "greater": "greater"}


def test_the_planned_study_needs_34_pairs() -> None:
    found = power.paired_t(0.5, power=0.8)
    assert found.n == 34
    assert found.n_exact == pytest.approx(33.37, abs=0.005)


def test_paired_t_as_in_r() -> None:
    found = [
        power.paired_t(s["d"], power=s["power"], alternative=SIDE[s["side"]]).n_exact
        for s in INPUT["paired_t"]
    ]
    assert found == pytest.approx(OUTPUT["paired_t"], rel=1e-6)
    assert found == pytest.approx(OUTPUT["paired_t_base"], rel=1e-6)
    reached = [
        power.paired_t(s["d"], n=s["n"], alternative=SIDE[s["side"]]).power
        for s in INPUT["paired_t_n"]
    ]
    assert reached == pytest.approx(OUTPUT["paired_t_n"], rel=1e-8)


def test_correlation_as_in_r() -> None:
    found = [
        power.correlation(s["r"], power=s["power"], alternative=SIDE[s["side"]]).n_exact
        for s in INPUT["correlation"]
    ]
    assert found == pytest.approx(OUTPUT["correlation"], rel=1e-6)
    reached = [
        power.correlation(s["r"], n=s["n"], alternative=SIDE[s["side"]]).power
        for s in INPUT["correlation_n"]
    ]
    assert reached == pytest.approx(OUTPUT["correlation_n"], rel=1e-8)


def test_binomial_as_in_r() -> None:
    for s, r in zip(INPUT["binomial_n"], OUTPUT["binomial_n"], strict=True):
        found = power.binomial(s["share"], null=s["null"], n=s["n"], alternative=SIDE[s["side"]])
        assert (found.power, found.size) == pytest.approx((r["power"], r["size"]), rel=1e-9)
    needed = [
        power.binomial(s["share"], null=s["null"], power=s["power"], alternative=SIDE[s["side"]]).n
        for s in INPUT["binomial"]
    ]
    assert needed == OUTPUT["binomial"]


def test_mann_whitney_as_noether_and_as_simulated() -> None:
    found = [
        power.mann_whitney(s["p"], power=s["power"], share_first=s["share"]).n_exact
        for s in INPUT["mann_whitney"]
    ]
    # R's line leaves out the other tail, which ours counts.
    assert found == pytest.approx(OUTPUT["mann_whitney"], rel=1e-4)
    planned = power.mann_whitney(float(special.ndtr(0.6 / np.sqrt(2))), n=90)
    rng = np.random.default_rng(3)
    rejected = [
        mann_whitney(rng.normal(0.6, 1, 45), rng.normal(0, 1, 45)).significant() for _ in range(600)
    ]
    assert planned.power == pytest.approx(np.mean(rejected), abs=0.05)


@given(st.floats(0.15, 1.5), st.floats(0.3, 0.97), st.sampled_from([0.01, 0.05, 0.1]))
def test_n_is_the_smallest_that_reaches_the_power(d: float, wanted: float, alpha: float) -> None:
    found = power.paired_t(d, power=wanted, alpha=alpha)
    assert found.power >= wanted - 1e-9
    if found.n > 2:
        assert power.paired_t(d, n=found.n - 1, alpha=alpha).power < wanted
    assert power.paired_t(-d, power=wanted, alpha=alpha).n == found.n
    assert power.paired_t(d, n=found.n, alpha=alpha).power == pytest.approx(found.power)


@given(st.floats(0.58, 0.95), st.floats(0.5, 0.95))
def test_binomial_never_falls_below_again(share: float, wanted: float) -> None:
    found = power.binomial(share, power=wanted)
    assert all(power.binomial(share, n=n).power >= wanted for n in range(found.n, found.n + 12))
    assert found.n == 1 or power.binomial(share, n=found.n - 1).power < wanted
    assert found.size is not None
    assert found.size <= 0.05 + 1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power.paired_t(0.5), "expected exactly one of them, got n=None and power=None"),
        (lambda: power.paired_t(0.5, n=10, power=0.8), "expected exactly one of them"),
        (lambda: power.paired_t(0.0, power=0.8), "expected an effect other than 0, got 0.0"),
        (
            lambda: power.paired_t(-0.5, power=0.8, alternative="greater"),
            "lies on the other side of 0",
        ),
        (lambda: power.paired_t(0.5, n=1), "n: expected at least 2, got 1"),
        (lambda: power.correlation(1.0, power=0.8), "r: expected a correlation between −1 and 1"),
        (lambda: power.mann_whitney(0.5, power=0.8), "expected an effect other than 0.5"),
        (lambda: power.binomial(0.5, power=0.8), "expected an effect other than 0.5"),
        (lambda: power.binomial(0.501, power=0.8), "Plan for a larger effect"),
        (lambda: power.paired_t(0.5, power=1.2), "power: expected a number between 0 and 1"),
        (lambda: power.paired_t(1e-5, power=0.8), "needs more than 10000000 pairs"),
    ],
)
def test_impossible_plans_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_an_effect_beyond_every_doubt_needs_the_least_sample() -> None:
    assert power.paired_t(50, power=0.8).n == 2
    assert power.paired_t(1e200, n=10).power == 1.0
