"""Where a round is played: a generated map by its design and seed, or a map of a file as
`FILE.wad:map06`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.worlds.doom.deathmatch_map import deathmatch_map
from believable.worlds.doom.floor_plan import TILE_UNITS, FloorPlan, centre
from believable.worlds.doom.items import ITEMS
from believable.worlds.doom.navigation_map import GOALS, navigation_map

NAVIGATION, DEATHMATCH = "navigation", "deathmatch"
DESIGNS = (NAVIGATION, DEATHMATCH)
Line = tuple[float, float, float, float]
#: A thing of a map: place, angle, kind, flags.
_THING = struct.Struct("<hhHHH")
#: The maps of people's demos, in the package: `freedm:map21`.
FREEDM = "freedm"
FREEDM_MAPS = Path(__file__).parent / FREEDM / "maps.wad"
FREEDM_PEOPLE = Path(__file__).parent / FREEDM / "people"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameMap:
    """The engine's form of a map, and its outline as a recording keeps it: rows of tiles from the
    north, with the position in the engine's units of the upper left corner. `plan` is set if we
    made the map; `goal` is a position in units. `items` are names and positions in a deathmatch.
    """

    wad: bytes | None
    game_data: Path | None
    map_name: str
    deathmatch: bool
    walls: tuple[str, ...]
    left: float
    top: float
    plan: FloorPlan | None = None
    goal: tuple[float, float, float] | None = None
    items: tuple[tuple[str, float, float], ...] = ()

    def units_of(self, x: float, y: float) -> tuple[int, int]:
        """A place of the engine's in thousandths of a tile from the upper left corner."""
        return round((x - self.left) * 1000 / TILE_UNITS), round((self.top - y) * 1000 / TILE_UNITS)


@lru_cache(maxsize=32)
def game_map(name: str, seed: int, goal: int | None = None) -> GameMap:
    """A map by name. `goal` numbers the goal place that carries the mark."""
    if name == NAVIGATION:
        return _navigation(seed, goal or 0)
    if name == DEATHMATCH:
        drawn = deathmatch_map(seed)
        walls = _outline(drawn.plan)
        top = float(drawn.plan.rows * TILE_UNITS)
        return GameMap(
            wad=drawn.plan.wad(),
            game_data=None,
            map_name="MAP01",
            deathmatch=True,
            walls=walls,
            left=0.0,
            top=top,
            plan=drawn.plan,
            items=tuple((item.name, *centre(item.tile)) for item in drawn.items),
        )
    return _from_file(name)


def _navigation(seed: int, goal: int) -> GameMap:
    drawn = navigation_map(seed)
    if not 0 <= goal < GOALS:
        raise InvalidInput(f"goal: expected 0 to {GOALS - 1}, got {goal}.")
    plan, tile = drawn.with_goal(goal), drawn.goals[goal]
    place = (*centre(tile), float(plan.tiles[tile].floor))
    return GameMap(
        wad=plan.wad(),
        game_data=None,
        map_name="MAP01",
        deathmatch=False,
        walls=_outline(plan),
        left=0.0,
        top=float(plan.rows * TILE_UNITS),
        plan=plan,
        goal=place,
    )


def _outline(plan: FloorPlan) -> tuple[str, ...]:
    return tuple(
        "".join("." if (x, y) in plan.tiles else "#" for x in range(plan.columns))
        for y in reversed(range(plan.rows))
    )


# ----------------------------------------------------------------------------------------------
# files


def _from_file(written: str) -> GameMap:
    """`FILE.wad:map06`: a third party's map, in a whole game (IWAD) or in an addition to one
    (PWAD).
    """
    path, kind, parts = parts_of(written)
    lines = list(_lines(parts, written))
    left, top = (
        min(min(x0, x1) for x0, _, x1, _ in lines),
        max(max(y0, y1) for _, y0, _, y1 in lines),
    )
    left, top = left - TILE_UNITS, top + TILE_UNITS
    walls = rasterise(lines, left, top)
    whole = kind == "IWAD"
    return GameMap(
        wad=None if whole else path.read_bytes(),
        game_data=path if whole else None,
        map_name=written.rpartition(":")[2].upper(),
        deathmatch=True,
        walls=walls,
        left=left,
        top=top,
        items=_items(parts),
    )


def parts_of(written: str) -> tuple[Path, str, dict[str, bytes]]:
    """The file of a map, its kind, and the parts of the map in Doom's own form."""
    file, _, name = written.rpartition(":")
    path = FREEDM_MAPS if file == FREEDM else Path(file)
    if not file or not name:
        raise InvalidInput(
            f"map: expected {' or '.join(DESIGNS)}, {FREEDM}:map21, or FILE.wad:MAP such as"
            f" freedm.wad:map06, got {written!r}."
        )
    if not path.is_file():
        raise InvalidInput(
            f"map: there is no file {file!r}. Debian's package `freedm` has"
            " /usr/share/games/doom/freedm.wad."
        )
    kind, lumps = read_wad(path)
    return path, kind, _parts(lumps, name.upper(), written)


