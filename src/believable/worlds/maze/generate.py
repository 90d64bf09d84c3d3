"""Mazes from a seed: connected, with loops and rooms, so that there is always more than one way."""

from __future__ import annotations

import random

from believable.core.errors import InvalidInput

WALL, FREE = "#", "."


def generate(rng: random.Random, *, size: int = 21, loops: float = 0.12, rooms: int = 3) -> tuple[str, ...]:
    """A `size` × `size` maze as rows of `#` and `.`.

    `loops` is the share of inner walls opened again, `rooms` how many rooms are carved (they may overlap).
    """
    if size < 7 or size % 2 == 0:
        raise InvalidInput(f"maze size must be an odd number of at least 7, got {size}. Use 15, 21 or 31.")
    if not 0 <= loops <= 1:
        raise InvalidInput(f"maze loops must be a share between 0 and 1, got {loops}.")
    tiles = [[WALL] * size for _ in range(size)]
    _carve_paths(tiles, rng)
    _carve_rooms(tiles, rng, rooms)
    _open_loops(tiles, rng, loops)
    return tuple("".join(row) for row in tiles)


def _carve_paths(tiles: list[list[str]], rng: random.Random) -> None:
    """A depth-first spanning tree over the odd tiles: every odd tile is reached, by exactly one way."""
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
