"""A small town and the days its people mean to have: places, objects, and schedules from a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

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
class Task:
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
    tasks: tuple[Task, ...]


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
    afternoon = rng.choice((_READ, _PRACTISE))
    errand = rng.choice((_SHOP, _GARDEN))
    evening = rng.choice((_CAFE, _COOK))
    shift = rng.randrange(-2, 3) * 5
    return (
        Intention(0, "Ada's home", "sleep until morning", (Task("sleep", "bed", 375 + shift, "sleeping"),)),
        Intention(375 + shift, "Ada's home", "get ready for the day", _MORNING),
        Intention(435 + shift, "Bakery", "bake and sell the morning's bread", _BAKE),
        Intention(735, "Café", "have lunch", _LUNCH),
        Intention(795, *afternoon),
        Intention(945, *errand),
        Intention(1065, *evening),
        Intention(1185, "Ada's home", "wind down", _WIND_DOWN),
        Intention(1305, "Ada's home", "sleep", (Task("sleep", "bed", 135, "sleeping"),)),
    )


_MORNING = (
    Task("get up", "bed", 5, "getting up"),
    Task("wash", "shower", 15, "taking a shower"),
    Task("cook", "stove", 10, "making porridge"),
    Task("eat", "table", 20, "eating breakfast"),
)
_BAKE = (
    Task("knead", "counter", 40, "kneading dough"),
    Task("bake", "oven", 60, "baking the first loaves"),
    Task("stock", "shelf", 20, "putting bread on the shelf"),
    Task("serve", "counter", 90, "serving customers"),
    Task("clean", "sink", 25, "washing the trays"),
    Task("rest", "table", 15, "drinking tea"),
)
_LUNCH = (Task("order", "counter", 5, "ordering soup"), Task("eat", "table", 35, "eating lunch"))
_READ = (
    "Library",
    "read about old bread recipes",
    (
        Task("search", "bookshelf", 15, "looking for a book"),
        Task("read", "reading desk", 70, "reading"),
        Task("note", "computer", 30, "writing notes"),
    ),
)
_PRACTISE = (
    "Community hall",
    "practise for Sunday's concert",
    (
        Task("set up", "chairs", 15, "putting up chairs"),
        Task("play", "piano", 75, "practising the piano"),
        Task("read", "notice board", 10, "reading the notices"),
    ),
)
_SHOP = (
    "Grocery",
    "buy what is needed at home",
    (
        Task("choose", "shelf", 25, "choosing vegetables"),
        Task("choose", "fridge", 10, "taking milk and cheese"),
        Task("pay", "checkout", 5, "paying"),
        Task("talk", "counter", 30, "chatting with the grocer"),
    ),
)
_GARDEN = (
    "Park",
    "look after the flower beds",
    (
        Task("weed", "flower bed", 45, "weeding the flower bed"),
        Task("feed", "pond", 15, "feeding the ducks"),
        Task("rest", "bench", 30, "resting on a bench"),
    ),
)
_CAFE = (
    "Café",
    "meet friends for dinner",
    (
        Task("order", "counter", 5, "ordering dinner"),
        Task("eat", "table", 50, "eating dinner with friends"),
        Task("talk", "terrace", 40, "talking on the terrace"),
    ),
)
_COOK = (
    "Ada's home",
    "cook dinner",
    (
        Task("cook", "stove", 45, "cooking a stew"),
        Task("eat", "table", 35, "eating dinner"),
        Task("wash up", "table", 20, "clearing the table"),
    ),
)
_WIND_DOWN = (
    Task("write", "desk", 40, "writing letters"),
    Task("read", "desk", 45, "reading a novel"),
    Task("wash", "shower", 10, "brushing her teeth"),
)
