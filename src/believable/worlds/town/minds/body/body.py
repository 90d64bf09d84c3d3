"""Carries out the tasks of a mind: walks, fetches, opens and closes, switches on and off, puts
away, waits, tries again, and gives up.

    mind ── AgendaTask ──▶ body ── Primitive ──▶ world ── PrimitiveResult ──▶ body

Minds decide which tasks there are and when. Everything below that is the same for all of them, so
that a difference between two minds is not a difference between their hands.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from believable.worlds.town import checkpoint
from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.map import activities, distance
from believable.worlds.town.mind import MindSetting, Percept, Primitive, PrimitiveResult
from believable.worlds.town.minds.body.planner import CLEANUP, AgendaTask, TaskPlanner
from believable.worlds.town.walking import assume_closed, update_closed

#: A task is tried again this often after refusals and objections.
MAX_TRIES = 4
#: Before the next try.
LATER_MINUTES = 2.0
#: An interrupted activity is resumed if at least this is left of it.
MIN_RESUMED_MINUTES = 2

Remedy = Literal["other", "later", "drop"]


@dataclass(frozen=True, slots=True)
class TaskProblem:
    """An obstacle to a task. The remedy is `other` furniture, `later`, or to `drop` the task."""

    check: str
    reason: str
    remedy: Remedy


def _is_taken(primitive: Primitive, percept: Percept) -> bool:
    return any(
        thing.id == primitive.object and len(thing.users) >= thing.capacity
        for thing in percept.things
    )


class TownBody:
    """The body of one person. `agenda` holds the tasks, the first of them under way."""

    SAVED = ("agenda", "closed", "pending_close", "counts", "rng_counter", "failure")
    agenda: list[AgendaTask]
    #: Doors that the person believes to be closed, and one to close after walking through.
    closed: set[str]
    pending_close: str | None
    counts: Counter[str]
    #: The number of random decisions: each uses another generator.
    rng_counter: int
    #: Why the last task failed, for the prompts of minds that ask a model.
    failure: str

    def __init__(self, setting: MindSetting, *, backward: bool = True) -> None:
        self._setting, self._town = setting, setting.town
        self.planner = TaskPlanner(setting.town, setting.persona, backward=backward)
        self.agenda, self.counts, self.rng_counter = [], Counter(), 0
        self.closed, self.pending_close = assume_closed(setting.town), None
        self.failure = ""

    def rng(self, *names: str | int) -> random.Random:
        """Return the generator of the next decision."""
        self.rng_counter += 1
        return self._setting.rng(*names, self.rng_counter)

    def begin(self, task: AgendaTask) -> None:
        """Begin another task. Of the tasks before it only tidying up remains."""
        self.keep_cleanup()
        self.agenda.append(task)

    def keep_cleanup(self) -> None:
        self.agenda = [task for task in self.agenda if {task.kind, task.name} & set(CLEANUP)]

    def accept_result(self, percept: Percept) -> None:
        """Learn from the last primitive: closed doors, refusals, and interruptions."""
        update_closed(self.closed, percept)
        result = percept.result
        if result is None or percept.step - result.to_step > 1:
            return
        primitive = result.primitive
        if result.refused is not None:
            self.counts["refused"] += 1
            why = {"verb": primitive.verb, "object": primitive.object, "why": result.refused.text}
            self._setting.trace.note("refused", why)
            remedy: Remedy = "other" if result.refused.code == "taken" else "later"
            self.repair(primitive, TaskProblem("world", result.refused.text, remedy))
        elif primitive.verb == "use" and result.cut:
            self._resume(result, percept)

    def act(self, percept: Percept) -> Primitive | None:
        """Return the next primitive of the first task. None: the agenda has changed."""
        closing = self._close_door(percept)
        if closing is not None:
            return closing
        if not self.agenda:
            return None
        task = self.agenda[0]
        step = self.planner.refine(task, percept, frozenset(self.closed), self.rng("refine"))
        if step.failed:
            self.counts["tasks failed"] += 1
            self.failure = f"{task.name.replace('_', ' ')}: {step.failed}"
            self._setting.trace.note("failed", {"task": task.name, "why": step.failed})
            del self.agenda[0]
            return None
        if step.done:
            self.agenda[:1] = step.first
        primitive = step.primitive
        if primitive is None:
            return None
        if primitive.verb == "use" and _is_taken(primitive, percept):
            return self._wait_for(primitive)
        if primitive.verb == "move-to":
            self._plan_to_close(primitive, percept)
        return primitive

    def _wait_for(self, primitive: Primitive) -> Primitive | None:
        """Try other furniture than this, which is taken, or wait if there is none."""
        taken = TaskProblem("taken", f"{primitive.object} is taken", "other")
        self.repair(primitive, taken)
        wait = Primitive(verb="wait", minutes=LATER_MINUTES)
        return wait if self.has_no_other(primitive) else None

    def _plan_to_close(self, walk: Primitive, percept: Percept) -> None:
        door = str(walk.object)
        passes = door in self._town.doors and walk.target != percept.room
        if passes and self.planner.closes_behind(door, str(walk.target)):
            self.pending_close = door

    def _close_door(self, percept: Percept) -> Primitive | None:
        """Close the door that the person has just walked through."""
        door, self.pending_close = self.pending_close, None
        if door is None or door in self.closed:
            return None
        opening = self._town.doors[door]
        near = distance((opening.x, opening.y), percept.tile) == 1
        return Primitive(verb="close", object=door) if near else None

    def confirm(self, primitive: Primitive) -> None:
        """Update the beliefs about doors."""
        if primitive.verb == "open":
            self.closed.discard(str(primitive.object))
        elif primitive.verb == "close" and primitive.object in self._town.doors:
            self.closed.add(str(primitive.object))

    # ------------------------------------------------------------------------------ repairs

    def repair(self, primitive: Primitive, problem: TaskProblem) -> None:
        """Try other furniture, try later, or drop the task."""
        self.counts[f"objection {problem.check}"] += 1
        self._setting.trace.note(
            "objection", {"verb": primitive.verb, "object": primitive.object, **asdict(problem)}
        )
        if primitive.verb == "close":
            self.pending_close = None
            return
        if primitive.verb in ("wait", "speak"):
            return
        task = self._interrupted_task(primitive)
        if task is None:
            return
        if self.agenda and self.agenda[0] is task:
            del self.agenda[0]
        if problem.remedy == "drop" or task.tries >= MAX_TRIES:
            self.counts["tasks dropped"] += 1
            self.failure = f"{task.name.replace('_', ' ')}: {problem.reason}"
            return
        self.counts["repairs"] += 1
        fixture = None if problem.remedy == "other" else task.fixture
        self.agenda.insert(0, replace(task, tries=task.tries + 1, fixture=fixture))
        if problem.check == "world" and problem.remedy == "later":
            wait = AgendaTask(kind="wait", building=task.building, minutes=LATER_MINUTES)
            self.agenda.insert(0, wait)

    def _interrupted_task(self, primitive: Primitive) -> AgendaTask | None:
        """Return the task of a primitive. The task of a `use` has left the agenda; others are still
        its first.
        """
        if primitive.verb != "use":
            return self.agenda[0] if self.agenda else None
        if primitive.object not in self._town.fixtures:
            return None
        self.counts[f"tries {primitive.object}"] += 1
        tries = self.counts[f"tries {primitive.object}"] % MAX_TRIES
        return self._task_of(primitive, primitive.minutes, tries)

    def _resume(self, result: PrimitiveResult, percept: Percept) -> None:
        """Put an interrupted activity back on the agenda."""
        primitive = result.primitive
        kind = activities()[str(primitive.activity)]
        left = primitive.minutes - (result.to_step - result.from_step) / STEPS_PER_MINUTE
        has = kind.takes is None or percept.carries(kind.takes)
        has = has and not (kind.makes and percept.carries(kind.makes))  # it is done
        if left >= MIN_RESUMED_MINUTES and has and kind.name != "sleep":
            self.agenda.insert(0, self._task_of(primitive, left))

    def _task_of(self, primitive: Primitive, minutes: float, tries: int = 0) -> AgendaTask:
        fixture = self._town.fixtures[str(primitive.object)]
        return AgendaTask(
            kind="do",
            building=self._town.building_of(fixture.room),
            name=str(primitive.activity),
            at=fixture.kind,
            fixture=fixture.id,
            minutes=minutes,
            tries=tries,
        )

    def has_no_other(self, primitive: Primitive) -> bool:
        """Return whether the building has only one piece of such furniture."""
        fixture = self._town.fixtures[str(primitive.object)]
        building = self._town.building_of(fixture.room)
        return len(self._town.fixtures_of(fixture.kind, building=building)) < 2

    def save(self) -> dict[str, Any]:
        return checkpoint.save(self, self.SAVED)

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, tree)
