"""Any Gymnasium environment that draws itself. Needs the extra `gym`, loaded with the first
round.
"""

from __future__ import annotations

from pathlib import Path

from believable.worlds.contract import Opponents, Playing, Rendering, World
from believable.worlds.gym.gym_environment import FRAMES_PER_S, load_gymnasium
from believable.worlds.gym.gym_game import GymGame, draw, pictures, size_px
from believable.worlds.gym.gym_round import (
    COLUMNS,
    INPUTS,
    PLAYER,
    GymOptions,
    GymSetup,
    controls_of,
    known_of,
    problems_of,
    program_problems,
    settle,
    start_of,
)
from believable.worlds.gym.random_player import RANDOM
from believable.worlds.gym.rollouts import HUMAN_STEPS_PER_S, rollout

GYM = World(
    name="gym",
    version=1,
    about="Any Gymnasium environment that draws itself, played by keys.",
    folder=Path(__file__).parent,
    draw=draw,
    extra="gym",
    drawn=False,
    playing=Playing(
        options=GymOptions,
        setup=GymSetup,
        inputs=INPUTS,
        tick_hz=FRAMES_PER_S,
        seats=(PLAYER,),
        columns=COLUMNS,
        opponents=Opponents({}),
        players=(RANDOM,),
        settle=settle,
        new=GymGame,
        check=problems_of,
        rendering=Rendering((), pictures, controls_of, size_px),
        pace=lambda setup: setup.fps,
        words=lambda options: "play.gym",
        known=known_of,
        ready=load_gymnasium,
        rollout=rollout,
        check_program=program_problems,
        human_steps_per_s=HUMAN_STEPS_PER_S,
    ),
    start_of=start_of,
)
