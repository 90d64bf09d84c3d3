"""The town as a place: buildings with rooms, doors and furniture from `buildings.yaml`, laid out by
seed; ways between them.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.core.errors import NotFound, StudyError
from believable.core.registry import did_you_mean
from believable.core.seeds import generator
from believable.study.nodes import parse

STREET = "street"
LOT_W, LOT_H, ROAD, RIM = 13, 9, 3, 2
COLUMNS, ROWS = 4, 3
HOMES = 4

Tile = tuple[int, int]


@functools.cache
def town_data(name: str) -> Any:
    """A data file of the town as plain values."""
    file = Path(__file__).with_name(name)
    tree, problems = parse(file.read_bytes(), file.name)
    if tree is None or problems:
        raise StudyError(problems)
    return tree.plain()


@dataclass(frozen=True, slots=True)
class ActivityKind:
    """Something that can be done at some kinds of furniture, see `activities.yaml`."""

    name: str
    at: tuple[str, ...]
    minutes: tuple[int, int]
    en: str
    de: str
    gives: Mapping[str, float] = field(default_factory=dict)
    takes: str | None = None
    makes: str | None = None
    keeps: bool = False
    state: str | None = None
    turns: str | None = None
    price: float = 0.0
    wage: float = 0.0


@functools.cache
def activities() -> Mapping[str, ActivityKind]:
    return {
        name: ActivityKind(
            name, **{**values, "at": tuple(values["at"]), "minutes": tuple(values["minutes"])}
        )
        for name, values in town_data("activities.yaml").items()
    }


@dataclass(frozen=True, slots=True)
class TownRoom:
    """A room, or an open place. `kind` is bedroom, bathroom, kitchen, shop …; `staff`: for those
    who work there.
    """

    id: str
    name: str
    kind: str
    building: str
    staff: bool
    rects: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class TownDoor:
    """A door: `outer` ones lead to the street."""

    id: str
    building: str
    x: int
    y: int
    rooms: tuple[str, str]
    outer: bool


@dataclass(frozen=True, slots=True)
class Fixture:
    """Furniture. Whoever uses it stands at `stand`. `stock` can be taken from it; `holds`: it has
    to be opened first.
    """

    id: str
    kind: str
    room: str
    x: int
    y: int
    stand: Tile
    capacity: int
    holds: bool = False
    switch: bool = False
    stock: str | None = None


@dataclass(frozen=True, slots=True)
class TownBuilding:
    """A building or open place, with its opening hours in minutes of the day (None: homes and
    places under the sky).
    """

    id: str
    name: str
    kind: str
    x: int
    y: int
    w: int
    h: int
    opens: int | None
    closes: int | None
    open_air: bool

    def is_open(self, minute: float) -> bool:
        return self.opens is None or self.closes is None or self.opens <= minute < self.closes


@dataclass(frozen=True)
class TownMap:
    """Everything that stands. Ids are unique over rooms, doors and fixtures."""

    seed: int
    width: int
    height: int
    walls: tuple[str, ...]
    buildings: Mapping[str, TownBuilding]
    rooms: Mapping[str, TownRoom]
    doors: Mapping[str, TownDoor]
    fixtures: Mapping[str, Fixture]
    room_at: Mapping[Tile, str]
    door_at: Mapping[Tile, str]
    blocked: frozenset[Tile]
    _distances: dict[Tile, dict[Tile, int]] = field(default_factory=dict, repr=False, compare=False)

    def room(self, tile: Tile) -> str:
        return self.room_at.get(tile, STREET)

    def building_of(self, room: str) -> str:
        return STREET if room == STREET else self.rooms[room].building

    def fixtures_of(self, kind: str, *, building: str | None = None) -> list[Fixture]:
        """Furniture of a kind, in the map's order; of one building, if named."""
        return [
            fixture
            for fixture in self.fixtures.values()
            if fixture.kind == kind and building in (None, self.building_of(fixture.room))
        ]

    def stand(self, target: str) -> Tile:
        """Where somebody stands who has walked to a fixture, a door (outside of it, or in its first
        room) or a room's middle.
        """
        if target in self.fixtures:
            return self.fixtures[target].stand
        if target in self.doors:
            door = self.doors[target]
            return door.x, door.y
        if target in self.rooms:
            return self._middle(target)
        known = [*self.fixtures, *self.doors, *self.rooms]
        raise NotFound(f"the town has no {target!r} to go to. {did_you_mean(target, known)}")

    def _middle(self, room: str) -> Tile:
        tiles = sorted(
            tile for tile, name in self.room_at.items() if name == room and tile not in self.blocked
        )
        x = sum(tile[0] for tile in tiles) / len(tiles)
        y = sum(tile[1] for tile in tiles) / len(tiles)
        return min(tiles, key=lambda tile: (abs(tile[0] - x) + abs(tile[1] - y), tile))

    def is_free(self, tile: Tile) -> bool:
        x, y = tile
        return (
            0 <= x < self.width
            and 0 <= y < self.height
            and self.walls[y][x] != "#"
            and tile not in self.blocked
        )

    def distances(self, goal: Tile) -> Mapping[Tile, int]:
        """Steps to `goal` from everywhere, doors taken as open."""
        if goal not in self._distances:
            steps, queue = {goal: 0}, deque([goal])
            while queue:
                tile = queue.popleft()
                for neighbour in neighbours(tile):
                    if neighbour not in steps and self.is_free(neighbour):
                        steps[neighbour] = steps[tile] + 1
                        queue.append(neighbour)
            self._distances[goal] = steps
        return self._distances[goal]

    def way(self, start: Tile, goal: Tile) -> list[Tile]:
        """The tiles after `start` up to `goal`, shortest, doors taken as open; empty where there is
        none or no need.
        """
        steps = self.distances(goal)
        if start not in steps:
            return []
        way: list[Tile] = []
        tile = start
        while tile != goal:
            tile = min((n for n in neighbours(tile) if n in steps), key=lambda n: steps[n])
            way.append(tile)
        return way

    def doors_on_way(self, start: Tile, goal: Tile) -> list[str]:
        return [self.door_at[tile] for tile in self.way(start, goal) if tile in self.door_at]


