"""Verdicts on conditions of an own design rest on people and stimuli, or say that they are about
these stimuli.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from believable.analysis.findings import Finding
from believable.analysis.run import run
from believable.bundle import memory
from believable.protocols.templates import TEMPLATES
from believable.study.load import load

PEOPLE = 40
#: The mean rating of each clip. One clip of `second` is rated low by all people, the other one is
#: not.
MEANS = {"first_a": 5.0, "first_b": 5.0, "second_a": 5.0, "second_b": 2.5}
RATINGS = {
    clip: np.clip(np.round(mean + np.random.default_rng(place).normal(0, 0.8, PEOPLE)), 1, 7)
    for place, (clip, mean) in enumerate(MEANS.items())
}


def compare(about: str, clips: tuple[str, ...] = tuple(MEANS)) -> Finding:
    """The finding on first minus second, if each person rates each of these clips."""
    answers: list[dict[str, Any]] = [
        {
            "session": f"s{person}",
            "position": place,
            "trial": "clip",
            "condition": clip.partition("_")[0],
            "stimulus": clip,
            "question": "humanness",
            "kind": "likert",
            "value_number": float(RATINGS[clip][person]),
        }
        for person in range(PEOPLE)
        for place, clip in enumerate(clips)
    ]
    tables = {
        "participants": [{"session": f"s{person}"} for person in range(PEOPLE)],
        "answers": answers,
    }
    definition = load(TEMPLATES["blank"].folder)
    assert definition.study.analysis is not None
    plan = definition.study.analysis.model_copy(update={"stopping": None, "about": about})
    analysis = run(memory.bundle(tables, definition), plan=plan)
    return next(
        finding
        for finding in analysis.findings
        if finding.outcome == "humanness" and finding.about == "first-second"
    )


def test_clips_that_differ_carry_no_verdict_about_their_conditions() -> None:
    these, in_general = compare("these clips"), compare("agent")
    assert these.test is not None
    assert in_general.test is not None
    assert these.test.p_value is not None
    assert these.test.p_value < 1e-6
    means = [float(ratings.mean()) for ratings in RATINGS.values()]
    expected = stats.ttest_ind(means[:2], means[2:], equal_var=False, alternative="greater")
    assert in_general.test.p_value == pytest.approx(expected.pvalue, rel=0.02), (
        "only clips vary: a t test of their means"
    )
    assert "not significant" in in_general.sentence


def test_a_verdict_about_these_clips_says_so_and_each_has_a_variance_split() -> None:
    these, in_general = compare("these clips"), compare("agent")
    assert these.scope == "these four clips"
    assert these.sentence.startswith("For these four clips: ")
    assert in_general.scope == ""
    for finding in (these, in_general):
        assert "variance is made of " in finding.sentence


def test_one_clip_of_a_condition_carries_no_verdict_about_it() -> None:
    finding = compare("agent", ("first_a", "first_b", "second_b"))
    assert finding.test is not None
    assert finding.test.p_value is None
    assert "too few clips for a claim about first and second in general" in finding.test.reason
