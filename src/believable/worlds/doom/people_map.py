"""Walking on a map of people's demos: places that people pass, and ways between them.

`PEOPLE_PLACES` places are spread over all that people walked on, as far apart as can be. A round
leads past some of them in turn (a tour), from a start; nothing fights, nothing lies about, and
nothing harms. A figure that falls into a pit has failed.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from believable.core.errors import InvalidInput
from believable.recordings.file import read
from believable.worlds.doom.floor_grid import CELL_UNITS, Floats, FloorGrid, floor_grid
from believable.worlds.doom.floor_plan import pwad
from believable.worlds.doom.game_map import FREEDM_MAPS, FREEDM_PEOPLE, GameMap, game_map, map_parts

PLACES = FREEDM_PEOPLE.parent / "places.json"
PEOPLE_PLACES = 48
#: A place is reached this close to its middle.
PLACE_UNITS = 64.0
#: A floor this far below the lowest walkable one is a pit.
PIT_UNITS = 48.0
_THING = struct.Struct("<hhHHH")
#: The engine's number of a start, and a thing's flags: at every skill.
_START, _ALWAYS = 1, 7
Cell = tuple[int, int]
Start = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleMap:
    """The floor of a map, the cells that people walked on, and the places among them. `away` has
    the distances on foot to each place, in units.
    """

    name: str
    grid: FloorGrid
    walked: tuple[Cell, ...]
    places: tuple[Cell, ...]
    away: tuple[Floats, ...]
    pit: float

    def place_units(self, number: int) -> tuple[float, float, float]:
        """The middle of a place."""
        cell = self.places[number]
        return (*self.grid.centre(cell), float(self.grid.floor[cell]))

    def distance(self, number: int, x: float, y: float) -> float | None:
        """How far a position is from a place on foot, in units; None if it is no floor."""
        row, column = self.grid.cell_at(x, y)
        rows, columns = slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2)
        ys, xs = np.mgrid[rows, columns]
        cx, cy = (
            self.grid.left + (xs + 0.5) * CELL_UNITS,
            self.grid.bottom + (ys + 0.5) * CELL_UNITS,
        )
        found = float(np.min(self.away[number][rows, columns] + np.hypot(cx - x, cy - y)))
        return found if np.isfinite(found) else None


@lru_cache(maxsize=4)
def people_map(name: str) -> PeopleMap:
    """The walkable map of people's demos: `freedm:map21`."""
    known = json.loads(PLACES.read_text(encoding="utf-8"))
    if name not in known:
        raise InvalidInput(f"map: expected one of {', '.join(known)}, got {name!r}.")
    grid = _grid(name)
    places, walked = (
        [grid.cell_at(*at) for at in known[name][key]] for key in ("places", "walked")
    )
    rows, columns = np.array(walked).T
    return PeopleMap(
        name=name,
        grid=grid,
        walked=tuple(walked),
        places=tuple(places),
        away=tuple(grid.distances_to(place) for place in places),
        pit=float(np.min(grid.floor[rows, columns])) - PIT_UNITS,
    )


def _grid(name: str) -> FloorGrid:
    return floor_grid(map_parts(FREEDM_MAPS, name.partition(":")[2].upper(), name))


def find_places(name: str) -> dict[str, list[list[float]]]:
    """Return the content of `places.json` for a map: the middles of the cells that people walked on
    and that can be reached from each other, and of the places among them, the most visited first.
    """
    grid, counts = _grid(name), dict[Cell, int]()
    for recording in map(read, sorted(FREEDM_PEOPLE.glob("*.replay.json.gz"))):
        if json.loads(str(recording.provenance["setup"]))["map"] != name:
            continue
        columns = recording.telemetry
        for x, y, dead in zip(columns["x"], columns["y"], columns["dead"], strict=True):
            cell = grid.cell_at(float(x or 0), float(y or 0))
            counts[cell] = counts.get(cell, 0) + (not dead)
    walked = [cell for cell in sorted(counts) if grid.walkable[cell] and counts[cell]]
    if not walked:
        raise InvalidInput(f"map: no demo of people is of {name!r}.")
    first = max(walked, key=lambda cell: counts[cell])
    there, back = grid.distances_from(first), grid.distances_to(first)
    walked = [cell for cell in walked if np.isfinite(there[cell] + back[cell])]
    places, nearest = [first], np.array([there[cell] for cell in walked])
    while len(places) < PEOPLE_PLACES:
        places.append(walked[int(np.argmax(nearest))])
        away = grid.distances_from(places[-1])
        nearest = np.minimum(nearest, [away[cell] for cell in walked])
    return {
        name: [list(grid.centre(cell)) for cell in cells]
        for name, cells in (("places", places), ("walked", walked))
    }


@lru_cache(maxsize=32)
def walking_map(name: str, start: Start) -> GameMap:
    """The map for the engine, with one start, and nothing that lies about or fights."""
    lump = name.partition(":")[2].upper()
    parts = map_parts(FREEDM_MAPS, lump, name)
    x, y, heading_deg = start
    angle = round(heading_deg / 45) * 45 % 360
    parts["THINGS"] = _THING.pack(round(x), round(y), angle, _START, _ALWAYS)
    outline = game_map(name, 0)
    return GameMap(
        wad=pwad([(lump, b""), *parts.items()]),
        game_data=None,
        map_name=lump,
        deathmatch=False,
        walls=outline.walls,
        left=outline.left,
        top=outline.top,
    )
