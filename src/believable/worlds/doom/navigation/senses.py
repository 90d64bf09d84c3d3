"""A navigation agent's observations after each decision: numbers about itself and the goal, and for
some a picture of depths.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.worlds.doom.doom_round import FigureState
from believable.worlds.doom.navigation.course import Course
from believable.worlds.doom.navigation.declarations import NavigationAgent

DEPTH_PX = 32
#: A position is also encoded by waves of this number of periods over the map: without them a small
#: network cannot distinguish two doors.
OWN_PERIODS, GOAL_PERIODS = (1, 2, 4, 8, 16), (1, 2, 4)
SENSES = 24 + 4 * len(OWN_PERIODS) + 4 * len(GOAL_PERIODS)
_SPEED_UNITS = 17.0
Depth = NDArray[np.uint8]


def senses_of(
    agent: NavigationAgent, course: Course, body: FigureState, last_action: int
) -> NDArray[np.float32]:
    """Place / map size, velocity, heading and camera as cosine and sine, the goal in the own frame
    with its distance, on ground, in a jump area, the last action.
    """
    size = course.size_units
    gx, gy, gz = course.goal_place
    yaw, camera = math.radians(body.angle_deg), math.radians(body.camera[3])
    cosine, sine = math.cos(yaw), math.sin(yaw)
    dx, dy = gx - body.x, gy - body.y
    away = math.hypot(dx, dy)
    ahead, left = dx * cosine + dy * sine, dy * cosine - dx * sine
    vx, vy, vz = body.velocity
    turn_deg = agent.actions[last_action]
    turn = math.radians(turn_deg or 0)
    x, y, u, v = body.x / size, body.y / size, gx / size, gy / size
    values = (
        x,
        y,
        body.z / 512,
        u,
        v,
        (gz - body.z) / 512,
        (vx * cosine + vy * sine) / _SPEED_UNITS,
        (vy * cosine - vx * sine) / _SPEED_UNITS,
        vz / _SPEED_UNITS,
        cosine,
        sine,
        math.cos(camera),
        math.sin(camera),
        ahead / size,
        left / size,
        ahead / max(away, 1.0),
        left / max(away, 1.0),
        away / size,
        math.exp(-away / 256),
        float(body.on_ground),
        float(course.at_brink(body.x, body.y)),
        float(turn_deg is None),
        math.cos(turn),
        math.sin(turn),
        *_waves(x, y, OWN_PERIODS),
        *_waves(u, v, GOAL_PERIODS),
    )
    return np.clip(np.asarray(values, np.float32), -1.0, 1.0)


def _waves(x: float, y: float, periods: tuple[int, ...]) -> list[float]:
    return [
        wave(2 * math.pi * n * place)
        for n in periods
        for place in (x, y)
        for wave in (math.cos, math.sin)
    ]


def depth_of(buffer: NDArray[Any]) -> Depth:
    """The engine's depths, 32 × 32."""
    height, width = buffer.shape
    picture: Depth = buffer[_spread(height)[:, None], _spread(width)]
    return picture


@cache
def _spread(size: int) -> NDArray[np.int64]:
    """The rows or columns that are taken. Kept, because finding them takes longer than the
    picture.
    """
    return np.linspace(0, size - 1, DEPTH_PX).astype(np.int64)
