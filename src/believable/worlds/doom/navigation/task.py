"""Navigation as a task to be measured in: the functions behind the command line.
`navigation_training` has those for training.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from believable.core.work import Progress
from believable.recordings.recording import Recording
from believable.worlds.doom.navigation.movement_measures import (
    MEASURE_WORDS,
    RunMeasures,
    run_measures,
    summarise,
)
from believable.worlds.doom.navigation.navigation_player import trained_agent
from believable.worlds.doom.navigation.navigation_runs import UNTRAINED, measured_runs, planned_runs
from believable.worlds.doom.navigation.training_curve import mean_curve, read_curve

__all__ = [
    "MEASURE_WORDS",
    "RunMeasures",
    "evaluate_agent",
    "mean_curve",
    "measure_recording",
    "read_curve",
    "summarise",
]


def evaluate_agent(
    agent: str,
    runs: int,
    seed: int,
    *,
    weights: Path | None = None,
    untrained: bool = False,
    map_seeds: Sequence[int] = (7,),
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[RunMeasures]:
    """Play runs to drawn goals and measure them."""
    source = UNTRAINED if untrained else "" if weights is None else str(weights)
    return measured_runs(
        planned_runs(agent, runs, seed, map_seeds, source), workers=workers, progress=progress
    )


def agent_in(weights: Path) -> str:
    """Whose weights a file has."""
    return trained_agent(weights).agent.name


def measure_recording(recording: Recording) -> RunMeasures:
    return run_measures(recording)
