"""Adjusted p values: R's numbers and the laws they keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stats.result import benjamini_hochberg, holm

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "tests"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.parametrize("index", [0, 1])
def test_adjustments_as_in_r(index: int) -> None:
    p, r = INPUT["p_values"][index], OUTPUT["p_values"][index]
    assert holm(p) == pytest.approx(r["holm"], rel=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(r["bh"], rel=1e-12)


@given(PROBABILITIES)
def test_never_smaller_never_above_one_and_in_order(p: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert all(
            before <= (after or 0) + 1e-15 <= 1 + 1e-12
            for before, after in zip(p, adjusted, strict=True)
        )
        ranked = [
            after for _, after in sorted(zip(p, adjusted, strict=True), key=lambda pair: pair[0])
        ]
        assert ranked == sorted(ranked, key=lambda value: value or 0)
    assert all(
        (one or 0) >= (other or 0) - 1e-15
        for one, other in zip(holm(p), benjamini_hochberg(p), strict=True)
    )


@given(PROBABILITIES)
def test_an_undefined_test_stays_undefined_and_does_not_count(p: list[float]) -> None:
    assert holm([None, *p])[1:] == holm(p)
    assert benjamini_hochberg([None, *p]) == (None, *benjamini_hochberg(p))


def test_what_is_no_probability_is_named() -> None:
    with pytest.raises(
        InvalidInput, match=r"p_values\[1\]: expected a probability or None, got 1.5"
    ):
        holm([0.1, 1.5])
    assert holm([]) == ()
