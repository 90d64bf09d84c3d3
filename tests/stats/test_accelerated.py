"""BCa bounds from moments: R's bounds of means, laws, and what cannot be had."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats.bootstrap import bca_by_moments
from believable.stats.estimate import Estimate

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "resample"
VALUES = json.loads((ORACLE / "input.json").read_text())["values"]
EXPECTED = json.loads((ORACLE / "output.json").read_text())["values"]


def of_mean(values: Any, resamples: int = 4000, *, sign: int = 1, **options: Any) -> Estimate:
    sample = sign * np.asarray(values)
    n = len(sample)
    counts = np.random.default_rng(5).multinomial(n, np.full(n, 1 / n), size=resamples)
    return bca_by_moments(
        float(sample.mean()), counts @ sample / n, counts, method="mean", **options
    )


@pytest.mark.parametrize("index", [0, 1])
def test_bounds_of_means_are_those_of_r(index: int) -> None:
    found = of_mean(VALUES[index], 20_000, df=math.inf)
    r = EXPECTED[index]["mean"]
    assert (found.low, found.high) == pytest.approx(r["bca"], abs=0.04 * r["width"])


def test_a_few_hundred_resamples_say_nearly_the_same() -> None:
    many, few = of_mean(VALUES[0], 20_000), of_mean(VALUES[0], 200)
    width = many.high - many.low  # type: ignore[operator]
    assert (few.low, few.high) == pytest.approx((many.low, many.high), abs=0.15 * width)
    assert few.df == (len(VALUES[0]) - 1,)


def test_skewed_values_have_the_longer_arm_on_their_long_side() -> None:
    values = np.random.default_rng(1).exponential(size=40)
    found, turned = of_mean(values), of_mean(values, sign=-1)
    assert found.high - found.value > 1.15 * (found.value - found.low)  # type: ignore[operator]
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))  # type: ignore[operator]


def test_bounds_end_at_the_limits_and_small_samples_have_wider_ones() -> None:
    values = VALUES[0][:8]
    t, normal = of_mean(values), of_mean(values, df=math.inf)
    assert t.high - t.low > 1.1 * (normal.high - normal.low)  # type: ignore[operator]
    limits = (t.value - 0.01, t.value + 0.01)  # type: ignore[operator]
    limited = of_mean(values, limits=limits)
    assert (limited.low, limited.high) == limits


def test_where_the_acceleration_has_no_bound_the_limits_are_the_bounds() -> None:
    values = [0.9, 0.91, 0.92, 0.9, 0.91, 0.93, -0.9]
    found = of_mean(values, level=0.9999, limits=(-1.0, 1.0))
    assert found.low == -1


def test_resamples_without_spread_have_no_interval_and_counts_must_fit() -> None:
    counts = np.ones((5, 3))
    assert (
        bca_by_moments(1.0, np.ones(5), counts, method="mean").reason
        == "the resamples show no spread"
    )
    with pytest.raises(InvalidInput, match="expected a row for each of 4 replicates"):
        bca_by_moments(1.0, np.arange(4.0), counts, method="mean")
