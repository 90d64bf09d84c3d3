"""Every array argument goes through the same checks, with the same wording."""

from __future__ import annotations

import numpy as np
import pytest

from believable.core.errors import InvalidInput
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
