"""What the language model means to do, as typed goals: the free hours of its plan of the day join
what every day needs.

The plan comes by the same prompt as the generative mind's. A line whose words are an everyday
intention has its type already; for words of the model's own the model is asked which intention they
are. What has no type is left out, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from believable.worlds.town.generative.asking import Asker, TimetableLine
from believable.worlds.town.generative.day_planning import fulfilling, intentions_of
from believable.worlds.town.mind import Persona
from believable.worlds.town.minds.day_goals import TownGoal
from believable.worlds.town.town_map import TownMap

#: Minutes before its hour something may begin, and how long a free hour's goal takes.
EARLY, FREE_MINUTES = 30, 40
FREE_PRIORITY = 4
#: What every day needs stands in the goals of the day anyway.
NEEDED = ("sleep", "shower", "toilet", "brush_teeth", "prepare", "order_meal", "switch_on", "cook")
#: The activity that stands for an intention of several.
STANDS_FOR = {"order_coffee": "drink_coffee", "browse": "pay", "look": "feed_ducks", "rest": "read"}
LUNCH_AT_HOME = "have lunch at home"


def with_meant(
    goals: Sequence[TownGoal],
    plan: Sequence[TimetableLine],
    persona: Persona,
    town: TownMap,
    asker: Asker,
    counts: Counter[str],
) -> list[TownGoal]:
    """The goals of the day with the model's: its free time after work, and where it has lunch."""
    free: list[TownGoal] = []
    taken = list(goals)
    for line in plan:
        words = _typed_words(line.text, persona, town, asker, counts)
        typed = fulfilling(persona, town, words) if words else None
        if words == LUNCH_AT_HOME:
            taken = [
                _lunch_at_home(goal, persona) if goal.name == "lunch" else goal for goal in taken
            ]
            counts["intentions of the model"] += 1
            continue
        if words is None or typed is None or typed[1] == persona.workplace:
            continue
        first = typed[0].split()[0]
        if first in NEEDED or not persona.work_to <= line.minute < persona.sleeps - FREE_MINUTES:
            continue
        activity = STANDS_FOR.get(first, first)
        building = typed[1] or _usual_place(activity, goals, persona)
        closes = town.buildings[building].closes or persona.sleeps
        latest = min(closes, persona.sleeps - 30)
        if latest - line.minute < FREE_MINUTES // 2:
            counts["intentions too late"] += 1
            continue
        counts["intentions of the model"] += 1
        name = "shopping" if activity == "pay" else f"meant{len(free)}"
        window = (max(persona.work_to, line.minute - EARLY), latest)
        free.append(
            TownGoal(
                name,
                activity,
                building,
                window,
                FREE_MINUTES,
                FREE_PRIORITY,
                f"{words[0].upper()}{words[1:]}",
            )
        )
    known = {(goal.activity, goal.building) for goal in free}
    kept = [goal for goal in taken if (goal.activity, goal.building) not in known]
    return sorted([*kept, *free], key=lambda goal: (goal.window[0], -goal.priority))


def _typed_words(
    text: str, persona: Persona, town: TownMap, asker: Asker, counts: Counter[str]
) -> str | None:
    """The intention that a line is; None where it has no type."""
    if fulfilling(persona, town, text) is not None:
        return text
    options = list(intentions_of(persona, town))
    chosen = asker.choose("intention", {"person": persona.name, "text": text}, options, text)
    counts["intentions typed by asking" if chosen is not None else "intentions without a type"] += 1
    return None if chosen is None else options[chosen]


def _lunch_at_home(goal: TownGoal, persona: Persona) -> TownGoal:
    return TownGoal(
        "lunch_at_home",
        "eat",
        persona.home,
        goal.window,
        goal.minutes,
        goal.priority,
        "Have lunch at home",
    )


def _usual_place(activity: str, goals: Sequence[TownGoal], persona: Persona) -> str:
    """Where the person's own habit of it is done; else at home."""
    return next((goal.building for goal in goals if goal.activity == activity), persona.home)
