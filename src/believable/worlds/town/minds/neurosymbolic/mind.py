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
from dataclasses import replace
from typing import Any

from believable.worlds.town.mind import MindKind, MindSetting, Percept, Primitive
from believable.worlds.town.minds.body.body import LATER_MINUTES
from believable.worlds.town.minds.neurosymbolic.checks import Deliberation, find_objection
from believable.worlds.town.minds.neurosymbolic.days import fill_time, start_day, turn_to_goal
from believable.worlds.town.minds.neurosymbolic.person import SWITCHES, NeurosymbolicPerson
from believable.worlds.town.minds.neurosymbolic.talks import (
    awaits_answer,
    brief,
    hear,
    note_said,
    take_turn,
)

#: Decisions at one step until the person gives up for a while.
MAX_DECISIONS = 40
LATER_IN_TALK_MINUTES = 1 / 3
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
            primitive = take_turn(person, percept) or self._act(percept)
            if primitive is None:
                continue
            problem = find_objection(primitive, self._deliberate(percept), person.checks)
            if problem is None:
                person.counts["primitives"] += 1
                return self._confirm(primitive, percept)
            if primitive.verb == "speak":
                person.exchange = None
            person.body.repair(primitive, problem)
            if problem.remedy == "later" or (
                problem.remedy == "other" and person.body.has_no_other(primitive)
            ):
                minutes = LATER_IN_TALK_MINUTES if person.exchange else LATER_MINUTES
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
        hear(person, percept)
        person.body.accept_result(percept)
        if result is None or result.refused is not None:
            return
        primitive = result.primitive
        if primitive.verb == "pick-up" and percept.building == person.persona.home:
            person.stock -= STOCK_PER_MEAL
        if primitive.activity == "eat":
            person.last_meal_step = result.to_step

    def _deliberate(self, percept: Percept) -> Deliberation:
        person = self.person
        return Deliberation(
            persona=person.persona,
            people=person.people,
            town=person.town,
            percept=percept,
            open_goal=person.entry is not None or not person.body.agenda,
            awaits_answer=awaits_answer(person, percept),
            last_meal_step=person.last_meal_step,
            said=frozenset(person.talks.said),
        )

    def _act(self, percept: Percept) -> Primitive | None:
        """Return the next primitive of the agenda. None: the agenda has changed, decide again."""
        person = self.person
        turn_to_goal(person, percept)
        if not person.body.agenda and person.body.pending_close is None:
            return fill_time(person, percept)
        return person.body.act(percept)

    def _confirm(self, primitive: Primitive, percept: Percept) -> Primitive:
        """Update the beliefs of the person, and name the goal that the primitive serves."""
        person = self.person
        if primitive.verb == "speak":
            note_said(person, primitive, percept)
        person.body.confirm(primitive)
        return replace(primitive, serves=person.serves(percept.day))

    @property
    def partner(self) -> str | None:
        exchange = self.person.exchange
        return exchange.other if exchange is not None else None

    def briefing(self, other: str, percept: Percept) -> Mapping[str, str]:
        return brief(self.person, other, percept)

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
