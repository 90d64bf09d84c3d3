"""The layout of the town of a seed: buildings from its `buildings.yaml` on lots between roads. The
town `market` is the usual one; `riverside` is held out for evaluations.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from believable.core.errors import NotFound
from believable.core.seeds import generator
from believable.worlds.town.map import (
    STREET,
    Fixture,
    Tile,
    TownBuilding,
    TownDoor,
    TownMap,
    TownRoom,
    neighbours,
    town_data,
)

LOT_W, LOT_H, ROAD, RIM = 13, 9, 3, 2
HOMES = 4
#: Town → the beginning of the names of its files.
TOWNS: Mapping[str, str] = {"market": "", "riverside": "riverside_"}


def data_of(town: str, name: str) -> Any:
    """Read a file of a town."""
    if town not in TOWNS:
        raise NotFound(f"town: expected one of {', '.join(TOWNS)}, got {town!r}.")
    return town_data(f"{TOWNS[town]}{name}")


@functools.lru_cache(maxsize=32)
def town_map(seed: int, town: str = "market") -> TownMap:
    """Return the town of a seed. Each seed puts the same buildings on other lots, some mirrored."""
    rng = generator(seed, "town")
    data = data_of(town, "buildings.yaml")
    columns, rows = data["grid"]
    public = [kind for kind in data["buildings"] if kind != "home"]
    lots = [(column, row) for row in range(rows) for column in range(columns)]
    rng.shuffle(lots)
    kinds = [*(("home", number + 1) for number in range(HOMES)), *((kind, 0) for kind in public)]
    builder = _TownBuilder(data)
    for (column, row), (kind, number) in zip(lots, sorted(kinds), strict=False):
        x, y = RIM + column * (LOT_W + ROAD), RIM + row * (LOT_H + ROAD)
        builder.build(kind, number, x, y, mirrored=rng.random() < 0.5)
    return builder.town(seed)


class _TownBuilder:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        columns, rows = data["grid"]
        self.width = 2 * RIM + columns * LOT_W + (columns - 1) * ROAD
        self.height = 2 * RIM + rows * LOT_H + (rows - 1) * ROAD
        self.walls = [["."] * self.width for _ in range(self.height)]
        self.buildings: dict[str, TownBuilding] = {}
        self.rooms: dict[str, TownRoom] = {}
        self.doors: dict[str, TownDoor] = {}
        self.furniture: list[tuple[str, str, int, int, Mapping[str, Any], str | None]] = []
        self.room_at: dict[Tile, str] = {}

    def build(self, kind: str, number: int, x: int, y: int, *, mirrored: bool) -> None:
        plan = self.data["buildings"][kind]
        rows = [row[::-1] if mirrored else row for row in plan["plan"].split()]
        name = f"home{number}" if number else kind
        self.buildings[name] = TownBuilding(
            id=name,
            name=plan.get("name", f"House {number}"),
            kind=kind,
            x=x,
            y=y,
            w=LOT_W,
            h=LOT_H,
            opens=plan.get("opens"),
            closes=plan.get("closes"),
            open_air=bool(plan.get("open_air", False)),
        )
        tiles = {
            (x + dx, y + dy): letter for dy, row in enumerate(rows) for dx, letter in enumerate(row)
        }
        for (tx, ty), letter in tiles.items():
            if letter == "#":
                self.walls[ty][tx] = "#"
        for tile, letter in sorted(tiles.items()):
            if letter.isdigit():
                self._room(name, plan, tile, plan["rooms"][letter], tiles)
        for tile, letter in sorted(tiles.items()):
            if letter in "D+":
                self._opening(name, tile, letter)
        counts: dict[str, int] = {}
        for tile, letter in sorted(tiles.items(), key=lambda entry: entry[0][::-1]):
            if letter in self.data["furniture"]:
                facts = self.data["furniture"][letter]
                counts[facts["kind"]] = counts.get(facts["kind"], 0) + 1
                stock = plan.get("stock", {}).get(facts["kind"], facts.get("stock"))
                self.furniture.append(
                    (f"{name}.{facts['kind']}{counts[facts['kind']]}", name, *tile, facts, stock)
                )

    def _room(
        self,
        building: str,
        plan: Mapping[str, Any],
        tile: Tile,
        names: list[str],
        tiles: Mapping[Tile, str],
    ) -> None:
        kind, name = names
        seen, queue = {tile}, deque([tile])
        while queue:
            for neighbour in neighbours(queue.popleft()):
                if neighbour not in seen and tiles.get(neighbour, "#") not in "#D+":
                    seen.add(neighbour)
                    queue.append(neighbour)
        room = f"{building}.{kind}"
        for inside in seen:
            self.room_at[inside] = room
        rects = tuple(_rects(seen))
        self.rooms[room] = TownRoom(
            id=room,
            name=name,
            kind=kind,
            building=building,
            staff=kind in plan.get("staff", ()),
            rects=rects,
        )

    def _opening(self, building: str, tile: Tile, letter: str) -> None:
        sides = sorted(
            {self.room_at.get(side, STREET) for side in neighbours(tile) if self._is_floor(side)}
        )
        first, second = (sides * 2)[:2]
        outer = STREET in sides
        if letter == "D":
            inner = next(room for room in sides if room != STREET)
            name = (
                f"{building}.door"
                if outer
                else f"{inner}.door"
                if "living" not in inner
                else f"{second}.door"
            )
            self.doors[name] = TownDoor(
                id=name, building=building, x=tile[0], y=tile[1], rooms=(first, second), outer=outer
            )
        self.room_at[tile] = next(room for room in sides if room != STREET)

    def _is_floor(self, tile: Tile) -> bool:
        x, y = tile
        return 0 <= x < self.width and 0 <= y < self.height and self.walls[y][x] != "#"

    def town(self, seed: int) -> TownMap:
        blocked = frozenset((x, y) for _, _, x, y, _, _ in self.furniture)
        fixtures = {}
        for name, _, x, y, facts, stock in self.furniture:
            room = self.room_at[x, y]
            free = [
                side
                for side in neighbours((x, y))
                if self._is_floor(side) and side not in blocked and self.room_at.get(side) == room
            ]
            if not free:  # the middle of a pond or fountain: looks only
                continue
            fixtures[name] = Fixture(
                id=name,
                kind=facts["kind"],
                room=room,
                x=x,
                y=y,
                stand=free[0],
                capacity=facts["capacity"],
                holds=bool(facts.get("holds")),
                switch=bool(facts.get("switch")),
                stock=stock,
            )
        return TownMap(
            seed=seed,
            width=self.width,
            height=self.height,
            walls=tuple("".join(row) for row in self.walls),
            buildings=self.buildings,
            rooms=self.rooms,
            doors=self.doors,
            fixtures=fixtures,
            room_at=self.room_at,
            door_at={(door.x, door.y): door.id for door in self.doors.values()},
            blocked=blocked,
        )


def _rects(tiles: set[Tile]) -> Iterator[tuple[int, int, int, int]]:
    """Cover tiles with rectangles: equal rows are joined."""
    pending: dict[tuple[int, int], tuple[int, int]] = {}
    rows: dict[int, list[int]] = {}
    for x, y in tiles:
        rows.setdefault(y, []).append(x)
    for y in sorted(rows):
        runs = set(_row_runs(sorted(rows[y])))
        for run in [run for run in pending if run not in runs or sum(pending[run]) != y]:
            top, height = pending.pop(run)
            yield run[0], top, run[1], height
        for run in runs:
            top, height = pending.get(run, (y, 0))
            pending[run] = (top, height + 1)
    for (x, w), (top, height) in sorted(pending.items()):
        yield x, top, w, height


def _row_runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    start = columns[0]
    for index, x in enumerate(columns):
        if index + 1 == len(columns) or columns[index + 1] != x + 1:
            yield start, x - start + 1
            if index + 1 < len(columns):
                start = columns[index + 1]
