"""The map of a run of generative agents, from its maze folder or from the ways of its people."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from believable.core.errors import InvalidInput
from believable.recordings.importers.agent_movements import read_json
from believable.recordings.importers.movement_records import AgentTrack
from believable.recordings.recording import Place, RecordedWorld
from believable.recordings.scene import tile_rects


def world_of_ways(lives: Mapping[str, AgentTrack]) -> RecordedWorld:
    """A world as large as the ways in it, without walls."""
    width, height = (
        max(getattr(moment, axis) for life in lives.values() for moment in life.moments) + 2
        for axis in ("x", "y")
    )
    return RecordedWorld(kind="town", width=width, height=height, walls=("." * width,) * height)


def read_maze(maze: Path) -> RecordedWorld:
    if not (maze / "maze_meta_info.json").is_file():
        raise InvalidInput(f"{maze}: expected the folder of a map, with maze_meta_info.json in it.")
    blocked = _matrix(maze / "maze" / "collision_maze.csv", maze)
    height, width = len(blocked), len(blocked[0])
    walls = tuple("".join("#" if tile != "0" else "." for tile in row) for row in blocked)
    sectors = _matrix(maze / "maze" / "sector_maze.csv", maze)
    arenas = _matrix(maze / "maze" / "arena_maze.csv", maze)
    sector_names = _block_names(maze / "special_blocks" / "sector_blocks.csv")
    arena_names = _block_names(maze / "special_blocks" / "arena_blocks.csv")
    places = [
        Place(id=names[0], name=names[0], parent=None, rects=tile_rects(sectors, block))
        for block, names in sector_names.items()
    ]
    places += [
        Place(id=":".join(names), name=names[1], parent=names[0], rects=tile_rects(arenas, block))
        for block, names in arena_names.items()
    ]
    return RecordedWorld(
        kind="town",
        width=width,
        height=height,
        walls=walls,
        places=tuple(place for place in places if place.rects),
    )


def _matrix(path: Path, maze: Path) -> list[list[str]]:
    """A tile matrix: rows of tiles, or the whole map in one line, cut by the stated width."""
    with open_log(path) as file:
        rows = [[cell.strip() for cell in row if cell.strip()] for row in csv.reader(file)]
    rows = [row for row in rows if row]
    size = read_json(maze / "maze_meta_info.json")
    width, height = int(size["maze_width"]), int(size["maze_height"])
    if len(rows) == 1:
        rows = [rows[0][at : at + width] for at in range(0, len(rows[0]), width)]
    if len(rows) != height or any(len(row) != width for row in rows):
        raise InvalidInput(
            f"{path}: expected {width} × {height} tiles as in maze_meta_info.json, got {len(rows)}"
            " rows."
        )
    return rows


def open_log(path: Path) -> TextIO:
    if not path.is_file():
        raise InvalidInput(
            f"{path}: there is no such file, and the map needs it. Copy the whole folder of the"
            " map."
        )
    return path.open(encoding="utf-8", newline="")


def _block_names(path: Path) -> dict[str, tuple[str, ...]]:
    """Block number → names below the world, e.g. ('Hobbs Cafe', 'cafe')."""
    with open_log(path) as file:
        return {
            row[0].strip(): tuple(cell.strip() for cell in row[2:])
            for row in csv.reader(file)
            if row
        }
