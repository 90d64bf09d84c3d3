"""Figures at places, for tests."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from believable.worlds.doom.doom_engine import EngineSettings
from believable.worlds.doom.doom_round import FRICTION, PUSH_UNITS, RUN, FigureState


def figure_at(
    x: float, y: float, angle_deg: float = 0.0, *, on_ground: bool = True, dead: bool = False
) -> FigureState:
    return FigureState(
        x=x,
        y=y,
        z=0.0,
        angle_deg=angle_deg,
        pitch_deg=0.0,
        velocity=(0.0, 0.0, 0.0),
        camera=(x, y, 0.0, angle_deg, 0.0),
        on_ground=on_ground,
        health=100,
        armour=0,
        dead=dead,
        weapon=1,
        ammunition=0,
        ready=True,
        frags=0,
        deaths=0,
        hits=0,
        hits_taken=0,
        damage=0,
        damage_taken=0,
        stock=(0, 0, 0, 0),
        weapons=(1,),
    )


class FigureModel:
    """In place of the engine: a figure on level ground without walls, at the height `z`."""

    def __init__(self, settings: EngineSettings, z: float) -> None:
        self._x = self._y = self._vx = self._vy = self._yaw_deg = 0.0
        self._z = z
        self.depth: NDArray[np.uint8] = np.zeros((120, 160), np.uint8)

    @property
    def variables(self) -> list[float]:
        place = [self._x, self._y, self._z]
        moving = [self._yaw_deg, 0.0, self._vx, self._vy, 0.0]
        return [
            *place,
            *moving,
            *place,
            self._yaw_deg,
            0.0,
            1.0,
            100.0,
            *[0.0] * 10,
            0.0,
            *[0.0] * 4,
            *[0.0] * 7,
        ]

    def put(self, x: float, y: float, wait_tics: int) -> None:
        self._x, self._y, self._vx, self._vy = x, y, 0.0, 0.0

    def advance(self, action: Sequence[float], *, tics: int = 1, look: bool = True) -> None:
        for _ in range(tics):
            self._yaw_deg -= action[2]
            push, yaw = PUSH_UNITS * action[0] / RUN, math.radians(self._yaw_deg)
            self._vx, self._vy = self._vx + push * math.cos(yaw), self._vy + push * math.sin(yaw)
            self._x, self._y = self._x + self._vx, self._y + self._vy
            self._vx, self._vy = self._vx * FRICTION, self._vy * FRICTION

    def close(self) -> None:
        return None
