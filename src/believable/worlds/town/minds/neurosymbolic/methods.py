"""Methods divide a goal into tasks, which the body carries out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from believable.worlds.town.map import activities
from believable.worlds.town.mind import Persona
from believable.worlds.town.minds.body.planner import AgendaTask
from believable.worlds.town.minds.neurosymbolic.goals import WORK, TownGoal

#: Goal → tasks: (activity, kind of furniture), ("get", thing), ("put", thing, furniture).
METHODS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "morning": (
        ("toilet", "toilet"),
        ("wash_hands", "basin"),
        ("shower", "shower"),
        ("brush_teeth", "basin"),
        ("dress", "wardrobe"),
    ),
    "breakfast": (
        ("get", "ingredients"),
        ("prepare", "counter"),
        ("eat", "table"),
        ("wash_up", "sink"),
    ),
    "lunch": (("order_meal", "counter"), ("eat", "table"), ("put", "plate", "counter")),
    "lunch_at_home": (
        ("get", "ingredients"),
        ("prepare", "counter"),
        ("eat", "table"),
        ("wash_up", "sink"),
    ),
    "shopping": (("browse", "display shelf"), ("get", "ingredients"), ("pay", "till")),
    "dinner": (("get", "ingredients"), ("cook", "stove"), ("eat", "table"), ("wash_up", "sink")),
    "bedtime": (
        ("toilet", "toilet"),
        ("wash_hands", "basin"),
        ("brush_teeth", "basin"),
        ("undress", "wardrobe"),
    ),
    "night": (("sleep", "bed"),),
    "sleep": (("sleep", "bed"),),
    "drink_coffee": (
        ("order_coffee", "counter"),
        ("drink_coffee", "table"),
        ("put", "plate", "counter"),
    ),
}


def tasks_of(
    goal: TownGoal,
    persona: Persona,
    minutes: float,
    left: float,
    carried: Sequence[str],
    rng: random.Random,
) -> list[AgendaTask]:
    """Return the tasks of a goal: those of its method, for work a set of the role that fits into
    the time left, for a habit the activity itself.
    """
    if goal.is_work:
        sets: list[Sequence[tuple[str, ...]]] = list(WORK[persona.role])
        singles = [steps for steps in sets if len(steps) == 1] or [sets[-1][:1]]
        steps = rng.choice([steps for steps in sets if _longest(steps) <= left] or singles)
    else:
        steps = METHODS.get(goal.name) or METHODS.get(goal.activity) or ((goal.activity, ""),)
    tasks = [_task(step, goal.building, minutes if len(steps) == 1 else 0.0) for step in steps]
    if goal.building == persona.home and "ingredients" in carried:
        tasks = [task for task in tasks if (task.kind, task.name) != ("get", "ingredients")]
    return tasks


def _longest(steps: Sequence[tuple[str, ...]]) -> float:
    """Return the most minutes that these steps take, ways included."""
    return sum(
        (activities()[step[0]].minutes[1] if step[0] in activities() else 1) + 3 for step in steps
    )


def _task(step: tuple[str, ...], building: str, minutes: float) -> AgendaTask:
    if step[0] == "get":
        return AgendaTask(kind="get", building=building, name=step[1])
    if step[0] == "put":
        return AgendaTask(kind="put", building=building, name=step[1], at=step[2])
    return AgendaTask(kind="do", building=building, name=step[0], at=step[1], minutes=minutes)
