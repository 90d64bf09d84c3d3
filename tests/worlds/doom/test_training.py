"""Doom as Gymnasium environments."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import numpy as np
import pytest

from believable import environments
from believable.worlds.doom.floor_plan import tile_at
from believable.worlds.doom.navigation_map import navigation_map
from believable.worlds.doom.training import DECISION_TICS, DoomNavigateEnv
from believable.worlds.doom.walking import WalkMap, way_ahead

IDS = ["believable/DoomNavigate-v1", "believable/DoomDeathmatch-v1"]


def test_every_id_is_known_once_the_module_is_named() -> None:
    assert set(environments.ENVIRONMENTS) <= set(gymnasium.registry)
    env = gymnasium.make("believable.environments:believable/Maze-Player-v1")
    env.close()


FRESH = """
import gymnasium
try:
    gymnasium.make("believable/DoomNavigate-v1")
except gymnasium.error.NamespaceNotFound:
    pass
else:
    raise SystemExit("Gymnasium looks for entry points again: say so in the documentation")
env = gymnasium.make("believable.environments:believable/DoomNavigate-v1", seconds=5)
env.close()
gymnasium.make("believable/Maze-Player-v1").close()
"""


def test_gymnasium_alone_makes_them_by_module_and_id() -> None:
    """Gymnasium 1 has no entry points for environments: the module is named with the id, once."""
    subprocess.run([sys.executable, "-c", FRESH], check=True, timeout=120)


@pytest.mark.parametrize("name", IDS)
def test_the_same_seed_gives_the_same_round_and_other_ones_others(name: str) -> None:
    def play(seed: int) -> tuple[list[float], np.ndarray]:
        env = gymnasium.make(name)
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
    envs = gymnasium.make_vec(IDS[0], num_envs=2, vectorization_mode="async")
    try:
        observed, _ = envs.reset(seed=1)
        assert observed["body"].shape[0] == observed["depth"].shape[0] == 2
        observed, rewards, *_ = envs.step(envs.action_space.sample())
        assert rewards.shape == (2,)
        assert observed["depth"].std() > 0
    finally:
        envs.close()


def test_the_way_to_the_goal_is_worth_it() -> None:
    """Turning towards the next place on the way and running gives the reward of the goal in the
    end.
    """
    env = DoomNavigateEnv(map_seed=7, seconds=60)
    drawn = navigation_map(7)
    walk = WalkMap(drawn.plan)
    try:
        _, info = env.reset(seed=5)
        goal = drawn.goals[info["goal"]]
        total, ended, decisions = 0.0, False, 0
        while not ended and decisions < 300:
            body = env._body
            own = tile_at(body.x, body.y)
            route = walk.route(own, goal) if own in walk.tiles else []
            leap = len(route) > 1 and walk.leaps(route[0], route[1])
            x, y = (
                way_ahead(walk, body.x, body.y, route[1:])
                if len(route) > 1 and not leap
                else (body.x + 100, body.y)
            )
            bearing = np.degrees(np.arctan2(y - body.y, x - body.x))
            right = -((bearing - body.angle_deg + 180) % 360 - 180)
            turn = int(
                np.argmin([abs(right - degrees) for degrees in (-90, -45, -18, 0, 18, 45, 90)])
            )
            running = 2 if abs(right) < 40 else 1
            _, reward, ended, cut_off, _ = env.step(np.array([running, 1, turn, int(leap), 0]))
            total += float(reward)
            decisions += 1
            assert not cut_off
        assert ended
        assert total > 1.0, "the way made, the goal, less a little for each decision"
        assert env._tic == decisions * DECISION_TICS
    finally:
        env.close()
