"""Stories as rounds: commands in, answers out, the same for the same commands; problems in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from believable.contracts.game import RoundContext
from believable.study.load import problems
from believable.worlds.live_round import play_through
from believable.worlds.story import STORY
from believable.worlds.story.explorer import EXPLORER, Curiosity
from believable.worlds.story.story_environments import TextWorldStory, environment_maker, plain_text
from believable.worlds.story.story_game import (
    PLAYER,
    TELLER,
    TextGame,
    TextOptions,
    TextSetup,
    problems_of,
    start_of,
)
from believable.worlds.story.text_environment import StoryAnswer
from believable.worlds.world_check import check_world

WINNING = ("take the lamp", "n", "take key", "look", "s", "up", "unlock chest")


class Echo:
    """Repeats each command, in capitals; its first line names the seed."""

    def reset(self, seed: int) -> StoryAnswer:
        return StoryAnswer(text=f"seed {seed}", score=0, over=False)

    def step(self, command: str) -> StoryAnswer:
        return StoryAnswer(text=command.upper(), score=len(command), over=False)

    def close(self) -> None: ...


def setup(seconds: int = 20, **options: Any) -> TextSetup:
    resolved: TextSetup = STORY.game.trial.resolve(
        TextOptions(**options), RoundContext(session_seed=3, trial_key="t", duration_s=seconds)
    )
    return resolved


def test_it_keeps_the_contract() -> None:
    check_world(STORY)


def test_the_house_is_won_by_its_key_and_its_lamp() -> None:
    game = TextGame(setup())
    scores = []
    for command in WINNING:
        assert game.over() is None
        game.step({PLAYER: (command,)})
        scores.append(game.view(PLAYER)["s"])
    outcome = game.over()
    assert outcome is not None
    assert outcome.score == 3
    assert scores == [1, 1, 2, 2, 2, 2, 3]
    assert "You have won" in game.view(PLAYER)["lines"][-1][1]


def test_it_is_dark_in_the_attic_and_locked_without_the_key() -> None:
    game = TextGame(setup())
    for command in ("up", "unlock chest", "down", "take lamp", "up", "unlock chest", "dance"):
        game.step({PLAYER: (command,)})
    answers = [text for who, text in game.view(PLAYER)["lines"] if who == TELLER]
    assert answers[1].startswith("It is too dark")
    assert answers[2] == "You see no such thing here."
    assert answers[-2:] == ["The chest is locked.", "You do not know how to do that."]


def test_a_recording_has_commands_scores_and_answers() -> None:
    game = TextGame(setup())
    for command in ("take lamp", "", "n"):
        game.step({PLAYER: (command,)})
    recording = game.record()
    assert recording.telemetry == {"score": (1, 1, 1), "command": ("take lamp", None, "n")}
    assert [(action.verb, action.text) for action in recording.actions[1:3]] == [
        ("say", "take lamp"),
        ("answer", "You take the lamp."),
    ]
    assert start_of(recording) == f"little_house, seed {game.setup.seed}"


def test_a_function_of_a_module_makes_a_story() -> None:
    game = TextGame(setup(story=f"{__name__}:Echo", commands=2, story_seed=9))
    game.step({PLAYER: ("hello",)})
    assert [text for _, text in game.view(PLAYER)["lines"]] == ["seed 9", "hello", "HELLO"]
    game.step({PLAYER: ("again",)})
    outcome = game.over()
    assert outcome is not None, "two commands were allowed"


def test_the_explorer_plays_the_same_round_again_with_its_seed() -> None:
    rounds = [
        play_through(STORY.game, setup(), EXPLORER.new(Curiosity(3, 0.5), seed))
        for seed in (4, 4, 5)
    ]
    assert rounds[0] == rounds[1]
    assert rounds[0].telemetry["command"] != rounds[2].telemetry["command"]
    commands = [command for command in rounds[0].telemetry["command"] if command]
    assert len(commands) > 20


@pytest.mark.parametrize(
    ("story", "message"),
    [
        ("zork", "'zork' is no story: expected little_house, a file"),
        ("no/such.z8", "there is no file 'no/such.z8'"),
        ("tests.worlds.story.nothing:make", "Install the package that has it"),
        (f"{__name__}:missing", "Install the package that has it"),
    ],
)
def test_what_is_no_story_is_reported(story: str, message: str) -> None:
    ((key, text, _),) = problems_of(TextOptions(story=story))
    assert key == "story"
    assert message in text


def test_a_study_names_the_place_of_a_wrong_story(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "believable: 1\ntitle: Story\nseed: 3\ntimeline:\n"
        "  - play: {id: s, world: story, story: zork, duration_s: 60}\n  - finish: {}\n"
    )
    found = [problem for problem in problems(tmp_path) if "zork" in problem.message]
    assert len(found) == 1


def test_prompts_and_drawn_titles_are_left_out() -> None:
    written = "\n    $$\\    $$ |_\\\n\nYou are here.\n\n\n\nA door.  \n\n>       -= Hall =-0/1"
    assert plain_text(written) == "You are here.\n\nA door."
    assert plain_text("Taken.\n\n>") == "Taken."


def test_textworld_plays_a_file(tmp_path: Path) -> None:
    textworld = pytest.importorskip("textworld", reason="`pip install textworld`")
    options = textworld.GameOptions()
    options.seeds, options.nb_rooms, options.nb_objects = 7, 2, 3
    options.path = str(tmp_path / "story.z8")
    file = Path(textworld.generator.compile_game(textworld.generator.make_game(options), options))
    environment = environment_maker(str(file))()
    assert isinstance(environment, TextWorldStory)
    first = environment.reset(1)
    assert ">" not in first.text[-3:]
    assert first.commands
    again = environment.step("look")
    assert again.text.startswith("-=")
    environment.close()
