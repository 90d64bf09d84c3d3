"""Demonstration clips: the maze game, played by scripted players that differ in hand and head."""

from __future__ import annotations

from functools import partial

from believable.core.seeds import derive
from believable.recordings.recording import Recording
from believable.simulate.demonstration import write_all
from believable.study.records import Stimulus
from believable.worlds.maze.standins import fight


def make(stimulus: Stimulus, take: int, seed: int) -> Recording:
    """All clips of one scenario are played in the same maze."""
    return fight(derive(seed, "maze", str(stimulus.scenario)), take, str(stimulus.condition))


write = partial(write_all, make)
