"""Doom: a 3D game in first or third person, by ViZDoom and Freedoom. Needs the extra `doom`, loaded
with the first round.
"""

from __future__ import annotations

from pathlib import Path

from believable.worlds.contract import AgentTask, Playing, Rendering, World
from believable.worlds.doom.doom_engine import CAMERAS, TICS_PER_S, need_vizdoom
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import pictures, size_px
from believable.worlds.doom.doom_round import (
    COLUMNS,
    CONTROLS,
    INPUTS,
    OPPONENTS,
    PLAYER,
    DoomOptions,
    DoomSetup,
    known_of,
    problems_of,
    settle,
    words_of,
)
from believable.worlds.doom.draw import draw
from believable.worlds.doom.engine_bot import BOT
from believable.worlds.doom.game_map import NAVIGATION
from believable.worlds.doom.habitual_player import REGULAR
from believable.worlds.doom.imitating_player import IMITATION
from believable.worlds.doom.navigation.declarations import NAVIGATION_AGENTS
from believable.worlds.doom.navigation.navigation_player import NAVIGATION_PLAYERS
from believable.worlds.doom.scripted_players import PERSON, WANDERER

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
            "navigation",
            "Reach one of sixteen goal places, by the way a person would take it or not.",
            {agent.name: agent.about for agent in NAVIGATION_AGENTS.values()},
            measuring="believable.worlds.doom.navigation.task",
            training="believable.worlds.doom.navigation.navigation_training",
            rounds={"map": NAVIGATION, "goal": "far"},
        ),
    ),
    playing=Playing(
        options=DoomOptions,
        setup=DoomSetup,
        inputs=INPUTS,
        tick_hz=TICS_PER_S,
        seats=(PLAYER,),
        columns=COLUMNS,
        opponents=OPPONENTS,
        players=(WANDERER, PERSON, REGULAR, IMITATION, BOT, *NAVIGATION_PLAYERS),
        settle=settle,
        new=DoomGame,
        check=problems_of,
        rendering=Rendering(CAMERAS, pictures, lambda setup: CONTROLS, size_px),
        words=words_of,
        known=known_of,
        ready=need_vizdoom,
    ),
)
