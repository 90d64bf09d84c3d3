"""Where one can walk on a map of a file: tiles of its sectors, and the lines between them.

A plan of our own has one height for each tile. The sectors of other maps have any shape, so a tile
has the height of its middle, and every step and every straight way is checked against the lines
that it crosses: walls, high steps, low lintels, and doors, which count as closed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from believable.worlds.doom.floor_plan import TILE_UNITS, FloorPlan, Tile, TileLook, centre
from believable.worlds.doom.walking import (
    HEADROOM_UNITS,
    MARGIN_UNITS,
    RADIUS_UNITS,
    STEP_UNITS,
    WalkMap,
)

_IMPASSABLE, _NO_SIDE = 1, 0xFFFF
#: Lines that take a figure elsewhere: ways do not cross them.
_TELEPORTERS = frozenset({39, 97, 125, 126, 174, 195, 207, 208, 209, 210})
#: Specials of sectors whose floor hurts.
_HURTING = frozenset({4, 5, 7, 11, 16})
#: Decorations that block, by the engine's numbers.
_SOLID = frozenset(
    {25, 26, 27, 28, 29, 54, 70, 72, 85, 86, 2028, 2035, *range(30, 34), *range(35, 49), 55, 56, 57}
)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SectorLines:
    """The lines of a map. Every row of `ends` is x0, y0, x1, y1; `floors` and `ceilings` have the
    heights right and left of it. A `closed` line cannot be crossed.
    """

    ends: Floats
    floors: Floats
    ceilings: Floats
    solid: npt.NDArray[np.bool_]
    hurting: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_]

    def free(self, x0: float, y0: float, x1: float, y1: float, *, level: bool = False) -> bool:
        """Whether a figure can go straight from one place to another: up by steps only, and with
        `level` down by steps only.
        """
        ax, ay, bx, by = self.ends.T
        dx, dy = bx - ax, by - ay
        wx, wy = x1 - x0, y1 - y0
        across = wx * dy - wy * dx
        with np.errstate(divide="ignore", invalid="ignore"):
            on_way = ((ax - x0) * dy - (ay - y0) * dx) / across
            on_line = ((ax - x0) * wy - (ay - y0) * wx) / across
        met = (across != 0) & (on_way > 0) & (on_way <= 1) & (on_line >= 0) & (on_line <= 1)
        lines = np.flatnonzero(met)
        # 0: it is on the right of the line, at its front
        start = ((x0 - ax) * dy - (y0 - ay) * dx < 0)[lines].astype(np.int64)
        before, after = self.floors[lines, start], self.floors[lines, 1 - start]
        room = self.ceilings[lines].min(axis=1) - self.floors[lines].max(axis=1)
        step = np.abs(after - before) if level else after - before
        return not (
            self.closed[lines].any()
            or (step > STEP_UNITS).any()
            or (room < HEADROOM_UNITS).any()
            or self.hurting[lines, 1 - start].any()
        )

    def near_closed(self, x: float, y: float, units: float) -> bool:
        """Whether a closed line is within this distance."""
        ax, ay, bx, by = self.ends[self.closed].T
        dx, dy = bx - ax, by - ay
        along = np.clip(((x - ax) * dx + (y - ay) * dy) / np.maximum(dx**2 + dy**2, 1e-9), 0, 1)
        return bool((np.hypot(ax + along * dx - x, ay + along * dy - y) < units).any())

    def row(self, y: float) -> tuple[Floats, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The lines across a row: their crossings with it, numbers, and eastern sides."""
        ax, ay, bx, by = self.ends.T
        numbers = np.flatnonzero((ay > y) != (by > y))
        ax, ay, bx, by = self.ends[numbers].T
        crossings = ax + (y - ay) * (bx - ax) / (by - ay)
        order = np.argsort(crossings)
        return crossings[order], numbers[order], (by < ay).astype(np.int64)[order]


