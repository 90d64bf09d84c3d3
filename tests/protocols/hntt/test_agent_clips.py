"""Pairs of runs: same goal, about the same length, drawn by chance, shown for exactly as long."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from believable.app.study_folder import choose
from believable.core.errors import InvalidInput
from believable.protocols.hntt.run_pairs import (
    CUT_S,
    FinishedRun,
    RunPair,
    match_runs,
    mismatch_pairs,
    nearest_run,
    of_people,
)
from believable.protocols.variants import agent_variant, variant
from believable.study.load import load


def run(goal: int, seconds: float, name: str = "run") -> FinishedRun:
    return FinishedRun(Path(f"{name}-{goal}-{seconds}"), goal, seconds)


def test_a_run_takes_the_nearest_in_length_to_the_same_goal() -> None:
    people = [run(1, 12), run(1, 14), run(2, 13), run(1, 40)]
    rng = random.Random(1)
    (pair,) = match_runs([run(1, 13.2, "agent")], people, 1, rng)
    assert pair.first == run(1, 14)
    assert match_runs([run(3, 13)], people, 1, rng) == [], "nobody went there"
    assert nearest_run(run(1, 28), people) is None, "too far apart in length, or too long"


def test_pairs_share_goal_and_length_and_use_nothing_twice() -> None:
    rng = random.Random(1)
    agents = [run(n % 8, 10 + n % 7, f"agent{n}") for n in range(60)]
    people = [run(n % 8, 10 + n % 9, f"person{n}") for n in range(40)]
    pairs = match_runs(agents, people, 6, rng)
    assert len(pairs) == 6
    assert all(pair.first.goal == pair.second.goal for pair in pairs)
    assert len({pair.second.goal for pair in pairs}) == 6, (
        "six different goals where there are as many"
    )
    assert (
        len({pair.first.file for pair in pairs}) == len({pair.second.file for pair in pairs}) == 6
    )
    assert all(abs(pair.first.seconds - pair.second.seconds) <= 0.3 * 18 for pair in pairs)


def test_goals_come_twice_only_when_none_is_left() -> None:
    agents = [run(n % 2, 12, f"agent{n}") for n in range(10)]
    people = [run(n % 2, 12, f"person{n}") for n in range(10)]
    pairs = match_runs(agents, people, 6, random.Random(1))
    assert Counter(pair.second.goal for pair in pairs) in (
        {0: 3, 1: 3},
        {0: 2, 1: 4},
        {0: 4, 1: 2},
        {0: 5, 1: 1},
        {0: 1, 1: 5},
    )
    assert len(match_runs(agents, people[:3], 6, random.Random(1))) == 3, "there are no more people"
    assert match_runs([run(0, 9.9)], [run(0, 9.9)], 1, random.Random(1)) == [], (
        "too short to be shown"
    )


def test_every_fitting_run_is_drawn_about_as_often() -> None:
    agents = [run(0, 12, f"agent{n}") for n in range(5)]
    people = [run(0, 12, "person")]
    drawn = Counter(
        match_runs(agents, people, 1, random.Random(seed))[0].second.file for seed in range(500)
    )
    assert min(drawn.values()) > 60


def test_both_of_a_pair_are_shown_as_long_without_their_end() -> None:
    assert RunPair(run(0, 14), run(0, 12)).shown_ms == round(1000 * (12 - CUT_S))


def test_controls_take_two_people_or_different_goals() -> None:
    rng = random.Random(3)
    people = [run(n % 3, 12 + n % 5, f"person{n}") for n in range(12)]
    pairs = of_people(people, 3, rng)
    assert len(pairs) == 3
    assert all(
        pair.first.goal == pair.second.goal and pair.first is not pair.second for pair in pairs
    )
    assert len({run.file for pair in pairs for run in (pair.first, pair.second)}) == 6, (
        "nobody twice"
    )
    assert of_people([run(0, 12), run(1, 12)], 1, rng) == [], "never to different goals"
    other = mismatch_pairs([run(n % 3, 13, f"agent{n}") for n in range(6)], people, 4, rng)
    assert len(other) == 4
    assert all(pair.first.goal != pair.second.goal for pair in other)


def test_only_some_studies_show_agents() -> None:
    assert agent_variant(choose(protocol="hntt")).shows_agents
    with pytest.raises(InvalidInput, match="the study of 'qa' shows no trained agents"):
        agent_variant(choose(protocol="qa"))


def test_the_other_reading_of_the_question_is_a_variant(tmp_path: Path) -> None:
    contrast = variant(choose(protocol="hntt"), "contrast")
    contrast.copy(tmp_path / "study")
    study = load(tmp_path / "study").study
    page = next(item for item in study.timeline if item.id == "trials").each[0]  # type: ignore[attr-defined]
    assert [question.id for question in page.ask] == ["which", "which_game", "why", "certainty"]
    contrast.write_stimuli(study, tmp_path / "study", 7)
    assert all((tmp_path / "study" / stimulus.file).is_file() for stimulus in study.stimuli)
