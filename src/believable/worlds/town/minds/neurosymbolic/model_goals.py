"""The intentions of the language model as typed goals: its plan for the free hours joins the goals
that every day needs.

The plan is asked for by the prompt of the generative mind. A line that is an everyday intention has
its type. For other lines the model is asked which intention they are. Lines without a type are left
out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from believable.worlds.town.map import TownMap
from believable.worlds.town.mind import Persona
from believable.worlds.town.minds.generative.asking import Asker, TimetableLine
from believable.worlds.town.minds.generative.planning import fulfilling, intentions_of
from believable.worlds.town.minds.neurosymbolic.goals import TownGoal

#: Minutes before its hour something may begin, and how long a free hour's goal takes.
EARLY, FREE_MINUTES = 30, 40
FREE_PRIORITY = 4
#: Activities that the goals of every day contain anyway.
NEEDED = ("sleep", "shower", "toilet", "brush_teeth", "prepare", "order_meal", "switch_on", "cook")
#: The activity that represents an intention of several.
REPRESENTED_BY = {
    "order_coffee": "drink_coffee",
    "browse": "pay",
    "look": "feed_ducks",
    "rest": "read",
}
LUNCH_AT_HOME = "have lunch at home"


def add_model_goals(
    goals: Sequence[TownGoal],
    plan: Sequence[TimetableLine],
    persona: Persona,
    town: TownMap,
    asker: Asker,
    counts: Counter[str],
) -> list[TownGoal]:
    """Return the goals of the day with those of the model: free time after work, and a lunch at
    home.
    """
    free: list[TownGoal] = []
    taken = list(goals)
    for line in plan:
        words = _type_line(line.text, persona, town, asker, counts)
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
        activity = REPRESENTED_BY.get(first, first)
        building = typed[1] or _usual_building(activity, goals, persona)
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
                name=name,
                activity=activity,
                building=building,
                window=window,
                minutes=FREE_MINUTES,
                priority=FREE_PRIORITY,
                text=f"{words[0].upper()}{words[1:]}",
            )
        )
    known = {(goal.activity, goal.building) for goal in free}
    kept = [goal for goal in taken if (goal.activity, goal.building) not in known]
    return sorted([*kept, *free], key=lambda goal: (goal.window[0], -goal.priority))


def _type_line(
    text: str, persona: Persona, town: TownMap, asker: Asker, counts: Counter[str]
) -> str | None:
    """Return the intention of a line; None if it has no type."""
    if fulfilling(persona, town, text) is not None:
        return text
    options = list(intentions_of(persona, town))
    chosen = asker.choose("intention", {"person": persona.name, "text": text}, options, text)
    counts["intentions typed by asking" if chosen is not None else "intentions without a type"] += 1
    return None if chosen is None else options[chosen]


def _lunch_at_home(goal: TownGoal, persona: Persona) -> TownGoal:
    return TownGoal(
        name="lunch_at_home",
        activity="eat",
        building=persona.home,
        window=goal.window,
        minutes=goal.minutes,
        priority=goal.priority,
        text="Have lunch at home",
    )


def _usual_building(activity: str, goals: Sequence[TownGoal], persona: Persona) -> str:
    """Return the building of the person's habit, or else the home."""
    return next((goal.building for goal in goals if goal.activity == activity), persona.home)
