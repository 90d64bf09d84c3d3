"""Every world keeps the contract, and one that does not is told what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from believable.contracts.game import SeatInputs
from believable.contracts.inputs import InputPart, InputSchema
from believable.contracts.registries import AGENTS, WORLDS
from believable.contracts.world import Opponents, World
from believable.core.errors import InvalidInput
from believable.motion.motion_track import MotionTrack
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_round import DoomOptions
from believable.worlds.maze import MAZE
from believable.worlds.maze.game import MazeGame, MazeSetup
from believable.worlds.world_check import check_world


class FightOptions(DoomOptions):
    map: str = "deathmatch"
    picture: str = "160x120"


#: An engine takes long to begin, and tries of one are alike: the round with the most in it, in
#: small pictures.
FIGHT = replace(
    DOOM,
    playing=replace(
        DOOM.game,
        trial=replace(
            DOOM.game.trial, options=FightOptions, opponents=Opponents({"bots": "Three."})
        ),
        stand_in=AGENTS["doom/person"],
    ),
)


@pytest.mark.parametrize("name", WORLDS.names)
def test_it_keeps_the_contract(name: str) -> None:
    check_world(FIGHT if name == FIGHT.name else WORLDS[name])


def unreadable_motion(recording: Recording, actor: str | None) -> MotionTrack:
    raise InvalidInput("there are no positions.")


class Forgetful(MazeGame):
    """Differs from run to run."""

    runs = 0

    def __init__(self, setup: MazeSetup) -> None:
        super().__init__(setup)
        Forgetful.runs += 1
        self.round.score = Forgetful.runs


class Talkative(MazeGame):
    """Tells the page what goes on in the opponent."""

    def view(self, seat: str) -> Mapping[str, Any]:
        return {**super().view(seat), "intent": "chase"}


class Hasty(MazeGame):
    """Goes two ticks at once."""

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        return [*super().step(inputs), *super().step(inputs)]


def changed(**values: Any) -> World:
    return replace(MAZE, playing=replace(MAZE.game, **values))


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (replace(MAZE, name="a maze"), "its name does not match"),
        (replace(MAZE, folder=MAZE.folder / "elsewhere"), r"there is no static/page\.js"),
        (changed(new=Forgetful), "it differs at tick"),
        (replace(MAZE, draw=None), "neither `draw` nor `filmable`"),
        (
            replace(
                MAZE,
                draw=lambda recording: Scene(
                    width=recording.world.width,
                    height=recording.world.height,
                    background="#000",
                    ground=(),
                    sprites=(),
                ),
            ),
            "a drawing of its recording has no figures",
        ),
        (changed(new=Talkative), "the page gets facts that judges must not know"),
        (changed(new=Hasty), "180 frames of 90 ticks"),
        (changed(stand_in=replace(MAZE.game.stand_in, draw=None)), "its `stand_in` needs `draw`"),
        (
            changed(
                seats={
                    "player": InputSchema(
                        (
                            InputPart(name="move_x", low=1, high=3, about="…"),
                            *MAZE.game.inputs.parts[1:],
                        )
                    )
                }
            ),
            "'move_x' must be able to be 0",
        ),
        (
            changed(tabular=replace(MAZE.game.tabular, setup=MAZE.game.tabular.setup[1:])),
            r"setup declares .* a row has",
        ),
        (
            changed(tabular=replace(MAZE.game.tabular, telemetry_rows=lambda recording: [])),
            "telemetry has 0 rows for 180 frames",
        ),
        (replace(MAZE, motion=unreadable_motion), "the motion in its recording cannot be read"),
    ],
)
def test_what_breaks_it_is_told(world: World, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        check_world(world)
