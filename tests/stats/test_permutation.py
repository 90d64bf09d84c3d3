"""Permutation tests: exact values of R, and random ones near them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.permutation import permutation_test

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "resample"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())


def rng() -> np.random.Generator:
    return np.random.default_rng(2)


@pytest.mark.parametrize("index", [0, 1])
def test_exact_independent_as_in_coin(index: int) -> None:
    samples, r = INPUT["independent"][index], OUTPUT["independent"][index]
    for side in ("less", "greater"):
        found = permutation_test(**samples, rng=rng(), alternative=side)
        assert "exact over" in found.method
        assert found.p_value == pytest.approx(r[side], rel=1e-9)
    two_sided = permutation_test(**samples, rng=rng())
    assert two_sided.p_value == pytest.approx(min(1, 2 * min(r["less"], r["greater"])), rel=1e-9)


@pytest.mark.parametrize("index", [0, 1])
def test_exact_paired_as_all_signs_in_r(index: int) -> None:
    samples, r = INPUT["paired"][index], OUTPUT["paired"][index]
    for side in ("less", "greater"):
        found = permutation_test(**samples, rng=rng(), kind="paired", alternative=side)
        assert found.p_value == pytest.approx(r[side], rel=1e-9)


@pytest.mark.parametrize("index", [0, 1])
def test_exact_association_as_spearman_in_r(index: int) -> None:
    ranks = {name: stats.rankdata(values) for name, values in INPUT["association"][index].items()}
    found = permutation_test(**ranks, rng=rng(), kind="association", statistic="correlation")
    assert found.p_value == pytest.approx(OUTPUT["association"][index]["spearman_p"], rel=1e-6)


@pytest.mark.parametrize("kind", ["independent", "paired"])
def test_random_arrangements_come_near_the_exact_value(kind: str) -> None:
    samples = INPUT[kind][0]
    exact = permutation_test(**samples, rng=rng(), kind=kind)
    random = permutation_test(**samples, rng=rng(), kind=kind, resamples=1500)
    assert "1500 random" in random.method
    assert random.p_value == pytest.approx(exact.p_value, abs=0.04)


def test_a_function_of_the_users_and_the_same_result_twice() -> None:
    a, b = np.arange(1.0, 18), np.arange(3.0, 20)
    for statistic in ("median_difference", math.dist):
        how: dict[str, Any] = {"statistic": statistic, "resamples": 500, "kind": "independent"}
        one = permutation_test(a, b, rng=rng(), **how)
        assert one == permutation_test(a, b, rng=rng(), **how)
        assert one.p_value is not None
        assert one.p_value >= 2 / 501


def test_statistics_that_are_equal_up_to_rounding_count_as_equal() -> None:
    """Without a difference, every arrangement with none is as extreme. In binary their means
    differ in the last digit.
    """
    a, b = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    found = permutation_test(a, b, rng=rng(), alternative="greater")
    tenths = permutation_test([1, 2, 3], [3, 2, 1], rng=rng(), alternative="greater")
    assert found.p_value == tenths.p_value


def test_undefined_and_wrong() -> None:
    assert permutation_test([], [1], rng=rng()).reason == "a sample is empty"
    flat = permutation_test([1, 1], [2, 3], rng=rng(), kind="association", statistic="correlation")
    assert flat.reason == "the statistic of the data is nan"
    assert permutation_test([1], [2], rng=rng(), statistic=lambda a, b: math.inf).p_value is None
    with pytest.raises(InvalidInput, match=r"kind: unknown value 'pairs'\. Did you mean 'paired'"):
        permutation_test([1], [2], rng=rng(), kind="pairs")
    with pytest.raises(InvalidInput, match="the same length, got 1 and 2"):
        permutation_test([1], [2, 3], rng=rng(), kind="paired")
