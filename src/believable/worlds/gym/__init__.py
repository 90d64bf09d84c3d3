"""Any Gymnasium environment that draws itself. Needs the extra `gym`, loaded with the first
round.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.contracts.film import Filmable
from believable.contracts.world import Playable, TrialForm, World
from believable.worlds.gym.gym_environment import load_gymnasium
from believable.worlds.gym.gym_game import GymGame, pictures, size_px
from believable.worlds.gym.gym_round import (
    INPUTS,
    PLAYER,
    TABULAR,
    GymOptions,
    GymSetup,
    controls_of,
    known_of,
    problems_of,
    program_problems,
    resolve,
    start_of,
)
from believable.worlds.gym.random_player import RANDOM
from believable.worlds.gym.rollouts import HUMAN_STEPS_PER_S, rollout, try_agent

GYM = World(
    name="gym",
    version=1,
    about="Any Gymnasium environment that draws itself, played by keys.",
    folder=Path(__file__).parent,
    extra="gym",
    playing=Playable(
        setup=GymSetup,
        seats={PLAYER: INPUTS},
        tick_hz=lambda setup: setup.fps,
        new=GymGame,
        trial=TrialForm(
            options=GymOptions,
            resolve=resolve,
            check=problems_of,
            text_key=lambda options: "play.gym",
        ),
        stand_in=RANDOM,
        recorded=partial(GymGame, recorded=True),
        filmable=Filmable(controls=controls_of, pictures=pictures, size_px=size_px),
        tabular=TABULAR,
        known=known_of,
        ready=load_gymnasium,
        rollout=rollout,
        check_program=program_problems,
        human_steps_per_s=HUMAN_STEPS_PER_S,
    ),
    start_of=start_of,
    try_agent=try_agent,
)
