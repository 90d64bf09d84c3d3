"""Rank distributions beside full enumeration, order statistics beside sorting everything."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from believable.stats import ranks

VALUES = st.lists(st.integers(-9, 9), min_size=1, max_size=8)


@given(VALUES)
def test_signed_ranks_as_all_signs_give_them(values: list[int]) -> None:
    midranks = stats.rankdata(np.abs(values))
    chances = ranks.signed_rank_chances(midranks)
    sums = [
        round(2 * float(midranks[list(signs)].sum()))
        for signs in (
            np.array(s, dtype=bool) for s in itertools.product((False, True), repeat=len(values))
        )
    ]
    assert chances == pytest.approx(
        np.bincount(sums, minlength=len(chances)) / len(sums), abs=1e-12
    )


@given(VALUES, st.integers(0, 8))
def test_rank_sums_as_all_choices_give_them(values: list[int], m: int) -> None:
    m = min(m, len(values))
    midranks = stats.rankdata(values)
    chances = ranks.rank_sum_chances(midranks, m)
    sums = [
        round(2 * float(midranks[list(chosen)].sum()))
        for chosen in itertools.combinations(range(len(values)), m)
    ]
    assert chances == pytest.approx(
        np.bincount(sums, minlength=len(chances)) / len(sums), abs=1e-12
    )


@pytest.mark.parametrize("n", [5, 6, 12, 30, 60])
def test_indices_keep_the_level_and_could_not_be_larger(n: int) -> None:
    k = ranks.signed_rank_index(n, 0.95)
    below = np.cumsum(ranks.signed_rank_chances(np.arange(1.0, n + 1)))[::2]
    assert k == 0 or below[k - 1] <= 0.025
    assert below[k] > 0.025
    j = ranks.binomial_index(n, 0.95)
    assert j == 0 or stats.binom.cdf(j - 1, n, 0.5) <= 0.025
    assert stats.binom.cdf(j, n, 0.5) > 0.025


def test_large_indices_join_the_exact_ones() -> None:
    """Just above the switch the normal approximation is within one of the exact index."""
    exact = int(
        np.searchsorted(
            np.cumsum(ranks.signed_rank_chances(np.arange(1.0, 62)))[::2], 0.025, side="right"
        )
    )
    assert abs(ranks.signed_rank_index(61, 0.95) - exact) <= 1
    chances = ranks.rank_sum_chances(np.arange(1.0, 62), 30)[30 * 31 :: 2]
    assert (
        abs(
            ranks.rank_sum_index(30, 31, 0.95)
            - int(np.searchsorted(np.cumsum(chances), 0.025, side="right"))
        )
        <= 1
    )


@given(
    st.lists(st.floats(-50, 50), min_size=2, max_size=12),
    st.lists(st.floats(-50, 50), min_size=2, max_size=12),
)
def test_selection_finds_what_sorting_finds(a: list[float], b: list[float]) -> None:
    x, y = np.array(a), np.array(b)
    walsh = np.sort([(x[i] + x[j]) / 2 for i in range(len(x)) for j in range(i, len(x))])
    differences = np.sort(np.subtract.outer(x, y).ravel())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "_DIRECT_UP_TO", 0)
        for k in {1, len(walsh) // 2 + 1, len(walsh)}:
            assert ranks.kth_walsh_average(x, k) == pytest.approx(walsh[k - 1], abs=1e-12)
        for k in {1, len(differences) // 2 + 1, len(differences)}:
            assert ranks.kth_difference(x, y, k) == pytest.approx(differences[k - 1], abs=1e-12)


@given(
    st.lists(st.integers(-30, 30), min_size=40, max_size=60),
    st.lists(st.integers(-30, 30), min_size=40, max_size=60),
)
def test_selection_without_all_pairs_gives_the_same_pair(a: list[int], b: list[int]) -> None:
    """The way for long samples, on short ones: no pairs are looked at before the bisection has left
    few of them.
    """
    first, second = np.array(a) / 8, np.array(b) / 8
    differences = np.sort(np.subtract.outer(first, second).ravel())
    rows, columns = np.triu_indices(len(first))
    averages = np.sort((first[rows] + first[columns]) / 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranks, "_DIRECT_UP_TO", 0)
        for look_at in (0, 5, 200):
            patch.setattr(ranks, "_LOOK_AT", look_at)
            for k in (1, 2, len(differences) // 2, len(differences)):
                assert ranks.kth_difference(first, second, k) == differences[k - 1]
            for k in (1, 2, len(averages) // 2, len(averages)):
                assert ranks.kth_walsh_average(first, k) == averages[k - 1]


def test_a_million_values_take_seconds() -> None:
    """Processor time, so that other work on the machine does not count."""
    rng = np.random.default_rng(8)
    for a, b in (
        rng.normal(size=(2, 500_000)),
        rng.integers(1, 8, size=(2, 500_000)).astype(float),
    ):
        start = time.process_time()
        assert ranks.kth_difference(a, b, len(a) * len(b) // 2) == pytest.approx(0, abs=0.01)
        assert time.process_time() - start < 15
