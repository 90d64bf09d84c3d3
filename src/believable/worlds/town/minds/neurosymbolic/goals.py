"""The typed goals of a person for a day: the activity that fulfils each, its place, window,
duration and priority. They follow from the persona; the seed decides between equals.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from believable.worlds.town.clock import MINUTES_PER_DAY
from believable.worlds.town.map import TownMap, activities
from believable.worlds.town.mind import Persona

#: With fewer ingredients at home, the person goes shopping.
LOW_STOCK = 5
#: Role → sets of tasks that make up its work: (activity, kind of furniture) in this order; ("get",
#: thing) fetches a kind of thing, ("put", thing, furniture) puts it away.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TownGoal:
    """A goal that is fulfilled by `activity` in `building`.

    It begins and ends within `window`, in minutes of the day, and takes `minutes`. If not all goals
    fit, those of low `priority` are left out.
    """

    name: str
    activity: str
    building: str
    window: tuple[int, int]
    minutes: int
    priority: int
    text: str

    @property
    def is_work(self) -> bool:
        return self.name in ("work", "work2")

    @property
    def is_sleep(self) -> bool:
        return self.name in ("night", "sleep")


def day_goals(
    persona: Persona, town: TownMap, stock: int, day: int, rng: random.Random
) -> list[TownGoal]:
    """Return the goals of a day in the order of their windows. `stock` is the number of ingredients
    at home.
    """
    return sorted(
        _goals(persona, town, stock, day, rng), key=lambda goal: (goal.window[0], -goal.priority)
    )


def _goals(
    persona: Persona, town: TownMap, stock: int, day: int, rng: random.Random
) -> Iterator[TownGoal]:
    home, wakes, sleeps = persona.home, persona.wakes, persona.sleeps
    yield TownGoal(
        name="night",
        activity="sleep",
        building=home,
        window=(0, wakes),
        minutes=wakes,
        priority=9,
        text="Sleep until morning",
    )
    yield TownGoal(
        name="morning",
        activity="shower",
        building=home,
        window=(wakes, wakes + 60),
        minutes=30,
        priority=7,
        text="Get ready for the day",
    )
    yield TownGoal(
        name="breakfast",
        activity="eat",
        building=home,
        window=(wakes + 25, wakes + 120),
        minutes=30,
        priority=7,
        text="Have breakfast",
    )
    lunch_from = 690 + rng.randrange(0, 60, 5)
    workplace = town.buildings[persona.workplace].name
    yield TownGoal(
        name="work",
        activity=WORK[persona.role][0][-1][0]
        if WORK[persona.role][0][-1][0] != "put"
        else WORK[persona.role][0][-2][0],
        building=persona.workplace,
        window=(persona.work_from, lunch_from),
        minutes=lunch_from - persona.work_from,
        priority=8,
        text=f"Work at the {workplace}",
    )
    yield TownGoal(
        name="lunch",
        activity="eat",
        building="cafe",
        window=(lunch_from, lunch_from + 80),
        minutes=40,
        priority=6,
        text="Have lunch at the Café",
    )
    yield TownGoal(
        name="work2",
        activity=WORK[persona.role][1][0][0],
        building=persona.workplace,
        window=(lunch_from + 45, persona.work_to),
        minutes=persona.work_to - lunch_from - 55,
        priority=8,
        text=f"Back to work at the {workplace}",
    )
    if stock < LOW_STOCK or (day + rng.randrange(2)) % 2 == 0:
        yield TownGoal(
            name="shopping",
            activity="pay",
            building="grocery",
            window=(persona.work_to, 1130),
            minutes=20,
            priority=5,
            text="Buy something to eat",
        )
    for number, habit in enumerate(persona.habits):
        building = _choose_building(habit.activity, persona, town, habit.minute, rng)
        place = "at home" if building == home else f"at the {town.buildings[building].name}"
        doing = activities()[habit.activity].en
        earliest = max(persona.work_to, habit.minute - 30)
        latest = min(sleeps - 40, town.buildings[building].closes or MINUTES_PER_DAY)
        yield TownGoal(
            name=f"habit{number}",
            activity=habit.activity,
            building=building,
            window=(earliest, latest),
            minutes=habit.minutes,
            priority=3,
            text=f"{doing[0].upper()}{doing[1:]} {place}",
        )
    dinner = max(1080 + rng.randrange(0, 45, 5), persona.work_to + 40)
    yield TownGoal(
        name="dinner",
        activity="eat",
        building=home,
        window=(dinner, min(dinner + 150, sleeps - 60)),
        minutes=60,
        priority=6,
        text="Cook and have dinner",
    )
    yield TownGoal(
        name="bedtime",
        activity="brush_teeth",
        building=home,
        window=(sleeps - 25, sleeps + 15),
        minutes=20,
        priority=7,
        text="Get ready for the night",
    )
    yield TownGoal(
        name="sleep",
        activity="sleep",
        building=home,
        window=(sleeps, MINUTES_PER_DAY),
        minutes=MINUTES_PER_DAY - sleeps,
        priority=9,
        text="Sleep",
    )


def _choose_building(
    activity: str, persona: Persona, town: TownMap, minute: int, rng: random.Random
) -> str:
    """Choose a building for an activity at this time: the home or a public one."""
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
