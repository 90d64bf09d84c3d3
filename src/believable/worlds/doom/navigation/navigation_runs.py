"""Runs of an agent to drawn goals, as recordings: for its measures and for clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from believable.contracts.game import RoundContext
from believable.core.seeds import derive
from believable.core.work import Progress, map_chunks
from believable.recordings.recording import Recording
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_round import PLAYER, DoomOptions, DoomSetup, resolve
from believable.worlds.doom.game_map import NAVIGATION
from believable.worlds.doom.navigation.declarations import (
    DECISION_TICS,
    DECISIONS_MAX,
    navigation_agent,
)
from believable.worlds.doom.navigation.movement_measures import RunMeasures, run_measures
from believable.worlds.doom.navigation.navigation_player import (
    NavigationDriver,
    SeenDoomGame,
    TrainedAgent,
    shipped_agent,
    trained_agent,
)
from believable.worlds.doom.navigation.policy import NavigationPolicy
from believable.worlds.doom.navigation.senses import SENSES

RUN_S = DECISIONS_MAX * DECISION_TICS // TICS_PER_S
#: In place of a file: an agent that has learned nothing, and does anything with the same chance.
UNTRAINED = "untrained"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run: by which agent, on which map, to which goal. `source` is a file of weights,
    `untrained`, or empty for the shipped ones; `goals` are those one is drawn from: all (`round`)
    or the `far` ones.
    """

    agent: str
    source: str
    map_seed: int
    seed: int
    number: int
    goals: Literal["round", "far"] = "round"

    def setup(self) -> DoomSetup:
        """The goal is drawn before anything moves, with the same chance for each."""
        options = DoomOptions(map=NAVIGATION, map_seed=self.map_seed, goal=self.goals)
        context = RoundContext(
            session_seed=self.seed,
            trial_key=f"run-{self.number}",
            opponent="nobody",
            duration_s=RUN_S,
        )
        return resolve(options, context).model_copy(update={"ends_at_death": True})


def planned_runs(
    agent: str,
    runs: int,
    seed: int,
    map_seeds: Sequence[int] = (7,),
    source: str = "",
    goals: Literal["round", "far"] = "round",
) -> list[PlannedRun]:
    navigation_agent(agent)
    maps = [map_seeds[number % len(map_seeds)] for number in range(runs)]
    return [
        PlannedRun(
            agent=agent, source=source, map_seed=map_seed, seed=seed, number=number, goals=goals
        )
        for number, map_seed in enumerate(maps)
    ]


def run_of(planned: PlannedRun) -> Recording:
    """Play a run; the same plan gives the same run."""
    trained, setup = train_job(planned), planned.setup()
    game = SeenDoomGame(setup, depth=trained.agent.sees_depth)
    try:
        driver = NavigationDriver(
            trained, derive(planned.seed, "decisions", planned.number), game.welcome(PLAYER)
        )
        while game.over() is None:
            game.step({PLAYER: driver.act({"t": game.tick, **game.view(PLAYER)})})
        return game.record()
    finally:
        game.close()


def measured_runs(
    planned: Sequence[PlannedRun], *, workers: int | None = None, progress: Progress | None = None
) -> list[RunMeasures]:
    return map_chunks(measured_run, planned, workers=workers, progress=progress, pool="processes")


def measured_run(planned: PlannedRun) -> RunMeasures:
    return run_measures(run_of(planned))


def train_job(planned: PlannedRun) -> TrainedAgent:
    if not planned.source:
        return shipped_agent(planned.agent)
    if planned.source != UNTRAINED:
        return trained_agent(Path(planned.source))
    agent = navigation_agent(planned.agent)

    def blank(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    weights = {
        "senses.weight": blank(1, SENSES),
        "senses.bias": blank(1),
        "body.weight": blank(1, 1),
        "body.bias": blank(1),
        "action.weight": blank(len(agent.actions), 1),
        "action.bias": blank(len(agent.actions)),
    }
    return TrainedAgent(agent, NavigationPolicy(weights), {"agent": agent.name})
