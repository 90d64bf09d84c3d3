"""Stable-Baselines3 as an outside witness: its PPO learns in our environment as it is, and the environment passes its checks.

Needs `stable-baselines3`, which is not among the extras: `pip install stable-baselines3`.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="the witness is `pip install stable-baselines3`")

from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import DummyVecEnv

from believable.worlds.doom.navigation.course import navigation_course
from believable.worlds.doom.navigation.navigation_env import NavigationEnv

from .figures import FigureModel


def environment(goal: int) -> NavigationEnv:
    """With a model of how figures move in place of the engine."""
    floor = navigation_course(7, goal).goal_place[2]
    return NavigationEnv("symbolic", goal, on_the_way=1.0, open_engine=partial(FigureModel, z=floor))


def test_the_environment_keeps_the_contract_of_gymnasium() -> None:
    check_env(environment(0), warn=False, skip_render_check=True)


def test_their_ppo_learns_there() -> None:
    environments = DummyVecEnv([partial(environment, goal) for goal in (0, 2)])
    model = PPO(
        "MultiInputPolicy",
        environments,
        n_steps=256,
        batch_size=128,
        n_epochs=6,
        learning_rate=1e-3,
        seed=3,
        device="cpu",
    )
    before = reward(model, environments)
    model.learn(6_000)
    assert reward(model, environments) > before + 0.2


def reward(model: PPO, environments: DummyVecEnv) -> float:
    """Mean reward of a decision, times a hundred decisions."""
    environments.seed(5)
    seen, total = environments.reset(), 0.0
    for _ in range(200):
        action, _ = model.predict(seen, deterministic=False)
        seen, earned, _, _ = environments.step(action)
        total += float(np.mean(earned))
    return total / 2