def neighbours(tile: Tile) -> tuple[Tile, Tile, Tile, Tile]:
    x, y = tile
    return (x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y)


def distance(a: Tile, b: Tile) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


@functools.lru_cache(maxsize=32)
def town_map(seed: int) -> TownMap:
    """The town of a seed: the same buildings on other lots, some of them mirrored."""
    rng = generator(seed, "town")
    data = town_data("buildings.yaml")
    public = [kind for kind in data["buildings"] if kind != "home"]
    lots = [(column, row) for row in range(ROWS) for column in range(COLUMNS)]
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
        self.width = 2 * RIM + COLUMNS * LOT_W + (COLUMNS - 1) * ROAD
        self.height = 2 * RIM + ROWS * LOT_H + (ROWS - 1) * ROAD
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
            name,
            plan.get("name", f"House {number}"),
            kind,
            x,
            y,
            LOT_W,
            LOT_H,
            plan.get("opens"),
            plan.get("closes"),
            bool(plan.get("open_air", False)),
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
        words: list[str],
        tiles: Mapping[Tile, str],
    ) -> None:
        kind, name = words
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
            room, name, kind, building, kind in plan.get("staff", ()), rects
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
            self.doors[name] = TownDoor(name, building, *tile, (first, second), outer)
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
                name,
                facts["kind"],
                room,
                x,
                y,
                free[0],
                facts["capacity"],
                bool(facts.get("holds")),
                bool(facts.get("switch")),
                stock,
            )
        return TownMap(
            seed,
            self.width,
            self.height,
            tuple("".join(row) for row in self.walls),
            self.buildings,
            self.rooms,
            self.doors,
            fixtures,
            self.room_at,
            {(door.x, door.y): door.id for door in self.doors.values()},
            blocked,
        )


def _rects(tiles: set[Tile]) -> Iterator[tuple[int, int, int, int]]:
    """Rows of tiles as rectangles, equal rows joined."""
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
