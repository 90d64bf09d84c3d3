"""Williams designs: Latin squares, balanced for carry-over."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.study.levels import row_count, williams

SIZES = st.integers(1, 25)


@given(SIZES)
def test_every_row_holds_every_treatment_once(n):
    assert all(sorted(row) == list(range(n)) for row in williams(n))
    assert len(williams(n)) == len(set(williams(n))) == row_count(n)


@given(SIZES)
def test_every_treatment_comes_equally_often_in_every_place(n):
    rows = williams(n)
    for place in range(n):
        counts = Counter(row[place] for row in rows)
        assert set(counts.values()) == {len(rows) // n}


@given(st.integers(2, 25))
def test_every_treatment_follows_every_other_equally_often(n):
    pairs = Counter(pair for row in williams(n) for pair in itertools.pairwise(row))
    assert len(pairs) == n * (n - 1)
    assert set(pairs.values()) == {1 if n % 2 == 0 else 2}


@pytest.mark.parametrize(("n", "rows"), [(1, 1), (2, 2), (3, 6), (4, 4), (5, 10)])
def test_even_designs_have_n_rows_and_odd_ones_twice_as_many(n, rows):
    assert len(williams(n)) == rows


def test_nothing_cannot_be_ordered():
    with pytest.raises(
        InvalidInput, match=r"expected at least one treatment, got 0\. Give the block levels"
    ):
        williams(0)
