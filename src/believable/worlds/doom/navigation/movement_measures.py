"""Measures of movement, from a recording: the same for people and agents, in the fifths of a second
in which agents decide.

The problems that judges saw in agents (Milani et al. 2023): P1 the camera turns suddenly, P2 they
run into things, P3 they are slow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from believable.core.errors import InvalidInput
from believable.recordings.recording import Recording
from believable.stats.bootstrap import bootstrap
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined
from believable.stats.smoothness import rms_jerk, spectral_arc_length
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.navigation.course import navigation_course
from believable.worlds.doom.navigation.declarations import (
    CAMERA_LIMIT_DEG,
    DECISION_TICS,
    DECISIONS_MAX,
    FULL_SPEED_UNITS,
    SLOW_SHARE,
    has_collided,
)
from believable.worlds.doom.walking import STEP_UNITS

_COLUMNS = (
    "x",
    "y",
    "z",
    "angle_deg",
    "velocity_x",
    "velocity_y",
    "on_ground",
    "forward",
    "side",
    "events",
    "dead",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMeasures:
    """One run to a goal, or a clip of one. None: it has no such number (a run that ends elsewhere
    needed no time to the goal).
    """

    goal: int | None
    seconds: float
    success: bool
    died: bool
    decisions: float | None
    camera: float
    collisions: float
    slow: float
    jerk: float | None
    yaw_smoothness: float | None
    path_efficiency: float | None


#: What each measure is, in words, and how good runs differ from bad ones in it (0: neither).
MEASURE_WORDS: Mapping[str, str] = {
    "success": "Share of runs that reached the goal",
    "decisions": "Decisions to the goal (0.2 s each), a run that did not reach it counted as 150",
    "died": "Share of runs that ended in a pit",
    "camera": "P1: share of decisions in which the camera turned by more than 27°",
    "collisions": "P2: share of decisions that ended elsewhere than level ground would have led",
    "slow": "P3: share of decisions slower than two thirds of full speed",
    "jerk": "Root mean square jerk, in 1,000 units/s³",
    "yaw_smoothness": "Spectral arc length of turning; nearer to 0 is smoother",
    "path_efficiency": (
        "Shortest way on foot / way that was run, of runs that reached the goal (of a clip: as far"
        " as it led)"
    ),
}


def run_measures(
    recording: Recording, from_ms: float = 0.0, to_ms: float | None = None
) -> RunMeasures:
    """Of a recording of navigation, or of the part of it that a clip shows."""
    setup = setup_in(recording)
    if setup.goal is None:
        raise InvalidInput(
            f"the recording of {setup.map!r} has no goal. Measure recordings of navigation."
        )
    first, last = _frames(recording, from_ms, to_ms)
    columns = {name: recording.telemetry[name][first:last] for name in _COLUMNS}
    places = np.array([columns["x"], columns["y"]], float).T
    yaw = np.unwrap(np.array(columns["angle_deg"], float), period=360.0)
    goal_frame = next(
        (n for n, words in enumerate(columns["events"]) if "goal" in str(words or "").split()), None
    )
    starts = np.arange(0, len(yaw) - DECISION_TICS, DECISION_TICS)
    if not len(starts):
        raise InvalidInput("the recording is shorter than a decision (0.2 s). Record a longer one.")
    ends = starts + DECISION_TICS
    way = np.hypot(*(places[ends] - places[starts]).T)
    length = float(np.sum(np.hypot(*np.diff(places, axis=0).T)))
    jerk = rms_jerk(places, TICS_PER_S)
    course = navigation_course(setup.map_seed, setup.goal)
    shortest = course.distance(*places[0].tolist())
    reached = goal_frame is not None
    # A clip ends before the goal: what counts is how much nearer its way has led.
    left = 0.0 if reached else None if to_ms is None else course.distance(*places[-1].tolist())
    gained = None if shortest is None or left is None else shortest - left
    return RunMeasures(
        goal=setup.goal,
        seconds=len(yaw) / TICS_PER_S,
        success=reached,
        died=any(bool(dead) for dead in columns["dead"]),
        decisions=None if goal_frame is None else (goal_frame + 1) / DECISION_TICS,
        camera=float(np.mean(np.abs(yaw[ends] - yaw[starts]) > CAMERA_LIMIT_DEG)),
        collisions=float(np.mean([collision_mask(columns, start) for start in starts.tolist()])),
        slow=float(np.mean(way < SLOW_SHARE * FULL_SPEED_UNITS)),
        jerk=None if jerk is None else jerk / 1000,
        yaw_smoothness=spectral_arc_length(np.abs(np.diff(yaw)) * TICS_PER_S, TICS_PER_S),
        path_efficiency=None if gained is None or not length else gained * TILE_UNITS / length,
    )


def collision_mask(columns: Mapping[str, Sequence[Any]], start: int) -> bool:
    """Of the decision that begins after this frame, as in training: not in the air, and not after a
    fall.
    """
    end = start + DECISION_TICS
    fell = columns["z"][start] - columns["z"][end] > STEP_UNITS
    if fell or not (columns["on_ground"][start] and columns["on_ground"][end]):
        return False
    place, velocity, target = (
        (columns[x][frame], columns[y][frame])
        for x, y, frame in (("x", "y", start), ("velocity_x", "velocity_y", start), ("x", "y", end))
    )
    tics = (
        (columns["angle_deg"][n], columns["forward"][n], columns["side"][n])
        for n in range(start + 1, end + 1)
    )
    return has_collided(place, velocity, target, tics)


def _frames(recording: Recording, from_ms: float, to_ms: float | None) -> tuple[int, int]:
    frame_ms = recording.timing.frame_ms
    last = (
        recording.timing.frames
        if to_ms is None
        else min(recording.timing.frames, math.ceil(to_ms / frame_ms))
    )
    return round(from_ms / frame_ms), last


def summarise(
    runs: Sequence[RunMeasures], rng: np.random.Generator, resamples: int = 2000
) -> dict[str, Estimate]:
    """Each measure over runs with its 95 % interval: shares of runs by Wilson, means by resampling
    runs.
    """
    return {name: _estimate(name, runs, rng, resamples) for name in MEASURE_WORDS}


def _estimate(
    name: str, runs: Sequence[RunMeasures], rng: np.random.Generator, resamples: int
) -> Estimate:
    if name in ("success", "died"):
        return proportion(sum(getattr(run, name) for run in runs), len(runs))
    values = [_number(run, name) for run in runs]
    known = np.array([value for value in values if value is not None])
    if len(known) < 2:
        return undefined(f"{len(known)} of {len(runs)} runs have it", method="mean", n=len(known))
    return bootstrap(known, np.mean, rng=rng, resamples=resamples)


def _number(run: RunMeasures, name: str) -> float | None:
    if name == "decisions":
        return float(DECISIONS_MAX) if run.decisions is None else run.decisions
    value: float | None = getattr(run, name)
    return value


def as_row(run: RunMeasures) -> dict[str, Any]:
    return asdict(run)


RUN_COLUMNS = tuple(field.name for field in fields(RunMeasures))