def read_wad(path: Path) -> tuple[str, list[tuple[str, bytes]]]:
    """The kind of a WAD file, and its lumps in order."""
    data = path.read_bytes()
    try:
        kind, count, at = struct.unpack_from("<4sii", data)
        entries = [struct.unpack_from("<ii8s", data, at + 16 * number) for number in range(count)]
        whole = all(
            start >= 0 and size >= 0 and start + size <= len(data) for start, size, _ in entries
        )
    except struct.error:
        whole = False
    if not whole:
        kind, entries = b"", []
    if kind not in (b"IWAD", b"PWAD"):
        raise InvalidInput(
            f"{path}: not a WAD file, or cut off. Expected maps for Doom; fetch it again."
        )
    return kind.decode(), [
        (name.rstrip(b"\0").decode("latin-1"), data[at : at + size]) for at, size, name in entries
    ]


def map_parts(path: Path, name: str, written: str) -> dict[str, bytes]:
    """The parts of a map of a file."""
    return _parts(read_wad(path)[1], name, written)


def _parts(lumps: list[tuple[str, bytes]], name: str, written: str) -> dict[str, bytes]:
    """The parts of a map in Doom's own form."""
    names = [lump for lump, _ in lumps]
    if name not in names:
        maps = ", ".join(
            lump for lump, following in pairwise(names) if following in ("THINGS", "TEXTMAP")
        )
        raise InvalidInput(f"map: {written!r} has no map {name}. It has {maps or 'none'}.")
    parts = dict(lumps[names.index(name) + 1 : names.index(name) + 11])
    if "LINEDEFS" not in parts or "VERTEXES" not in parts:
        raise InvalidInput(
            f"map: {written!r} is not in Doom's own form. Only such maps can be read from files."
        )
    return parts


def _items(parts: dict[str, bytes]) -> tuple[tuple[str, float, float], ...]:
    things = parts.get("THINGS", b"")
    whole = things[: len(things) // _THING.size * _THING.size]
    return tuple(
        (ITEMS[kind], float(x), float(y))
        for x, y, _, kind, _ in _THING.iter_unpack(whole)
        if kind in ITEMS
    )


def _lines(parts: dict[str, bytes], written: str) -> Iterator[Line]:
    """The outer walls of a map: lines with one side."""
    try:
        corners = list(struct.iter_unpack("<hh", parts["VERTEXES"]))
        lines = list(struct.iter_unpack("<HHHHHHH", parts["LINEDEFS"]))
        sides = [side[5] for side in struct.iter_unpack("<hh8s8s8sH", parts["SIDEDEFS"])]
        sectors = len(parts["SECTORS"]) // 26
    except (struct.error, KeyError) as error:
        raise InvalidInput(f"map: {written!r} is broken ({error}). Fetch it again.") from None
    for number, (start, end, _flags, _special, _tag, front, back) in enumerate(lines):
        ends = max(start, end) < len(corners)
        faces = all(
            side < len(sides) and sides[side] < sectors for side in (front, back) if side != 0xFFFF
        )
        if not (ends and faces and front != 0xFFFF):
            raise InvalidInput(
                f"map: {written!r} is broken: line {number} names a corner, side or sector that is"
                " not there."
            )
        if back == 0xFFFF:
            yield (*corners[start], *corners[end])


def rasterise(lines: list[Line], left: float, top: float) -> tuple[str, ...]:
    """Tiles whose middle lies inside: an odd number of walls is crossed on the way out to the
    west.
    """
    width = int((max(max(x0, x1) for x0, _, x1, _ in lines) - left) // TILE_UNITS) + 2
    height = int((top - min(min(y0, y1) for _, y0, _, y1 in lines)) // TILE_UNITS) + 2
    rows: list[str] = []
    for row in range(height):
        y = (
            top - (row + 0.5) * TILE_UNITS + 0.25
        )  # corners lie on whole units: no ray goes through one
        crossed = sorted(
            x0 + (y - y0) * (x1 - x0) / (y1 - y0)
            for x0, y0, x1, y1 in lines
            if (y0 > y) != (y1 > y)
        )
        inside = [
            sum(x < left + (column + 0.5) * TILE_UNITS for x in crossed) % 2
            for column in range(width)
        ]
        rows.append("".join("." if odd else "#" for odd in inside))
    return tuple(rows)
