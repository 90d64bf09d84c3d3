"""A training from beginning to end: environments, recipe, checkpoints, curve. After any
interruption it resumes at its last checkpoint.

A folder holds `checkpoint.safetensors` (everything needed to resume), `curve.csv` (a row per batch)
and, at the end, `NAME.safetensors` (the weights for acting).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from believable import __version__
from believable.core.clock import Clock, WallClock
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.doom.body import BodyName
from believable.worlds.doom.navigation.course import navigation_course
from believable.worlds.doom.navigation.declarations import DECISIONS_MAX, navigation_agent
from believable.worlds.doom.navigation.ppo import Arrays, LearnedBatch, Learner, PpoRecipe
from believable.worlds.doom.navigation.rollout_workers import (
    EndedCourse,
    EnvGroup,
    EnvPlace,
    WorkerGroup,
)
from believable.worlds.doom.navigation.training_curve import (
    CURVE,
    ROLLING,
    CurveRow,
    append_row,
    read_curve,
)
from believable.worlds.doom.navigation.weight_files import read_weights, write_weights
from believable.worlds.doom.navigation_map import GOALS

CHECKPOINT = "checkpoint.safetensors"
#: The map of the study; others follow it.
FIRST_MAP = 7
#: Batches between two checkpoints.
CHECKPOINT_BATCHES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """The agent, the maps and the length of a training. `map_seeds` has one map, or several to
    train on all of them; `tours_on` is a map of people's demos instead. Penalties are phased in
    slowly, between these shares of the training: from the first decision on they would teach to
    stop. `start` holds the facts about its initial weights; None: random ones.
    """

    agent: str
    seed: int = 1
    decisions: int = 600_000
    map_seeds: tuple[int, ...] = (7,)
    environments: int = GOALS
    workers: int = 2
    on_the_way: float = 0.5
    ramp: tuple[float, float] = (0.25, 0.5)
    start: Mapping[str, Any] | None = None
    body: BodyName = "people"
    tours_on: str = ""

    def places(self) -> list[EnvPlace]:
        """Maps in turn, and goals. An error where a goal cannot be reached."""
        places = []
        for number in range(self.environments):
            lap, place = divmod(number, len(self.map_seeds))
            map_seed, goal = self.map_seeds[place], (lap + 5 * place) % GOALS
            if not self.tours_on:
                navigation_course(map_seed, goal)
            places.append(
                EnvPlace(
                    agent=self.agent,
                    goal=goal,
                    map_seed=map_seed,
                    on_the_way=self.on_the_way,
                    seed=derive(self.seed, "course") % 2**31,
                    body=self.body,
                    tours_on=self.tours_on,
                )
            )
        return places

    def penalties(self, decisions: int) -> float:
        first, last = self.ramp
        if first == last:
            return float(decisions / self.decisions >= first)
        return min(max((decisions / self.decisions - first) / (last - first), 0.0), 1.0)


class NavigationTraining:
    """Call `run`; interrupt it whenever; call it again."""

    def __init__(
        self,
        plan: TrainingPlan,
        folder: Path,
        *,
        clock: Clock,
        recipe: PpoRecipe | None = None,
        open_group: Callable[[Sequence[EnvPlace], int], EnvGroup] = WorkerGroup,
        weights: Arrays | None = None,
    ) -> None:
        self.plan, self.folder, self.clock = plan, folder, clock
        self.learner = Learner(navigation_agent(plan.agent), recipe or PpoRecipe(), plan.seed)
        self._open_group = open_group
        self._recent: deque[tuple[float, ...]] = deque(maxlen=ROLLING)
        self._rounds, self._seconds = 0, 0.0
        if weights is not None:
            self.learner.take(weights)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / CHECKPOINT).exists():
            self._resume()

    def run(self, on_row: Callable[[CurveRow], None] = lambda row: None) -> Path:
        """Train until the planned number of decisions; gives the file with the weights."""
        plan, learner = self.plan, self.learner
        if learner.decisions < plan.decisions:
            group = self._open_group(plan.places(), plan.workers)
            try:
                batches = 0
                while learner.decisions < plan.decisions:
                    began_ms = self.clock.now_ms()
                    group.penalise(plan.penalties(learner.decisions))
                    batch = learner.go_on(group, learner.decisions / plan.decisions)
                    self._seconds += (self.clock.now_ms() - began_ms) / 1000
                    row = self._row(batch)
                    append_row(self.folder, row)
                    batches += 1
                    if batches % CHECKPOINT_BATCHES == 0 or learner.decisions >= plan.decisions:
                        self._checkpoint()
                    on_row(row)
            finally:
                group.close()
        target = self.folder / f"{plan.agent}.safetensors"
        write_weights(target, learner.weights(), self.provenance())
        return target

    def provenance(self) -> dict[str, Any]:
        return {
            "agent": self.plan.agent,
            "seed": self.plan.seed,
            "decisions": self.learner.decisions,
            "seconds": round(self._seconds),
            "believable": __version__,
            "plan": asdict(self.plan),
            "recipe": asdict(self.learner.recipe),
        }

    # ------------------------------------------------------------------------------------------
    # curve

    def _row(self, batch: LearnedBatch) -> CurveRow:
        self._rounds += len(batch.rounds)
        self._recent.extend(_figures(ended) for ended in batch.rounds if ended.from_start)
        means = np.mean(self._recent, 0).tolist() if self._recent else [float("nan")] * 6
        success, to_goal, deaths, sudden, collided, slow = (round(value, 4) for value in means)
        decisions, losses = (
            self.learner.decisions,
            {name: round(value, 5) for name, value in batch.losses.items()},
        )
        return CurveRow(
            decisions=decisions,
            seconds=round(self._seconds, 1),
            rounds=self._rounds,
            success=success,
            decisions_to_goal=to_goal,
            deaths=deaths,
            sudden=sudden,
            collided=collided,
            slow=slow,
            penalties=self.plan.penalties(decisions),
            policy_loss=losses["policy_loss"],
            value_loss=losses["value_loss"],
            entropy=losses["entropy"],
        )

    # ------------------------------------------------------------------------------------------
    # checkpoints

    def _checkpoint(self) -> None:
        words = {
            "plan": asdict(self.plan),
            "decisions": self.learner.decisions,
            "rounds": self._rounds,
            "seconds": self._seconds,
            "recent": list(self._recent),
            "chance": self.learner.rng.bit_generator.state,
        }
        write_weights(self.folder / CHECKPOINT, self.learner.state(), words)

    def _resume(self) -> None:
        path = self.folder / CHECKPOINT
        state, words = read_weights(
            path,
            "Delete the folder to train from the start, or put an earlier copy of the file there.",
        )
        planned = json.loads(json.dumps(asdict(self.plan)))
        differing = [
            name
            for name in ("agent", "seed", "map_seeds", "tours_on", "body")
            if words["plan"][name] != planned[name]
        ]
        if differing:
            name = differing[0]
            raise InvalidInput(
                f"{path}: it was begun with {name} {words['plan'][name]!r}, now {planned[name]!r}"
                " is asked for. Train into another folder."
            )
        self.learner.restore(state)
        self.learner.decisions = words["decisions"]
        self.learner.rng.bit_generator.state = words["chance"]
        self._rounds, self._seconds = words["rounds"], words["seconds"]
        self._recent.extend(tuple(row) for row in words["recent"])
        self._forget_after(words["decisions"])

    def _forget_after(self, decisions: int) -> None:
        """Rows of batches that are trained again."""
        rows = read_curve(self.folder)
        (self.folder / CURVE).unlink(missing_ok=True)
        for row in rows:
            if row.decisions <= decisions:
                append_row(self.folder, row)


def _figures(ended: EndedCourse) -> tuple[float, ...]:
    decisions = ended.decisions if ended.arrived else DECISIONS_MAX
    return (
        float(ended.arrived),
        float(decisions),
        float(ended.died),
        ended.sudden,
        ended.collided,
        ended.slow,
    )


def train_agent(
    agent: str,
    seed: int,
    decisions: int,
    folder: Path,
    *,
    maps: int,
    workers: int,
    on_row: Callable[[CurveRow], None],
    start: Path | None = None,
    rate: float | None = None,
    body: BodyName = "people",
    tours_on: str = "",
) -> Path:
    """Train into `folder`, or resume there; returns the file with the weights."""
    map_seeds = tuple(range(FIRST_MAP, FIRST_MAP + maps))
    plan = TrainingPlan(
        agent=agent,
        seed=seed,
        decisions=decisions,
        map_seeds=map_seeds,
        environments=max(GOALS, maps),
        workers=workers,
        body=body,
        tours_on=tours_on,
    )
    recipe = PpoRecipe() if rate is None else PpoRecipe(learning_rate=rate)
    weights = None
    if start is not None:
        weights, plan = _begun_with(start, plan)
    return NavigationTraining(plan, folder, clock=WallClock(), recipe=recipe, weights=weights).run(
        on_row
    )


def _begun_with(start: Path, plan: TrainingPlan) -> tuple[Arrays, TrainingPlan]:
    """Weights to begin with, and the plan that says so. An agent that has learned with its
    penalties keeps them.
    """
    weights, words = read_weights(start, "Give a file of weights that believable train wrote.")
    ramp = (0.0, 0.0) if words["agent"] == plan.agent else (0.1, 0.4)
    known: dict[str, Any] = {
        name: words[name]
        for name in ("agent", "seed", "decisions", "note", "plan")
        if name in words
    }
    return taken_over(weights, words["agent"], plan.agent, str(start)), replace(
        plan, ramp=ramp, start=known
    )


def taken_over(weights: Arrays, giver: str, taker: str, place: str) -> Arrays:
    """Weights of one agent for another that sees the same. Each action begins as the giver's with
    the nearest turn.
    """
    teacher, learner = navigation_agent(giver), navigation_agent(taker)
    if teacher.sees_depth != learner.sees_depth:
        raise InvalidInput(
            f"{place}: weights of {giver!r}, which does not see what {taker!r} sees. Begin with an"
            " agent that does."
        )
    rows = [_nearest_action(turn, teacher.actions) for turn in learner.actions]
    return {
        name: values[rows] if name.startswith("action.") else values
        for name, values in weights.items()
    }


def _nearest_action(turn: int | None, actions: Sequence[int | None]) -> int:
    if turn is None:
        return actions.index(None)
    return min(
        (abs(other - turn), number) for number, other in enumerate(actions) if other is not None
    )[1]
