"""Verdicts over judges and clips: balanced designs against scipy and the analysis of variance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from believable.stats.crossed import (
    crossed_mean,
    crossed_variance,
    difference_split,
    unanimous_test,
    variance_split,
)
from believable.stats.crossed_contrasts import crossed_difference, crossed_odds, crossed_share_test

J, N = 12, 5
JUDGE, CLIP = np.repeat(np.arange(J), N), np.tile(np.arange(N), J)


def table(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, J)[:, None] + rng.normal(0, 2, N)[None, :] + rng.normal(0, 1, (J, N))


def test_a_mean_over_judges_is_the_one_sample_t_test() -> None:
    values = table()
    mean = crossed_mean(values.ravel(), JUDGE, CLIP, over="judges")
    theirs = stats.ttest_1samp(values.mean(axis=1), 0).confidence_interval(0.95)
    assert (mean.low, mean.high) == pytest.approx((theirs.low, theirs.high))


def test_the_variance_is_judges_plus_clips_minus_cells_and_never_below_either() -> None:
    values = table()
    weights = np.full(J * N, 1 / (J * N))
    influence = weights * (values.ravel() - values.mean())
    found = crossed_variance(influence, weights, JUDGE, CLIP)
    assert found.judges == pytest.approx(values.mean(axis=1).var(ddof=1) / J)
    assert found.clips == pytest.approx(values.mean(axis=0).var(ddof=1) / N)
    assert found.cells == pytest.approx((influence**2).sum())
    assert found.variance("both") == pytest.approx(
        max(found.judges + found.clips - found.cells, found.judges, found.clips)
    )
    assert (found.df("judges"), found.df("both")) == (J - 1, N - 1)


def test_the_split_is_that_of_the_analysis_of_variance() -> None:
    values = table()
    rest = values - values.mean(axis=1)[:, None] - values.mean(axis=0)[None, :] + values.mean()
    error = (rest**2).sum() / ((J - 1) * (N - 1))
    split = variance_split(values.ravel(), JUDGE, CLIP)
    assert split.rest == pytest.approx(error)
    assert split.judges == pytest.approx(values.mean(axis=1).var(ddof=1) - error / N)
    assert split.clips == pytest.approx(values.mean(axis=0).var(ddof=1) - error / J)


def test_differences_over_judges_are_paired_or_welch_tests() -> None:
    first, second = table(1).ravel(), table(2).ravel()
    values, group = np.concatenate([first, second]), np.repeat([True, False], J * N)
    clips = np.concatenate([CLIP, CLIP + N])
    means = [part.reshape(J, N).mean(axis=1) for part in (first, second)]
    same = crossed_difference(values, group, np.tile(JUDGE, 2), clips, over="judges").test
    assert same.statistic == pytest.approx(stats.ttest_rel(*means).statistic)
    assert same.p_value == pytest.approx(stats.ttest_rel(*means).pvalue)
    other = crossed_difference(
        values, group, np.concatenate([JUDGE, JUDGE + J]), clips, over="judges"
    ).test
    welch = stats.ttest_ind(*means, equal_var=False)
    assert (other.statistic, other.p_value) == pytest.approx((welch.statistic, welch.pvalue))


def test_the_split_of_a_difference_adds_the_clips_of_both_groups() -> None:
    values, group = (
        np.concatenate([table(1).ravel(), table(2).ravel()]),
        np.repeat([True, False], J * N),
    )
    judges, clips = np.tile(JUDGE, 2), np.concatenate([CLIP, CLIP + N])
    weights = np.full(2 * J * N, 1 / (J * N))
    split = difference_split(
        values,
        weights,
        judges,
        clips,
        group,
        crossed_variance(weights * 0, weights, judges, clips, group),
    )
    each = [
        variance_split(values[own], judges[own], clips[own]).of_mean[1] for own in (group, ~group)
    ]
    assert split.of_mean[1] == pytest.approx(sum(part or 0.0 for part in each))


def test_an_odds_ratio_is_that_of_the_pooled_counts() -> None:
    rng = np.random.default_rng(1)
    yes, group = rng.binomial(10, np.repeat([0.4, 0.2], J * N)), np.repeat([True, False], J * N)
    wholes = np.full(2 * J * N, 10.0)
    test = crossed_odds(yes, wholes, group, np.tile(JUDGE, 2), np.tile(CLIP, 2)).test
    a, b = int(yes[group].sum()), int(yes[~group].sum())
    assert test.estimate is not None
    assert test.estimate.value == pytest.approx(a * (600 - b) / (b * (600 - a)))
    assert test.df == (N - 1,)


def test_shares_and_unanimous_judges() -> None:
    values = (table() > 0).astype(float)
    test = crossed_share_test(values.ravel(), JUDGE, CLIP, over="judges")
    assert test.p_value == pytest.approx(stats.ttest_1samp(values.mean(axis=1), 0.5).pvalue)
    alike = unanimous_test(True, JUDGE, CLIP, null=0.5)
    assert alike.p_value == pytest.approx(stats.binomtest(N, N, 0.5).pvalue)


def test_answers_that_share_no_judge_and_no_clip_are_tested_exactly() -> None:
    """32 of 50: t calls it significant, and the exact test does not."""
    values = np.repeat([1.0, 0.0], [32, 18])
    test = crossed_share_test(values, np.arange(50), np.arange(50))
    assert test.p_value == pytest.approx(stats.binomtest(32, 50).pvalue)
    assert not test.significant(0.05)
