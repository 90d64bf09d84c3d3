"""The fixed part of the town: buildings, rooms, doors, furniture, activities, and ways between
tiles.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.core.errors import NotFound
from believable.core.nodes import read_plain
from believable.core.registry import did_you_mean

STREET = "street"
Tile = tuple[int, int]


@functools.cache
def town_data(name: str) -> Any:
    """Read a data file of the town."""
    return read_plain(Path(__file__).parent / name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityKind:
    """Something that people do at certain kinds of furniture; `activities.yaml` explains the
    fields.
    """

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
    places: tuple[str, ...] = ()
    public: bool = False
    roles: tuple[str, ...] = ()


@functools.cache
def activities() -> Mapping[str, ActivityKind]:
    kinds = {}
    for name, values in town_data("activities.yaml").items():
        fields: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
        }
        kinds[name] = ActivityKind(name=name, **fields)
    return kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class TownRoom:
    """A room or an open place. `kind` is bedroom, bathroom, kitchen, shop …; `staff`: only for
    people who work in the building.
    """

    id: str
    name: str
    kind: str
    building: str
    staff: bool
    rects: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TownDoor:
    """A door. An `outer` one leads to the street."""

    id: str
    building: str
    x: int
    y: int
    rooms: tuple[str, str]
    outer: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A piece of furniture. People use it from one tile, and can take `stock` from it. If it
    `holds` things, they open it first.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TownBuilding:
    """A building or open place. Opening hours are minutes of the day; homes and open places have
    none.
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


@dataclass(frozen=True, kw_only=True)
class TownMap:
    """The whole map. Ids are unique across rooms, doors and fixtures."""

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

    @functools.cached_property
    def bathroom_doors(self) -> frozenset[str]:
        """The doors that stay open while a bathroom is empty."""
        rooms = self.rooms.values()
        return frozenset(f"{room.id}.door" for room in rooms if room.kind == "bathroom")

    def is_bathroom(self, room: str) -> bool:
        return room in self.rooms and self.rooms[room].kind == "bathroom"

    def room(self, tile: Tile) -> str:
        return self.room_at.get(tile, STREET)

    def building_of(self, room: str) -> str:
        return STREET if room == STREET else self.rooms[room].building

    def fixtures_of(self, kind: str, *, building: str | None = None) -> list[Fixture]:
        """Return the furniture of a kind in the order of the map, if asked of one building."""
        return [
            fixture
            for fixture in self.fixtures.values()
            if fixture.kind == kind and building in (None, self.building_of(fixture.room))
        ]

    def stand(self, target: str) -> Tile:
        """Return the tile that a walk to a fixture, a door or a room leads to."""
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
        """Return the steps to `goal` from every tile, as if all doors were open."""
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
        """Return the tiles of a shortest way after `start`, as if all doors were open. It is empty
        if there is no way, or no need for one.
        """
        steps = self.distances(goal)
        if start not in steps:
            return []
        way, tile = [], start
        while tile != goal:
            tile = min((n for n in neighbours(tile) if n in steps), key=lambda n: steps[n])
            way.append(tile)
        return way


def neighbours(tile: Tile) -> tuple[Tile, Tile, Tile, Tile]:
    x, y = tile
    return (x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y)


def distance(a: Tile, b: Tile) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
