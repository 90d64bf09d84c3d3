"""Judges choose and rate as was planted, both ways; each judge sees every agent about equally
often.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from believable.protocols.ladder.pair_choices import choices, fit_ladder
from believable.protocols.ladder.people import (
    LadderJudge,
    LadderTruth,
    chances,
    marginal_strengths,
    nothing,
)

PEOPLE = 3000


@pytest.mark.parametrize("truth", [LadderTruth(clip_sd=0.0), nothing()])
def test_contrasts_are_the_planted_ones(resolved, simulated, truth):
    sessions, bundle = simulated("ladder", PEOPLE, truth)
    ladder = fit_ladder(*resolved(bundle))
    assert ladder is not None
    planted = marginal_strengths(truth, 6)
    found = [ladder.fit.of(name).value for name in sessions.pool.study.conditions]
    # Clips of one condition differ by chance, and each condition has six.
    assert found == pytest.approx(planted.tolist(), abs=0.07 if not truth.clip_sd else 0.5)


def test_one_choice_in_six_is_a_tie_and_careless_people_are_no_different(resolved, simulated):
    _, bundle = simulated("ladder", PEOPLE, nothing())
    judged = choices(resolved(bundle)[0])
    assert float((judged.score == 0.5).mean()) == pytest.approx(
        float(chances(np.zeros(1), -1.0)[0, 1]), abs=0.03
    )


def test_pairs_are_balanced_and_a_judge_sees_no_clip_twice(simulated):
    _, bundle = simulated("ladder", 60, LadderTruth())
    pages: dict[tuple[str, int], list[dict]] = {}
    for row in bundle["shown"].rows():
        pages.setdefault((row["session"], row["position"]), []).append(row)
    whole = {row["session"] for row in bundle["participants"].rows() if row["outcome"]}
    assert all(len({row["scenario"] for row in page}) == 1 for page in pages.values())
    pairs = Counter(
        tuple(sorted(row["condition"] for row in page))
        for (session, _), page in pages.items()
        if session in whole
    )
    assert len(pairs) == 15
    assert max(pairs.values()) - min(pairs.values()) <= 8
    views = Counter(
        (session, row["condition"])
        for (session, _), page in pages.items()
        if session in whole
        for row in page
    )
    assert set(views.values()) <= {2, 3, 4, 5}
    clips = Counter(
        (session, row["stimulus"]) for (session, _), page in pages.items() for row in page
    )
    assert max(clips.values()) == 1


def test_a_judge_at_a_browser_follows_the_same_truth(ready, seen):
    study = ready("ladder").study
    truth = LadderTruth(span=3.0, clip_sd=0.0, judge_sd=0.0, poor_text=0.0)
    answers, points = Counter(), []
    for number in range(600):
        judge = LadderJudge(truth, study, random.Random(number), careless=False)
        page = [seen(study, "north_human"), seen(study, "north_agent")]
        answers[judge.answer("which", page, [])] += 1
        points.append([judge.answer(f"humanness-{player}", page, []) for player in (0, 1)])
    expected = chances(np.array(3.0), -1.0)
    shares = [answers[name] / 600 for name in ("first", "neither", "second")]
    assert shares == pytest.approx(expected.tolist(), abs=0.05)
    means = np.mean(points, axis=0)
    assert means[0] - means[1] == pytest.approx(3.0, abs=0.25)
