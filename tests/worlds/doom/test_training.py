"""Doom as Gymnasium environments."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np

from believable import environments
from believable.worlds.doom.training import DECISION_TICS, DoomDeathmatchEnv, _reward

NAME = "believable/DoomDeathmatch-v1"


def test_every_id_is_known_once_the_module_is_named() -> None:
    assert set(environments.ENVIRONMENTS) <= set(gymnasium.registry)
    env = gymnasium.make("believable.environments:believable/Maze-Player-v1")
    env.close()


FRESH = """
import gymnasium
try:
    gymnasium.make("believable/DoomDeathmatch-v1")
except gymnasium.error.NamespaceNotFound:
    pass
else:
    raise SystemExit("Gymnasium looks for entry points again: say so in the documentation")
env = gymnasium.make("believable.environments:believable/DoomDeathmatch-v1", seconds=5)
env.close()
gymnasium.make("believable/Maze-Player-v1").close()
"""


def test_gymnasium_alone_makes_them_by_module_and_id() -> None:
    """Gymnasium 1 has no entry points for environments: the module is named with the id, once."""
    subprocess.run([sys.executable, "-c", FRESH], check=True, timeout=120)


def test_the_same_seed_gives_the_same_round_and_other_ones_others() -> None:
    def play(seed: int) -> tuple[list[float], np.ndarray]:
        env = gymnasium.make(NAME)
        env.action_space.seed(3)
        observed, _ = env.reset(seed=seed)
        rewards = []
        for _ in range(12):
            observed, reward, ended, cut_off, _ = env.step(env.action_space.sample())
            rewards.append(float(reward))
            if ended or cut_off:
                break
        env.close()
        return rewards, observed["body"]

    (first, seen), (second, again), (_, other) = play(11), play(11), play(12)
    assert first == second
    assert np.array_equal(seen, again)
    assert not np.array_equal(seen, other)


def test_several_run_side_by_side_in_processes() -> None:
    envs = gymnasium.make_vec(NAME, num_envs=2, vectorization_mode="async")
    try:
        observed, _ = envs.reset(seed=1)
        assert observed["body"].shape[0] == observed["depth"].shape[0] == 2
        observed, rewards, *_ = envs.step(envs.action_space.sample())
        assert rewards.shape == (2,)
        assert observed["depth"].std() > 0
    finally:
        envs.close()


def test_a_frag_counts_as_much_as_a_death_or_a_hundred_points_of_damage() -> None:
    def state(frags: int, deaths: int, damage: int, damage_taken: int) -> Any:
        return SimpleNamespace(frags=frags, deaths=deaths, damage=damage, damage_taken=damage_taken)

    before = state(2, 1, 300, 50)
    assert _reward(before, before) == 0
    assert _reward(before, state(3, 1, 300, 50)) == 1
    assert _reward(before, state(2, 2, 300, 50)) == -1
    assert _reward(before, state(2, 1, 325, 50)) == 0.25
    assert _reward(before, state(2, 1, 300, 150)) == -1


def test_a_round_is_cut_off_at_its_length() -> None:
    env = DoomDeathmatchEnv(seconds=2)
    try:
        env.reset(seed=5)
        decisions, cut_off = 0, False
        while not cut_off:
            _, _, ended, cut_off, info = env.step(np.array([1, 1, 3, 0, 0]))
            decisions += 1
            assert not ended
        assert info["tic"] == decisions * DECISION_TICS
        assert 70 <= info["tic"] < 70 + DECISION_TICS
    finally:
        env.close()
