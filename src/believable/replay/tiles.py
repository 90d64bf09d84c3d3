"""Equal tiles joined into few rectangles: small files, and maps that cost little to draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby


def tile_rects(rows: Sequence[Sequence[str]], tile: str) -> tuple[tuple[int, int, int, int], ...]:
    """(x, y, width, height) rectangles that cover every such tile exactly once: runs in a row, equal runs of rows joined."""
    open_runs: dict[tuple[int, int], int] = {}
    rects: list[tuple[int, int, int, int]] = []
    for y, row in enumerate([*rows, ""]):
        runs = _runs(row, tile)
        for run in [run for run in open_runs if run not in runs]:
            top = open_runs.pop(run)
            rects.append((run[0], top, run[1], y - top))
        for run in runs:
            open_runs.setdefault(run, y)
    return tuple(sorted(rects, key=lambda rect: (rect[1], rect[0])))


def _runs(row: Sequence[str], tile: str) -> set[tuple[int, int]]:
    runs: set[tuple[int, int]] = set()
    x = 0
    for value, group in groupby(row):
        length = len(list(group))
        if value == tile:
            runs.add((x, length))
        x += length
    return runs
