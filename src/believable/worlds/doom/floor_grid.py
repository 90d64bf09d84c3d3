"""The floor of a map of a file, on a grid of `CELL_UNITS`: the walkable cells, and the distance on
foot from anywhere to a place.

A cell's sector is the one east of the nearest line to its west. Figures climb steps, drop from
anything, need headroom, and keep a radius from walls and from steps that are too high. Floors that
kill before long do not count.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from believable.worlds.doom.walking import HEADROOM_UNITS, RADIUS_UNITS, STEP_UNITS

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]
CELL_UNITS = 16
#: The engine's sector specials whose floors kill before long. Shallow acid (7) is walked through.
HARMFUL = (4, 11, 16)
_BLOCKING, _NOTHING = 1, 0xFFFF
_LINE, _SIDE = struct.Struct("<HHHHHHH"), struct.Struct("<hh8s8s8sH")
_CORNER, _SECTOR = struct.Struct("<hh"), struct.Struct("<hh8s8shHH")
_NEIGHBOURS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FloorGrid:
    """Cells by row (northwards) and column. `floor` is NaN if there is none; `ways` has the length
    of each step between walkable cells.
    """

    left: float
    bottom: float
    floor: Floats
    walkable: Booleans
    ways: csr_array

    @property
    def size_units(self) -> float:
        return float(max(self.floor.shape) * CELL_UNITS)

    def cell_at(self, x: float, y: float) -> tuple[int, int]:
        """Row and column, at the rim if the position is outside."""
        rows, columns = self.floor.shape
        row, column = int((y - self.bottom) // CELL_UNITS), int((x - self.left) // CELL_UNITS)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def centre(self, cell: tuple[int, int]) -> tuple[float, float]:
        row, column = cell
        return self.left + (column + 0.5) * CELL_UNITS, self.bottom + (row + 0.5) * CELL_UNITS

    def distances_to(self, cell: tuple[int, int]) -> Floats:
        """How far each cell is from this one on foot, in units; infinite if no way leads there."""
        number = cell[0] * self.floor.shape[1] + cell[1]
        found: Floats = dijkstra(csr_array(self.ways.T), indices=number)
        return found.reshape(self.floor.shape)

    def distances_from(self, cell: tuple[int, int]) -> Floats:
        number = cell[0] * self.floor.shape[1] + cell[1]
        found: Floats = dijkstra(self.ways, indices=number)
        return found.reshape(self.floor.shape)


def floor_grid(parts: dict[str, bytes], solid: Sequence[tuple[float, float]] = ()) -> FloorGrid:
    """The floor of a map by its lumps. `solid` are positions of things in the way."""
    corners = np.array(list(_CORNER.iter_unpack(parts["VERTEXES"])), float)
    sides = [side[5] for side in _SIDE.iter_unpack(parts["SIDEDEFS"])]
    sectors = list(_SECTOR.iter_unpack(parts["SECTORS"]))
    lines = list(_LINE.iter_unpack(parts["LINEDEFS"]))
    left, bottom = corners.min(0) - CELL_UNITS
    columns, rows = (np.ceil((corners.max(0) + CELL_UNITS - (left, bottom)) / CELL_UNITS)).astype(
        int
    )
    sector = np.full((rows, columns), -1)
    segments = np.array([(*corners[line[0]], *corners[line[1]]) for line in lines])
    fronts = [sides[line[5]] for line in lines]
    backs = [-1 if line[6] == _NOTHING else sides[line[6]] for line in lines]
    centres_x = left + (np.arange(columns) + 0.5) * CELL_UNITS
    for row in range(rows):
        # Corners lie on whole units: no ray goes through one.
        _fill_row(
            sector[row],
            bottom + (row + 0.5) * CELL_UNITS + 0.25,
            segments,
            fronts,
            backs,
            centres_x,
        )
    inside = sector >= 0
    floor, ceiling = (
        np.where(inside, np.array([each[number] for each in sectors], float)[sector], np.nan)
        for number in (0, 1)
    )
    harmful = np.isin(np.array([each[5] & 31 for each in sectors])[sector], HARMFUL)
    walkable = inside & ~harmful & (ceiling - floor >= HEADROOM_UNITS)
    rim = np.zeros_like(walkable)
    centres_y = bottom + (np.arange(rows) + 0.5) * CELL_UNITS
    for line, segment, front, back in zip(lines, segments, fronts, backs, strict=True):
        near = _near(segment, centres_x, centres_y)
        if back < 0 or line[2] & _BLOCKING:
            walkable[near] = False
            continue
        low, high = (
            max(sectors[front][0], sectors[back][0]),
            min(sectors[front][1], sectors[back][1]),
        )
        walkable[near] &= high - np.maximum(low, floor[near]) >= HEADROOM_UNITS
        rim[near] |= low - floor[near] > STEP_UNITS
    for x, y in solid:
        away = np.hypot(centres_x - x, (centres_y - y)[:, None])
        walkable[away < 2 * RADIUS_UNITS] = False
    return FloorGrid(
        left=float(left),
        bottom=float(bottom),
        floor=floor,
        walkable=walkable & ~rim,
        ways=_ways(floor, walkable, rim),
    )


def _fill_row(
    row: Integers,
    y: float,
    segments: Floats,
    fronts: Sequence[int],
    backs: Sequence[int],
    centres_x: Floats,
) -> None:
    x0, y0, x1, y1 = segments.T
    crossing = np.flatnonzero((y0 > y) != (y1 > y))
    crossed = sorted(
        (
            float(x0[n] + (y - y0[n]) * (x1[n] - x0[n]) / (y1[n] - y0[n])),
            # The front is to the right of a line: east of one that goes north.
            fronts[n] if y1[n] > y0[n] else backs[n],
        )
        for n in crossing.tolist()
    )
    at = np.searchsorted([x for x, _ in crossed], centres_x)
    east = np.array([-1, *(number for _, number in crossed)])
    row[:] = east[at]


def _near(segment: Floats, centres_x: Floats, centres_y: Floats) -> tuple[Integers, Integers]:
    """The cells whose middles are nearer to a segment than a figure's radius."""
    x0, y0, x1, y1 = segment.tolist()
    columns = np.flatnonzero(
        (centres_x > min(x0, x1) - RADIUS_UNITS) & (centres_x < max(x0, x1) + RADIUS_UNITS)
    )
    rows = np.flatnonzero(
        (centres_y > min(y0, y1) - RADIUS_UNITS) & (centres_y < max(y0, y1) + RADIUS_UNITS)
    )
    x, y = centres_x[columns][None, :], centres_y[rows][:, None]
    length = (x1 - x0) ** 2 + (y1 - y0) ** 2
    share = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / max(length, 1e-9), 0, 1)
    away = np.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0))
    found_rows, found_columns = np.nonzero(away < RADIUS_UNITS)
    return rows[found_rows], columns[found_columns]


def _ways(floor: Floats, walkable: Booleans, rim: Booleans) -> csr_array:
    """Figures that drop from a high step pass the cells below it (`rim`); others do not."""
    rows, columns = floor.shape
    numbers = np.arange(rows * columns).reshape(rows, columns)
    starts, ends, lengths = [], [], []
    for dx, dy in _NEIGHBOURS:
        own = slice(max(0, -dy), rows - max(0, dy)), slice(max(0, -dx), columns - max(0, dx))
        other = slice(max(0, dy), rows + min(0, dy)), slice(max(0, dx), columns + min(0, dx))
        rise = floor[other] - floor[own]
        fits = walkable[own] & walkable[other] & (rise <= STEP_UNITS)
        fits &= ~rim[other] | rim[own] | (rise < -STEP_UNITS)
        starts.append(numbers[own][fits])
        ends.append(numbers[other][fits])
        lengths.append(np.full(int(fits.sum()), CELL_UNITS * float(np.hypot(dx, dy))))
    size = rows * columns
    return csr_array(
        (np.concatenate(lengths), (np.concatenate(starts), np.concatenate(ends))), (size, size)
    )
