"""Navigation as a task to train for and to be measured in: what the command line asks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from believable.core.clock import WallClock
from believable.core.work import Progress
from believable.recordings.recording import Recording
from believable.worlds.doom.navigation.movement_measures import MEASURE_WORDS, RunMeasures, run_measures, summarised
from believable.worlds.doom.navigation.navigation_player import trained_agent
from believable.worlds.doom.navigation.navigation_runs import UNTRAINED, measured_runs, planned_runs
from believable.worlds.doom.navigation.training_curve import CurveRow, read_curve

__all__ = [
    "MEASURE_WORDS",
    "RunMeasures",
    "evaluate_agent",
    "measure_recording",
    "read_curve",
    "summarised",
    "train_agent",
]

FIRST_MAP = 7


def train_agent(
    agent: str, seed: int, decisions: int, folder: Path, *, maps: int, workers: int, tell: Callable[[CurveRow], None]
) -> Path:
    """Train into `folder`, or go on with what is there; gives the file with the weights."""
    from believable.worlds.doom.navigation.navigation_training import NavigationTraining, TrainingPlan  # noqa: PLC0415  the extra `train`

    map_seeds = tuple(range(FIRST_MAP, FIRST_MAP + maps))
    plan = TrainingPlan(agent, seed, decisions, map_seeds, environments=max(16, maps), workers=workers)
    return NavigationTraining(plan, folder, clock=WallClock()).run(tell)


def evaluate_agent(
    agent: str, runs: int, seed: int, *, weights: Path | None = None, untrained: bool = False,
    map_seeds: Sequence[int] = (FIRST_MAP,), workers: int | None = None, progress: Progress | None = None,
) -> list[RunMeasures]:  # fmt: skip
    """Play runs to drawn goals and measure them."""
    source = UNTRAINED if untrained else "" if weights is None else str(weights)
    return measured_runs(planned_runs(agent, runs, seed, map_seeds, source), workers=workers, progress=progress)


def agent_in(weights: Path) -> str:
    """Whose weights a file has."""
    return trained_agent(weights).agent.name


def measure_recording(recording: Recording) -> RunMeasures:
    return run_measures(recording)
