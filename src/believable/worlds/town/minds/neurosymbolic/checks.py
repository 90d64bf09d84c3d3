"""The checks of the neuro-symbolic mind before it acts. Each can be switched off, and each
objection is counted.

The rule checker shares nothing with this file. Some of its rules say the same, and others are in no
check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.map import TownMap, activities
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.minds.body.body import Remedy, TaskProblem

#: In the order in which they are made.
CHECKS = ("preconditions", "time", "goal", "social", "memory")
#: The least time between two meals.
MEAL_PAUSE_MINUTES = 120
#: People may sleep this long before and after their usual hours.
SLEEP_MARGIN = 90
EARLY_WORK, LATE_WORK = 30, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliberation:
    """Everything that a check may consider."""

    persona: Persona
    people: Mapping[str, Persona]
    town: TownMap
    percept: Percept
    open_goal: bool
    awaits_answer: bool
    last_meal_step: int
    said: frozenset[str]


def find_objection(
    primitive: Primitive, known: Deliberation, checks: frozenset[str]
) -> TaskProblem | None:
    """Return the first objection of the active checks."""
    for name in CHECKS:
        if name in checks:
            problem = _CHECKS[name](primitive, known)
            if problem is not None:
                return TaskProblem(name, *problem)
    return None


_Problem = tuple[str, Remedy] | None


def _preconditions(primitive: Primitive, known: Deliberation) -> _Problem:
    percept = known.percept
    seen = {thing.id: thing for thing in percept.things}.get(str(primitive.object))
    if primitive.verb == "use" and seen is not None:
        if len(seen.users) >= seen.capacity:
            return f"{seen.id} is taken", "other"
        kind = activities()[str(primitive.activity)]
        if kind.takes and not percept.carries(kind.takes):
            return f"no {kind.takes} in the hands", "drop"
        if kind.state and seen.state != kind.state:
            return f"{seen.id} is {seen.state}", "drop"
        if kind.price > percept.money:
            return f"{kind.price:g} coins are needed", "drop"
    if (
        primitive.verb in ("open", "close")
        and seen is not None
        and (seen.state == "open") == (primitive.verb == "open")
    ):
        return f"{seen.id} is {seen.state} already", "drop"
    if primitive.verb == "speak":
        near = [
            person
            for person in percept.people
            if person.id == primitive.target and person.distance <= 3
        ]
        if not near or near[0].asleep:
            return f"{primitive.target} cannot hear it", "drop"
    return None


def _time(primitive: Primitive, known: Deliberation) -> _Problem:
    persona, minute = known.persona, known.percept.minute
    if primitive.verb != "use":
        return None
    if (
        primitive.activity == "sleep"
        and persona.wakes + SLEEP_MARGIN < minute < persona.sleeps - SLEEP_MARGIN
    ):
        return "it is day", "drop"
    if (
        primitive.activity == "eat"
        and known.percept.step - known.last_meal_step < MEAL_PAUSE_MINUTES * STEPS_PER_MINUTE
    ):
        return "the last meal was just now", "drop"
    building = known.town.buildings.get(known.percept.building)
    if building is not None and building.id != persona.workplace and not building.is_open(minute):
        return f"{building.name} is closed now", "drop"
    paid = activities()[str(primitive.activity)].wage > 0
    if paid and not persona.work_from - EARLY_WORK <= minute <= persona.work_to + LATE_WORK:
        return "work is over", "drop"
    return None


def _goal(primitive: Primitive, known: Deliberation) -> _Problem:
    serving = primitive.verb in ("speak", "wait", "close") or known.open_goal
    return None if serving else ("no goal is open that it serves", "drop")


def _social(primitive: Primitive, known: Deliberation) -> _Problem:
    persona, percept, town = known.persona, known.percept, known.town
    approaches = primitive.object in known.people
    if known.awaits_answer and primitive.verb == "move-to" and not approaches:
        return "somebody is about to answer", "later"
    if primitive.verb == "open" and primitive.object in town.bathroom_doors:
        if not town.is_bathroom(percept.room):
            return "the bathroom is in use", "later"
    elif primitive.verb == "open" and primitive.object in town.doors:
        building = town.buildings[town.doors[str(primitive.object)].building]
        if building.kind == "home" and building.id != persona.home:
            return f"{building.name} is somebody else's home", "drop"
    if primitive.verb == "use":
        fixture = town.fixtures[str(primitive.object)]
        room = town.rooms[fixture.room]
        if room.staff and room.building != persona.workplace:
            return f"the {room.name} is for those who work there", "drop"
        sleepers = {other.bed for other in known.people.values() if other.id != persona.id}
        if fixture.id in sleepers:
            return "it is somebody else's bed", "drop"
    return None


def _memory(primitive: Primitive, known: Deliberation) -> _Problem:
    if primitive.verb == "speak" and f"{primitive.target}: {primitive.text}" in known.said:
        return "it was said before", "drop"
    return None


_CHECKS: Mapping[str, Callable[[Primitive, Deliberation], _Problem]] = {
    "preconditions": _preconditions,
    "time": _time,
    "goal": _goal,
    "social": _social,
    "memory": _memory,
}
