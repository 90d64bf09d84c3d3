"""Mazes: distances, paths and sight in one, and new ones from a seed.

Tiles are single numbers (`y * width + x`); distance fields are kept once computed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from believable.core.errors import InvalidInput

TILE = 1000
WALL, FREE = "#", "."
#: Farther than any way through a maze.
FAR = 1 << 30


class Grid:
    """The walls of one maze with what follows from them. Never changes, so one grid serves any
    number of rounds.
    """

    def __init__(self, walls: Sequence[str]) -> None:
        self.walls = tuple(walls)
        self.width, self.height = len(walls[0]), len(walls)
        self.blocked = bytes(tile == "#" for row in walls for tile in row)
        self.free = tuple(tile for tile, wall in enumerate(self.blocked) if not wall)
        self.neighbours = tuple(
            ()
            if wall
            else tuple(
                n
                for n in (tile + 1, tile + self.width, tile - 1, tile - self.width)
                if not self.blocked[n]
            )
            for tile, wall in enumerate(self.blocked)
        )
        self._fields: dict[int, list[int]] = {}

    def tile_at(self, x: int, y: int) -> int:
        """The tile under a position in thousandths of a tile."""
        return (y // TILE) * self.width + x // TILE

    def centre(self, tile: int) -> tuple[int, int]:
        y, x = divmod(tile, self.width)
        return x * TILE + TILE // 2, y * TILE + TILE // 2

    def distances(self, target: int) -> list[int]:
        """Steps from every tile to `target` through the maze; `FAR` if there is no way."""
        field = self._fields.get(target)
        if field is None:
            field = self._fields[target] = self.distances_avoiding(target, frozenset())
        return field

    def distances_avoiding(self, target: int, avoided: frozenset[int]) -> list[int]:
        """The same, never entering the avoided tiles (the target itself may be one)."""
        field = [FAR] * len(self.blocked)
        field[target] = 0
        edge = [target]
        neighbours = self.neighbours
        steps = 0
        while edge:
            steps += 1
            reached = []
            for tile in edge:
                for other in neighbours[tile]:
                    if field[other] == FAR and other not in avoided:
                        field[other] = steps
                        reached.append(other)
            edge = reached
        return field

    def sees(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        """Whether no wall lies on the straight line between two positions (integer grid walk)."""
        column, row = x0 // TILE, y0 // TILE
        last_column, last_row = x1 // TILE, y1 // TILE
        dx, dy = abs(x1 - x0), abs(y1 - y0)
        step_x, step_y = (1 if x1 > x0 else -1), (1 if y1 > y0 else -1)
        to_x = ((column + 1) * TILE - x0 if step_x > 0 else x0 - column * TILE) * dy
        to_y = ((row + 1) * TILE - y0 if step_y > 0 else y0 - row * TILE) * dx
        add_x, add_y = TILE * dy, TILE * dx
        blocked, width = self.blocked, self.width
        for _ in range(abs(last_column - column) + abs(last_row - row)):
            if dy == 0 or (dx != 0 and to_x < to_y):
                column += step_x
                to_x += add_x
            else:
                row += step_y
                to_y += add_y
            if blocked[row * width + column]:
                return False
        return True


# ------------------------------------------------------------------------------------------ from a
# seed


def generate(
    rng: random.Random, *, size: int = 21, loops: float = 0.12, rooms: int = 3
) -> tuple[str, ...]:
    """A `size` × `size` maze as rows of `#` and `.`.

    `loops` is the share of inner walls opened again, `rooms` how many rooms are carved (they may
    overlap).
    """
    if size < 7 or size % 2 == 0:
        raise InvalidInput(
            f"maze size must be an odd number of at least 7, got {size}. Use 15, 21 or 31."
        )
    if not 0 <= loops <= 1:
        raise InvalidInput(f"maze loops must be a share between 0 and 1, got {loops}.")
    tiles = [[WALL] * size for _ in range(size)]
    _carve_paths(tiles, rng)
    _carve_rooms(tiles, rng, rooms)
    _open_loops(tiles, rng, loops)
    return tuple("".join(row) for row in tiles)


def _carve_paths(tiles: list[list[str]], rng: random.Random) -> None:
    """A depth-first spanning tree over the odd tiles: every odd tile is reached, by exactly one
    way.
    """
    size = len(tiles)
    stack = [(1, 1)]
    tiles[1][1] = FREE
    while stack:
        x, y = stack[-1]
        ways = [
            (dx, dy)
            for dx, dy in ((2, 0), (0, 2), (-2, 0), (0, -2))
            if 0 < x + dx < size and 0 < y + dy < size and tiles[y + dy][x + dx] == WALL
        ]
        if not ways:
            stack.pop()
            continue
        dx, dy = rng.choice(ways)
        tiles[y + dy // 2][x + dx // 2] = tiles[y + dy][x + dx] = FREE
        stack.append((x + dx, y + dy))


def _carve_rooms(tiles: list[list[str]], rng: random.Random, rooms: int) -> None:
    size = len(tiles)
    for _ in range(rooms):
        width, height = rng.choice((3, 5)), rng.choice((3, 5))
        x, y = rng.randrange(1, size - width, 2), rng.randrange(1, size - height, 2)
        for row in range(y, y + height):
            tiles[row][x : x + width] = [FREE] * width


def _open_loops(tiles: list[list[str]], rng: random.Random, share: float) -> None:
    size = len(tiles)
    inner = [
        (x, y)
        for y in range(1, size - 1)
        for x in range(1, size - 1)
        if tiles[y][x] == WALL and (x % 2) != (y % 2) and _joins_two_sides(tiles, x, y)
    ]
    for x, y in rng.sample(inner, round(share * len(inner))):
        tiles[y][x] = FREE


def _joins_two_sides(tiles: list[list[str]], x: int, y: int) -> bool:
    across = tiles[y][x - 1] == tiles[y][x + 1] == FREE
    down = tiles[y - 1][x] == tiles[y + 1][x] == FREE
    return across != down
