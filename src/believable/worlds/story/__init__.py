"""Stories that are played by writing: those of TextWorld and Jericho by file, or of a function."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.world import Playable, TrialForm, World
from believable.worlds.story.explorer import EXPLORER
from believable.worlds.story.story_game import (
    HZ,
    INPUTS,
    PLAYER,
    TABULAR,
    TextGame,
    TextOptions,
    TextSetup,
    draw,
    problems_of,
    resolve,
    start_of,
)

STORY = World(
    name="story",
    version=1,
    about="Stories that are played by writing: of TextWorld, of Jericho, or your own.",
    folder=Path(__file__).parent,
    draw=draw,
    playing=Playable(
        setup=TextSetup,
        seats={PLAYER: INPUTS},
        tick_hz=HZ,
        new=TextGame,
        trial=TrialForm(
            options=TextOptions,
            resolve=resolve,
            check=problems_of,
            text_key=lambda options: "play.story",
        ),
        stand_in=EXPLORER,
        recorded=TextGame,
        tabular=TABULAR,
    ),
    start_of=start_of,
)
