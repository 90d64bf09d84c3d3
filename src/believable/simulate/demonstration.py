"""Demonstration stimuli of the ready protocols, made by code from the study file: which recording each stimulus is, from a seed.

They are stand-ins: no person and no trained agent is in them. Studies that use them say `demonstration: true`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from believable.agents.standins import PLAYERS, fight, walk
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.replay.file import write
from believable.replay.records import Replay
from believable.study.records import Stimulus, Study
from believable.worlds.maze.rules import TICKS_PER_S
from believable.worlds.town.generate import generate

#: What was planted, kept beside the study file: nothing that participants receive comes from it.
PLANTED_FILE = "planted.json"

#: How many things go wrong in a day of the stand-in for a baseline.
VIOLATIONS = 9
#: Length of a recording that is annotated in the quality protocol.
TASK_S = 40


@dataclass(frozen=True, slots=True)
class Made:
    """A recording, and for planted violations the id of each action with its kind."""

    replay: Replay
    planted: Mapping[str, str] = field(default_factory=dict)


def _pair(one: Stimulus, take: int, seed: int) -> Made:
    return Made(walk(derive(seed, "course", str(one.scenario)), str(one.condition)))


def _clip(one: Stimulus, take: int, seed: int) -> Made:
    return Made(fight(derive(seed, "maze", str(one.scenario)), take, str(one.condition)))


def _day(one: Stimulus, take: int, seed: int) -> Made:
    name = "practice" if one.scenario is None else one.scenario
    wrong = VIOLATIONS if one.condition == "standin_baseline" else 3 if one.scenario is None else 0
    day = generate(derive(seed, "day", name) % (1 << 31), violations=wrong)
    return Made(day.replay, day.planted if one.condition is not None else {})


def _task(one: Stimulus, take: int, seed: int) -> Made:
    mood = "frustrated" if one.condition == "standin_frustrated" else "calm"
    maze = derive(seed, "maze", str(one.scenario))
    return Made(fight(maze, take, next(iter(PLAYERS)), ticks=TASK_S * TICKS_PER_S, mood=mood))


#: Protocol → how one of its stimuli is made. `take` tells apart stimuli of the same scenario.
MAKERS: Mapping[str, Callable[[Stimulus, int, int], Made]] = MappingProxyType(
    {"hntt": _pair, "clips": _clip, "replay": _day, "qa": _task}
)


def make(protocol: str, study: Study, stimulus: Stimulus, seed: int) -> Made:
    """The recording that stands for one stimulus of a ready study."""
    if protocol not in MAKERS:
        raise InvalidInput(
            f"protocol {protocol!r} has no recordings made by code. Choose one of: {', '.join(MAKERS)}."
        )
    same = [one.id for one in study.stimuli if one.scenario == stimulus.scenario]
    return MAKERS[protocol](stimulus, same.index(stimulus.id), seed)


def write_all(
    protocol: str, study: Study, folder: Path, seed: int, done: Callable[[Stimulus], None] = lambda one: None
) -> Mapping[str, Mapping[str, str]]:
    """Write every recording of a ready study into its folder, and what was planted beside the study file."""
    planted: dict[str, Mapping[str, str]] = {}
    for stimulus in study.stimuli:
        made = make(protocol, study, stimulus, seed)
        path = folder / stimulus.file
        path.parent.mkdir(parents=True, exist_ok=True)
        write(made.replay, path)
        if made.planted:
            planted[stimulus.id] = made.planted
        done(stimulus)
    if planted:
        (folder / PLANTED_FILE).write_text(json.dumps(planted, indent=1) + "\n", "utf-8")
    return planted


def planted_in(folder: Path) -> Mapping[str, Mapping[str, str]]:
    """What was planted into the stimuli of a study folder: `{stimulus: {action: kind}}`; empty where nothing was."""
    path = folder / PLANTED_FILE
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidInput(
            f"{path}: expected JSON ({error}). Make the study again with `believable new`."
        ) from None
    return {str(name): dict(actions) for name, actions in found.items()}
