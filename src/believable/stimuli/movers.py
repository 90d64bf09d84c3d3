"""How the figures of the demonstration clips move: one like a person, one by script."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from believable.stimuli.scene import CELL_PX, COLUMNS, ROWS

Grid = NDArray[np.bool_]
Cell = tuple[int, int]
Points = NDArray[np.float64]

FRAMES_PER_S = 25
SPEED_PX_PER_S = 118.0


@dataclass(frozen=True, slots=True)
class Motion:
    """Where a figure is in each frame, where it looks, and which coins it reaches when."""

    x: Points
    y: Points
    heading_rad: Points
    coins: tuple[Cell, ...]
    taken_at: tuple[int | None, ...]


class Mover(Protocol):
    def __call__(
        self, free: Grid, start: Cell, coins: tuple[Cell, ...], frames: int, rng: random.Random
    ) -> tuple[Points, Points]:
        """Positions (`frames` × 2) and headings (`frames`)."""
        ...


def move(
    mover: Mover, free: Grid, frames: int, coin_count: int, place_rng: random.Random, rng: random.Random
) -> Motion:
    """Let `mover` collect coins. `place_rng` lays them out, so that two movers can be given the same room."""
    cells = _reachable(free)
    start, *coins = place_rng.sample(cells, coin_count + 1)
    path, heading = mover(free, start, tuple(coins), frames, rng)
    taken = tuple(_first_near(path, _centre(coin)) for coin in coins)
    return Motion(path[:, 0], path[:, 1], heading, tuple(coins), taken)


def human(
    free: Grid, start: Cell, coins: tuple[Cell, ...], frames: int, rng: random.Random
) -> tuple[Points, Points]:
    """Goes for what is near, cuts corners, speeds up and slows down, hesitates, and drifts a little."""
    here, left = start, list(coins)
    bends: list[tuple[float, float]] = [_centre(start)]
    while left:
        left.sort(key=lambda coin: (math.dist(coin, here), coin))
        goal = left.pop(0 if len(left) < 2 or rng.random() < 0.8 else 1)
        bends += _pulled_tight(free, _route(free, here, goal))[1:]
        here = goal
    fine = _resampled(np.array(bends), 2.0)
    wander = _smooth(np.array([[rng.gauss(0, 14), rng.gauss(0, 14)] for _ in fine]), 14)
    smooth = _smooth(fine, 9) + wander
    bend = np.abs(np.diff(np.unwrap(_heading(smooth)), append=0.0))
    ease = 1.0 / (1.0 + 9.0 * _smooth(bend[:, None], 8)[:, 0])
    tempo = _smooth(np.array([[rng.gauss(1.05, 0.9)] for _ in range(frames)]), 9)[:, 0].clip(0.35, 1.6)
    pause_at = rng.randrange(frames // 4, frames // 2)
    pace = _smooth(np.where((np.arange(frames) - pause_at) % frames < 11, 0.05, tempo)[:, None], 3)[:, 0]
    pace *= np.minimum(1.0, np.arange(frames) / 9.0)
    path = _walk(smooth, ease, pace)
    look = _smooth(np.unwrap(_heading(path))[:, None], 3)[:, 0]
    glance = _smooth(np.array([[rng.gauss(0, 0.9)] for _ in range(frames)]), 7)[:, 0]
    return path, look + glance


def scripted(
    free: Grid, start: Cell, coins: tuple[Cell, ...], frames: int, rng: random.Random
) -> tuple[Points, Points]:
    """Works off a list in its order, along the grid, at one speed, turning on the spot."""
    turn_frames = 4 + rng.randrange(2)
    cells: list[Cell] = [start]
    for goal in coins:
        cells += _route(free, cells[-1], goal)[1:]
    steps_per_cell = CELL_PX / (SPEED_PX_PER_S / FRAMES_PER_S)
    path: list[tuple[float, float]] = []
    heading: list[float] = []
    facing: float | None = None
    travelled = 0.0
    for here, there in pairwise(cells):
        angle = math.atan2(there[1] - here[1], there[0] - here[0])
        if facing is not None and angle != facing:
            path += [_centre(here)] * turn_frames
            heading += [facing] * (turn_frames // 2) + [angle] * (turn_frames - turn_frames // 2)
        facing = angle
        while travelled < steps_per_cell:
            part = travelled / steps_per_cell
            (x0, y0), (x1, y1) = _centre(here), _centre(there)
            path.append((x0 + part * (x1 - x0), y0 + part * (y1 - y0)))
            heading.append(angle)
            travelled += 1.0
        travelled -= steps_per_cell
    path += [path[-1]] * max(0, frames - len(path))
    heading += [heading[-1]] * max(0, frames - len(heading))
    return np.array(path[:frames]), np.array(heading[:frames])


MOVERS: Mapping[str, Mover] = MappingProxyType({"human": human, "scripted": scripted})


def _centre(cell: Cell) -> tuple[float, float]:
    return (cell[0] + 0.5) * CELL_PX, (cell[1] + 0.5) * CELL_PX


def _neighbours(free: Grid, cell: Cell) -> list[Cell]:
    x, y = cell
    near = ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1))
    return [(u, v) for u, v in near if 0 <= u < COLUMNS and 0 <= v < ROWS and free[v, u]]


def _flood(free: Grid, start: Cell) -> dict[Cell, Cell]:
    """Every cell that can be reached, with the cell before it on a shortest way."""
    before = {start: start}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for there in _neighbours(free, here):
            if there not in before:
                before[there] = here
                queue.append(there)
    return before


def _reachable(free: Grid) -> list[Cell]:
    first = next((x, y) for y in range(ROWS) for x in range(COLUMNS) if free[y, x])
    return sorted(_flood(free, first))


def _route(free: Grid, start: Cell, goal: Cell) -> list[Cell]:
    before = _flood(free, start)
    cells = [goal]
    while cells[-1] != start:
        cells.append(before[cells[-1]])
    return cells[::-1]


def _pulled_tight(free: Grid, cells: list[Cell]) -> list[tuple[float, float]]:
    """The corners left when a string along the cells is pulled tight."""
    kept, at = [_centre(cells[0])], 0
    while at < len(cells) - 1:
        ahead = next(
            j for j in range(len(cells) - 1, at, -1) if j == at + 1 or _in_sight(free, cells[at], cells[j])
        )
        kept.append(_centre(cells[ahead]))
        at = ahead
    return kept


def _in_sight(free: Grid, one: Cell, other: Cell) -> bool:
    steps = 4 * max(abs(one[0] - other[0]), abs(one[1] - other[1]), 1)
    xs = np.linspace(one[0], other[0], steps + 1)
    ys = np.linspace(one[1], other[1], steps + 1)
    return all(
        free[int(v), int(u)]
        for dx in (0.25, 0.75) for dy in (0.25, 0.75) for u, v in zip(xs + dx, ys + dy, strict=True)
    )  # fmt: skip


def _resampled(points: Points, step_px: float) -> Points:
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.arange(0.0, along[-1], step_px)
    return np.column_stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])])


def _smooth(values: Points, sigma: float) -> Points:
    """Gaussian smoothing along the first axis, the ends held."""
    reach = int(3 * sigma)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    padded = np.pad(values, [(reach, reach), (0, 0)], mode="edge")
    return np.column_stack([np.convolve(column, kernel, mode="valid") for column in padded.T])


def _heading(path: Points) -> Points:
    ahead = np.diff(path, axis=0, append=2 * path[-1:] - path[-2:-1])
    return np.arctan2(ahead[:, 1], ahead[:, 0])


def _walk(path: Points, ease: Points, pace: Points) -> Points:
    """Follow `path` (points 2 px apart): each frame as far as its pace and the bend ahead allow."""
    at, out = 0.0, np.empty((len(pace), 2))
    index = np.arange(len(path))
    for frame, tempo in enumerate(pace):
        out[frame] = np.interp(at, index, path[:, 0]), np.interp(at, index, path[:, 1])
        here = ease[min(int(at), len(ease) - 1)]
        at = min(at + tempo * here * SPEED_PX_PER_S * 1.45 / FRAMES_PER_S / 2.0, len(path) - 1)
    return out


def _first_near(path: Points, goal: tuple[float, float], reach_px: float = 15.0) -> int | None:
    near = np.flatnonzero(np.hypot(path[:, 0] - goal[0], path[:, 1] - goal[1]) < reach_px)
    return int(near[0]) if near.size else None
