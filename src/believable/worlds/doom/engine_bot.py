"""One of the engine's own bots as a player: it goes about alone on the map, and the round shows
what it sees.

The engine tells of others where they are and where they look, not what they carry: those columns of
the recording stay empty.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from believable.core.errors import InvalidInput
from believable.worlds.contract import Agent, Input
from believable.worlds.doom.doom_engine import SeenObject
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import FIGURE, DoomSetup, FigureState
from believable.worlds.doom.scripted_players import NOTHING


class WatchedGame(DoomGame):
    """A recorded round of a bot. The figure of the recording is the bot's."""

    def __init__(self, setup: DoomSetup) -> None:
        if not setup.place.deathmatch:
            raise InvalidInput(
                f"player 'bot': bots play deathmatches, got the map {setup.map!r}. Use --map"
                " deathmatch, or one of a file."
            )
        super().__init__(
            setup.model_copy(update={"watched": True, "opponent": "bot", "camera": "first"}),
            recorded=True,
        )
        self.body = self._bot(None)

    @property
    def objects(self) -> list[SeenObject]:
        return [thing for thing in super().objects if thing.name != FIGURE]

    def read_body(self, before: FigureState) -> FigureState:
        return self._bot(before)

    def _bot(self, before: FigureState | None) -> FigureState:
        """Where the bot is; where it was, and dead, while there is none."""
        own = super().read_body(self.body)
        figure = next((thing for thing in self._engine.objects if thing.name == FIGURE), None)
        if figure is None:
            last = own if before is None else before
            return replace(last, dead=True, velocity=(0.0, 0.0, 0.0))
        place = (figure.x, figure.y, figure.z)
        there = before is not None and not before.dead
        last_place = (before.x, before.y, before.z) if before is not None and there else place
        vx, vy, vz = (now - then for now, then in zip(place, last_place, strict=True))
        if math.dist(place, last_place) > _FARTHEST_UNITS:  # it was put somewhere else
            vx = vy = vz = 0.0
        return replace(
            own,
            x=figure.x,
            y=figure.y,
            z=figure.z,
            angle_deg=figure.angle_deg % 360,
            pitch_deg=own.camera[4],
            velocity=(vx, vy, vz),
            dead=False,
            on_ground=vz == 0.0,
            health=0,
            armour=0,
            weapon=0,
            ammunition=0,
            stock=(0, 0, 0, 0),
            weapons=(),
            hits=0,
            hits_taken=0,
            damage=0,
            damage_taken=0,
            frags=0,
            deaths=0,
        )


#: Nobody gets farther in a tic.
_FARTHEST_UNITS = 64.0


class _Bystander:
    """Nobody presses anything: the bot plays."""

    def act(self, picture: Mapping[str, Any]) -> Input:
        return NOTHING


def _nothing(rng: random.Random | None = None) -> None:
    return None


BOT = Agent(
    name="bot",
    about="One of the engine's own bots, alone in a deathmatch map, seen through its eyes.",
    params=_nothing,
    draw=_nothing,
    new=lambda params, seed, welcome: _Bystander(),
    game=WatchedGame,
)
