"""PettingZoo environments as a world with several seats: in turn and at once, with partners, refused
moves and films; what cannot be played is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pettingzoo
import pytest

from believable.contracts.agent import Agent
from believable.contracts.film import View
from believable.contracts.game import RoundContext
from believable.contracts.inputs import Input
from believable.contracts.registries import AGENTS
from believable.core.errors import InvalidInput
from believable.worlds.pettingzoo import PETTINGZOO
from believable.worlds.pettingzoo.zoo_game import ZooGame, pictures, size_px
from believable.worlds.pettingzoo.zoo_round import (
    SEATS,
    ZooOptions,
    ZooSetup,
    problems_of,
    start_of,
)
from believable.worlds.world_check import check_world

FOUR = "classic/connect_four-v3"
TICTACTOE = "classic/tictactoe-v3"
ROCK = "classic/rps-v2"
ZOMBIES = "butterfly/knights_archers_zombies-v11"
MAZE = "believable/Maze-v1"
MAZE_KEYS: dict[str, Any] = {"ArrowRight": (2, 1, 0, 0, 0), "Space": (1, 1, 0, 1, 0)}


def setup(seconds: int = 60, opponent: str = "random", **options: Any) -> ZooSetup:
    settled: ZooSetup = PETTINGZOO.game.trial.resolve(
        ZooOptions(**options),
        RoundContext(session_seed=3, trial_key="trial", duration_s=seconds, opponent=opponent),
    )
    return settled


def with_usual(**options: Any) -> Any:
    """The world with these options in place of its usual ones."""
    usual: Any = type("Usual", (ZooOptions,), {"__annotations__": {}})
    for name, value in options.items():
        usual.model_fields[name].default = value
        usual.model_fields[name].default_factory = None
    usual.model_rebuild(force=True)
    trial = replace(PETTINGZOO.game.trial, options=usual)
    return replace(PETTINGZOO, playing=replace(PETTINGZOO.game, trial=trial))


@pytest.mark.parametrize(
    "options",
    [
        {"env": FOUR, "fps": 5},
        {"env": ROCK, "fps": 5},
        {"env": ZOMBIES, "fps": 4, "plays": "knight_0"},
    ],
    ids=lambda options: str(options["env"]),
)
def test_it_keeps_the_contract(options: Mapping[str, Any]) -> None:
    check_world(with_usual(**options))


def key(number: int) -> Input:
    return (number,)


def play(game: ZooGame, *moves: Mapping[str, int]) -> list[str]:
    """Press and let go, once for each of the moves. Return the events."""
    seats = sorted({seat for move in moves for seat in move} | {"player"})
    events: list[str] = []
    for move in moves:
        for pressed in (move, {}):
            if game.over() is None:
                events += game.step({seat: key(pressed.get(seat, 0)) for seat in seats})
    return events


def actions(game: ZooGame) -> list[Mapping[str, Any]]:
    return [
        json.loads(str(told)) for told in game.record().telemetry["actions"] if told is not None
    ]


def test_two_people_play_in_turn() -> None:
    """The first seat takes the left column, the other the middle one: the first wins."""
    game = ZooGame(setup(env=TICTACTOE), recorded=True)
    moves = [{"player": 1}, {"player_2": 4}, {"player": 2}, {"player_2": 5}, {"player": 3}]
    events = play(game, *moves)
    outcome = game.over()
    assert [next(iter(chosen.values())) for chosen in actions(game)] == [0, 3, 1, 4, 2]
    assert (events.count("points"), events[-1], outcome and outcome.score) == (1, "ended", 1)
    game.close()


def test_who_is_not_in_turn_does_not_move_and_an_illegal_move_is_refused() -> None:
    game = ZooGame(setup(env=TICTACTOE), recorded=True)
    assert play(game, {"player_2": 4}) == []
    assert play(game, {"player": 1, "player_2": 0}) == []
    assert game.view("player_2")["turn"]
    assert play(game, {"player_2": 1}) == ["refused"]
    assert game.view("player_2")["legal"] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert len(actions(game)) == 1
    game.close()


def test_a_partner_thinks_and_then_moves_legally() -> None:
    game = ZooGame(setup(env=FOUR, think_s=1.0), recorded=True)
    waits = []
    for number in (1, 2, 3):
        play(game, {"player": 1})
        began = game.tick
        while not game.view("player")["turn"]:
            game.step({"player": key(0)})
        waits.append(game.tick - began)
        assert len(actions(game)) == 2 * number
    assert all(4 <= wait <= 15 for wait in waits)
    assert len(set(waits)) > 1
    game.close()


def test_a_partner_acts_at_once_with_the_person() -> None:
    game = ZooGame(setup(env=ROCK), recorded=True)
    play(game, {"player": 0})
    assert actions(game) == []
    play(game, {"player": 1})
    assert [set(chosen) for chosen in actions(game)] == [{"player_0", "player_1"}]
    game.close()


def test_each_person_is_waited_for() -> None:
    game = ZooGame(setup(env=ROCK), recorded=True)
    both = {"player": key(0), "player_2": key(0)}
    game.step(both)
    game.step({**both, "player": key(1)})
    game.step(both)
    assert actions(game) == []
    game.step({**both, "player_2": key(3)})
    assert actions(game) == [{"player_0": 0, "player_1": 2}]
    assert json.loads(str(game.record().telemetry["rewards"][-1])) == {
        "player_0": 1,
        "player_1": -1,
    }
    game.close()


def test_the_maze_of_two_agents_is_one_of_them() -> None:
    settled = setup(seconds=5, env=MAZE, keys=MAZE_KEYS, idle=(1, 1, 0, 0, 0))
    assert problems_of(ZooOptions(env=MAZE, keys=MAZE_KEYS))[0][0] == "keys"  # of another space
    assert settled.agents == ("player", "opponent")


def test_a_film_shows_what_was_played() -> None:
    settled = setup(env=TICTACTOE)
    game = ZooGame(settled, recorded=True)
    seen = []
    for number in (1, 0, 2, 0, 3, 0):
        for _ in range(6):
            game.step({"player": key(number)})
            seen.append(game.picture("player").copy())
            if game.over() is not None:
                break
    recording = game.record()
    game.close()
    width, height = size_px(recording)
    film = list(pictures(recording, View(width_px=width, height_px=height)))
    assert len(film) == len(seen)
    assert all((one == other).all() for one, other in zip(film, seen, strict=True))
    assert start_of(recording) == f"{TICTACTOE}, seed {settled.seed}"


def test_a_recording_of_another_environment_is_not_filmed() -> None:
    game = ZooGame(setup(env=ROCK), recorded=True)
    play(game, {"player": 1, "player_2": 3})
    recording = game.record()
    game.close()
    wrong = tuple(
        None if told is None else json.dumps({"player_0": 5, "player_1": 5})
        for told in recording.telemetry["rewards"]
    )
    changed = replace(recording, telemetry={**recording.telemetry, "rewards": wrong})
    with pytest.raises(InvalidInput, match="was recorded with"):
        list(pictures(changed, View(width_px=100, height_px=100)))


def test_an_agent_of_a_package_takes_the_other_seat() -> None:
    def in_order(params: object, seed: int) -> Any:
        return lambda view: (view["legal"][0],)

    agent: Agent[Any] = Agent(
        name="pettingzoo/in-order", world="pettingzoo", about="…", new=in_order
    )
    with AGENTS.including(agent):
        assert "in-order" in PETTINGZOO.game.trial.opponents.named
        game = ZooGame(setup(env=TICTACTOE, opponent="in-order", think_s=0), recorded=True)
        play(game, {"player": 9}, {"player": 8})
    assert [next(iter(chosen.values())) for chosen in actions(game)] == [8, 0, 7, 1]
    game.close()


def test_the_seat_of_the_person_can_differ() -> None:
    assert setup(env=FOUR).agents[0] == "player_0"
    assert setup(env=FOUR, plays="player_1").agents == ("player_1", "player_0")
    drawn = {
        PETTINGZOO.game.trial.resolve(
            ZooOptions(env=FOUR, plays="round"),
            RoundContext(session_seed=seed, trial_key="t", duration_s=9, opponent="random"),
        ).agents[0]
        for seed in range(20)
    }
    assert drawn == {"player_0", "player_1"}


def test_an_empty_seat_sees_nothing_of_the_game() -> None:
    game = ZooGame(setup(env=FOUR))
    assert set(game.view(SEATS[2])) == {"ep", "s"}
    game.close()


@pytest.mark.parametrize(
    ("options", "where", "says"),
    [
        ({"env": "classic/conect_four-v3"}, "env", "Did you mean 'classic/connect_four-v3'?"),
        ({"env": "classic/chess-v6"}, "env", "pip install 'pettingzoo[classic]'"),
        ({"env": "nowhere.at_all"}, "env", "No module named 'nowhere'"),
        ({"env": "json"}, "env", "module of Python"),
        ({"env": "believable.environments"}, "env", "neither parallel_env"),
        ({"env": FOUR, "plays": "player_7"}, "plays", "no agent 'player_7'"),
        ({"env": FOUR, "idle": "last"}, "idle", "act in turn"),
        ({"env": FOUR, "keys": {"Digit1": 9}}, "keys", "cannot do"),
        ({"env": FOUR, "keys": {"1": 1}}, "keys", "is no key"),
        ({"env": FOUR, "key_words": {"KeyX": "up"}}, "key_words", "none of the keys"),
        ({"env": ZOMBIES, "idle": 9}, "idle", "does not know this action"),
        ({"env": MAZE}, "keys", "names no keys"),
        ({"env": ROCK, "env_options": {"colour": 1}}, "env", "cannot be made"),
    ],
)
def test_what_cannot_be_played_is_told(options: Mapping[str, Any], where: str, says: str) -> None:
    told = problems_of(ZooOptions(**options))
    assert any(key == where and says in message for key, message, _ in told), told


def test_the_environments_are_those_of_pettingzoo() -> None:
    """The same moves give the same rewards in the environment itself."""
    env = pettingzoo.make("aec", TICTACTOE)
    env.reset(seed=1)
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert env.rewards == {"player_1": 1, "player_2": -1}
