"""The maze: an armed player against a faster, unarmed opponent who kills by touch."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.contracts.world import Opponents, Playable, TrialForm, World
from believable.worlds.maze.agent_opponent import OpponentNames
from believable.worlds.maze.draw import draw
from believable.worlds.maze.game import (
    INPUTS,
    OPPONENT,
    OPPONENT_INPUTS,
    PLAYER,
    TABULAR,
    MazeGame,
    MazeOptions,
    MazeSetup,
    arms_of,
    problems_of,
    resolve,
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
    playing=Playable(
        setup=MazeSetup,
        seats={PLAYER: INPUTS, OPPONENT: OPPONENT_INPUTS},
        tick_hz=TICKS_PER_S,
        new=MazeGame,
        trial=TrialForm(
            options=MazeOptions,
            resolve=resolve,
            opponents=Opponents(OpponentNames(OPPONENTS), level="frustration"),
            check=problems_of,
            arms=arms_of,
        ),
        stand_in=SCRIPTED,
        recorded=partial(MazeGame, recorded=True),
        tabular=TABULAR,
        private={PLAYER: ("r", "h")},
    ),
)
