"""The planner of the body: the preconditions of a task are planned backwards, one step at a time.

`refine` takes the first task of the agenda. It returns a primitive, or the tasks that have to be
done before. It knows only the percept and the person's beliefs about doors. What things a task
takes and which switch it needs, the body knows; why the task is done, only the mind.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

from believable.worlds.town.affordances import SWITCHES, may_use
from believable.worlds.town.map import Fixture, TownMap, activities, distance
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.state import HANDS
from believable.worlds.town.walking import next_leg

#: Tasks that are finished even after the time of their goal.
CLEANUP = ("put", "close", "switch_off", "wash_up")
#: Things that no shelf has: people make them.
MADE = ("meal", "coffee", "plate", "dough")
#: Thing → furniture in which it is put away, the best first.
PUT_AWAY: Mapping[str, tuple[str, ...]] = {
    "bread": ("display shelf", "counter"),
    "coffee": ("counter", "table"),
    "meal": ("counter", "table"),
    "plate": ("counter", "sink"),
    "dough": ("worktable",),
    "ingredients": ("fridge",),
    "crate": ("storage shelf",),
    "flour": ("storage shelf",),
    "book": ("bookshelf",),
    "watering can": ("tool chest",),
}


#: Activities that take this long may fill a longer time, up to this.
MIN_LASTING_MINUTES, MAX_USE_MINUTES = 15, 120.0


def use_minutes(activity: str, left: float) -> float:
    """Return how long an activity takes if this much time is left: as usual, or all of it if the
    activity lasts.
    """
    kind = activities()[activity]
    low, high = kind.minutes
    lasts = high >= MIN_LASTING_MINUTES and not (kind.takes or kind.makes)
    return max(float(low), min(left, MAX_USE_MINUTES if lasts else float(high)))


@dataclass(frozen=True, slots=True, kw_only=True)
class AgendaTask:
    """`do` an activity at a kind of furniture (or this fixture), `get` a thing, `put` it away,
    `open` or `close` something, or `wait`.
    """

    kind: str
    building: str
    name: str = ""
    at: str = ""
    fixture: str | None = None
    minutes: float = 0.0
    tries: int = 0


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
            case "wait":
                return PlannedStep(Primitive(verb="wait", minutes=task.minutes), done=True)
            case _:
                return self._leaf(task, percept, closed)

    def _do(
        self, task: AgendaTask, percept: Percept, closed: frozenset[str], rng: random.Random
    ) -> PlannedStep:
        kind = activities()[task.name]
        fixture = self.fixture_for(task, percept, rng)
        if fixture is None:
            return PlannedStep(failed=f"nobody can {task.name} in {task.building}")
        if task.fixture is None:
            return PlannedStep(first=(replace(task, fixture=fixture.id),), done=True)
        first = self._prepare(task, percept) if self.backward else None
        if first is not None:
            return first
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

    def _prepare(self, task: AgendaTask, percept: Percept) -> PlannedStep | None:
        """Put away all things that the task does not need, then fetch those it needs."""
        if task.name in SWITCHES:
            return None
        kind = activities()[task.name]
        carried = [thing.kind for thing in percept.carried]
        tidying = self._put_away(task, percept)
        if tidying is not None:
            return PlannedStep(first=(tidying, task), done=True)
        if kind.takes and kind.takes not in carried:
            if kind.takes in MADE:
                return PlannedStep(failed=f"no {kind.takes} in the hands")
            fetching = AgendaTask(kind="get", building=task.building, name=kind.takes)
            return PlannedStep(first=(fetching, task), done=True)
        return None

    def _put_away(self, task: AgendaTask, percept: Percept) -> AgendaTask | None:
        """Return the task of putting something away: things of a building before the person leaves
        it, groceries at home, and one of two things if a hand is needed.
        """
        kind, here = activities()[task.name], percept.building
        leaves = here in self.town.buildings and here != task.building
        needs_hand = bool(kind.makes and not kind.takes) or bool(
            kind.takes and not percept.carries(kind.takes)
        )
        full = needs_hand and len(percept.carried) >= HANDS
        for thing in percept.carried:
            is_home = here == self.persona.home
            groceries = thing.kind == "ingredients"
            if thing.kind == kind.takes or thing.kind not in PUT_AWAY:
                continue
            if full or (groceries and is_home) or (leaves and not groceries):
                for at in PUT_AWAY[thing.kind]:
                    if self._to_put(at, here):
                        return AgendaTask(kind="put", building=here, name=thing.kind, at=at)
        return None

    def _to_put(self, at: str, building: str) -> list[Fixture]:
        return [
            fixture
            for fixture in self.town.fixtures_of(at, building=building)
            if self._may_enter(fixture)
        ]

    def _get(self, task: AgendaTask, percept: Percept, closed: frozenset[str]) -> PlannedStep:
        if not self.backward:
            return PlannedStep(done=True)
        sources = [
            fixture
            for fixture in self.town.fixtures.values()
            if fixture.stock == task.name
            and self.town.building_of(fixture.room) == task.building
            and self._may_enter(fixture)
        ]
        if not sources or len(percept.carried) >= HANDS:
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
        fixtures = self._to_put(task.at, task.building)
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
            if may_use(self.town, fixture, activities()[task.name], self.persona)
        ]
        free = [fixture for fixture in fixtures if fixture.id not in taken] or fixtures
        return rng.choice(free) if free else None

    def _may_enter(self, fixture: Fixture) -> bool:
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
