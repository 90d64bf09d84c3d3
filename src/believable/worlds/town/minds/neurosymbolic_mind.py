"""The neuro-symbolic mind: typed goals, a schedule, a planner, checks before every act, repair, and
a new plan where that fails.

    day_goals → day_schedule → task_planner → consistency → act      (refused or objected: other
    furniture, later, or drop)

With a language model (`model=on`) it has the generative mind's: the model means the day by the same
prompt, and that becomes typed goals; the same stream remembers, the same rule recalls; what was
decided to be said is worded by the model and compared with the facts. It does not reflect. Without
a model intentions follow from habits, sentences from a few ways to say them.

Options switch parts off: `planner=off`, `checks=off`, `schedule=off` (goals in their order, no
travel times, no opening hours), and `check_preconditions=off` … for each check. Everything is
counted in `counts` and noted in the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.town.generative.asking import Asker
from believable.worlds.town.generative.conversation import spoken_clause
from believable.worlds.town.generative.day_planning import about_words, day_plan
from believable.worlds.town.generative.memory_retrieval import RULES, Variant, retrieve
from believable.worlds.town.generative.memory_stream import MemoryStream
from believable.worlds.town.generative.perception import Observation, heard, observations
from believable.worlds.town.generative.reflection import importance_of
from believable.worlds.town.mind import (
    MINUTES_PER_DAY,
    STEPS_PER_DAY,
    STEPS_PER_MINUTE,
    MindKind,
    MindSetting,
    Percept,
    Persona,
    PlanEntry,
    Primitive,
)
from believable.worlds.town.minds.consistency import CHECKS, Deliberation, Objection, objection
from believable.worlds.town.minds.day_goals import TownGoal, day_goals
from believable.worlds.town.minds.day_schedule import ScheduledGoal, schedule
from believable.worlds.town.minds.meant_goals import with_meant
from believable.worlds.town.minds.small_talk import ask_for_words, speech_act, worded
from believable.worlds.town.minds.task_planner import CLEANUP, AgendaTask, TaskPlanner, tasks_of
from believable.worlds.town.town_map import activities
from believable.worlds.town.town_state import FRIDGE_STOCK

#: How a plan names what is fetched and put back.
MOVED = {"get": "getting the {}", "put": "putting the {} away"}
#: So often a task is tried again after a refusal or an objection.
MOST_TRIES = 4
LATER_MINUTES = 2
#: So late for the next goal, only what has to be put in order is still done.
LATE_MINUTES = 20
#: Turns of a talk, and the steps somebody waits for an answer.
TURNS = ("greeting", "answer", "remark", "reply")
PATIENCE_STEPS = 4
#: So long the same two do not begin a talk again.
TALK_PAUSE_STEPS = 150 * STEPS_PER_MINUTE
#: Free time of more is filled.
IDLE_MINUTES = 6
PLEASANT = ("park", "square", "garden", "library", "cafe", "hall")
LEISURE = ("read", "rest", "write", "browse", "sit", "look")
#: Memories among which something is chosen to be told.
RECALLED = 8
SWITCHES = {
    "model": (
        "on: intentions, memories and words by the language model of the run (--model says which)"
    ),
    "planner": "off: no preconditions planned, nothing put away",
    "schedule": "off: goals in their order, without travel times and opening hours",
    "checks": "off: nothing is checked before acting",
    **{f"check_{name}": "off: this check alone" for name in CHECKS},
}


class NeurosymbolicMind:
    """Decides for one person; see the module."""

    def __init__(self, setting: MindSetting) -> None:
        for name, value in setting.options.items():
            if name == "variant" and value in RULES:
                continue
            if name not in SWITCHES or value not in ("on", "off"):
                raise InvalidInput(
                    f"option {name}={value}: the neuro-symbolic mind takes {', '.join(SWITCHES)},"
                    " each on or off, and variant, paper or released."
                )
        off = {name for name, value in setting.options.items() if value == "off"}
        asks = setting.options.get("model") == "on"
        if asks and setting.model is None:
            raise InvalidInput(
                "option model=on: there is no language model. Give --model embedded, endpoint or"
                " recorded."
            )
        self.setting, self.persona, self.town = setting, setting.persona, setting.town
        self.people = {persona.id: persona for persona in setting.people}
        self.checks = (
            frozenset()
            if "checks" in off
            else frozenset(n for n in CHECKS if f"check_{n}" not in off)
        )
        self.scheduled = "schedule" not in off
        self.planner = TaskPlanner(self.town, self.persona, backward="planner" not in off)
        self.entries: list[ScheduledGoal] = []
        self.at = -1
        self.agenda: list[AgendaTask] = []
        self.counts: Counter[str] = Counter()
        self.closed = {door for door in self.town.doors if not door.endswith(".bathroom.door")}
        self.duty: str | None = None
        self.talked: dict[str, int] = {}
        self.said: list[str] = []
        self.partner: str | None = None
        self.turn, self.turn_step = 0, 0
        self.last_meal = -STEPS_PER_DAY
        self.stock = FRIDGE_STOCK
        self.draws = 0
        self.free = False
        self.variant: Variant = setting.options.get("variant", "paper")  # type: ignore[assignment]
        seed = derive(setting.seed, "neurosymbolic", self.persona.id)
        self.asker = (
            Asker(setting.model, seed, setting.trace.note)
            if asks and setting.model is not None
            else None
        )
        self.stream = MemoryStream()
        self.noticed: list[str] = []
        self.told: list[str] = []

    # ---------------------------------------------------------------------------------------- the
    # day

    def day_start(self, percept: Percept) -> None:
        goals = day_goals(
            self.persona, self.town, self.stock, percept.day, self._rng("goals", percept.day)
        )
        self.said = []
        if self.asker is not None:
            goals = self._meant_by_model(self.asker, goals, percept)
        self._replan(goals, percept, "day")

    def _meant_by_model(
        self, asker: Asker, goals: list[TownGoal], percept: Percept
    ) -> list[TownGoal]:
        """The day as the model means it, by the prompt of the generative mind, with what every day
        needs.
        """
        focus = f"{self.persona.name}'s plan for today; what happened yesterday"
        rule = RULES[self.variant]
        recalled = (
            retrieve(self.stream, asker.model, focus, percept.step, rule, RECALLED)
            if percept.day
            else []
        )
        yesterday = (
            " ".join(["Yesterday:", *(entry.memory.text for entry in recalled)]) if recalled else ""
        )
        about = about_words(self.persona, self.setting.people)
        plan = day_plan(
            asker,
            self.persona,
            self.town,
            about,
            day=percept.day,
            yesterday=yesterday,
            retrieved=recalled,
        )
        self.counts["days without a readable plan"] += plan is None
        return with_meant(goals, plan or (), self.persona, self.town, asker, self.counts)

    def _replan(self, goals: list[TownGoal], percept: Percept, why: str) -> None:
        minute = percept.minute
        if self.scheduled:
            plan = schedule(goals, self.town, minute, percept.building)
            self.entries, left_out = list(plan.entries), plan.left_out
        else:
            self.entries = [
                ScheduledGoal(g, g.window[0], g.window[0], g.window[0] + g.minutes) for g in goals
            ]
            left_out = ()
        self.counts[f"schedule {why}"] += 1
        self.at, self.agenda = -1, []
        start = percept.day * STEPS_PER_DAY
        day = self._day_entry(percept.day)
        self.setting.trace.plan(
            [PlanEntry(day, None, 0, start, start + STEPS_PER_DAY, f"Day {percept.day + 1}")]
        )
        for entry in self.entries:
            self.setting.trace.plan([self._goal_entry(entry, percept.day)])
        for goal, reason in left_out:
            self.counts["goals left out"] += 1
            dropped = ScheduledGoal(goal, goal.window[0], goal.window[0], goal.window[1])
            self.setting.trace.plan(
                [replace(self._goal_entry(dropped, percept.day), status="dropped", reason=reason)]
            )
            self.setting.trace.note("left out", {"goal": goal.name, "reason": reason})

    def _day_entry(self, day: int) -> str:
        return f"{self.persona.id}-d{day + 1}"

    def _goal_entry(self, entry: ScheduledGoal, day: int) -> PlanEntry:
        start = day * STEPS_PER_DAY
        return PlanEntry(
            f"{self._day_entry(day)}-{entry.goal.name}",
            self._day_entry(day),
            1,
            start + round(entry.begins * STEPS_PER_MINUTE),
            start + round(entry.ends * STEPS_PER_MINUTE),
            entry.goal.text,
            entry.goal.activity,
            entry.goal.building,
        )

    # ----------------------------------------------------------------------------------------
    # deciding

    def next_primitive(self, percept: Percept) -> Primitive:
        self._take_in(percept)
        for _ in range(40):
            primitive = self._talk(percept) or self._duty(percept) or self._act(percept)
            if primitive is None:
                continue
            problem = objection(primitive, self._weighed(percept), self.checks)
            if problem is None:
                self.counts["primitives"] += 1
                return self._meant(primitive, percept)
            self._repair(primitive, problem)
            if problem.remedy == "later" or (
                problem.remedy == "other" and self._has_no_other(primitive)
            ):
                return Primitive(
                    "wait",
                    minutes=1 / 3 if self.partner else LATER_MINUTES,
                    serves=self._serves(percept),
                )
        self.counts["at a loss"] += 1
        return Primitive("wait", minutes=LATER_MINUTES, serves=self._serves(percept))

    def _take_in(self, percept: Percept) -> None:
        """What was seen, heard, and came of the last primitive."""
        if self.asker is not None:
            self._perceive(self.asker, percept)
        for thing in percept.things:
            if thing.kind == "door":
                (self.closed.add if thing.state == "closed" else self.closed.discard)(thing.id)
        for event in percept.events:
            if event.kind == "spoke" and event.target == self.persona.id:
                going = self.partner == event.person
                self.partner, self.turn = event.person, self.turn + 1 if going else 1
                self.turn_step = percept.step
                self.talked[event.person] = percept.step
        result = percept.result
        if result is None:
            return
        primitive = result.primitive
        if result.refused is not None:
            self.counts["refused"] += 1
            self.setting.trace.note(
                "refused",
                {"verb": primitive.verb, "object": primitive.object, "why": result.refused},
            )
            self._repair(
                primitive,
                Objection(
                    "world", result.refused, "other" if "taken" in result.refused else "later"
                ),
            )
            for door in self.town.doors:
                if f"the door {door} is closed" == result.refused:
                    self.closed.add(door)
        elif primitive.verb == "use" and result.cut:
            kind = activities()[str(primitive.activity)]
            left = primitive.minutes - (result.to_step - result.from_step) / STEPS_PER_MINUTE
            has = kind.takes is None or kind.takes in {thing.kind for thing in percept.carried}
            if left >= 2 and has and primitive.activity != "sleep":
                fixture = self.town.fixtures[str(primitive.object)]
                again = AgendaTask(
                    "do",
                    self.town.building_of(fixture.room),
                    str(primitive.activity),
                    fixture.kind,
                    fixture.id,
                    left,
                )
                self.agenda.insert(0, again)
        elif primitive.verb == "pick-up" and percept.building == self.persona.home:
            self.stock -= 2
        if primitive.activity == "eat" and result.refused is None:
            self.last_meal = result.to_step

    def _perceive(self, asker: Asker, percept: Percept) -> None:
        """Remember what is new, in the stream and the words of the generative mind."""
        words = [
            seen for event in percept.events if (seen := heard(event, self.people)) is not None
        ]
        sights = observations(percept, self.town, self.variant, self.noticed)
        self.noticed = [*self.noticed, *(observation.text for observation in sights)][-16:]
        for observation in (*words, *sights):
            self._remember(asker, observation, percept.step)

    def _remember(self, asker: Asker, observation: Observation, step: int) -> None:
        weight = importance_of(asker, self.persona.name, observation.text)
        asker.remembered(
            self.stream.add("event", observation.text, step, weight, keywords=observation.keywords)
        )

    def _weighed(self, percept: Percept) -> Deliberation:
        waits = (
            self.partner is not None
            and self.turn < len(TURNS)
            and percept.step - self.turn_step < PATIENCE_STEPS
        )
        goal = 0 <= self.at < len(self.entries) or not self.agenda
        return Deliberation(
            self.persona,
            self.people,
            self.town,
            percept,
            goal,
            waits,
            self.last_meal,
            frozenset(self.said),
            self.talked,
        )

    def _repair(self, primitive: Primitive, problem: Objection) -> None:
        """Other furniture, a little later, or without it."""
        self.counts[f"objection {problem.check}"] += 1
        self.setting.trace.note(
            "objection", {"verb": primitive.verb, "object": primitive.object, **asdict(problem)}
        )
        if primitive.verb == "speak":
            self.partner = None
        elif primitive.verb == "close":
            self.duty = None
        elif primitive.verb in ("use", "pick-up", "put", "open", "move-to"):
            task = self._interrupted(primitive)
            if task is None:
                return
            if problem.remedy == "drop" or task.tries >= MOST_TRIES:
                self.counts["tasks dropped"] += 1
                if self.agenda and self.agenda[0] is task:
                    del self.agenda[0]
            else:
                self.counts["repairs"] += 1
                other = replace(
                    task,
                    tries=task.tries + 1,
                    fixture=None if problem.remedy == "other" else task.fixture,
                )
                if self.agenda and self.agenda[0] is task:
                    self.agenda[0] = other
                else:
                    self.agenda.insert(0, other)

    def _has_no_other(self, primitive: Primitive) -> bool:
        fixture = self.town.fixtures[str(primitive.object)]
        return (
            len(self.town.fixtures_of(fixture.kind, building=self.town.building_of(fixture.room)))
            < 2
        )

    def _interrupted(self, primitive: Primitive) -> AgendaTask | None:
        """The task that a primitive was for: still the first of the agenda, or taken from it when
        it was begun.
        """
        if primitive.verb == "use":
            fixture = self.town.fixtures.get(str(primitive.object))
            if fixture is None:
                return None
            self.counts[f"tries {primitive.object}"] += 1
            building = self.town.building_of(fixture.room)
            return AgendaTask(
                "do",
                building,
                str(primitive.activity),
                fixture.kind,
                fixture.id,
                primitive.minutes,
                self.counts[f"tries {primitive.object}"] % MOST_TRIES,
            )
        return self.agenda[0] if self.agenda else None

    def _duty(self, percept: Percept) -> Primitive | None:
        """The door that was to be closed behind."""
        door, self.duty = self.duty, None
        if door is None or door in self.closed:
            return None
        opening = self.town.doors[door]
        near = abs(opening.x - percept.x) + abs(opening.y - percept.y) == 1
        return Primitive("close", door) if near else None

    def _act(self, percept: Percept) -> Primitive | None:
        self._turn_to_goal(percept)
        if not self.agenda:
            return self._leisure(percept)
        task = self.agenda[0]
        step = self.planner.refine(task, percept, frozenset(self.closed), self._rng("refine"))
        if step.failed:
            self.counts["tasks failed"] += 1
            self.setting.trace.note("failed", {"task": task.name, "why": step.failed})
            del self.agenda[0]
            return None
        if step.done:
            del self.agenda[0]
            self.agenda[:0] = step.first
        primitive = step.primitive
        if (
            primitive is not None
            and primitive.verb == "move-to"
            and primitive.object in self.town.doors
        ):
            passes = primitive.target != percept.room
            if passes and self.planner.closes_behind(str(primitive.object), str(primitive.target)):
                self.duty = str(primitive.object)
        return primitive

    def _turn_to_goal(self, percept: Percept) -> None:
        """The goal whose time it is; what is left of the one before is dropped, but for what has to
        be put in order.
        """
        minute = percept.minute
        while self.at + 1 < len(self.entries) and minute >= self.entries[self.at + 1].leaves:
            following = self.entries[self.at + 1]
            busy = self.agenda and self.at >= 0
            if busy:
                rest = [
                    task for task in self.agenda if task.kind in CLEANUP or task.name in CLEANUP
                ]
                working = self.entries[self.at].goal.name in ("work", "work2", "")
                late = minute >= following.leaves + LATE_MINUTES
                self.agenda = rest if working or late else self.agenda
                if self.agenda:
                    return
            self._close_goal(percept)
            self.at += 1
            self._open_goal(percept)
        entry = self.entries[self.at] if 0 <= self.at < len(self.entries) else None
        if (
            entry
            and not self.agenda
            and entry.goal.name in ("work", "work2")
            and entry.ends - minute > 6
        ):
            self._open_goal(percept)

    def _open_goal(self, percept: Percept) -> None:
        entry = self.entries[self.at]
        self.free = False
        goal, minute = entry.goal, percept.minute
        if self.asker is not None:
            words = goal.text[0].lower() + goal.text[1:]
            own = Observation(
                f"{self.persona.name} began to {words}", (self.persona.name, goal.activity)
            )
            self._remember(self.asker, own, percept.step)
        if goal.name == "night":
            minutes = goal.window[1] - minute
        elif goal.name == "sleep":
            minutes = MINUTES_PER_DAY - minute + self.persona.wakes
        else:
            minutes = min(goal.minutes, max(3.0, entry.ends - minute))
        if goal.name in ("work", "work2"):
            minutes = min(minutes, 25.0)
        carried = tuple(thing.kind for thing in percept.carried)
        rng = self._rng("tasks", percept.day, goal.name)
        tasks = (
            []
            if minutes <= 0
            else tasks_of(goal, self.persona, round(minutes, 1), entry.ends - minute, carried, rng)
        )
        start = percept.step
        for number, task in enumerate(tasks):
            self.draws += 1
            name = f"{self._day_entry(percept.day)}-{goal.name}-{self.draws}"
            steps = round((task.minutes or 5) * STEPS_PER_MINUTE)
            words = (
                activities()[task.name].en
                if task.kind == "do"
                else MOVED[task.kind].format(task.name)
            )
            self.setting.trace.plan(
                [
                    PlanEntry(
                        name,
                        f"{self._day_entry(percept.day)}-{goal.name}",
                        2,
                        start,
                        start + steps,
                        words,
                    )
                ]
            )
            start += steps
            tasks[number] = replace(task, entry=name)
        self.agenda = tasks

    def _close_goal(self, percept: Percept) -> None:
        if self.at >= 0:
            entry = self._goal_entry(self.entries[self.at], percept.day)
            left = [task.name for task in self.agenda]
            self.setting.trace.plan(
                [replace(entry, status="dropped" if left else "done", reason=", ".join(left))]
            )
            self.counts["goals with tasks left" if left else "goals done"] += 1

    def _leisure(self, percept: Percept) -> Primitive | None:
        """Time until the next goal: something to do where one is, else to wait."""
        self.free = True
        following = (
            self.entries[self.at + 1].leaves if self.at + 1 < len(self.entries) else MINUTES_PER_DAY
        )
        free = following - percept.minute
        closes = (
            self.town.buildings[percept.building].closes
            if percept.building in self.town.buildings
            else None
        )
        rng = self._rng("leisure")
        pleasant = percept.building == self.persona.home or percept.building in PLEASANT
        if (
            pleasant
            and free > IDLE_MINUTES
            and (closes is None or closes - percept.minute > IDLE_MINUTES)
        ):
            for name in rng.sample(LEISURE, len(LEISURE)):
                task = AgendaTask(
                    "do", percept.building, name, minutes=float(min(rng.randint(8, 25), int(free)))
                )
                if self.planner.fixture_for(task, percept, rng) is not None:
                    self.counts["leisure"] += 1
                    self.agenda = [task]
                    return None
        if free > 20 and percept.building != self.persona.home:
            self.agenda = [AgendaTask("do", self.persona.home, "rest", "sofa", minutes=15.0)]
            return None
        return Primitive("wait", minutes=max(1 / 6, min(5.0, free)))

    # ----------------------------------------------------------------------------------------
    # talking

    def _talk(self, percept: Percept) -> Primitive | None:
        """Goes on with a talk, or begins one with somebody near who was not talked to for a
        while.
        """
        if self.partner is not None:
            waited = percept.step - self.turn_step
            near = any(
                p.id == self.partner and p.distance <= 3 and not p.asleep for p in percept.people
            )
            if self.turn >= len(TURNS) or not near or waited > PATIENCE_STEPS:
                self.partner, self.turn = None, 0
                return None
            heard = any(e.kind == "spoke" and e.target == self.persona.id for e in percept.events)
            if heard and self.turn < len(TURNS):
                return self._say(TURNS[self.turn], self.partner, percept)
            return Primitive("wait", minutes=1 / 6)
        if percept.minute < self.persona.wakes or (
            self.at >= 0 and self.entries[self.at].goal.name in ("night", "sleep")
        ):
            return None
        for person in percept.people:
            last = self.talked.get(person.id)
            fresh = (
                last is None
                or percept.step - last > TALK_PAUSE_STEPS
                or "memory" not in self.checks
            )
            if (
                person.distance <= 3
                and not person.asleep
                and fresh
                and person.doing not in ("sleep", "toilet", "shower")
            ):
                self.talked[person.id] = percept.step
                if self._rng("talks", person.id).random() < 0.8:
                    self.turn = 0
                    return self._say("greeting", person.id, percept)
        return None

    def _say(self, kind: str, listener: str, percept: Percept) -> Primitive:
        doing = self.entries[self.at].goal.text if 0 <= self.at < len(self.entries) else ""
        following = self.entries[self.at + 1].goal.text if self.at + 1 < len(self.entries) else ""
        rng, other = self._rng("words", percept.step), self.people[listener]
        seen = self._told_next(other, percept) if kind == "remark" else None
        act = speech_act(kind, other, percept, doing, following, self.town, rng, seen)
        sentence = None
        if self.asker is not None:
            sentence = ask_for_words(self.asker, act, self.persona, other, self.town, self.people)
            if seen is not None and sentence is not None:
                self.told.append(f"{listener}: {seen}")
        text, source = worded(act, rng, sentence)
        self.counts[f"worded by {source}"] += 1
        self.setting.trace.note(
            "speech", {"act": kind, "to": listener, "facts": dict(act.facts), "text": text}
        )
        return Primitive("speak", target=listener, text=text)

    def _told_next(self, other: Persona, percept: Percept) -> str | None:
        """What comes to mind with somebody and was not told them yet: seen by oneself, and not
        about sleep or the bathroom.
        """
        if self.asker is None:
            return None
        relation = self.persona.relations.get(other.id, "acquaintance")
        focus = f"{other.name}, {relation} of {self.persona.name}"
        for entry in retrieve(
            self.stream, self.asker.model, focus, percept.step, RULES[self.variant], RECALLED
        ):
            private = any(
                word in entry.memory.text for word in ("sleep", "toilet", "shower", "night")
            )
            clause = (
                None
                if private or " is " not in entry.memory.text
                else spoken_clause(entry.memory.text, self.persona, other)
            )
            if (
                clause is not None
                and clause.startswith("I saw ")
                and f"{other.id}: {clause}" not in self.told
            ):
                return clause
        return None

    def notice(self, percept: Percept) -> bool:
        """Whoever is spoken to answers, unless asleep or on the way to somewhere else in the
        house.
        """
        asleep = percept.result is None and percept.minute < self.persona.wakes
        spoken = any(
            event.kind == "spoke" and event.target == self.persona.id for event in percept.events
        )
        return (
            spoken
            and not asleep
            and self.at >= 0
            and self.entries[self.at].goal.name not in ("night", "sleep")
        )

    def _meant(self, primitive: Primitive, percept: Percept) -> Primitive:
        if primitive.verb == "speak":
            self.said.append(f"{primitive.target}: {primitive.text}")
            self.partner, self.turn_step = str(primitive.target), percept.step
            self.turn += 1
            self.talked[str(primitive.target)] = percept.step
        if primitive.verb == "open" and primitive.object in self.town.doors:
            self.closed.discard(str(primitive.object))
        if primitive.verb == "close" and primitive.object in self.town.doors:
            self.closed.add(str(primitive.object))
        return replace(primitive, serves=self._serves(percept))

    def _serves(self, percept: Percept) -> str | None:
        """The goal it is done for, else the day."""
        if 0 <= self.at < len(self.entries) and not self.free:
            return f"{self._day_entry(percept.day)}-{self.entries[self.at].goal.name}"
        return self._day_entry(percept.day)

    def _rng(self, *names: str | int) -> Any:
        self.draws += 1
        return self.setting.rng(*names, self.draws)

    # ---------------------------------------------------------------------------------------- kept
    # and restored

    def state(self) -> Mapping[str, Any]:
        return {
            "entries": [asdict(entry) for entry in self.entries],
            "at": self.at,
            "draws": self.draws,
            "stock": self.stock,
            "free": self.free,
            "agenda": [asdict(task) for task in self.agenda],
            "counts": dict(self.counts),
            "closed": sorted(self.closed),
            "duty": self.duty,
            "talked": self.talked,
            "said": self.said,
            "partner": self.partner,
            "turn": self.turn,
            "turn_step": self.turn_step,
            "last_meal": self.last_meal,
            "stream": self.stream.stored(),
            "noticed": self.noticed,
            "told": self.told,
            "failures": self.asker.failures if self.asker else {},
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.entries = [
            ScheduledGoal(
                TownGoal(**{**entry["goal"], "window": tuple(entry["goal"]["window"])}),
                entry["leaves"],
                entry["begins"],
                entry["ends"],
            )
            for entry in state["entries"]
        ]
        self.agenda = [AgendaTask(**task) for task in state["agenda"]]
        self.counts, self.closed = Counter(state["counts"]), set(state["closed"])
        for name in (
            "at",
            "draws",
            "free",
            "stock",
            "duty",
            "partner",
            "turn",
            "turn_step",
            "last_meal",
        ):
            setattr(self, name, state[name])
        self.talked, self.said = dict(state["talked"]), list(state["said"])
        self.stream = MemoryStream.restored(state["stream"])
        self.noticed, self.told = list(state["noticed"]), list(state["told"])
        if self.asker is not None:
            self.asker.failures = dict(state["failures"])


NEUROSYMBOLIC = MindKind(
    "neurosymbolic",
    "Typed goals, a schedule, a planner, checks before every act, and repair.",
    NeurosymbolicMind,
    {**SWITCHES, "variant": "paper or released: how memories are recalled, with model=on"},
    asks_model="may",
)
