"""The maze: an armed player against a faster, unarmed opponent who kills by touch."""

from __future__ import annotations

from pathlib import Path

from believable.worlds.contract import Opponents, Playing, World
from believable.worlds.maze.draw import draw
from believable.worlds.maze.game import (
    COLUMNS,
    INPUTS,
    OPPONENT,
    PLAYER,
    MazeGame,
    MazeOptions,
    MazeSetup,
    problems_of,
    settle,
)
from believable.worlds.maze.opponents import OPPONENTS
from believable.worlds.maze.rules import TICKS_PER_S
from believable.worlds.maze.scripted_player import SCRIPTED

MAZE = World(
    name="maze",
    version=1,
    about=(
        "A maze from above: an armed player against a faster, unarmed opponent who kills by touch."
    ),
    folder=Path(__file__).parent,
    draw=draw,
    start_of=lambda recording: None if recording.seed is None else f"maze, seed {recording.seed}",
    playing=Playing(
        options=MazeOptions,
        setup=MazeSetup,
        inputs=INPUTS,
        tick_hz=TICKS_PER_S,
        seats=(PLAYER, OPPONENT),
        columns=COLUMNS,
        opponents=Opponents(OPPONENTS, level="frustration"),
        players=(SCRIPTED,),
        settle=settle,
        new=MazeGame,
        check=problems_of,
    ),
)
