"""From a goal to primitives: methods break a goal into tasks, preconditions of a task are planned
backwards, one step at a time.

Tasks are plain records, so that a plan under way can be stored. `refine` looks at the first task of
the agenda and gives a primitive, or puts what has to be done before it in front; it never looks at
anything but the percept and what the person believes about doors.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.minds.day_goals import WORK, TownGoal
from believable.worlds.town.town_map import STREET, Fixture, TownMap, activities, distance
from believable.worlds.town.way_legs import next_leg

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
#: What is thrown away or finished even when time is over.
CLEANUP = ("put", "close", "switch_off", "wash_up")


@dataclass(frozen=True, slots=True)
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
    entry: str | None = None


def tasks_of(
    goal: TownGoal,
    persona: Persona,
    minutes: float,
    left: float,
    carried: Sequence[str],
    rng: random.Random,
) -> list[AgendaTask]:
    """The tasks of a goal: its method, for work a set of what the role does that fits into what is
    left, for a habit the activity itself. What was bought and is still carried is put away at home
    first.
    """
    if goal.name in ("work", "work2"):
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
        tasks.insert(0, AgendaTask("put", goal.building, "ingredients", "fridge"))
    if home and "ingredients" in carried:
        tasks = [task for task in tasks if (task.kind, task.name) != ("get", "ingredients")]
    return tasks


def _longest(steps: Sequence[tuple[str, ...]]) -> float:
    """Minutes at most, ways included."""
    return sum(
        (activities()[step[0]].minutes[1] if step[0] in activities() else 1) + 3 for step in steps
    )


def _task(step: tuple[str, ...], building: str, minutes: float) -> AgendaTask:
    if step[0] == "get":
        return AgendaTask("get", building, step[1])
    if step[0] == "put":
        return AgendaTask("put", building, step[1], step[2])
    return AgendaTask("do", building, step[0], step[1], minutes=minutes)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What to do next: a primitive, or tasks to put in front, or nothing any more (`done`)."""

    primitive: Primitive | None = None
    first: tuple[AgendaTask, ...] = ()
    done: bool = False
    failed: str = ""


class TaskPlanner:
    """Plans for one person. `backward` off: no preconditions, no cleaning up (the ablation
    `planner=off`).
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

    # ---------------------------------------------------------------------------------------- tasks

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
                first=(AgendaTask("get", task.building, kind.takes, entry=task.entry), task),
                done=True,
            )
        if self.backward and kind.makes and len(carried) >= 2 and not kind.takes:
            return PlannedStep(failed="both hands are full")
        walk = self.walk(fixture.id, fixture.stand, percept, closed)
        if walk is not None:
            return PlannedStep(walk)
        state = next((thing.state for thing in percept.things if thing.id == fixture.id), "")
        if self.backward and kind.state == "on" and state == "off":
            on = AgendaTask(
                "do", task.building, "switch_on", task.at, fixture.id, 1, entry=task.entry
            )
            off = AgendaTask(
                "do", task.building, "switch_off", task.at, fixture.id, 1, entry=task.entry
            )
            return PlannedStep(first=(on, task, off), done=True)
        low, high = kind.minutes
        minutes = task.minutes or rng.randint(low, high)
        return PlannedStep(
            Primitive("use", fixture.id, activity=task.name, minutes=minutes), done=True
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
            sources,
            key=lambda fixture: (distance((percept.x, percept.y), fixture.stand), fixture.id),
        )
        return self._at_container(
            task, source, percept, closed, Primitive("pick-up", task.name, source.id)
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
        fixture = min(
            fixtures, key=lambda other: (distance((percept.x, percept.y), other.stand), other.id)
        )
        return self._at_container(
            task, fixture, percept, closed, Primitive("put", item.id, fixture.id)
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
        state = next((thing.state for thing in percept.things if thing.id == fixture.id), "")
        if state == "closed":
            shut = AgendaTask("close", task.building, fixture=fixture.id, entry=task.entry)
            opening = AgendaTask("open", task.building, fixture=fixture.id, entry=task.entry)
            return PlannedStep(first=(opening, task, shut), done=True)
        return PlannedStep(primitive, done=True)

    def _leaf(self, task: AgendaTask, percept: Percept, closed: frozenset[str]) -> PlannedStep:
        target = str(task.fixture)
        state = next((thing.state for thing in percept.things if thing.id == target), None)
        if state is None or (state == "open") == (task.kind == "open"):
            return PlannedStep(done=True)
        return PlannedStep(Primitive("open" if task.kind == "open" else "close", target), done=True)

    def fixture_for(self, task: AgendaTask, percept: Percept, rng: random.Random) -> Fixture | None:
        """The furniture of a task: the one it names, the person's own bed, else one that is not
        seen to be taken.
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

    # ---------------------------------------------------------------------------------------- ways

    def walk(
        self, target: str, goal: tuple[int, int], percept: Percept, closed: frozenset[str]
    ) -> Primitive | None:
        """The next part of the way: to a closed door, through one that is closed behind, or to the
        end; None when there.
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
        """Front doors of homes, and the bathroom's from inside."""
        opening = self.town.doors[door]
        home = self.town.buildings[opening.building].kind == "home"
        return home and (opening.outer or (beyond != STREET and beyond.endswith(".bathroom")))
