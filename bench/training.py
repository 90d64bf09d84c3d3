"""Throughput of training: our PPO beside Stable-Baselines3's on the same environment, network and
batch, in turn, in one run.

    pip install 'believable[train]' stable-baselines3
    python bench/training.py [--decisions 8192] [--agent hybrid] [--rounds 3]

Both learn from 2,048 decisions in 4 epochs of 4 minibatches; ours gathers with 16 environments in
two processes. Stable- Baselines3 runs three times: as it comes (`SubprocVecEnv`, a process for each
of 16 environments); as it comes with as many processes as ours, which are two environments then;
and with our 16 environments in our two processes, by an adapter of ours that it does not have, so
that only the recipe differs. Prints decisions per second of each, alternating, by the clock and per
second of processor (of the learner, its processes and their engines), and exits with 1 where the
median ratio by the clock to one of the first two is below 1.5. By the clock only a quiet machine
says anything; the processor's time holds beside other work, too. `--hybrid-minutes FOLDER` reads a
training's curve instead and says after how many minutes the last 200 rounds reached 95 %.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnv
from torch import nn

from believable.core.clock import WallClock
from believable.worlds.doom.navigation.navigation_training import NavigationTraining, TrainingPlan
from believable.worlds.doom.navigation.rollout_workers import EnvPlace, WorkerGroup
from believable.worlds.doom.navigation.training_curve import read_curve

WANTED_RATIO, WANTED_SUCCESS, WANTED_MIN = 1.5, 0.95, 20.0
WORKERS = 2
#: How Stable-Baselines3 gathers.
WAYS = ("as it comes", "with as many processes", "in our processes")


@dataclass(frozen=True, slots=True)
class Cost:
    """What gathering and learning took, without opening the environments: by the clock, and of all
    processes together.
    """

    clock_s: float
    processor_s: float


def processor_s() -> float:
    """What this process and all that descend from it have used so far; those that have ended are
    counted with their parents.
    """
    used: dict[int, float] = {}
    parents: dict[int, int] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        pid = int(file.parent.name)
        parents[pid], used[pid] = (
            int(fields[1]),
            sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"),
        )
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used[pid] for pid in family)


def ours(agent: str, decisions: int) -> Cost:
    began: list[float] = []

    def opened(places: Sequence[EnvPlace], workers: int) -> WorkerGroup:
        group = WorkerGroup(places, workers)
        began.append(processor_s())
        return group

    ended: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        training = NavigationTraining(
            TrainingPlan(agent=agent, seed=1, decisions=decisions, workers=WORKERS),
            Path(place),
            clock=WallClock(),
            open_group=opened,
        )
        training.run(lambda row: ended.append(processor_s()))
        return Cost(training._seconds, ended[-1] - began[0])


def shared_environments(plan: TrainingPlan) -> Any:
    """Our environments in our two processes, as Stable-Baselines3 asks for them."""

    class SharedEnvironments(VecEnv):
        def __init__(self) -> None:
            self._group = WorkerGroup(plan.places(), plan.workers)
            env = plan.places()[0].open()
            space = env.observation_space
            assert isinstance(space, spaces.Dict)
            self._names = list(space.spaces)
            super().__init__(self._group.count, space, env.action_space)

        def _seen(self, prefix: str = "") -> dict[str, Any]:
            return {
                name: getattr(self._group.arrays, f"{prefix}{name}").copy() for name in self._names
            }

        def reset(self) -> Any:
            return self._seen()

        def step_async(self, actions: Any) -> None:
            self._group.arrays.action[:] = actions
            for part in range(len(self._group.parts)):
                self._group.begin(part)

        def step_wait(self) -> Any:
            ended = [
                course
                for part in range(len(self._group.parts))
                for course in self._group.ended(part)
            ]
            over = np.zeros(self.num_envs, bool)
            facts: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            for course in ended:
                over[course.number] = True
                last = {name: values[course.number] for name, values in self._seen("last_").items()}
                facts[course.number] = {
                    "terminal_observation": last,
                    "TimeLimit.truncated": course.cut_off,
                }
            return self._seen(), self._group.arrays.reward.copy(), over, facts

        def close(self) -> None:
            self._group.close()

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [None] * self.num_envs

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            return None

        def env_method(
            self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
        ) -> list[Any]:
            return [None] * self.num_envs

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * self.num_envs

    return SharedEnvironments()


def theirs(agent: str, decisions: int, way: str) -> Cost:
    torch.set_num_threads(1)

    class SameLayers(BaseFeaturesExtractor):
        """The network of `ppo.py`: two layers of 128 for the senses; two convolutions and a layer
        of 128 for depth.
        """

        def __init__(self, space: Any) -> None:
            depth = "depth" in space.spaces
            super().__init__(space, 256 if depth else 128)
            size = space["senses"].shape[0]
            self.body = nn.Sequential(
                nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.1)
            )
            self.seen = (
                nn.Sequential(
                    nn.Conv2d(1, 16, 8, stride=4),
                    nn.ReLU(),
                    nn.Conv2d(16, 32, 4, stride=2),
                    nn.ReLU(),
                    nn.Flatten(),
                    nn.Linear(128, 128),
                    nn.ReLU(),
                    nn.Dropout(0.1),
                )
                if depth
                else None
            )

        def forward(self, seen: dict[str, torch.Tensor]) -> torch.Tensor:
            hidden = self.body(seen["senses"].float())
            if self.seen is None:
                return hidden
            picture = seen["depth"].float()
            picture = picture[:, None] if picture.ndim == 3 else picture
            return torch.cat([hidden, self.seen(picture / 255)], 1)

    plan = TrainingPlan(agent=agent, seed=1, decisions=decisions, workers=WORKERS)
    places = plan.places()[:WORKERS] if way == "with as many processes" else plan.places()
    environments = (
        shared_environments(plan)
        if way == "in our processes"
        else SubprocVecEnv([_opener(place) for place in places], start_method="spawn")
    )
    try:
        model = PPO(
            "MultiInputPolicy",
            environments,
            n_steps=2048 // len(places),
            batch_size=512,
            n_epochs=4,
            seed=1,
            learning_rate=1e-3,
            gamma=0.99,
            gae_lambda=0.95,
            clip_range=0.2,
            max_grad_norm=0.5,
            vf_coef=0.5,
            ent_coef=0.0,
            policy_kwargs={
                "features_extractor_class": SameLayers,
                "net_arch": [],
                "normalize_images": False,
            },
            device="cpu",
        )
        environments.reset()
        began, used_s = time.perf_counter(), processor_s()
        model.learn(decisions)
        return Cost(time.perf_counter() - began, processor_s() - used_s)
    finally:
        environments.close()


def _opener(place: EnvPlace) -> Callable[[], Any]:
    return place.open


def minutes_to(folder: Path, success: float) -> float | None:
    """After how many minutes of a training the last 200 rounds from the island reached this
    success.
    """
    rows = read_curve(folder)
    return next(
        (row.seconds / 60 for row in rows if row.rounds >= 200 and row.success >= success), None
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=8192)
    parser.add_argument("--agent", default="hybrid")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hybrid-minutes", type=Path)
    chosen = parser.parse_args()
    if chosen.hybrid_minutes is not None:
        minutes = minutes_to(chosen.hybrid_minutes, WANTED_SUCCESS)
        print(
            f"{WANTED_SUCCESS:.0%} of the last 200 rounds after {minutes} minutes (wanted:"
            f" {WANTED_MIN:g})"
        )
        return int(minutes is None or minutes > WANTED_MIN)
    ratios: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for _ in range(chosen.rounds):
        own = ours(chosen.agent, chosen.decisions)
        print(f"ours: {_rates(chosen.decisions, own)}", flush=True)
        for way in WAYS:
            other = theirs(chosen.agent, chosen.decisions, way)
            ratios[way].append((other.clock_s / own.clock_s, other.processor_s / own.processor_s))
            print(f"Stable-Baselines3 {way}: {_rates(chosen.decisions, other)}", flush=True)
    medians = {name: np.median(values, 0).tolist() for name, values in ratios.items()}
    for name, (clock, processor) in medians.items():
        print(
            f"median ratio to it {name}: {clock:.2f} by the clock, {processor:.2f} by processor"
            " time"
        )
    return int(min(medians["as it comes"][0], medians["with as many processes"][0]) < WANTED_RATIO)


def _rates(decisions: int, cost: Cost) -> str:
    return (
        f"{decisions / cost.clock_s:.0f} decisions/s, {decisions / cost.processor_s:.0f} per second"
        " of processor"
    )


if __name__ == "__main__":
    sys.exit(main())
