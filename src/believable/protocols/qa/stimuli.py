"""Demonstration recordings of the task: rounds against a calm and against a frustrated opponent."""

from __future__ import annotations

from functools import partial

from believable.core.seeds import derive
from believable.recordings.recording import Recording
from believable.simulate.demonstration import write_all
from believable.study.records import Stimulus
from believable.worlds.maze.rules import TICKS_PER_S
from believable.worlds.maze.standins import PLAYERS, fight

#: Length of a recording that is annotated.
TASK_S = 40


def make(stimulus: Stimulus, take: int, seed: int) -> Recording:
    """The same player in all of them; the opponent's mood differs."""
    mood = "frustrated" if stimulus.condition == "standin_frustrated" else "calm"
    maze = derive(seed, "maze", str(stimulus.scenario))
    return fight(maze, take, next(iter(PLAYERS)), ticks=TASK_S * TICKS_PER_S, mood=mood)


write = partial(write_all, make)
