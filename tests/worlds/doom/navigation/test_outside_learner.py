"""Stable-Baselines3 as an outside witness of the recipe and of the environment.

What it makes of a given batch is committed (`outside_update.json`, by `outside_update.py`): every
run of the tests compares with it. That its PPO learns in our environment needs `pip install
stable-baselines3`, which is not among the extras.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from believable.worlds.doom.navigation.course import navigation_course
from believable.worlds.doom.navigation.declarations import navigation_agent
from believable.worlds.doom.navigation.navigation_env import NavigationEnv
from believable.worlds.doom.navigation.ppo import Learner, PpoRecipe, advantages
from believable.worlds.doom.navigation.senses import SENSES
from tests.worlds.doom.navigation import given_batch
from tests.worlds.doom.navigation.figures import FigureModel

SCRIPT = "tests.worlds.doom.navigation.outside_update"
COMMITTED: dict[str, Any] = json.loads(Path(__file__).with_name("outside_update.json").read_text())
RECIPE = PpoRecipe(
    batch=given_batch.STEPS * given_batch.ENVIRONMENTS,
    minibatches=1,
    epochs=given_batch.EPOCHS,
    learning_rate=given_batch.RATE,
    discount=given_batch.DISCOUNT,
    trace=given_batch.TRACE,
    clip=given_batch.CLIP,
    gradient_norm=given_batch.GRADIENT_NORM,
    value_weight=given_batch.VALUE_WEIGHT,
    dropout=0.0,
)


def test_advantages_are_theirs() -> None:
    ours = advantages(given_batch.drawn_batch(), given_batch.following(), RECIPE)
    np.testing.assert_allclose(ours, COMMITTED["advantage"], atol=2e-6)


def test_three_updates_lead_to_their_network() -> None:
    learner = Learner(navigation_agent("hybrid"), RECIPE, seed=1)
    first = given_batch.drawn_weights()
    assert first["senses.weight"].shape[1] == SENSES
    learner.take(first)
    batch = given_batch.drawn_batch()
    batch["advantage"] = advantages(batch, given_batch.following(), RECIPE)
    batch["target"] = batch["advantage"] + batch["value"]
    learner._learn({name: values.reshape(-1, *values.shape[2:]) for name, values in batch.items()})
    after = learner.weights()
    np.testing.assert_allclose(after["action.bias"], COMMITTED["action_bias"], atol=2e-5)
    np.testing.assert_allclose(after["value.bias"], COMMITTED["value_bias"], atol=2e-5)
    for name, (total, norm) in COMMITTED["layers"].items():
        values = after[name].astype(np.float64)
        # Adam moves every weight by about the rate at each update: a thousandth of that per weight
        # is rounding.
        assert values.sum() == pytest.approx(total, abs=3e-6 * values.size + 2e-5), name
        assert np.linalg.norm(values) == pytest.approx(norm, rel=1e-5), name
        assert np.abs(values - first[name]).max() > given_batch.RATE, "it has moved"


def test_the_script_gives_the_committed_output() -> None:
    pytest.importorskip(
        "stable_baselines3", reason="the witness is `pip install stable-baselines3`"
    )
    words = subprocess.run(
        [sys.executable, "-m", SCRIPT],
        cwd=Path(__file__).parents[4],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    output = json.loads(words)
    np.testing.assert_allclose(output["advantage"], COMMITTED["advantage"], atol=1e-6)
    for name, numbers in COMMITTED["layers"].items():
        np.testing.assert_allclose(
            output["layers"][name], numbers, rtol=1e-4, atol=1e-3, err_msg=name
        )


def environment(goal: int) -> NavigationEnv:
    """With a model of how figures move in place of the engine."""
    floor = navigation_course(7, goal).goal_place[2]
    return NavigationEnv(
        "symbolic", goal, on_the_way=1.0, open_engine=partial(FigureModel, z=floor)
    )


def test_the_environment_keeps_the_contract_of_gymnasium() -> None:
    checker = pytest.importorskip(
        "stable_baselines3.common.env_checker",
        reason="the witness is `pip install stable-baselines3`",
    )
    checker.check_env(environment(0), warn=False, skip_render_check=True)


def test_their_ppo_learns_there() -> None:
    theirs = pytest.importorskip(
        "stable_baselines3", reason="the witness is `pip install stable-baselines3`"
    )
    environments = theirs.common.vec_env.DummyVecEnv(
        [partial(environment, goal) for goal in (0, 2)]
    )
    model = theirs.PPO(
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


def reward(model: Any, environments: Any) -> float:
    """Mean reward of a decision, times a hundred decisions."""
    environments.seed(5)
    seen, total = environments.reset(), 0.0
    for _ in range(200):
        action, _ = model.predict(seen, deterministic=False)
        seen, earned, _, _ = environments.step(action)
        total += float(np.mean(earned))
    return total / 2
