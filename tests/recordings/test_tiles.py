from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from believable.recordings.scene import tile_rects

maps = st.integers(1, 8).flatmap(
    lambda w: st.lists(st.text("#.", min_size=w, max_size=w), min_size=1, max_size=8)
)


@given(maps)
def test_every_tile_is_covered_exactly_once(rows: list[str]) -> None:
    covered = [
        (i, j)
        for x, y, w, h in tile_rects(rows, "#")
        for i in range(x, x + w)
        for j in range(y, y + h)
    ]
    assert sorted(covered) == sorted(
        (x, y) for y, row in enumerate(rows) for x, t in enumerate(row) if t == "#"
    )


def test_equal_rows_are_joined() -> None:
    assert tile_rects(["##.", "##.", "###"], "#") == ((0, 0, 2, 2), (0, 2, 3, 1))
