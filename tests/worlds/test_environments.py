"""The environments keep the conventions of Gymnasium and PettingZoo."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

from believable import environments
from believable.environments import maze_v1
from believable.worlds.maze.opponents import ShortestPathChaser
from believable.worlds.maze.picture import FLOOR, OPPONENT, PLAYER, TILE_PX, WALL
from believable.worlds.maze.rules import MazeRules

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of PettingZoo's own examples
    import pettingzoo
    from pettingzoo.test import parallel_api_test, parallel_seed_test

SHORT = MazeRules(size=9, round_ticks=40)


@pytest.mark.filterwarnings("ignore")  # Gymnasium's advice about spaces
@pytest.mark.parametrize("name", sorted(environments.ENVIRONMENTS))
def test_gymnasium_s_checker_passes_and_pictures_are_drawn(name: str) -> None:
    env = gymnasium.make(name, render_mode="rgb_array").unwrapped
    try:
        check_env(env, skip_render_check=True)
        env.reset(seed=1)
        picture: Any = env.render()
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.std() > 0
        assert "rgb_array" in env.metadata["render_modes"]
        assert env.metadata["render_fps"] > 0
    finally:
        env.close()


@pytest.mark.parametrize("name", sorted(environments.ENVIRONMENTS))
def test_a_seeded_reset_forgets_what_was_played_before(name: str) -> None:
    env = gymnasium.make(name)
    try:
        first, _ = env.reset(seed=5)
        env.action_space.seed(1)
        for _ in range(4):
            env.step(env.action_space.sample())
        again, _ = env.reset(seed=5)
        assert gymnasium.utils.env_checker.data_equivalence(first, again, exact=True)
    finally:
        env.close()


def test_the_picture_shows_walls_and_both_figures() -> None:
    env = gymnasium.make("believable/Maze-Player-v1", render_mode="rgb_array", settings=SHORT)
    env.reset(seed=1)
    picture: Any = env.render()
    env.close()
    assert picture.shape == (9 * TILE_PX, 9 * TILE_PX, 3)
    colors = {tuple(color) for color in picture.reshape(-1, 3).tolist()}
    assert {FLOOR, WALL, PLAYER, OPPONENT} <= colors


def test_the_maze_of_two_keeps_pettingzoo_s_api() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(maze_v1.parallel_env(settings=SHORT), num_cycles=100)
    parallel_seed_test(lambda: maze_v1.parallel_env(settings=SHORT), num_cycles=30)


def test_both_seats_move_and_get_their_own_reward() -> None:
    env = maze_v1.parallel_env(settings=SHORT, render_mode="rgb_array")
    seen, infos = env.reset(seed=3)
    assert not np.array_equal(seen["player"], seen["opponent"])
    assert infos["player"] == infos["opponent"]
    before: Any = env.render()
    idle, walk = np.array([1, 1, 0, 0, 0]), np.array([0, 1])
    only_player = env.step({"player": np.array([2, 2, 0, 1, 0]), "opponent": np.array([0, 0])})
    assert set(only_player[1]) == {"player", "opponent"}
    for heading in range(36):
        env.step({"player": idle, "opponent": np.array([heading, 1])})
    assert not np.array_equal(before, env.render())
    while env.agents:
        _, _, _, cut_off, _ = env.step({"player": idle, "opponent": walk})
    assert cut_off == {"player": True, "opponent": True}


def test_pettingzoo_makes_the_maze_by_its_id() -> None:
    env = pettingzoo.make("parallel", "believable/Maze-v1", settings=SHORT)
    assert env.unwrapped.possible_agents == ["player", "opponent"]


def test_the_opponent_is_rewarded_for_catches() -> None:
    env = maze_v1.parallel_env(settings=MazeRules(size=9, round_ticks=600))
    env.reset(seed=3)
    chaser, rewards = ShortestPathChaser(), []
    while env.agents:
        heading = chaser.decide(env._game, []).heading_deg
        actions = {"player": np.array([1, 1, 0, 0, 0]), "opponent": np.array([heading // 10, 1])}
        rewards.append(env.step(actions)[1])
    assert max(reward["opponent"] for reward in rewards) == 1.0
    assert min(reward["player"] for reward in rewards) <= -1.0
