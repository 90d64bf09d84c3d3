"""What a person means to do on a day, as typed goals: what would fulfil each, where, in which
window, for how long, how much it matters. Chosen symbolically from who the person is and how they
are; the seed decides between what is equally good.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from believable.worlds.town.mind import MINUTES_PER_DAY, Persona
from believable.worlds.town.town_map import TownMap, activities

#: A fridge with less is filled.
LOW_STOCK = 5
#: Role → sets of tasks that make up its work: (activity, kind of furniture) in this order; a kind
#: of thing to fetch first or to put away stands as ("get", thing) and ("put", thing, furniture).
WORK: Mapping[str, tuple[tuple[tuple[str, ...], ...], ...]] = {
    "baker": (
        (
            ("get", "flour"),
            ("knead", "worktable"),
            ("bake", "oven"),
            ("put", "bread", "display shelf"),
        ),
        (("serve", "counter"),),
        (("till", "till"),),
        (("wipe", "table"), ("wipe", "worktable")),
        (("clean_sink", "sink"), ("count_stock", "storage shelf")),
    ),
    "barista": (
        (("brew", "coffee machine"), ("put", "coffee", "counter"), ("serve", "counter")),
        (("wipe", "table"), ("wipe", "table")),
        (("till", "till"),),
        (("get", "ingredients"), ("cook", "stove"), ("put", "meal", "counter")),
        (("clean_sink", "sink"), ("wipe", "counter")),
    ),
    "librarian": (
        (("sort_books", "bookshelf"), ("sort_books", "bookshelf")),
        (("lend", "counter"),),
        (("catalogue", "computer"),),
    ),
    "grocer": (
        (
            ("get", "crate"),
            ("stock_shelf", "display shelf"),
            ("get", "crate"),
            ("stock_shelf", "display shelf"),
        ),
        (("till", "till"),),
        (("count_stock", "storage shelf"), ("serve", "counter")),
    ),
    "gardener": (
        (
            ("get", "watering can"),
            ("water", "flower bed"),
            ("water", "flower bed"),
            ("put", "watering can", "tool chest"),
        ),
        (("weed", "flower bed"), ("weed", "flower bed")),
        (("rest", "bench"),),
    ),
    "music teacher": (
        (("teach", "piano"),),
        (("set_chairs", "chairs"), ("rehearse", "stage")),
        (("practise", "piano"), ("notices", "notice board")),
    ),
    "student": (
        (("get", "book"), ("study", "reading desk"), ("put", "book", "bookshelf")),
        (("research", "computer"), ("browse", "bookshelf")),
    ),
    "writer": (
        (
            ("order_coffee", "counter"),
            ("drink_coffee", "table"),
            ("put", "plate", "counter"),
            ("write", "table"),
        ),
        (("write", "table"), ("sit", "table")),
    ),
}


@dataclass(frozen=True, slots=True)
class TownGoal:
    """Done by whoever has done `activity` in `building`. Minutes are minutes of the day; `window`
    is when it may begin and must have ended, `minutes` how long it takes, `priority` decides what
    is left out where not everything fits (high stays).
    """

    name: str
    activity: str
    building: str
    window: tuple[int, int]
    minutes: int
    priority: int
    text: str


def day_goals(
    persona: Persona, town: TownMap, stock: int, day: int, rng: random.Random
) -> list[TownGoal]:
    """The goals of a day in the order of their windows; `stock` is what was last seen in the fridge
    at home.
    """
    return sorted(
        _goals(persona, town, stock, day, rng), key=lambda goal: (goal.window[0], -goal.priority)
    )


def _goals(
    persona: Persona, town: TownMap, stock: int, day: int, rng: random.Random
) -> Iterator[TownGoal]:
    home, wakes, sleeps = persona.home, persona.wakes, persona.sleeps
    yield TownGoal("night", "sleep", home, (0, wakes), wakes, 9, "Sleep until morning")
    yield TownGoal("morning", "shower", home, (wakes, wakes + 60), 30, 7, "Get ready for the day")
    yield TownGoal("breakfast", "eat", home, (wakes + 25, wakes + 120), 30, 7, "Have breakfast")
    lunch_from = 690 + rng.randrange(0, 60, 5)
    workplace = town.buildings[persona.workplace].name
    yield TownGoal(
        "work",
        WORK[persona.role][0][-1][0]
        if WORK[persona.role][0][-1][0] != "put"
        else WORK[persona.role][0][-2][0],
        persona.workplace,
        (persona.work_from, lunch_from),
        lunch_from - persona.work_from,
        8,
        f"Work at the {workplace}",
    )
    yield TownGoal(
        "lunch", "eat", "cafe", (lunch_from, lunch_from + 80), 40, 6, "Have lunch at the Café"
    )
    yield TownGoal(
        "work2",
        WORK[persona.role][1][0][0],
        persona.workplace,
        (lunch_from + 45, persona.work_to),
        persona.work_to - lunch_from - 55,
        8,
        f"Back to work at the {workplace}",
    )
    if stock < LOW_STOCK or (day + rng.randrange(2)) % 2 == 0:
        yield TownGoal(
            "shopping", "pay", "grocery", (persona.work_to, 1130), 20, 5, "Buy something to eat"
        )
    for number, habit in enumerate(persona.habits):
        building = _where(habit.activity, persona, town, habit.minute, rng)
        place = "at home" if building == home else f"at the {town.buildings[building].name}"
        words = activities()[habit.activity].en
        earliest = max(persona.work_to, habit.minute - 30)
        latest = min(sleeps - 40, town.buildings[building].closes or MINUTES_PER_DAY)
        yield TownGoal(
            f"habit{number}",
            habit.activity,
            building,
            (earliest, latest),
            habit.minutes,
            3,
            f"{words[0].upper()}{words[1:]} {place}",
        )
    dinner = max(1080 + rng.randrange(0, 45, 5), persona.work_to + 40)
    yield TownGoal(
        "dinner",
        "eat",
        home,
        (dinner, min(dinner + 150, sleeps - 60)),
        60,
        6,
        "Cook and have dinner",
    )
    yield TownGoal(
        "bedtime", "brush_teeth", home, (sleeps - 25, sleeps + 15), 20, 7, "Get ready for the night"
    )
    yield TownGoal(
        "sleep", "sleep", home, (sleeps, MINUTES_PER_DAY), MINUTES_PER_DAY - sleeps, 9, "Sleep"
    )


def _where(activity: str, persona: Persona, town: TownMap, minute: int, rng: random.Random) -> str:
    """A building where it can be done then: home or a public one, never somebody else's home."""
    kinds = activities()[activity].at
    buildings = sorted(
        {
            building
            for kind in kinds
            for fixture in town.fixtures_of(kind)
            if (building := town.building_of(fixture.room))
            and (building == persona.home or town.buildings[building].kind != "home")
            and town.buildings[building].is_open(minute)
            and town.buildings[building].is_open(minute + 30)
        }
    )
    late = minute >= 1140
    indoors = [building for building in buildings if building == persona.home]
    return indoors[0] if late and indoors else rng.choice(buildings)
