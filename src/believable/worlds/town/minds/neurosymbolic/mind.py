"""A neuro-symbolic agent: typed goals, a schedule, a planner, checks before each action, and
repair.

    goals → schedule → planner → checks → action      (refused, or an objection: other furniture,
    later, or drop the task)

With a language model (`model=on`) it shares parts of the generative mind: the model plans the day
by the same prompt, and its plan becomes typed goals; memories are kept and recalled in the same
way; the model words the chosen content, and its sentence is compared with the facts. It does not
reflect. Without a model, intentions follow from habits, and sentences from a few patterns.

Options switch parts off: `planner=off`, `checks=off`, `schedule=off` (goals in their order, without
travel times and opening hours), and `check_preconditions=off` … for each check. Everything is
counted in `counts` and noted in the trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.map import activities, distance
from believable.worlds.town.mind import (
    MindKind,
    MindSetting,
    Percept,
    Primitive,
    PrimitiveResult,
    RefusedStep,
)
from believable.worlds.town.minds.neurosymbolic.checks import (
    Deliberation,
    Objection,
    find_objection,
)
from believable.worlds.town.minds.neurosymbolic.days import fill_time, start_day, turn_to_goal
from believable.worlds.town.minds.neurosymbolic.person import SWITCHES, NeurosymbolicPerson
from believable.worlds.town.minds.neurosymbolic.planner import AgendaTask
from believable.worlds.town.minds.neurosymbolic.talks import (
    awaits_answer,
    hear,
    note_said,
    take_turn,
)
from believable.worlds.town.walking import update_closed

#: A task is tried again this often after refusals and objections.
MAX_TRIES = 4
#: Decisions at one step until the person gives up for a while.
MAX_DECISIONS = 40
LATER_MINUTES, LATER_IN_TALK_MINUTES = 2, 1 / 3
#: An interrupted activity is resumed if at least this is left of it.
MIN_RESUMED_MINUTES = 2
#: Ingredients that a meal takes.
STOCK_PER_MEAL = 2


class NeurosymbolicMind:
    """Decides for one person; see the module."""

    def __init__(self, setting: MindSetting) -> None:
        self.person = NeurosymbolicPerson(setting)

    def day_start(self, percept: Percept) -> None:
        start_day(self.person, percept)

    def next_primitive(self, percept: Percept) -> Primitive:
        person = self.person
        self._perceive(percept)
        for _ in range(MAX_DECISIONS):
            primitive = (
                take_turn(person, percept) or self._close_door(percept) or self._act(percept)
            )
            if primitive is None:
                continue
            problem = find_objection(primitive, self._deliberate(percept), person.checks)
            if problem is None:
                person.counts["primitives"] += 1
                return self._confirm(primitive, percept)
            self._repair(primitive, problem)
            if problem.remedy == "later" or (
                problem.remedy == "other" and self._has_no_other(primitive)
            ):
                minutes = LATER_IN_TALK_MINUTES if person.talk.partner else LATER_MINUTES
                return self._wait(minutes, percept)
        person.counts["at a loss"] += 1
        return self._wait(LATER_MINUTES, percept)

    def _wait(self, minutes: float, percept: Percept) -> Primitive:
        return Primitive(verb="wait", minutes=minutes, serves=self.person.serves(percept.day))

    def notice(self, percept: Percept) -> bool:
        """Return whether the person stops to answer. People in bed do not answer."""
        person = self.person
        asleep = percept.result is None and percept.minute < person.persona.wakes
        spoken_to = any(percept.hears(person.persona.id))
        return spoken_to and not asleep and person.entry is not None and not person.is_in_bed

    def _perceive(self, percept: Percept) -> None:
        """Process sights, speech and the result of the last primitive."""
        person, result = self.person, percept.result
        if person.experience is not None:
            person.experience.listen(percept)
            person.experience.look(percept)
        update_closed(person.closed, percept)
        hear(person, percept)
        if result is None:
            return
        primitive = result.primitive
        if result.refused is not None:
            self._accept_refusal(primitive, result.refused)
        elif primitive.verb == "use" and result.cut:
            self._resume(result, percept)
        elif primitive.verb == "pick-up" and percept.building == person.persona.home:
            person.stock -= STOCK_PER_MEAL
        if primitive.activity == "eat" and result.refused is None:
            person.last_meal_step = result.to_step

    def _accept_refusal(self, primitive: Primitive, refused: RefusedStep) -> None:
        person = self.person
        person.counts["refused"] += 1
        why = {"verb": primitive.verb, "object": primitive.object, "why": refused.text}
        person.setting.trace.note("refused", why)
        problem = Objection("world", refused.text, "other" if refused.code == "taken" else "later")
        self._repair(primitive, problem)

    def _resume(self, result: PrimitiveResult, percept: Percept) -> None:
        """Put an interrupted activity back on the agenda."""
        primitive = result.primitive
        kind = activities()[str(primitive.activity)]
        left = primitive.minutes - (result.to_step - result.from_step) / STEPS_PER_MINUTE
        has = kind.takes is None or percept.carries(kind.takes)
        if left >= MIN_RESUMED_MINUTES and has and kind.name != "sleep":
            self.person.agenda.insert(0, self._task_of(primitive, left))

    def _task_of(self, primitive: Primitive, minutes: float, tries: int = 0) -> AgendaTask:
        fixture = self.person.town.fixtures[str(primitive.object)]
        return AgendaTask(
            kind="do",
            building=self.person.town.building_of(fixture.room),
            name=str(primitive.activity),
            at=fixture.kind,
            fixture=fixture.id,
            minutes=minutes,
            tries=tries,
        )

    def _deliberate(self, percept: Percept) -> Deliberation:
        person = self.person
        return Deliberation(
            persona=person.persona,
            people=person.people,
            town=person.town,
            percept=percept,
            open_goal=person.entry is not None or not person.agenda,
            awaits_answer=awaits_answer(person, percept),
            last_meal_step=person.last_meal_step,
            said=frozenset(person.talk.said),
        )

    def _repair(self, primitive: Primitive, problem: Objection) -> None:
        """Try other furniture, try later, or drop the task."""
        person = self.person
        person.counts[f"objection {problem.check}"] += 1
        person.setting.trace.note(
            "objection", {"verb": primitive.verb, "object": primitive.object, **asdict(problem)}
        )
        if primitive.verb == "speak":
            person.talk.partner = None
        elif primitive.verb == "close":
            person.pending_close = None
        elif primitive.verb != "wait":
            self._repair_task(primitive, problem)

    def _repair_task(self, primitive: Primitive, problem: Objection) -> None:
        person = self.person
        task = self._interrupted_task(primitive)
        if task is None:
            return
        if person.agenda and person.agenda[0] is task:
            del person.agenda[0]
        if problem.remedy == "drop" or task.tries >= MAX_TRIES:
            person.counts["tasks dropped"] += 1
            return
        person.counts["repairs"] += 1
        fixture = None if problem.remedy == "other" else task.fixture
        person.agenda.insert(0, replace(task, tries=task.tries + 1, fixture=fixture))

    def _interrupted_task(self, primitive: Primitive) -> AgendaTask | None:
        """Return the task of a primitive. The task of a `use` has left the agenda; others are still
        its first.
        """
        person = self.person
        if primitive.verb != "use":
            return person.agenda[0] if person.agenda else None
        if primitive.object not in person.town.fixtures:
            return None
        person.counts[f"tries {primitive.object}"] += 1
        tries = person.counts[f"tries {primitive.object}"] % MAX_TRIES
        return self._task_of(primitive, primitive.minutes, tries)

    def _has_no_other(self, primitive: Primitive) -> bool:
        town = self.person.town
        fixture = town.fixtures[str(primitive.object)]
        return len(town.fixtures_of(fixture.kind, building=town.building_of(fixture.room))) < 2

    def _close_door(self, percept: Percept) -> Primitive | None:
        """Close the door that the person has just walked through."""
        person = self.person
        door, person.pending_close = person.pending_close, None
        if door is None or door in person.closed:
            return None
        opening = person.town.doors[door]
        near = distance((opening.x, opening.y), percept.tile) == 1
        return Primitive(verb="close", object=door) if near else None

    def _act(self, percept: Percept) -> Primitive | None:
        """Return the next primitive of the agenda. None: the agenda has changed, decide again."""
        person = self.person
        turn_to_goal(person, percept)
        if not person.agenda:
            return fill_time(person, percept)
        task = person.agenda[0]
        step = person.planner.refine(task, percept, frozenset(person.closed), person.rng("refine"))
        if step.failed:
            person.counts["tasks failed"] += 1
            person.setting.trace.note("failed", {"task": task.name, "why": step.failed})
            del person.agenda[0]
            return None
        if step.done:
            person.agenda[:1] = step.first
        primitive = step.primitive
        if (
            primitive is not None
            and primitive.verb == "move-to"
            and (door := str(primitive.object)) in person.town.doors
            and primitive.target != percept.room
            and person.planner.closes_behind(door, str(primitive.target))
        ):
            person.pending_close = door
        return primitive

    def _confirm(self, primitive: Primitive, percept: Percept) -> Primitive:
        """Update the beliefs of the person, and name the goal that the primitive serves."""
        person = self.person
        if primitive.verb == "speak":
            note_said(person, primitive, percept)
        elif primitive.verb == "open":
            person.closed.discard(str(primitive.object))
        elif primitive.verb == "close" and primitive.object in person.town.doors:
            person.closed.add(str(primitive.object))
        return replace(primitive, serves=person.serves(percept.day))

    def state(self) -> Mapping[str, Any]:
        return self.person.save()

    def restore(self, state: Mapping[str, Any]) -> None:
        self.person.restore(state)


NEUROSYMBOLIC = MindKind(
    name="neurosymbolic",
    about="Typed goals, a schedule, a planner, checks before every act, and repair.",
    create=NeurosymbolicMind,
    options={**SWITCHES, "variant": "paper or released: how memories are recalled, with model=on"},
    asks_model="may",
)