def read_lines(parts: Mapping[str, bytes]) -> SectorLines:
    """The lines of a map in Doom's own form."""
    corners = np.array(list(struct.iter_unpack("<hh", parts["VERTEXES"])), float)
    sides = [side[5] for side in struct.iter_unpack("<hh8s8s8sH", parts["SIDEDEFS"])]
    sectors = list(struct.iter_unpack("<hh8s8sHHH", parts["SECTORS"]))
    ends, floors, ceilings, solid, hurting, closed = [], [], [], [], [], []
    for start, end, flags, special, _tag, front, back in struct.iter_unpack(
        "<HHHHHHH", parts["LINEDEFS"]
    ):
        ends.append((*corners[start], *corners[end]))
        own = sectors[sides[front]]
        other = own if back == _NO_SIDE else sectors[sides[back]]
        floors.append((own[0], other[0]))
        ceilings.append((own[1], other[1]))
        hurting.append((own[5] in _HURTING, other[5] in _HURTING))
        solid.append(back == _NO_SIDE)
        closed.append(back == _NO_SIDE or bool(flags & _IMPASSABLE) or special in _TELEPORTERS)
    return SectorLines(
        ends=np.array(ends, float),
        floors=np.array(floors, float),
        ceilings=np.array(ceilings, float),
        solid=np.array(solid, bool),
        hurting=np.array(hurting, bool),
        closed=np.array(closed, bool),
    )


def plan_of(parts: Mapping[str, bytes], lines: SectorLines) -> FloorPlan:
    """The tiles with room for a figure in the middle."""
    low, high = lines.ends.reshape(-1, 2).min(axis=0), lines.ends.reshape(-1, 2).max(axis=0)
    columns = range(math.floor(low[0] / TILE_UNITS), math.ceil(high[0] / TILE_UNITS))
    rows = range(math.floor(low[1] / TILE_UNITS), math.ceil(high[1] / TILE_UNITS))
    blocked = [
        (x, y)
        for x, y, _, kind, _ in struct.iter_unpack(
            "<hhHHH", parts["THINGS"][: len(parts["THINGS"]) // 10 * 10]
        )
        if kind in _SOLID
    ]
    tiles: dict[Tile, TileLook] = {}
    for row in rows:
        # corners lie on whole units: no row goes through one
        y = (row + 0.5) * TILE_UNITS + 0.25
        crossings, numbers, east = lines.row(y)
        for column in columns:
            x = (column + 0.5) * TILE_UNITS
            last = int(np.searchsorted(crossings, x)) - 1
            if last < 0:
                continue
            number, side = numbers[last], east[last]
            if side and lines.solid[number]:
                continue
            look = TileLook(
                floor=int(lines.floors[number, side]),
                ceiling=int(lines.ceilings[number, side]),
                floor_flat="",
                ceiling_flat="",
                wall="",
                riser="",
                light=0,
                deadly=bool(lines.hurting[number, side]),
            )
            if not lines.near_closed(x, y, RADIUS_UNITS + 1) and not any(
                math.dist((x, y), thing) < 2 * RADIUS_UNITS for thing in blocked
            ):
                tiles[column, row] = look
    return FloorPlan(columns=columns.stop, rows=rows.stop, tiles=tiles, things=())


class SectorWalk(WalkMap):
    """The walkable tiles of a map of a file."""

    def __init__(self, parts: Mapping[str, bytes]) -> None:
        self._lines = read_lines(parts)
        super().__init__(plan_of(parts, self._lines))
        self._joined: dict[tuple[Tile, Tile], bool] = {}

    def joined(self, start: Tile, end: Tile) -> bool:
        key = start, end
        if key not in self._joined:
            both = start in self.tiles and end in self.tiles
            self._joined[key] = both and self._wide(
                *centre(start), *centre(end), RADIUS_UNITS + 1, level=False
            )
        return self._joined[key]

    def can_enter(self, x: float, y: float, tile: Tile) -> bool:
        return self._lines.free(x, y, *centre(tile))

    def straight(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        return self._wide(x0, y0, x1, y1, MARGIN_UNITS, level=True)

    def _wide(
        self, x0: float, y0: float, x1: float, y1: float, margin: float, *, level: bool
    ) -> bool:
        """Whether the way is free in the middle and on both sides."""
        length = math.hypot(x1 - x0, y1 - y0)
        if length < 1:
            return True
        ox, oy = -(y1 - y0) / length * margin, (x1 - x0) / length * margin
        return all(
            self._lines.free(
                x0 + side * ox, y0 + side * oy, x1 + side * ox, y1 + side * oy, level=level
            )
            for side in (0, 1, -1)
        )
