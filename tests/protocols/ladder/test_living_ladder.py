"""Studies are joined by common agents; drift of judges is found if there is some; a clip of two
studies is one clip.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.protocols.ladder.living_ladder import (
    StudyChoices,
    drift,
    join_ladder,
    ladder_sections,
    relative,
    study_choices,
)
from believable.protocols.ladder.people import chances

STRENGTHS = {"people": 1.0, "v1": 0.0, "v2": 0.5, "v3": -0.5}


def study(name, agents, *, seed, shift=None, judges=80, clips=6, date="2026-01-01", question="q"):
    """Judges choose by these strengths, some of which another kind of judge sees differently."""
    rng = np.random.default_rng(seed)
    own = {agent: STRENGTHS[agent] + (shift or {}).get(agent, 0.0) for agent in agents}
    rows = []
    for judge in range(judges):
        for first, second in combinations(agents, 2):
            sides = (first, second) if rng.random() < 0.5 else (second, first)
            share = chances(np.array(own[sides[0]] - own[sides[1]]), -1.0)
            winner = ("left", "tie", "right")[rng.choice(3, p=share)]
            shown = tuple(f"{agent}/{rng.integers(clips)}" for agent in sides)
            rows.append((f"{name}/{judge}", *sides, winner, shown))
    judge, first, second, winner, pairs = zip(*rows, strict=True)
    return StudyChoices(
        name=name,
        date=date,
        question=question,
        simulated=False,
        judges=judge,
        first=first,
        second=second,
        winner=winner,
        clips=pairs,
    )


def test_agents_of_different_studies_are_on_one_scale_through_their_anchors():
    old = study("old", ["people", "v1", "v2"], seed=1, judges=300)
    new = study("new", ["people", "v1", "v3"], seed=2, judges=300, date="2026-02-01")
    joined = join_ladder([new, old])
    assert [part.name for part in joined.studies] == ["old", "new"], "in the order of dates"
    assert joined.anchors == ("people", "v1")
    for first, second in combinations(STRENGTHS, 2):
        apart = joined.fit.of(first).value - joined.fit.of(second).value
        assert apart == pytest.approx(STRENGTHS[first] - STRENGTHS[second], abs=0.35)
    v2, v3 = (
        relative(fit, agent, joined.anchors, 0.95)
        for fit, agent in zip(joined.single, ("v2", "v3"), strict=True)
    )
    assert v2.value == pytest.approx(0.5 - 0.5, abs=0.35)
    assert v3.value == pytest.approx(-0.5 - 0.5, abs=0.35)
    assert v2.low is not None


def test_the_estimate_relative_to_the_anchors_is_that_of_the_contrasts():
    one = study("one", ["people", "v1", "v2"], seed=3)
    fit = join_ladder([one]).single[0]
    found = relative(fit, "v2", ["people", "v1"], 0.95)
    expected = fit.of("v2").value - (fit.of("people").value + fit.of("v1").value) / 2
    assert found.value == pytest.approx(expected)
    assert relative(fit, "v1", ["v1"], 0.95).value is None


def test_judges_who_changed_are_found_and_others_are_not():
    old = study("old", ["people", "v1", "v2"], seed=4)
    same = study("same", ["people", "v1", "v2"], seed=5, date="2026-02-01")
    other = study("other", ["people", "v1", "v2"], seed=6, shift={"v1": 1.5}, date="2026-02-01")
    calm = [test.p_value for *_, test in drift(join_ladder([old, same]))]
    assert len(calm) == 3
    assert min(calm) > 0.01
    changed = {pair: test.p_value for pair, *_, test in drift(join_ladder([old, other]))}
    assert changed["people", "v1"] < 1e-4
    assert changed["people", "v2"] > 0.01
    words = ladder_sections(join_ladder([old, other]))[-1].findings[0].sentence
    assert words.startswith("Judges differ between studies in 2 comparisons")
    assert "No drift" in ladder_sections(join_ladder([old, same]))[-1].findings[0].sentence


def test_the_report_says_which_clips_are_used_again_and_whether_the_question_is_the_same():
    old = study("old", ["people", "v1"], seed=7)
    new = study("new", ["people", "v1"], seed=8)
    words = " ".join(ladder_sections(join_ladder([old, new]))[0].paragraphs)
    assert "12 clips (6 of people) were judged in more than one study" in words
    assert "The question is the same in all studies" in words
    moved = replace(new, question="other", clips=tuple((f"{a}+", f"{b}+") for a, b in new.clips))
    words = " ".join(ladder_sections(join_ladder([old, moved]))[0].paragraphs)
    assert "0 clips (0 of people)" in words
    assert "The question differs" in words


def test_simulated_judges_and_people_are_not_joined():
    old = study("old", ["people", "v1"], seed=7)
    with pytest.raises(InvalidInput, match="Join them apart"):
        join_ladder([old, replace(old, name="sim", simulated=True)])


def test_choices_are_read_with_one_name_for_people(simulated, resolved):
    _, bundle = simulated("ladder", 30)
    read = study_choices("study", resolved(bundle)[0])
    assert "people" in read.agents
    assert "standin_human" not in read.agents
    assert len(read.judges) == len(read.winner) == len(read.clips)
    assert read.simulated
    assert len(read.question) == 64
