from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from believable.worlds.maze.grid import FAR, TILE, Grid, generate

GRID = Grid(generate(random.Random(9), size=15))


@given(st.sampled_from(GRID.free), st.sampled_from(GRID.free))
def test_distance_is_symmetric_and_changes_by_one(a: int, b: int) -> None:
    field = GRID.distances(a)
    assert field[b] == GRID.distances(b)[a]
    assert all(abs(field[b] - field[n]) == 1 for n in GRID.neighbours[b])


def test_avoided_tiles_are_never_entered() -> None:
    target = GRID.free[0]
    door = GRID.neighbours[target]
    closed = GRID.distances_avoiding(target, frozenset(door))
    assert closed[target] == 0
    assert all(closed[tile] == FAR for tile in GRID.free if tile != target)


positions = st.tuples(
    st.sampled_from(GRID.free), st.integers(50, TILE - 50), st.integers(50, TILE - 50)
).map(lambda p: (p[0] % GRID.width * TILE + p[1], p[0] // GRID.width * TILE + p[2]))


@given(positions, positions)
@settings(max_examples=300)
def test_sight_agrees_with_walking_the_line_in_tiny_steps(
    a: tuple[int, int], b: tuple[int, int]
) -> None:
    steps = 4000
    blocked_on_line = {
        GRID.blocked[
            GRID.tile_at(a[0] + (b[0] - a[0]) * i // steps, a[1] + (b[1] - a[1]) * i // steps)
        ]
        for i in range(steps + 1)
    }
    if GRID.sees(*a, *b):
        assert _walls_touched(a, b) <= 2  # a corner may be grazed by rounding, never crossed
    else:
        assert 1 in blocked_on_line or _walls_touched(a, b, slack=3) > 0


def _walls_touched(a: tuple[int, int], b: tuple[int, int], slack: int = 0) -> int:
    steps, count = 4000, 0
    for i in range(steps + 1):
        x, y = a[0] + (b[0] - a[0]) * i // steps, a[1] + (b[1] - a[1]) * i // steps
        near = [(x + dx, y + dy) for dx in (-slack, slack) for dy in (-slack, slack)]
        count += any(GRID.blocked[GRID.tile_at(*point)] for point in near)
    return count


@given(positions, positions)
def test_sight_is_mutual_away_from_corners(a: tuple[int, int], b: tuple[int, int]) -> None:
    if _walls_touched(a, b, slack=3) == 0:
        assert GRID.sees(*a, *b)
        assert GRID.sees(*b, *a)
