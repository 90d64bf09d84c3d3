"""Play trials in the study file: who is played against, and which page shows which round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from believable.contracts.trial import PlannedTrial
from believable.core.errors import StudyError
from believable.study.earlier_pages import round_name, round_position
from believable.study.load import load
from believable.study.plan import Assignment, plan
from believable.study.records import Study
from believable.worlds.play_trial import Play, opponent_of

STUDY = """\
believable: 1
title: Maze
seed: 1
conditions: [calm, frustrated]
timeline:
  - play: {{id: learn, practice: true, opponent: 0.3}}
  - block:
      id: rounds
      order: random
      over: condition
      each:
        - play: {{id: game{play}}}
        - watch: {{id: again, stimulus: {stimulus}{watch}}}
  - watch: {{id: last, stimulus: {{round: game}}}}
  - finish: {{}}
"""


@pytest.fixture
def study(tmp_path: Path) -> Callable[..., Study]:
    def read(play: str = "", stimulus: str = "{round: game}", watch: str = "") -> Study:
        (tmp_path / "study.yaml").write_text(
            STUDY.format(play=play, stimulus=stimulus, watch=watch)
        )
        return load(tmp_path).study

    return read


def planned(study: Study, seed: int = 3) -> tuple[PlannedTrial, ...]:
    return plan(study, Assignment({}, {}, seed))


def test_each_watch_shows_the_round_of_its_own_pass(study: Callable[..., Study]) -> None:
    pages = planned(study())
    kinds = [page.trial.kind for page in pages]
    assert kinds == ["play", "play", "watch", "play", "watch", "watch", "finish"]
    assert [round_position(pages, position) for position in range(7)] == [
        None,
        None,
        1,
        None,
        3,
        3,
        None,
    ]
    assert round_name(pages, 2) == "round:rounds.1.game"
    assert {pages[1].condition, pages[3].condition} == {"calm", "frustrated"}


@pytest.mark.parametrize(
    ("opponent", "against"),
    [
        ("", ["calm", "frustrated"]),
        (", opponent: chaser", ["chaser", "chaser"]),
        (", opponent: 0.5", [0.5, 0.5]),
        (", opponent: {calm: frustrated, frustrated: 1}", ["frustrated", 1]),
    ],
)
def test_who_is_played_against(
    study: Callable[..., Study], opponent: str, against: list[str | float]
) -> None:
    game = next(page.trial for page in planned(study(opponent)) if page.trial.id == "game")
    assert isinstance(game, Play)
    assert [opponent_of(game, condition) for condition in ("calm", "frustrated")] == against


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"play": ", opponent: clam"}, "unknown opponent 'clam'. Did you mean 'calm'?"),
        ({"play": ", opponent: 1.5"}, "opponent"),
        ({"play": ", opponent: {calm: calm}"}, "the condition 'frustrated' has no opponent."),
        (
            {"play": ", opponent: {calm: calm, frustrated: calm, wild: calm}"},
            "unknown condition 'wild'.",
        ),
        (
            {"play": ", size: 20"},
            "a maze has an odd number of tiles on each side, got 20. Use 19 or 21.",
        ),
        ({"play": ", size: 7"}, "size"),
        ({"play": ", duration_s: 0"}, "duration_s"),
        ({"play": ", on_loss: forget"}, "expected 'resume' or 'restart', got 'forget'."),
        ({"play": ", maze: every"}, "maze"),
        ({"stimulus": "{round: gme}"}, "unknown play trial 'gme'. Did you mean 'game'?"),
        (
            {"stimulus": "{round: learn}"},
            "'learn' is a practice, which is not recorded for watching.",
        ),
        (
            {"stimulus": "{round: game, condition: calm}"},
            "a round has no other condition or scenario than its own.",
        ),
        ({"watch": ", overlay: {plan: true}"}, "plan and log of one's own round are not shown."),
    ],
)
def test_problems_are_told(
    study: Callable[..., Study], changed: dict[str, str], problem: str
) -> None:
    with pytest.raises(StudyError) as caught:
        study(**changed)
    assert problem in str(caught.value)


def test_a_round_that_comes_later_cannot_be_shown(tmp_path: Path) -> None:
    text = "believable: 1\ntitle: M\nseed: 1\ntimeline:\n"
    text += (
        "  - watch: {stimulus: {round: game}}\n  - play: {id: game, opponent: calm}\n  - finish:"
        " {}\n"
    )
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(
        StudyError, match=r"the round 'game' is played later. Move the watch trial behind it"
    ):
        load(tmp_path)


def test_a_round_outside_any_condition_needs_a_name(tmp_path: Path) -> None:
    text = "believable: 1\ntitle: M\nseed: 1\ntimeline:\n  - play: {id: game}\n  - finish: {}\n"
    (tmp_path / "study.yaml").write_text(text)
    with pytest.raises(StudyError, match=r"no condition says who the opponent is. Name one"):
        load(tmp_path)
