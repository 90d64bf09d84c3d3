"""What can be seen from a place between walls, as a polygon. The browser has the same function (`players/replay/sight.js`)."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: One ray for each of so many degrees.
STEP_DEG = 1.0


def sight(
    walls: Sequence[str], x: float, y: float, r: float, from_deg: float, to_deg: float
) -> tuple[tuple[float, float], ...]:
    """The part of a sector that no wall hides, in tiles: its tip, then the end of each ray."""
    count = max(1, math.ceil((to_deg - from_deg) / STEP_DEG))
    points = [(x, y)]
    for number in range(count + 1):
        angle = math.radians(from_deg + (to_deg - from_deg) * number / count)
        dx, dy = math.cos(angle), math.sin(angle)
        far = reach(walls, x, y, dx, dy, r)
        points.append((x + far * dx, y + far * dy))
    return tuple(points)


def reach(walls: Sequence[str], x: float, y: float, dx: float, dy: float, r: float) -> float:
    """How far a ray gets before it meets a wall, `r` at most: from tile to tile, along whichever border comes next."""
    column, row = math.floor(x), math.floor(y)
    step_x, step_y = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    per_x = math.inf if dx == 0 else abs(1 / dx)
    per_y = math.inf if dy == 0 else abs(1 / dy)
    next_x = math.inf if dx == 0 else ((column + 1 - x) if dx > 0 else (x - column)) * per_x
    next_y = math.inf if dy == 0 else ((row + 1 - y) if dy > 0 else (y - row)) * per_y
    while True:
        if next_x < next_y:
            far, column, next_x = next_x, column + step_x, next_x + per_x
        else:
            far, row, next_y = next_y, row + step_y, next_y + per_y
        if far >= r:
            return r
        inside = 0 <= row < len(walls) and 0 <= column < len(walls[0])
        if not inside or walls[row][column] == "#":
            return far
