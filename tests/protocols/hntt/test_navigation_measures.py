"""Accuracy, equivalence, clusters, familiarity: values by hand, and undefined cases."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
from scipy import stats

from believable.protocols.hntt import navigation_judgements as measures
from believable.protocols.hntt.agent_verdict import decide, judge_agent
from believable.protocols.hntt.navigation_judgements import agents, judgements
from believable.stats.equivalence import as_test


def trials(right, each=6):
    """Judges with so many right choices of six: correct, judge, pair."""
    correct = np.concatenate([np.arange(each) < count for count in right])
    return correct, np.repeat(np.arange(len(right)), each), np.tile(np.arange(each), len(right))


def test_the_mean_and_its_test_over_judges_agree_with_scipy():
    right = [3, 4, 4, 5, 6, 2, 5, 5, 6, 4]
    accuracy = np.array(right) / 6
    test = decide(*trials(right), over="judges").test
    theirs = stats.ttest_1samp(accuracy, 0.5)
    assert test.statistic == pytest.approx(theirs.statistic)
    assert test.p_value == pytest.approx(theirs.pvalue)
    assert test.df == (9.0,)
    greater = decide(*trials(right), over="judges", alternative="greater").test
    assert greater.p_value == pytest.approx(
        stats.ttest_1samp(accuracy, 0.5, alternative="greater").pvalue
    )


def test_pairs_that_differ_widen_the_interval_that_decides():
    """The first two pairs are always right, the others by chance: over judges that is sure, over
    pairs it is not.
    """
    rng = np.random.default_rng(1)
    judge, pair = np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
    correct = (pair < 2) | (rng.random(360) < 0.5)
    these, agent = (decide(correct, judge, pair, over=over) for over in ("judges", "both"))
    assert these.test.p_value < 1e-6
    assert agent.test.p_value > 0.05
    assert agent.test.df == (5.0,)
    shares = np.array([correct[pair == number].mean() for number in range(6)])
    over_pairs = stats.ttest_1samp(shares, 0.5).pvalue
    assert agent.test.p_value == pytest.approx(over_pairs, rel=0.2)
    assert agent.split.shares[1] > 0.9


def test_the_interval_stays_between_0_and_1():
    mean = decide(*trials([6, 6, 6, 5]), over="judges").mean
    assert 0 < mean.low < mean.value < mean.high <= 1


def test_undefined_cases_say_why():
    assert decide(*trials([3]), over="judges").test.reason == "needs at least 2 judges, got 1"
    assert (
        decide(*trials([0, 1, 1], each=1), over="both").test.reason
        == "needs at least 2 clips, got 1"
    )
    same = decide(*trials([3, 3]), over="judges").equivalence
    assert as_test(same).reason == "no spread between judges or clips"
    assert same.estimate.value == pytest.approx(0.5)


def test_equivalence_is_shown_by_the_harder_side():
    right = np.repeat([2, 3, 4], 30)
    found = decide(*trials(right), over="judges").equivalence
    assert found.equivalent
    theirs = [
        stats.ttest_1samp(right / 6, bound, alternative=side).pvalue
        for bound, side in ((0.4, "greater"), (0.6, "less"))
    ]
    assert as_test(found).p_value == pytest.approx(max(theirs))


@pytest.mark.parametrize(("shift", "bound", "side"), [(-1, 0.3, "greater"), (1, 0.7, "less")])
def test_the_t_of_equivalence_is_against_the_margin_that_is_harder_to_reject(shift, bound, side):
    right = np.repeat([2, 3, 4], 30) + shift
    found = as_test(decide(*trials(right), over="judges", margin=0.2).equivalence)
    theirs = stats.ttest_1samp(right / 6, bound, alternative=side)
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.alternative == side


def test_the_margin_chance_and_alpha_of_the_plan_decide(studies):
    """Not the defaults of `decide`: other values in the plan give other tests."""
    tree = deepcopy(studies.COMPARING)
    tree["analysis"]["tests"] = {"accuracy": {"margin": 0.25}}
    tree["analysis"]["options"] |= {"chance": 0.6}
    data, plan = studies.data_of(studies.judges(30, tree=tree), alpha=0.1)
    (one,) = agents(judgements(data), plan.roles["human"])
    verdict = judge_agent(one, plan)[0]
    same = verdict.equivalence
    assert (same.margin_low, same.margin_high, same.alpha) == pytest.approx((0.35, 0.85, 0.1))
    assert verdict.mean.level == pytest.approx(0.9)
    assert verdict.test.statistic == pytest.approx(
        (verdict.mean.value - 0.6) / verdict.test.estimate.se
    )


def test_more_judges_narrow_the_interval_over_judges_only(studies):
    made = {}
    for n in (30, 240):
        data, plan = studies.data_of(studies.judges(n, accuracy=0.7))
        (one,) = agents(judgements(data), plan.roles["human"])
        made[n] = measures.clustered_accuracy(
            one, rng=np.random.default_rng(1), resamples=2000, level=0.95
        )
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
    fit, left_out = measures.familiarity_regression(
        np.array([0.5, 0.6]), {"game": np.array([1.0, np.nan])}, level=0.95
    )
    assert isinstance(fit, str)
    assert fit == "there are too few judges, or their familiarity varies too little"
    assert left_out == 1


def test_subsampling_needs_more_judges_than_it_draws(studies):
    _, plan = studies.data_of(studies.judges(3))
    rng = np.random.default_rng(1)
    assert (
        measures.subsample_verdicts(np.full(50, 0.5), plan, rng)
        == "a subsample takes 50 judges, and there are 50"
    )
    found = measures.subsample_verdicts(np.tile([2 / 6, 3 / 6, 4 / 6], 20), plan, rng)
    assert (found.n, found.repeats, found.passed) == (50, 100, 100)
