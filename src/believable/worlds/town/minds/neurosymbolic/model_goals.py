"""The wishes of the language model as typed goals: they join the goals that every day needs.

The model names activity and place of each wish from a list, so that a wish has its type. The free
goals of a habit give way to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from believable.worlds.town.map import TownMap, activities
from believable.worlds.town.mind import Persona
from believable.worlds.town.minds.generative.asking import PlannedTask
from believable.worlds.town.minds.neurosymbolic.goals import TownGoal

#: Minutes before its hour something may begin, and how long a wish takes at most.
EARLY, FREE_MINUTES = 30, 40
FREE_PRIORITY = 4
#: Activities that the goals of every day contain anyway, or that are steps of others.
NEEDED = (
    *("sleep", "shower", "toilet", "brush_teeth", "wash_hands", "dress", "undress"),
    *("prepare", "cook", "eat", "order_meal", "wash_up"),
)
#: The activity that fulfils a wish of several.
FULFILLED_BY = {"order_coffee": "drink_coffee"}


def add_model_goals(
    goals: Sequence[TownGoal],
    wishes: Sequence[PlannedTask],
    persona: Persona,
    town: TownMap,
    counts: Counter[str],
) -> list[TownGoal]:
    """Return the goals of the day with the wishes for the time after work."""
    free: list[TownGoal] = []
    for wish in wishes:
        if wish.activity in NEEDED or wish.building == persona.workplace:
            continue
        activity = FULFILLED_BY.get(wish.activity, wish.activity)
        latest = min(town.buildings[wish.building].closes or persona.sleeps, persona.sleeps - 30)
        if latest - wish.minute < FREE_MINUTES // 2:
            counts["wishes too late"] += 1
            continue
        counts["wishes of the model"] += 1
        free.append(
            TownGoal(
                name="shopping" if activity == "pay" else f"meant{len(free)}",
                activity=activity,
                building=wish.building,
                window=(max(persona.work_to, wish.minute - EARLY), latest),
                minutes=min(FREE_MINUTES, max(10, activities()[activity].minutes[1])),
                priority=FREE_PRIORITY,
                text=f"{wish.text[0].upper()}{wish.text[1:]}",
            )
        )
    names = {goal.name for goal in free}
    kept = [
        goal
        for goal in goals
        if goal.name not in names and not (free and goal.name.startswith("habit"))
    ]
    return sorted([*kept, *free], key=lambda goal: (goal.window[0], -goal.priority))
