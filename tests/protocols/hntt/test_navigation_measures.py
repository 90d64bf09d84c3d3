"""Accuracy, equivalence, clusters, familiarity: values by hand, and undefined cases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from believable.protocols.hntt import navigation_judgements as measures
from believable.protocols.hntt.navigation_judgements import agents, judgements


def test_the_mean_and_its_test_agree_with_scipy():
    accuracy = np.array([3, 4, 4, 5, 6, 2, 5, 5, 6, 4]) / 6
    test = measures.against_chance(accuracy)
    theirs = stats.ttest_1samp(accuracy, 0.5)
    assert test.statistic == pytest.approx(theirs.statistic)
    assert test.p_value == pytest.approx(theirs.pvalue)
    assert test.df == (9.0,)
    greater = measures.against_chance(accuracy, alternative="greater")
    assert greater.p_value == pytest.approx(stats.ttest_1samp(accuracy, 0.5, alternative="greater").pvalue)
    assert test.effect.value == pytest.approx((accuracy.mean() - 0.5) / accuracy.std(ddof=1))


def test_the_interval_stays_between_0_and_1():
    mean = measures.mean_accuracy(np.array([1.0, 1.0, 1.0, 5 / 6]))
    assert 0 < mean.low < mean.value < mean.high <= 1


def test_undefined_cases_say_why():
    assert measures.mean_accuracy([]).reason == "no judge"
    assert measures.mean_accuracy([0.5]).reason == "one judge has no spread"
    assert measures.against_chance([0.5]).reason == "needs at least 2 judges, got 1"
    assert measures.against_chance([0.5, 0.5]).reason == "all judges have the same accuracy"
    same = measures.equivalence([0.5, 0.5], chance=0.5, margin=0.1, alpha=0.05)
    assert measures.as_test(same).reason == "no variance"


def test_equivalence_is_shown_by_the_harder_side():
    accuracy = np.repeat([2 / 6, 3 / 6, 4 / 6], 30)
    found = measures.equivalence(accuracy, chance=0.5, margin=0.1, alpha=0.05)
    test = measures.as_test(found)
    assert found.equivalent
    assert test.p_value == pytest.approx(max(found.p_low, found.p_high))
    off = measures.as_test(measures.equivalence(accuracy + 0.15, chance=0.5, margin=0.1, alpha=0.05))
    assert off.p_value > 0.5
    assert off.alternative == "less", "the upper margin is the one that is not rejected"


def test_more_judges_narrow_the_interval_over_judges_only(studies):
    made = {}
    for n in (30, 240):
        data, plan = studies.data_of(studies.judges(n, accuracy=0.7))
        (one,) = agents(judgements(data), plan.roles["human"])
        made[n] = measures.clustered(one, rng=np.random.default_rng(1), resamples=2000, level=0.95)
    assert made[240].judges.half_width < 0.5 * made[30].judges.half_width
    assert made[240].both.half_width >= made[240].judges.half_width
    assert (made[240].judges.n, made[240].clips.n) == (240, 6)


def test_familiarity_is_coded_by_its_words_and_other_is_missing(studies):
    data, plan = studies.data_of(studies.judges(30))
    words = plan.option("familiarity")
    coded = measures.coded_familiarity(data, "familiarity_genre", words)
    given = data.text_by_session("familiarity_genre")
    for answer, code in zip(given, coded, strict=True):
        assert (np.isnan(code) and answer == "other") or words[int(code) - 1] == answer


def test_a_regression_without_data_says_why():
    fit, left_out = measures.familiarity_regression(np.array([0.5, 0.6]), {"game": np.array([1.0, np.nan])}, level=0.95)
    assert isinstance(fit, str)
    assert fit == "there are too few judges, or their familiarity varies too little"
    assert left_out == 1


def test_subsampling_needs_more_judges_than_it_draws(studies):
    _, plan = studies.data_of(studies.judges(3))
    rng = np.random.default_rng(1)
    assert measures.subsampled(np.full(50, 0.5), plan, rng) == "a subsample takes 50 judges, and there are 50"
    found = measures.subsampled(np.tile([2 / 6, 3 / 6, 4 / 6], 20), plan, rng)
    assert (found.n, found.repeats, found.passed) == (50, 100, 100)
