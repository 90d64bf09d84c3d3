"""From goals to primitives: methods divide a goal into tasks, and the preconditions of a task are
planned backwards, one step at a time.

`refine` takes the first task of the agenda. It returns a primitive, or the tasks that have to be
done before. It knows only the percept and the person's beliefs about doors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from believable.worlds.town.map import Fixture, TownMap, activities, distance
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.minds.neurosymbolic.goals import WORK, TownGoal
from believable.worlds.town.walking import next_leg

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
#: Tasks that are finished even after the time of their goal.
CLEANUP = ("put", "close", "switch_off", "wash_up")


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaTask:
    """`do` an activity at a kind of furniture (or this fixture), `get` a thing, `put` it away,
    `open` or `close` something.
    """

    kind: str
    building: str
    name: str = ""
    at: str = ""
    fixture: str | None = None
    minutes: float = 0.0
    tries: int = 0


def tasks_of(
    goal: TownGoal,
    persona: Persona,
    minutes: float,
    left: float,
    carried: Sequence[str],
    rng: random.Random,
) -> list[AgendaTask]:
    """Return the tasks of a goal: those of its method, for work a set of the role that fits into
    the time left, for a habit the activity itself. At home, groceries are put away first.
    """
    if goal.is_work:
        sets: list[Sequence[tuple[str, ...]]] = list(WORK[persona.role])
        singles = [steps for steps in sets if len(steps) == 1] or [sets[-1][:1]]
        steps = rng.choice([steps for steps in sets if _longest(steps) <= left] or singles)
    else:
        steps = METHODS.get(goal.name) or METHODS.get(goal.activity) or ((goal.activity, ""),)
    tasks = [_task(step, goal.building, minutes if len(steps) == 1 else 0.0) for step in steps]
    home = goal.building == persona.home
    if (
        home
        and "ingredients" in carried
        and not any(step == ("get", "ingredients") for step in steps)
    ):
        tasks.insert(
            0, AgendaTask(kind="put", building=goal.building, name="ingredients", at="fridge")
        )
    if home and "ingredients" in carried:
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


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """The next step of a task: a primitive, or tasks to do `first`. `done`: the task leaves the
    agenda.
    """

    primitive: Primitive | None = None
    first: tuple[AgendaTask, ...] = ()
    done: bool = False
    failed: str = ""


class TaskPlanner:
    """Plans for one person. Without `backward` it plans no preconditions and no tidying up (the
    option `planner=off`).
    """

    def __init__(self, town: TownMap, persona: Persona, *, backward: bool = True) -> None:
        self.town, self.persona, self.backward = town, persona, backward

    def refine(
        self, task: AgendaTask, percept: Percept, closed: frozenset[str], rng: random.Random
    ) -> PlannedStep:
        match task.kind:
            case "do":
                return self._do(task, percept, closed, rng)
            case "get":
                return self._get(task, percept, closed)
            case "put":
                return self._put(task, percept, closed)
            case _:
                return self._leaf(task, percept, closed)

    def _do(
        self, task: AgendaTask, percept: Percept, closed: frozenset[str], rng: random.Random
    ) -> PlannedStep:
        kind = activities()[task.name]
        fixture = self.fixture_for(task, percept, rng)
        if fixture is None:
            return PlannedStep(failed=f"nothing to {task.name} at in {task.building}")
        if task.fixture is None:
            return PlannedStep(first=(replace(task, fixture=fixture.id),), done=True)
        carried = [thing.kind for thing in percept.carried]
        if self.backward and kind.takes and kind.takes not in carried:
            if kind.takes in ("meal", "coffee", "plate", "dough"):
                return PlannedStep(failed=f"no {kind.takes} to {task.name}")
            return PlannedStep(
                first=(AgendaTask(kind="get", building=task.building, name=kind.takes), task),
                done=True,
            )
        if self.backward and kind.makes and len(carried) >= 2 and not kind.takes:
            return PlannedStep(failed="both hands are full")
        walk = self.walk(fixture.id, fixture.stand, percept, closed)
        if walk is not None:
            return PlannedStep(walk)
        state = percept.state_of(fixture.id)
        if self.backward and kind.state == "on" and state == "off":
            on = AgendaTask(
                kind="do",
                building=task.building,
                name="switch_on",
                at=task.at,
                fixture=fixture.id,
                minutes=1,
            )
            off = AgendaTask(
                kind="do",
                building=task.building,
                name="switch_off",
                at=task.at,
                fixture=fixture.id,
                minutes=1,
            )
            return PlannedStep(first=(on, task, off), done=True)
        low, high = kind.minutes
        minutes = task.minutes or rng.randint(low, high)
        return PlannedStep(
            Primitive(verb="use", object=fixture.id, activity=task.name, minutes=minutes), done=True
        )

    def _get(self, task: AgendaTask, percept: Percept, closed: frozenset[str]) -> PlannedStep:
        if not self.backward:
            return PlannedStep(done=True)
        sources = [
            fixture
            for fixture in self.town.fixtures.values()
            if fixture.stock == task.name and self.town.building_of(fixture.room) == task.building
        ]
        if not sources or len(percept.carried) >= 2:
            return PlannedStep(
                failed=f"no {task.name} to be had in {task.building}"
                if not sources
                else "both hands are full"
            )
        source = min(
            sources, key=lambda fixture: (distance(percept.tile, fixture.stand), fixture.id)
        )
        return self._at_container(
            task,
            source,
            percept,
            closed,
            Primitive(verb="pick-up", object=task.name, target=source.id),
        )

    def _put(self, task: AgendaTask, percept: Percept, closed: frozenset[str]) -> PlannedStep:
        item = next((thing for thing in percept.carried if thing.kind == task.name), None)
        if not self.backward or item is None:
            return PlannedStep(done=True)
        fixtures = [
            other
            for other in self.town.fixtures_of(task.at, building=task.building)
            if self._may_use(other)
        ]
        if not fixtures:
            return PlannedStep(failed=f"no {task.at} in {task.building}")
        fixture = min(fixtures, key=lambda other: (distance(percept.tile, other.stand), other.id))
        return self._at_container(
            task, fixture, percept, closed, Primitive(verb="put", object=item.id, target=fixture.id)
        )

    def _at_container(
        self,
        task: AgendaTask,
        fixture: Fixture,
        percept: Percept,
        closed: frozenset[str],
        primitive: Primitive,
    ) -> PlannedStep:
        walk = self.walk(fixture.id, fixture.stand, percept, closed)
        if walk is not None:
            return PlannedStep(walk)
        state = percept.state_of(fixture.id)
        if state == "closed":
            shut = AgendaTask(kind="close", building=task.building, fixture=fixture.id)
            opening = AgendaTask(kind="open", building=task.building, fixture=fixture.id)
            return PlannedStep(first=(opening, task, shut), done=True)
        return PlannedStep(primitive, done=True)

    def _leaf(self, task: AgendaTask, percept: Percept, closed: frozenset[str]) -> PlannedStep:
        target = str(task.fixture)
        state = percept.state_of(target)
        if state is None or (state == "open") == (task.kind == "open"):
            return PlannedStep(done=True)
        return PlannedStep(
            Primitive(verb="open" if task.kind == "open" else "close", object=target), done=True
        )

    def fixture_for(self, task: AgendaTask, percept: Percept, rng: random.Random) -> Fixture | None:
        """Return the furniture of a task: the one it names, the person's bed, or one that does not
        look taken.
        """
        if task.fixture is not None:
            return self.town.fixtures[task.fixture]
        if task.name == "sleep":
            return self.town.fixtures[self.persona.bed]
        kinds = (task.at,) if task.at else activities()[task.name].at
        taken = {thing.id for thing in percept.things if len(thing.users) >= thing.capacity}
        fixtures = [
            fixture
            for kind in kinds
            for fixture in self.town.fixtures_of(kind, building=task.building)
            if self._may_use(fixture)
        ]
        free = [fixture for fixture in fixtures if fixture.id not in taken] or fixtures
        return rng.choice(free) if free else None

    def _may_use(self, fixture: Fixture) -> bool:
        room = self.town.rooms[fixture.room]
        return not room.staff or room.building == self.persona.workplace

    def walk(
        self, target: str, goal: tuple[int, int], percept: Percept, closed: frozenset[str]
    ) -> Primitive | None:
        """Return the next part of the way: to a closed door, through a door that the person closes
        again, or to the end. None on arrival.
        """
        return next_leg(
            self.town,
            percept,
            target,
            goal,
            closed,
            stops_behind=lambda door, beyond: self.backward and self.closes_behind(door, beyond),
        )

    def closes_behind(self, door: str, beyond: str) -> bool:
        """Return whether people close this door: front doors of homes, and the bathroom from
        inside.
        """
        opening = self.town.doors[door]
        home = self.town.buildings[opening.building].kind == "home"
        return home and (opening.outer or self.town.is_bathroom(beyond))
