"""Doom as a world that people play: a round in a separate engine, behind the contract of rendered
games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from believable.contracts.game import Pixels, RoundOutcome, SeatInputs
from believable.recordings.recording import Recording
from believable.worlds.doom.doom_engine import TICS_PER_S, DoomEngine, SeenObject
from believable.worlds.doom.doom_recording import DoomRecorder
from believable.worlds.doom.doom_round import (
    FIGURE,
    PLAYER,
    DoomSetup,
    FigureState,
    action_of,
    body_of,
    happened_between,
    tenths,
)
from believable.worlds.doom.floor_plan import TILE_UNITS
from believable.worlds.doom.walking import WalkMap

PRACTICE_TICKS = 3600 * TICS_PER_S
#: A goal is reached this close to its middle.
GOAL_UNITS = 40.0


class DoomGame:
    """A round in a separate engine."""

    def __init__(self, setup: DoomSetup, *, recorded: bool = False, depth: bool = False) -> None:
        self.setup = setup
        self.place = setup.place
        size = (160, 120) if recorded else (setup.width_px, setup.height_px)
        others = recorded or self.place.deathmatch
        self._engine = DoomEngine(setup.engine(size_px=size, objects=others, depth=depth))
        self._others = others
        self.tick = 0
        self.ticks = PRACTICE_TICKS if setup.practice else setup.ticks
        self.body = body_of(self._engine.variables)
        self._recorder = DoomRecorder(self.place, setup) if recorded else None
        self._walk = WalkMap(self.place.plan) if self.place.plan is not None else None

    @property
    def at_goal(self) -> bool:
        goal, body = self.place.goal, self.body
        return (
            goal is not None
            and math.dist((body.x, body.y), goal[:2]) < GOAL_UNITS
            and abs(body.z - goal[2]) < 64
        )

    def over(self) -> RoundOutcome | None:
        fell = self.setup.ends_at_death and self.body.dead
        ended = not self.place.deathmatch and not self.setup.practice and (self.at_goal or fell)
        return RoundOutcome(self.score) if self.tick >= self.ticks or ended else None

    @property
    def score(self) -> int:
        return self.body.frags if self.place.deathmatch else int(self.at_goal)

    @property
    def objects(self) -> list[SeenObject]:
        """The things around the player; of a game that looks at others."""
        body = self.body
        return (
            [o for o in self._engine.objects if o.name != FIGURE or (o.x, o.y) != (body.x, body.y)]
            if self._others
            else []
        )

    def step(self, inputs: SeatInputs) -> Sequence[str]:
        pressed = inputs[PLAYER]
        before, was_there = self.body, self.at_goal
        self._engine.advance(action_of(pressed))
        self.tick += 1
        self.body = self.read_body(before)
        happened = [
            *happened_between(before, self.body),
            *(("goal",) if self.at_goal and not was_there else ()),
        ]
        if self._recorder is not None:
            self._recorder.see(pressed, self.body, self.objects, happened)
        return happened

    def read_body(self, before: FigureState) -> FigureState:
        """The figure after a tic; `before` is how it was."""
        return body_of(self._engine.variables)

    def skip(self, inputs: Sequence[SeatInputs]) -> None:
        for number, pressed in enumerate(inputs, 1):
            self._engine.advance(action_of(pressed[PLAYER]), look=number == len(inputs))
        self.tick += len(inputs)
        if inputs:
            self.body = body_of(self._engine.variables)

    def picture(self, seat: str) -> Pixels:
        return self._engine.picture

    def view(self, seat: str) -> Mapping[str, Any]:
        """For the own figure its own knowledge; for others their positions if they are in view."""
        body = self.body
        return {
            "p": [
                round(body.x, 1),
                round(body.y, 1),
                round(body.z, 1),
                tenths(body.angle_deg),
                round(10 * body.pitch_deg),
            ],
            "v": [body.health, body.armour, body.weapon, body.ammunition, int(body.on_ground)],
            "w": list(body.weapons),
            "o": [[round(o.x, 1), round(o.y, 1), round(o.z, 1)] for o in self._seen()],
            "s": self.score,
        }

    def _seen(self) -> list[SeenObject]:
        """Other figures in sight, as far as the plan shows."""
        walk, body = self._walk, self.body
        if walk is None or not self._others:
            return []
        return [
            o
            for o in self.objects
            if o.name == FIGURE and walk.seen(body.x, body.y, o.x, o.y) and self._ahead(o)
        ]

    def _ahead(self, other: SeenObject) -> bool:
        bearing = math.degrees(math.atan2(other.y - self.body.y, other.x - self.body.x))
        return abs((bearing - self.body.angle_deg + 180) % 360 - 180) <= 50

    def welcome(self, seat: str) -> Mapping[str, Any]:
        size = {"width_px": self.setup.width_px, "height_px": self.setup.height_px}
        return size if self.place.goal is None else {**size, "mini_map": self._mini_map()}

    def _mini_map(self) -> Mapping[str, Any]:
        """The map next to the picture: agents know the way to the goal, so people see it."""
        place = self.place
        return {
            "walls": list(place.walls),
            "left": place.left,
            "top": place.top,
            "tile": TILE_UNITS,
            "goal": None if place.goal is None else list(place.goal[:2]),
        }

    def record(self) -> Recording:
        assert self._recorder is not None, "made with `recorded`"
        return self._recorder.finish()

    def close(self) -> None:
        self._engine.close()
