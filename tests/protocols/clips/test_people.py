"""Respondents rate clips as human as was planted, both ways."""

from __future__ import annotations

import random

import numpy as np
import pytest

from believable.protocols.clips import people as clips
from believable.protocols.clips.people import (
    COMMENTS,
    ClipsTruth,
    Respondent,
    chances,
    nothing,
    rate_humanness,
    values,
)


def indices(bundle):
    experience = {
        row["session"]: row["value_number"]
        for row in bundle["answers"].rows()
        if row["question"] == "experience"
    }
    mean = np.mean(list(experience.values()))
    found: dict[str, list[float]] = {}
    for row in bundle["answers"].rows():
        if row["question"] == "rating":
            weight = experience[row["session"]] / mean
            found.setdefault(str(row["condition"]), []).append(
                weight * (5 - row["value_number"]) / 4
            )
    return {name: float(np.mean(one)) for name, one in found.items()}, mean / 5


@pytest.mark.parametrize(
    "truth", [ClipsTruth(), nothing(), ClipsTruth(by_experience=0.4, respondent_sd=0.9)]
)
def test_the_indices_are_the_planted_ones(simulated, truth):
    sessions, bundle = simulated("clips", 3000, truth)
    found, confidence = indices(bundle)
    known = values(truth, sessions)
    for kind, condition in zip(clips.TYPES, ("human", "imitation", "rule_based"), strict=True):
        assert found[condition] == pytest.approx(known[f"believability.{kind}"], abs=0.012)
    assert confidence == pytest.approx(known["confidence"], abs=0.01)


def test_without_effect_all_types_are_alike(simulated):
    sessions, _ = simulated("clips", 2, nothing())
    known = values(nothing(), sessions)
    assert known["believability.human"] == pytest.approx(known["believability.artificial"])


def test_chances_add_up_and_follow_humanness():
    human, artificial = chances(ClipsTruth(), 1.5, 3), chances(ClipsTruth(), -1.5, 3)
    assert human.sum() == pytest.approx(1)
    assert human[0] > human[4]
    assert artificial[4] > artificial[0]
    assert [rate_humanness(level) for level in (2.0, 0.5, 0.0, -0.5, -2.0)] == [1, 2, 3, 4, 5]


def test_a_respondent_at_a_browser_follows_the_same_truth(ready, seen):
    study = ready("clips").study
    first = {str(stimulus.condition): stimulus.id for stimulus in reversed(study.stimuli)}
    ratings: dict[str, list[int]] = {"human": [], "rule_based": []}
    for number in range(500):
        somebody = Respondent(
            ClipsTruth(by_experience=0), study, random.Random(number), careless=False
        )
        page = [seen(study, first[name]) for name in ("human", "imitation", "rule_based")]
        ratings["human"].append(somebody.answer("rating-0", page, ()))
        ratings["rule_based"].append(somebody.answer("rating-2", page, ()))
        assert somebody.answer("experience", (), ()) in range(1, 6)
    expected = [
        float(chances(ClipsTruth(by_experience=0), mean, 3) @ np.arange(1, 6))
        for mean in (
            ClipsTruth().human - ClipsTruth().clip_spread,
            ClipsTruth().artificial - ClipsTruth().clip_spread,
        )
    ]
    for found, mean in zip(ratings.values(), expected, strict=True):
        assert np.mean(found) == pytest.approx(mean, abs=0.2)


def test_comments_speak_of_the_clip_that_was_rated(simulated):
    _, bundle = simulated("clips", 20, None)
    rows = list(bundle["answers"].rows())
    taken = {
        (r["session"], r["stimulus"]): r["value_number"] for r in rows if r["question"] == "rating"
    }
    comments = [r for r in rows if r["question"] == "comment"]
    assert len({r["value_text"] for r in comments}) > 5
    for row in comments:
        rating = taken[row["session"], row["stimulus"]]
        kind = "human" if rating <= 2 else "artificial" if rating >= 4 else "undecided"
        assert row["value_text"] in COMMENTS[kind]


def test_how_human_is_answered_only_where_rated_artificial(simulated):
    _, bundle = simulated("clips", 20, None)
    rated_artificial = {
        (r["session"], r["stimulus"])
        for r in bundle["answers"].rows()
        if r["question"] == "rating" and r["value_number"] >= 4
    }
    asked = {
        (r["session"], r["stimulus"])
        for r in bundle["answers"].rows()
        if r["question"] == "how_human"
    }
    assert asked == rated_artificial
