"""What the neuro-symbolic mind asks itself before it acts. Each check can be switched off; each
objection is counted.

The rule checker shares nothing with this file: it has its own idea of what is wrong, and knows
norms that are not here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from believable.worlds.town.mind import STEPS_PER_MINUTE, Percept, Persona, Primitive
from believable.worlds.town.town_map import TownMap, activities

#: In the order in which they are asked.
CHECKS = ("preconditions", "time", "goal", "social", "memory")
#: Nobody eats again so soon.
MEAL_PAUSE_MINUTES = 120
#: So much before and after the usual hours somebody may sleep.
SLEEP_MARGIN = 90
EARLY_WORK, LATE_WORK = 30, 20


@dataclass(frozen=True, slots=True)
class Objection:
    """Which check speaks against it, why, and what may help: `other` furniture, `later`, or to
    `drop` it.
    """

    check: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Deliberation:
    """What is known when a primitive is weighed."""

    persona: Persona
    people: Mapping[str, Persona]
    town: TownMap
    percept: Percept
    open_goal: bool
    awaits_answer: bool
    last_meal_step: int
    said: frozenset[str]
    talked: Mapping[str, int]


def objection(
    primitive: Primitive, weighed: Deliberation, checks: frozenset[str]
) -> Objection | None:
    """The first objection of the checks that are on."""
    for name in CHECKS:
        if name in checks:
            problem = _CHECKS[name](primitive, weighed)
            if problem is not None:
                return Objection(name, *problem)
    return None


_Problem = tuple[str, str] | None


def _preconditions(primitive: Primitive, weighed: Deliberation) -> _Problem:
    percept = weighed.percept
    seen = {thing.id: thing for thing in percept.things}.get(str(primitive.object))
    if primitive.verb == "use" and seen is not None:
        if len(seen.users) >= seen.capacity:
            return f"{seen.id} is taken", "other"
        kind = activities()[str(primitive.activity)]
        if kind.takes and kind.takes not in {thing.kind for thing in percept.carried}:
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


def _time(primitive: Primitive, weighed: Deliberation) -> _Problem:
    persona, minute = weighed.persona, weighed.percept.minute
    if primitive.verb != "use":
        return None
    if (
        primitive.activity == "sleep"
        and persona.wakes + SLEEP_MARGIN < minute < persona.sleeps - SLEEP_MARGIN
    ):
        return "it is day", "drop"
    if (
        primitive.activity == "eat"
        and weighed.percept.step - weighed.last_meal_step < MEAL_PAUSE_MINUTES * STEPS_PER_MINUTE
    ):
        return "the last meal was just now", "drop"
    building = weighed.town.buildings.get(weighed.percept.building)
    if building is not None and building.id != persona.workplace and not building.is_open(minute):
        return f"{building.name} is closed now", "drop"
    paid = activities()[str(primitive.activity)].wage > 0
    if paid and not persona.work_from - EARLY_WORK <= minute <= persona.work_to + LATE_WORK:
        return "work is over", "drop"
    return None


def _goal(primitive: Primitive, weighed: Deliberation) -> _Problem:
    serving = primitive.verb in ("speak", "wait", "close") or weighed.open_goal
    return None if serving else ("no goal is open that it serves", "drop")


def _social(primitive: Primitive, weighed: Deliberation) -> _Problem:
    persona, percept, town = weighed.persona, weighed.percept, weighed.town
    if weighed.awaits_answer and primitive.verb == "move-to":
        return "somebody is about to answer", "later"
    if primitive.verb == "open" and str(primitive.object).endswith(".bathroom.door"):
        if not percept.room.endswith(".bathroom"):
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
        sleepers = {other.bed for other in weighed.people.values() if other.id != persona.id}
        if fixture.id in sleepers:
            return "it is somebody else's bed", "drop"
    return None


def _memory(primitive: Primitive, weighed: Deliberation) -> _Problem:
    if primitive.verb == "speak" and f"{primitive.target}: {primitive.text}" in weighed.said:
        return "it was said before", "drop"
    return None


_CHECKS: Mapping[str, Callable[[Primitive, Deliberation], _Problem]] = {
    "preconditions": _preconditions,
    "time": _time,
    "goal": _goal,
    "social": _social,
    "memory": _memory,
}
