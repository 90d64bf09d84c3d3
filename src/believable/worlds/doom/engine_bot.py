"""One of the engine's bots as a player: it moves alone on the map, and the round shows its view.

The engine reports positions and headings of others, not their inventory: those columns of the
recording stay empty.
"""

from __future__ import annotations

import math
from dataclasses import replace

from believable.contracts.agent import Agent, NoParams
from believable.core.errors import InvalidInput
from believable.worlds.doom.doom_engine import SeenObject
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import FIGURE, DoomSetup, FigureState
from believable.worlds.doom.scripted_players import NOTHING


class WatchedGame(DoomGame):
    """A recorded round of a bot. The figure of the recording is the bot's."""

    def __init__(self, setup: DoomSetup) -> None:
        if not setup.place.deathmatch:
            raise InvalidInput(
                f"player 'engine_bot': bots play deathmatches, got the map {setup.map!r}. Use --map"
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
        """The bot's position; its last one, and dead, while there is none."""
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


#: No figure moves farther in a tic.
_FARTHEST_UNITS = 64.0


ENGINE_BOT: Agent[NoParams] = Agent(
    name="doom/engine_bot",
    world="doom",
    about="One of the engine's own bots, alone in a deathmatch, through its eyes; it often stands.",
    rounds={"map": "deathmatch"},
    needs=("doom",),
    new=lambda params, seed: lambda view: NOTHING,
    game=WatchedGame,
)
