"""Every array argument goes through the same checks, with the same wording."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.stats import (
    bootstrap,
    correlations,
    effects,
    equivalence,
    location,
    means,
    models,
    regression,
)
from believable.stats.inputs import finite_array, float_array, one_of, paired_arrays


def test_numbers_of_any_kind_become_float64() -> None:
    assert finite_array([1, 2, True], name="x").dtype == np.float64
    assert np.isnan(float_array([1, None], name="x")).tolist() == [False, True]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, np.nan], r"x\[1\]: expected a finite number, got nan"),
        ([1, np.inf], r"x\[1\]: expected a finite number, got inf"),
        (["a"], r"x: expected numbers"),
        ([[1, 2]], r"x: expected 1 axis\(es\), got shape \(1, 2\)"),
        ([], r"x: expected at least 1 value\(s\), got 0"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(values: list[object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        finite_array(values, name="x", least=1)


def test_pairs_have_one_length() -> None:
    with pytest.raises(InvalidInput, match="same length, got 2 and 1"):
        paired_arrays([1, 2], [1])


def test_options_are_suggested() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'median'"):
        one_of("medain", ("median", "mean"), name="method")


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e-200, 1e300])
def test_values_whose_squares_leave_the_range_of_floats_are_refused(scale: float) -> None:
    a, b = np.array([1.0, 2.0, 4.0, 8.0]) * scale, np.array([2.0, 1.0, 5.0, 6.0]) * scale
    calls: list[Callable[[], object]] = [
        lambda: effects.dz(a, b),
        lambda: effects.dav(a, b),
        lambda: effects.g(a, b),
        lambda: means.mean_t(a),
        lambda: means.mean_skewed(a),
        lambda: means.welch_t(a, b),
        lambda: location.paired_t(a, b),
        lambda: equivalence.tost_mean(a, b, low=-1, high=1),
        lambda: regression.ols(a, {"x": b}),
        lambda: correlations.within_correlation(a, b, "aabb"),
        lambda: bootstrap.bootstrap(
            a, "mean", rng=np.random.default_rng(1), method="bca", resamples=100
        ),
    ]
    for call in calls:
        with pytest.raises(
            InvalidInput,
            match=r"expected values whose squares a computer can hold .* Give them in another unit",
        ):
            call()
    assert location.wilcoxon(a, b).p_value == location.wilcoxon(a / scale, b / scale).p_value


@pytest.mark.parametrize("scale", [1e150, 1e-150, 1e-200, 1e300])
@pytest.mark.parametrize("column", ["response", "predictor"])
def test_mixed_models_refuse_values_whose_squares_leave_the_range_of_floats(
    scale: float, column: str
) -> None:
    rng = np.random.default_rng(1)
    table = {name: rng.normal(size=60) for name in ("response", "predictor")}
    table[column] = table[column] * scale
    with pytest.raises(
        InvalidInput,
        match=rf"table\['{column}'\]: expected values whose squares a computer can hold",
    ):
        models.mixed_linear(
            "response ~ predictor + (1 | person)",
            {**table, "person": [f"p{row % 12}" for row in range(60)]},
        )
