"""Training: the same network in numpy and torch, advantages by hand, interrupted and resumed
without loss, and a tiny real one.

Needs torch, which the lock does not bring: `pip install 'believable[train]'`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra `train`")

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.worlds.doom.navigation import navigation_training
from believable.worlds.doom.navigation.declarations import NAVIGATION_AGENTS, navigation_agent
from believable.worlds.doom.navigation.navigation_player import trained_agent
from believable.worlds.doom.navigation.navigation_training import (
    CHECKPOINT,
    NavigationTraining,
    TrainingPlan,
    _begun_with,
    taken_over,
)
from believable.worlds.doom.navigation.policy import NavigationPolicy
from believable.worlds.doom.navigation.ppo import Learner, PpoRecipe, advantages
from believable.worlds.doom.navigation.rollout_workers import (
    EndedCourse,
    EnvPlace,
    SharedArrays,
    WorkerFailed,
)
from believable.worlds.doom.navigation.senses import DEPTH_PX, SENSES
from believable.worlds.doom.navigation.training_curve import CURVE, CurveRow, mean_curve, read_curve
from tests.waiting import wait_until

SMALL = PpoRecipe(batch=64, minibatches=2, epochs=4, learning_rate=3e-3)


class GuessingGame:
    """Environments without an engine: the first number that is seen says which action earns
    something. A round has ten.
    """

    def __init__(
        self, places: Sequence[EnvPlace], workers: int, breaks_after: int | None = None
    ) -> None:
        self.count = len(places)
        self.arrays = SharedArrays(self.count)
        self.parts = [np.arange(self.count)]
        self._rng = np.random.default_rng(5)
        self._steps, self._breaks_after = 0, breaks_after
        self._show()

    def _show(self) -> None:
        self.arrays.senses[:] = 0
        self._right = self._rng.integers(2, size=self.count)
        self.arrays.senses[:, 0] = self._right

    def begin(self, part: int) -> None:
        assert part == 0

    def ended(self, part: int) -> list[EndedCourse]:
        self._steps += 1
        if self._steps == self._breaks_after:
            raise WorkerFailed("a process with environments ended.")
        self.arrays.reward[:] = self.arrays.action == self._right
        self.arrays.last_senses[:] = self.arrays.senses
        share = float(self.arrays.reward.mean())
        self._show()
        over = self._steps % 10 == 0
        return (
            [
                EndedCourse(
                    number=n,
                    arrived=share > 0.5,
                    died=False,
                    decisions=10,
                    from_start=True,
                    cut_off=True,
                    sudden=0,
                    collided=0,
                    slow=0,
                )
                for n in range(self.count)
            ]
            if over
            else []
        )

    def penalise(self, share: float) -> None:
        self.share = share

    def close(self) -> None:
        self.arrays.close(unlink=True)


def training(
    folder: Path, decisions: int, open_group=GuessingGame, **changes
) -> NavigationTraining:
    plan = replace(
        TrainingPlan(agent="symbolic", seed=1, decisions=decisions, environments=16), **changes
    )
    return NavigationTraining(
        plan, folder, clock=VirtualClock(), recipe=SMALL, open_group=open_group
    )


@pytest.mark.parametrize("name", NAVIGATION_AGENTS)
def test_numpy_acts_as_torch_learned(name: str) -> None:
    learner = Learner(navigation_agent(name), PpoRecipe(), seed=3)
    rng = np.random.default_rng(1)
    weights = {
        key: values + rng.normal(0, 0.05, values.shape).astype(np.float32)
        for key, values in learner.weights().items()
    }
    learner.take(weights)
    learner.network.eval()
    policy = NavigationPolicy(weights)
    for _ in range(5):
        senses = rng.uniform(-1, 1, SENSES).astype(np.float32)
        depth = rng.integers(0, 256, (DEPTH_PX, DEPTH_PX)).astype(np.uint8)
        theirs, _ = learner._look(senses[None], depth[None])
        np.testing.assert_allclose(policy.logits(senses, depth), theirs[0], atol=2e-5)


def test_advantages_by_hand() -> None:
    recipe = PpoRecipe(discount=0.5, trace=0.5)
    batch = {
        "reward": np.array([[1.0], [0.0], [2.0]]),
        "value": np.array([[0.5], [1.0], [0.0]]),
        "over": np.array([[False], [True], [False]]),
    }
    # Last: 2 + .5·4 − 0 = 4. Middle ends a round: 0 − 1. First: 1 + .5·1 − .5 + .25·(−1).
    np.testing.assert_allclose(advantages(batch, np.array([4.0]), recipe)[:, 0], [0.75, -1.0, 4.0])


def test_it_learns_what_earns(tmp_path: Path) -> None:
    training(tmp_path, 64 * 120).run()
    shares = [row.success for row in read_curve(tmp_path) if row.rounds]
    assert np.mean(shares[:5]) < 0.5
    assert shares[-1] > 0.8


def test_an_interrupted_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    batches = navigation_training.CHECKPOINT_BATCHES
    fragile = partial(GuessingGame, breaks_after=4 * (batches + 2) + 1)
    with pytest.raises(WorkerFailed):
        training(tmp_path, 64 * 3 * batches, fragile).run()
    kept = read_curve(tmp_path)
    assert [row.decisions for row in kept] == [64 * n for n in range(1, batches + 3)], (
        "two batches after the checkpoint"
    )
    again = training(tmp_path, 64 * 3 * batches)
    assert again.learner.decisions == 64 * batches
    file = again.run()
    assert [row.decisions for row in read_curve(tmp_path)] == [
        64 * n for n in range(1, 3 * batches + 1)
    ]
    assert trained_agent(file).provenance["decisions"] == 64 * 3 * batches


def test_a_resumed_learner_is_the_one_that_was_interrupted(tmp_path: Path) -> None:
    run = training(tmp_path, 64 * navigation_training.CHECKPOINT_BATCHES)
    run.run()
    again = training(tmp_path, 64 * navigation_training.CHECKPOINT_BATCHES)
    for name, values in run.learner.state().items():
        np.testing.assert_array_equal(again.learner.state()[name], values, err_msg=name)
    assert again.learner.rng.random() == run.learner.rng.random()


def test_a_damaged_checkpoint_and_another_plan_are_told(tmp_path: Path) -> None:
    training(tmp_path, 64 * navigation_training.CHECKPOINT_BATCHES).run()
    with pytest.raises(
        InvalidInput,
        match=r"it was begun with seed 1, now 2 is asked for\. Train into another folder",
    ):
        training(tmp_path, 640, seed=2)
    file = tmp_path / CHECKPOINT
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(
        InvalidInput,
        match=r"checkpoint\.safetensors: not a whole file.*Delete the folder to train from the start",
    ):
        training(tmp_path, 640)


def test_a_training_that_is_killed_loses_nothing_but_its_last_batches(tmp_path: Path) -> None:
    """SIGKILL, while checkpoints are being written: what is on disk is whole, and goes on."""
    script = (
        "from believable.core.clock import WallClock\nfrom pathlib import Path\nfrom"
        " tests.worlds.doom.navigation.test_navigation_training import GuessingGame, SMALL\nfrom"
        " believable.worlds.doom.navigation.navigation_training import NavigationTraining,"
        " TrainingPlan\nplan = TrainingPlan('symbolic', 1, 64 * 100_000,"
        f" environments=16)\nNavigationTraining(plan, Path({str(tmp_path)!r}), clock=WallClock(),"
        " recipe=SMALL, open_group=GuessingGame).run()\n"
    )
    root = Path(__file__).parents[4]
    training_process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=root, stderr=subprocess.PIPE
    )
    try:
        wait_while_running(
            lambda: len(read_curve(tmp_path)) >= 3 * navigation_training.CHECKPOINT_BATCHES,
            training_process,
        )
    finally:
        training_process.kill()
        training_process.communicate()
    rows = read_curve(tmp_path)
    again = training(tmp_path, 64 * 100_000)
    kept = again.learner.decisions // 64
    assert kept >= 2 * navigation_training.CHECKPOINT_BATCHES
    assert len(rows) - kept < 2 * navigation_training.CHECKPOINT_BATCHES, (
        "no more than what came after a checkpoint"
    )
    assert [row.decisions for row in read_curve(tmp_path)] == [64 * n for n in range(1, kept + 1)]


def wait_while_running(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    def look() -> bool:
        assert process.poll() is None, process.communicate()[1].decode()
        return holds()

    wait_until(look, "training does not go on", 280)


def test_one_agent_begins_with_what_another_has_learned() -> None:
    hybrid, shaped = navigation_agent("hybrid"), navigation_agent("reward_shaping")
    weights = Learner(hybrid, PpoRecipe(), seed=2).weights()
    weights["action.bias"] = np.arange(len(hybrid.actions), dtype=np.float32)
    taken = taken_over(weights, "hybrid", "reward_shaping", "file")
    nearest = {None: None, 0: 0, 18: 30, 36: 30, 45: 45, 54: 45, 72: 90, 90: 90}
    for number, turn in enumerate(shaped.actions):
        wanted = nearest[None if turn is None else abs(turn)]
        wanted = wanted if wanted is None or turn is None else wanted * (1 if turn >= 0 else -1)
        assert hybrid.actions[int(taken["action.bias"][number])] == wanted
    Learner(shaped, PpoRecipe(), seed=2).take(taken)
    with pytest.raises(
        InvalidInput, match="weights of 'symbolic', which does not see what 'hybrid' sees"
    ):
        taken_over({}, "symbolic", "hybrid", "file")


def test_a_training_from_weights_says_so_and_keeps_its_penalties(tmp_path: Path) -> None:
    first = training(tmp_path / "first", 64 * 10)
    file = first.run()
    weights, plan = _begun_with(file, TrainingPlan(agent="symbolic", seed=2, decisions=640))
    assert plan.ramp == (0.0, 0.0)
    assert plan.penalties(0) == 1.0
    assert plan.start is not None
    assert (plan.start["agent"], plan.start["seed"], plan.start["decisions"]) == (
        "symbolic",
        1,
        640,
    )
    second = NavigationTraining(
        plan,
        tmp_path / "second",
        clock=VirtualClock(),
        recipe=SMALL,
        open_group=GuessingGame,
        weights=weights,
    )
    for name, values in first.learner.weights().items():
        np.testing.assert_array_equal(second.learner.weights()[name], values)
    assert trained_agent(second.run()).provenance["plan"]["start"]["decisions"] == 640


def test_penalties_come_in_slowly() -> None:
    plan = TrainingPlan(agent="reward_shaping", decisions=1000, ramp=(0.2, 0.4))
    assert [plan.penalties(decisions) for decisions in (0, 200, 300, 400, 1000)] == pytest.approx(
        [0, 0, 0.5, 1, 1]
    )


def test_every_goal_is_trained_on_every_number_of_maps() -> None:
    assert sorted(place.goal for place in TrainingPlan(agent="hybrid").places()) == list(range(16))
    many = TrainingPlan(agent="hybrid", map_seeds=(7, 8), environments=32).places()
    assert {place.map_seed for place in many} == {7, 8}
    assert len({(place.map_seed, place.goal) for place in many}) == 32


def test_curves_of_several_seeds_have_mean_and_spread(tmp_path: Path) -> None:
    rows = ",".join(field.name for field in fields(CurveRow))
    for name, success in (("a", 0.2), ("b", 0.6)):
        (tmp_path / name).mkdir()
        lines = [f"{n * 10},1,{n},{success},50,0,0,0,0,1,0,0,1" for n in range(1, 4)]
        (tmp_path / name / CURVE).write_text("\n".join([rows, *lines, "40,1"]))
    points = mean_curve([read_curve(tmp_path / name) for name in ("a", "b")], "success", every=10)
    assert [point.decisions for point in points] == [10, 20, 30], (
        "a row that was cut off does not count"
    )
    assert points[0].mean == pytest.approx(0.4)
    assert points[0].sd == pytest.approx(np.std([0.2, 0.6], ddof=1))


def test_a_tiny_training_in_the_engine_ends_with_an_agent(tmp_path: Path) -> None:
    pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")
    plan = TrainingPlan(agent="reward_shaping", seed=1, decisions=128, environments=2, workers=1)
    run = NavigationTraining(plan, tmp_path, clock=VirtualClock(), recipe=SMALL)
    before = run.learner.weights()
    trained = trained_agent(run.run())
    assert trained.agent.name == "reward_shaping"
    after = run.learner.weights()
    assert any(not np.array_equal(before[name], after[name]) for name in before)
    assert len(read_curve(tmp_path)) == 2
