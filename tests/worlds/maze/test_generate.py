from __future__ import annotations

import random

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.maze.grid import FAR, Grid, generate


@pytest.mark.parametrize("size", [7, 15, 21, 31])
@pytest.mark.parametrize("seed", range(8))
def test_every_free_tile_is_reached_and_the_border_is_closed(size: int, seed: int) -> None:
    walls = generate(random.Random(seed), size=size)
    grid = Grid(walls)
    assert len(walls) == size
    assert {len(row) for row in walls} == {size}
    assert set(walls[0] + walls[-1]) == {"#"}
    assert all(row[0] == row[-1] == "#" for row in walls)
    assert max(grid.distances(grid.free[0])[tile] for tile in grid.free) < FAR


def test_loops_give_more_than_one_way() -> None:
    def ways(share: float) -> int:
        grid = Grid(generate(random.Random(1), size=21, loops=share, rooms=0))
        return sum(map(len, grid.neighbours)) // 2 - (len(grid.free) - 1)

    assert ways(0.0) == 0
    assert ways(0.12) > 5


def test_the_same_seed_gives_the_same_maze() -> None:
    assert generate(random.Random(4)) == generate(random.Random(4))
    assert generate(random.Random(4)) != generate(random.Random(5))


def test_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidInput, match="odd number of at least 7, got 20"):
        generate(random.Random(1), size=20)
    with pytest.raises(InvalidInput, match=r"share between 0 and 1, got 1\.5"):
        generate(random.Random(1), loops=1.5)
