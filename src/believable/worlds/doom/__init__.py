"""Doom: a 3D game in first or third person, by ViZDoom and Freedoom. Needs the extra `doom`, loaded
with the first round.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.contracts.agent import AgentTask
from believable.contracts.film import Filmable
from believable.contracts.world import Playable, TrialForm, World
from believable.worlds.doom.doom_engine import CAMERAS, TICS_PER_S, need_vizdoom
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import pictures, size_px
from believable.worlds.doom.doom_round import (
    CONTROLS,
    INPUTS,
    OPPONENTS,
    PLAYER,
    TABULAR,
    DoomOptions,
    DoomSetup,
    known_of,
    problems_of,
    resolve,
    text_key,
)
from believable.worlds.doom.draw import draw
from believable.worlds.doom.game_map import NAVIGATION
from believable.worlds.doom.navigation.declarations import NAVIGATION_AGENTS
from believable.worlds.doom.scripted_players import WANDERER

DOOM = World(
    name="doom",
    version=1,
    about="A 3D game in first or third person: reach a mark, or fight a deathmatch.",
    folder=Path(__file__).parent,
    draw=draw,
    extra="doom",
    observe=observe_doom,
    tasks=(
        AgentTask(
            name="navigation",
            about="Reach one of sixteen goal places, by the way a person would take it or not.",
            agents={agent.name: agent.about for agent in NAVIGATION_AGENTS.values()},
            measuring="believable.worlds.doom.navigation.task",
            training="believable.worlds.doom.navigation.navigation_training",
            rounds={"map": NAVIGATION, "goal": "far"},
        ),
    ),
    playing=Playable(
        setup=DoomSetup,
        seats={PLAYER: INPUTS},
        tick_hz=TICS_PER_S,
        new=DoomGame,
        trial=TrialForm(
            options=DoomOptions,
            resolve=resolve,
            opponents=OPPONENTS,
            check=problems_of,
            text_key=text_key,
        ),
        stand_in=WANDERER,
        recorded=partial(DoomGame, recorded=True),
        filmable=Filmable(
            controls=lambda setup: CONTROLS, pictures=pictures, cameras=CAMERAS, size_px=size_px
        ),
        tabular=TABULAR,
        known=known_of,
        ready=need_vizdoom,
    ),
)
