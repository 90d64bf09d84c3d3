"""The permutation ANOVA against scipy, and how often it rejects if groups do not differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from believable.core.errors import InvalidInput
from believable.stats.permutation import permutation_anova


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("sizes", [(4, 5), (2, 3, 3)])
def test_all_arrangements_give_the_p_of_scipy(sizes: tuple[int, ...]) -> None:
    draws = rng(7)
    samples = [draws.normal(0.8 * index, 1, size) for index, size in enumerate(sizes)]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    found = permutation_anova(np.concatenate(samples), groups, rng=rng())
    expected = stats.permutation_test(
        samples,
        lambda *parts: stats.f_oneway(*parts).statistic,
        alternative="greater",
        n_resamples=np.inf,
    )
    assert found.statistic == pytest.approx(stats.f_oneway(*samples).statistic, rel=1e-10)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert "exact over" in found.method


@pytest.mark.parametrize(
    ("sizes", "p_value"), [((3, 3), 2 / 20), ((2, 4), 1 / 15), ((2, 2, 2), 6 / 90)]
)
def test_groups_without_variance_have_the_p_of_their_arrangements(
    sizes: tuple[int, ...], p_value: float
) -> None:
    """Counted by hand: as many arrangements separate the values as groups of one size can change
    places.
    """
    groups = np.repeat(np.arange(len(sizes)), sizes)
    found = permutation_anova(10.0 * groups, groups, rng=rng())
    assert (found.symbol, found.statistic) == ("R²", 1.0)
    assert found.p_value == pytest.approx(p_value)


def test_many_groups_without_variance_are_drawn() -> None:
    groups = np.repeat([0, 1], 30)
    found = permutation_anova(groups.astype(float), groups, rng=rng(), resamples=199)
    assert found.p_value == pytest.approx(1 / 200)


def test_random_arrangements_come_near_the_f_test() -> None:
    draws = rng(3)
    a, b = draws.normal(0, 1, 60), draws.normal(0.4, 1, 60)
    found = permutation_anova(np.r_[a, b], np.repeat([0, 1], 60), rng=rng())
    assert found.p_value == pytest.approx(stats.f_oneway(a, b).pvalue, abs=0.01)


def test_cells_are_pooled_and_missing_values_left_out() -> None:
    values = np.array(
        [[1.0, np.nan], [2.0, 4.0], [4.0, 7.0], [np.nan, 8.0], [6.0, 9.0], [np.nan, np.nan]]
    )
    groups = np.array([0, 0, 1, 1, 1, 0])
    cells = [([1.0, 2.0], [4.0, 6.0]), ([4.0], [7.0, 8.0, 9.0])]
    between = within = 0.0
    for first, second in cells:
        everything = np.r_[first, second]
        within += sum(
            float(((np.array(part) - np.mean(part)) ** 2).sum()) for part in (first, second)
        )
        between += sum(
            len(part) * float((np.mean(part) - everything.mean()) ** 2) for part in (first, second)
        )
    found = permutation_anova(values, groups, rng=rng())
    assert found.statistic == pytest.approx((between / 2) / (within / 4))
    assert found.n == 5


def test_exchangeable_sessions_are_rejected_as_often_as_stated() -> None:
    """Ten of forty sessions, four conditions of one person each, some unseen: the p values are
    uniform.
    """
    draws = rng(11)
    groups = np.repeat([0, 1], [10, 30])
    p_values = []
    for _ in range(400):
        values = draws.normal(0, 1, (40, 1)) + draws.normal(0, 0.5, (40, 4))
        values[draws.random((40, 4)) < 0.2] = np.nan
        p_values.append(permutation_anova(values, groups, rng=draws, resamples=199).p_value)
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.033)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_undefined_cases_say_why() -> None:
    assert (
        permutation_anova([1.0, 2.0, 3.0], [0, 0, 1], rng=rng()).reason
        == "a group has fewer than two units"
    )
    constant = permutation_anova([2.0, 2.0, 2.0, 2.0], [0, 0, 1, 1], rng=rng())
    assert constant.p_value is None
    assert "do not vary" in str(constant.reason)
    with pytest.raises(InvalidInput, match="one for each of 2 units, got 3"):
        permutation_anova([1.0, 2.0], [0, 0, 1], rng=rng())
