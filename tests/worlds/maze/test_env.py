from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from believable import environments  # noqa: F401  registers the ids
from believable.worlds.maze import env

IDS = ["believable/Maze-Player-v1", "believable/Maze-Opponent-v1"]


@pytest.mark.parametrize("name", IDS)
def test_the_checker_is_content(name: str) -> None:
    check_env(gymnasium.make(name).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", IDS)
def test_the_same_seed_gives_the_same_round(name: str) -> None:
    def play() -> tuple[list[float], np.ndarray]:
        env = gymnasium.make(name)
        env.action_space.seed(3)
        observed, _ = env.reset(seed=11)
        rewards = []
        for _ in range(400):
            observed, reward, _, _, _ = env.step(env.action_space.sample())
            rewards.append(float(reward))
        return rewards, observed

    (first, seen), (second, again) = play(), play()
    assert first == second
    assert np.array_equal(seen, again)


@pytest.mark.parametrize("name", IDS)
def test_many_can_be_stepped_together(name: str) -> None:
    envs = gymnasium.make_vec(name, num_envs=4, vectorization_mode="sync")
    observed, _ = envs.reset(seed=1)
    assert observed.shape == (4, env.FEATURES)
    assert not np.array_equal(observed[0], observed[1])
    envs.action_space.seed(1)
    for _ in range(50):
        observed, rewards, *_ = envs.step(envs.action_space.sample())
    assert rewards.shape == (4,)


def test_a_round_ends_by_time() -> None:
    env = gymnasium.make(IDS[0])
    env.reset(seed=5)
    stand = np.array([1, 1, 0, 0, 0])
    for tick in range(1800):
        *_, terminated, truncated, _ = env.step(stand)
        assert not terminated
        assert truncated == (tick == 1799)


def test_the_player_is_punished_for_being_caught_and_the_opponent_rewarded() -> None:
    player = gymnasium.make(IDS[0])
    player.reset(seed=2)
    worst = min(float(player.step(np.array([1, 1, 0, 0, 0]))[1]) for _ in range(1799))
    assert worst == -1.0
    event = env.MazeEvent(tick=0, kind="caught", actor="player", x=0, y=0)
    assert env._worth(event) == 1.0
