"""Indices, recall, precision and detection: the worked check, values by hand, undefined cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from believable.protocols.clips import clip_ratings as measures
from believable.protocols.clips import clip_verdicts
from believable.protocols.clips.clip_ratings import Ratings
from believable.stats.detection import criterion, d_prime
from believable.stats.indices import believability_index


def rated(*rows, experience):
    """Ratings from (respondent, type, clip, rating)."""
    respondent, type_, clip, rating = zip(*rows, strict=True) if rows else ((), (), (), ())
    places = {"human": 0, "imitation": 1, "artificial": 2}
    return Ratings(
        respondent=np.array(respondent, dtype=np.int64),
        type=np.array([places[one] for one in type_], dtype=np.int64),
        stimulus=np.array(clip, dtype=object),
        rating=np.array(rating, dtype=np.float64),
        position=np.arange(len(rating)),
        player=np.zeros(len(rating), dtype=np.int64),
        experience=np.array(experience, dtype=np.float64),
        condition=np.array(type_, dtype=object),
    )


def rng():
    return np.random.default_rng(1)


def test_the_worked_check():
    """Two respondents, e = 1 and 5, one clip rated 5 and 1: h = 0 and 1, mean(e) = 3, w = 0 and
    5/3, b = .8333, c = .6.
    """
    found = rated((0, "human", "a", 5), (1, "human", "a", 1), experience=[1, 5])
    data = measures.weighted_means(found)
    np.testing.assert_array_equal(data.human["human"], [0, 1])
    np.testing.assert_allclose(
        data.experience * data.human["human"] / data.experience.mean(), [0, 5 / 3]
    )
    b = measures.believability(data, "human", rng=rng(), resamples=500)
    assert b.value == pytest.approx(0.8333333333, abs=1e-9)
    c = measures.confidence_index(found.experience, rng=rng(), resamples=500)
    assert c.value == pytest.approx(0.6)


def test_the_index_is_that_of_the_statistics_layer():
    generator = rng()
    table = generator.integers(1, 6, size=(12, 4))
    experience = generator.integers(1, 6, size=12)
    rows = [(p, "imitation", f"c{i}", table[p, i]) for p in range(12) for i in range(4)]
    found = rated(*rows, experience=experience)
    b = measures.believability(
        measures.weighted_means(found), "imitation", rng=rng(), resamples=5000
    )
    other = believability_index(table, experience)
    assert b.value == pytest.approx(other.value)
    assert (b.low, b.high) == (
        pytest.approx(other.low, abs=0.02),
        pytest.approx(other.high, abs=0.02),
    )
    assert b.method == "believability index, expanded percentile bootstrap over respondents"


def test_respondents_without_experience_do_not_weigh():
    found = rated(
        (0, "human", "a", 1), (1, "human", "a", 5), (2, "human", "a", 1), experience=[2, np.nan, 2]
    )
    assert (
        measures.believability(
            measures.weighted_means(found), "human", rng=rng(), resamples=200
        ).value
        == 1
    )


def test_a_contrast_with_equal_weights_is_a_paired_t_test_with_its_effective_number():
    generator = rng()
    ratings = generator.integers(1, 6, size=(15, 2))
    rows = [
        (p, type_, type_, ratings[p, i])
        for p in range(15)
        for i, type_ in enumerate(("human", "artificial"))
    ]
    found, _ = clip_verdicts.contrast(
        rated(*rows, experience=[3] * 15), "human", "artificial", over="judges"
    )
    h = np.abs(ratings - 5) / 4
    theirs = stats.ttest_rel(h[:, 0], h[:, 1])
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue)
    assert found.df == (pytest.approx(14.0),)


def test_a_contrast_leaves_out_who_rated_one_type_only():
    generator = rng()
    rows = [
        (p, type_, type_, int(generator.integers(1, 6)))
        for p in range(15)
        for type_ in ("human", "artificial")
    ]
    alone = [(p, "human", "human", 1) for p in range(15, 30)]
    both, with_others = (
        clip_verdicts.contrast(
            rated(*some, experience=[3] * 30), "human", "artificial", over="judges"
        )[0]
        for some in (rows, rows + alone)
    )
    assert with_others.n == both.n == 15
    assert with_others.estimate.value == pytest.approx(both.estimate.value)
    assert with_others.p_value == pytest.approx(both.p_value)


def test_equivalence_of_a_contrast():
    rows = [
        (p, type_, type_, 2 + (p + (type_ == "human") * (p % 3 == 0)) % 3)
        for p in range(60)
        for type_ in ("human", "imitation")
    ]
    test, _ = clip_verdicts.contrast(
        rated(*rows, experience=[3] * 60), "human", "imitation", over="judges"
    )
    wide, narrow = (
        clip_verdicts.equivalent(test, margin=margin, alpha=0.05) for margin in (0.3, 0.01)
    )
    assert wide.equivalent
    assert not narrow.equivalent
    assert wide.estimate.level == pytest.approx(0.9)
    assert wide.estimate.low > -0.3
    assert wide.estimate.high < 0.3


def test_clips_that_differ_carry_no_verdict_about_their_types():
    """One of two imitations is taken for artificial by everybody: a sure difference of these clips,
    and no verdict on types.
    """
    generator = rng()
    centre = {"h0": 2, "h1": 2, "i0": 2, "i1": 4}
    rows = [
        (
            p,
            "human" if clip[0] == "h" else "imitation",
            clip,
            int(np.clip(mean + generator.integers(-1, 2), 1, 5)),
        )
        for p in range(60)
        for clip, mean in centre.items()
    ]
    survey = rated(*rows, experience=[3] * 60)
    these, _ = clip_verdicts.contrast(survey, "human", "imitation", over="judges")
    about_types, split = clip_verdicts.contrast(survey, "human", "imitation", over="both")
    assert these.p_value < 1e-6
    assert about_types.p_value > 0.2
    assert about_types.estimate.value == pytest.approx(these.estimate.value)
    assert about_types.df[0] < 2
    assert split.shares[1] > 0.9
    shares = [np.mean([abs(r[3] - 5) / 4 for r in rows if r[2] == clip]) for clip in centre]
    welch = stats.ttest_ind(shares[:2], shares[2:], equal_var=False)
    assert about_types.p_value == pytest.approx(welch.pvalue, rel=0.1)


def test_recall_under_both_treatments_and_precision_by_hand():
    rows = [
        (0, "human", "h1", 1),
        (0, "human", "h2", 3),
        (1, "human", "h1", 2),
        (1, "human", "h2", 5),
        (0, "artificial", "a1", 4),
        (0, "artificial", "a2", 2),
        (1, "artificial", "a1", 5),
        (1, "artificial", "a2", 3),
    ]
    found = rated(*rows, experience=[3, 4])
    assert measures.recall(found, "human").value == pytest.approx(2 / 4)
    assert measures.recall(found, "human", middle="left_out").value == pytest.approx(2 / 3)
    assert measures.precision(found, "human").value == pytest.approx(2 / 3)
    assert measures.precision(found, "artificial").value == pytest.approx(2 / 3)


def test_detection_is_that_of_the_pooled_counts_with_an_interval_over_respondents():
    generator = rng()
    rows = [
        (p, type_, f"{type_}{i}", int(generator.integers(1, 6)))
        for p in range(20)
        for i in range(3)
        for type_ in ("human", "artificial")
    ]
    found = rated(*rows, experience=[3] * 20)
    one = measures.detection(found, "artificial", middle="not_human", rng=rng(), resamples=2000)
    counts = (one.hits, one.misses, one.false_alarms, one.correct_rejections)
    assert sum(counts) == 120
    assert one.d_prime.value == pytest.approx(d_prime(*counts).value)
    assert one.criterion.value == pytest.approx(criterion(*counts).value)
    left_out = measures.detection(found, "artificial", middle="left_out", rng=rng(), resamples=200)
    assert left_out.hits == one.hits
    assert left_out.misses < one.misses


def test_undefined_cases_say_why():
    nobody = measures.weighted_means(rated(experience=[]))
    assert nobody.human == {}
    single = rated((0, "human", "a", 1), (0, "artificial", "b", 5), experience=[3])
    one = measures.weighted_means(single)
    assert (
        measures.believability(one, "human", rng=rng(), resamples=200).reason
        == "one respondent has no spread"
    )
    few, _ = clip_verdicts.contrast(single, "human", "artificial", over="judges")
    assert few.reason == "needs at least 2 respondents, got 1"
    alike = rated(
        *[
            (p, type_, f"{type_}{clip}", rating)
            for p in (0, 1)
            for type_, rating in (("human", 1), ("artificial", 5))
            for clip in "ab"
        ],
        experience=[3, 4],
    )
    assert (
        clip_verdicts.contrast(alike, "human", "artificial", over="judges")[0].reason
        == "all respondents differ alike"
    )
    assert measures.by_experience(one, "human", 5).reason == "nobody at this level"
    assert measures.by_experience(one, "human", 3).value == 1
    assert measures.confidence_index(np.array([np.nan]), rng=rng()).reason == "no respondent"
    no_humans = measures.detection(
        rated((0, "artificial", "b", 5), experience=[3]),
        "artificial",
        middle="not_human",
        rng=rng(),
    )
    assert no_humans.d_prime.reason == "one kind of clip was never shown"


def test_levels_of_experience_include_those_that_nobody_has():
    assert measures.levels(np.array([1.0, 3.0, np.nan]), 5) == [1, 2, 3, 4, 5]


def test_conditions_of_a_type_stand_by_themselves():
    """Two respondents, e = 1 and 3: the clone is rated 1 and 5 (h = 1, 0), the other imitation 5
    and 1. b = 1/4 and 3/4.
    """
    rows = (
        (0, "human", "a", 1),
        (0, "imitation", "b", 1),
        (0, "imitation", "c", 5),
        (1, "imitation", "b", 5),
        (1, "imitation", "c", 1),
    )
    plain = rated(*rows, experience=[1, 3])
    assert plain.conditions == (), "nothing to tell apart"
    survey = replace(
        plain,
        condition=np.array(["human", "clone", "imitation", "clone", "imitation"], dtype=object),
    )
    assert survey.conditions == (
        ("human", "human"),
        ("imitation", "clone"),
        ("imitation", "imitation"),
    )
    for condition, b in (("clone", 0.25), ("imitation", 0.75)):
        own = survey.only(condition)
        assert measures.believability(
            measures.weighted_means(own), "imitation", rng=rng(), resamples=100
        ).value == pytest.approx(b)
        assert measures.recall(own, "imitation").value == pytest.approx(0.5)
