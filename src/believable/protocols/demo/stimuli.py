"""Demonstration recordings: scripted players with different gaits on their way through one maze per
scenario.
"""

from __future__ import annotations

from functools import partial

from believable.core.seeds import derive
from believable.recordings.recording import Recording
from believable.simulate.demonstration import write_all
from believable.study.records import Stimulus
from believable.worlds.maze.standins import walk


def make(stimulus: Stimulus, take: int, seed: int) -> Recording:
    """Maze, start and goal of a scenario are the same in all conditions."""
    return walk(derive(seed, "course", str(stimulus.scenario)), str(stimulus.condition))


write = partial(write_all, make)
