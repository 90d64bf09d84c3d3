"""A small town and the days its people mean to have: places, objects, and schedules from a seed."""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from believable.core.errors import StudyError
from believable.study.nodes import parse

WIDTH, HEIGHT = 42, 28


@dataclass(frozen=True, slots=True)
class Building:
    """A house with one door in its south wall (x, y, width, height are the outer walls) and things people use in it."""

    name: str
    x: int
    y: int
    w: int
    h: int
    things: tuple[str, ...]

    @property
    def door(self) -> tuple[int, int]:
        return self.x + self.w // 2, self.y + self.h - 1

    def spot(self, thing: str) -> tuple[int, int]:
        """Where one stands to use a thing: the things stand in a row inside."""
        number = self.things.index(thing)
        inner = self.w - 2
        return self.x + 1 + (number * 2) % inner, self.y + 1 + (number * 2) // inner


BUILDINGS = (
    Building("Ada's home", 2, 2, 8, 6, ("bed", "shower", "stove", "table", "desk")),
    Building("Bakery", 14, 2, 9, 6, ("oven", "counter", "shelf", "sink", "table")),
    Building("Library", 27, 2, 12, 6, ("bookshelf", "reading desk", "computer", "armchair", "counter")),
    Building("Grocery", 2, 15, 9, 6, ("shelf", "checkout", "storeroom", "fridge", "counter")),
    Building("Café", 15, 15, 8, 6, ("counter", "table", "kitchen", "sink", "terrace")),
    Building("Community hall", 28, 15, 11, 6, ("stage", "piano", "chairs", "kitchen", "notice board")),
)
PARK = Building("Park", 14, 23, 12, 5, ("bench", "pond", "flower bed", "path", "swing"))
PLACES = (*BUILDINGS, PARK)


@dataclass(frozen=True, slots=True)
class TownTask:
    """One small thing to do: a verb and a thing of the place, for some minutes."""

    verb: str
    thing: str
    minutes: int
    words: str


@dataclass(frozen=True, slots=True)
class Intention:
    """A part of the day: from when, where, to what end, in which steps."""

    start_minute: int
    place: str
    words: str
    tasks: tuple[TownTask, ...]


def walls() -> tuple[str, ...]:
    """The town's map: houses with a door each; the park is open."""
    tiles = [["."] * WIDTH for _ in range(HEIGHT)]
    for house in BUILDINGS:
        for x in range(house.x, house.x + house.w):
            tiles[house.y][x] = tiles[house.y + house.h - 1][x] = "#"
        for y in range(house.y, house.y + house.h):
            tiles[y][house.x] = tiles[y][house.x + house.w - 1] = "#"
        door_x, door_y = house.door
        tiles[door_y][door_x] = "."
    return tuple("".join(row) for row in tiles)


def day(rng: random.Random) -> tuple[Intention, ...]:
    """A sensible day of a baker who likes to read: the same frame for everybody, details from the seed."""
    parts = _parts()
    chosen = {name: rng.choice(parts[name]) for name in ("afternoon", "errand", "evening")}
    shift = rng.randrange(-2, 3) * 5
    return (
        Intention(0, "Ada's home", "sleep until morning", (TownTask("sleep", "bed", 375 + shift, "sleeping"),)),
        Intention(375 + shift, *parts["morning"][0]),
        Intention(435 + shift, *parts["work"][0]),
        Intention(735, *parts["lunch"][0]),
        Intention(795, *chosen["afternoon"]),
        Intention(945, *chosen["errand"]),
        Intention(1065, *chosen["evening"]),
        Intention(1185, *parts["night"][0]),
        Intention(1305, "Ada's home", "sleep", (TownTask("sleep", "bed", 135, "sleeping"),)),
    )


#: Where, to what end, in which steps.
Activity: TypeAlias = tuple[str, str, tuple[TownTask, ...]]


@functools.cache
def _parts() -> Mapping[str, tuple[Activity, ...]]:
    """What may be done in each part of the day, from `day.yaml`."""
    file = Path(__file__).with_name("day.yaml")
    tree, problems = parse(file.read_bytes(), file.name)
    if tree is None or problems:
        raise StudyError(problems)
    return {
        part: tuple(
            (activity["place"], activity["words"], tuple(TownTask(*task) for task in activity["tasks"]))
            for activity in activities
        )
        for part, activities in tree.plain().items()
    }
