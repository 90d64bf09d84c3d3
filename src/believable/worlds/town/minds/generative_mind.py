"""A generative agent (Park et al. 2023) in the town: it remembers, reflects, plans, reacts and
talks by asking a language model.

`variant` is `paper` or `released`: what was published, or what the released code does where the two
differ. What the model does not answer readably is not done: without a plan the person waits,
without a place a task is dropped, and the trace says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.worlds.town.generative.asking import Asker, TimetableLine
from believable.worlds.town.generative.conversation import (
    LEAST_LINES,
    Talk,
    TalkScene,
    goes_on,
    memo,
    next_line,
    talk_memory,
)
from believable.worlds.town.generative.day_planning import (
    about_words,
    day_plan,
    fulfilling,
    hour_plan,
    new_status,
    task_plan,
)
from believable.worlds.town.generative.memory_retrieval import RULES, Variant, retrieve
from believable.worlds.town.generative.memory_stream import MemoryKind, MemoryStream
from believable.worlds.town.generative.perception import Observation, heard, observations
from believable.worlds.town.generative.reactions import ReactionScene, react
from believable.worlds.town.generative.reflection import importance_of, is_due, reflect
from believable.worlds.town.generative.task_grounding import ground, primitives_for
from believable.worlds.town.mind import (
    MINUTES_PER_DAY,
    STEPS_PER_DAY,
    STEPS_PER_MINUTE,
    MindKind,
    MindSetting,
    Percept,
    PlanEntry,
    Primitive,
    TownEvent,
)
from believable.worlds.town.primitive_words import thing_words
from believable.worlds.town.town_map import activities
from believable.worlds.town.way_legs import believed_closed, next_leg

PLAN_IMPORTANCE = 5
#: What an hour in the model's own words would be fulfilled by while none of its tasks has a place:
#: nothing does.
NOTHING_BEGUN = "nothing_begun"
#: A task is given up after so many refusals, a talk after so many steps without an answer or walks
#: to the other.
REFUSALS, ANSWER_STEPS, APPROACHES = 4, 6, 2
TALK_DISTANCE = 3
WAIT_MINUTES = 5.0


@dataclass(slots=True)
class CurrentTask:
    """What the person is at. `queue` are the primitives that are left of it."""

    id: str
    parent: str
    text: str
    hour: str
    from_step: int
    to_step: int
    activity: str | None = None
    room: str | None = None
    fixture: str | None = None
    refusals: int = 0
    queue: list[Primitive] = field(default_factory=list)


@dataclass(slots=True)
class Agenda:
    """The plans of the day: broad strokes, hours, and the tasks of the hour that has come."""

    requirements: list[TimetableLine] = field(default_factory=list)
    hours: list[TimetableLine] = field(default_factory=list)
    tasks: list[TimetableLine] = field(default_factory=list)
    tasks_to_minute: int = -1
    tasks_number: int = 0
    intentions: list[PlanEntry] = field(default_factory=list)


class GenerativeMind:
    """Decides for one person by what the language model answers."""

    def __init__(self, setting: MindSetting) -> None:
        variant = setting.options.get("variant", "paper")
        if variant not in get_args(Variant):
            raise InvalidInput(f"variant: expected paper or released, got {variant!r}.")
        if setting.model is None:
            raise InvalidInput(
                "the generative mind needs a language model. Give --model embedded, endpoint or"
                " recorded."
            )
        self.variant: Variant = variant  # type: ignore[assignment]
        self.setting, self.persona, self.town = setting, setting.persona, setting.town
        self.people = {persona.id: persona for persona in setting.people}
        self.first = self.persona.name.partition(" ")[0]
        seed = derive(setting.seed, "generative", self.persona.id)
        self.asker = Asker(setting.model, seed, setting.trace.note)
        self.stream = MemoryStream()
        self.agenda = Agenda()
        self.task: CurrentTask | None = None
        self.talk: Talk | None = None
        self.status = ""
        self.asleep = False
        self.noticed: list[str] = []
        self.last_talks: dict[str, int] = {}
        self.events_seen: list[str] = []
        #: Until then nothing is done: what was planned could not be, and nothing else is.
        self.idle_to_step = 0
        self.closed = {door for door in self.town.doors if not door.endswith(".bathroom.door")}

    # ---------------------------------------------------------------------------------------- the
    # day

    def day_start(self, percept: Percept) -> None:
        """Plans in broad strokes and by the hour; on later days by what yesterday left."""
        day, step = percept.day, percept.step
        if day == 0 or self.variant == "paper":
            focus = f"{self.persona.name}'s plan for today; what happened yesterday"
            recalled = (
                retrieve(self.stream, self.asker.model, focus, step, RULES[self.variant])
                if day
                else []
            )
            yesterday = (
                " ".join(["Yesterday:", *(entry.memory.text for entry in recalled[:8])])
                if recalled
                else ""
            )
            plan = day_plan(
                self.asker,
                self.persona,
                self.town,
                self._about(),
                day=day,
                yesterday=yesterday,
                retrieved=recalled,
            )
            self.agenda.requirements = list(plan or ())
        else:
            recalled = retrieve(
                self.stream,
                self.asker.model,
                f"{self.persona.name}'s plan; important recent events",
                step,
                RULES["released"],
            )
            heading = self.setting.people[0].name
            self.status = (
                new_status(self.asker, self.persona, heading, self.status, recalled) or self.status
            )
        hours = hour_plan(
            self.asker, self.persona, self.town, self._about(), self.agenda.requirements
        )
        self.agenda = Agenda(self.agenda.requirements, list(hours or ()))
        listed = (
            ", ".join(f"{_clock(line.minute)} {line.text}" for line in self.agenda.requirements)
            or "no plan"
        )
        text = f"{self.persona.name}'s plan for day {day + 1}: {listed}."
        self.asker.remembered(
            self.stream.add("thought", text, step, PLAN_IMPORTANCE, keywords=("plan",))
        )
        self._declare_day(day, step)

    def _declare_day(self, day: int, step: int) -> None:
        root = f"{self.persona.id}-g{day}"
        entries = [
            PlanEntry(
                root, None, 0, step, step + STEPS_PER_DAY, f"Day {day + 1} of {self.persona.name}"
            )
        ]
        hours = self.agenda.hours
        for number, line in enumerate(hours):
            after = hours[number + 1].minute if number + 1 < len(hours) else MINUTES_PER_DAY
            activity, place = fulfilling(self.persona, self.town, line.text) or (
                NOTHING_BEGUN,
                None,
            )
            entries.append(
                PlanEntry(
                    f"{root}-h{number}",
                    root,
                    1,
                    step + line.minute * STEPS_PER_MINUTE,
                    step + after * STEPS_PER_MINUTE,
                    line.text,
                    activity,
                    place,
                )
            )
        self.agenda.intentions = entries[1:]
        self._plan(entries)

    def _grounded_intention(self, parent: str, activity: str) -> None:
        """An hour in the model's own words says what would fulfil it once a task of it has a place:
        what its tasks are.
        """
        for number, entry in enumerate(self.agenda.intentions):
            if entry.id == parent and fulfilling(self.persona, self.town, entry.text) is None:
                known = [
                    name
                    for name in (entry.activity or "").split()
                    if name not in (NOTHING_BEGUN, activity)
                ]
                self.agenda.intentions[number] = replace(
                    entry, activity=" ".join([*known, activity])
                )
                self._plan([self.agenda.intentions[number]])

    # ---------------------------------------------------------------------------------------- what
    # to do now

    def next_primitive(self, percept: Percept) -> Primitive:
        self.asleep = False
        self.closed = believed_closed(self.closed, percept)
        self._take_up_again(percept)
        new = self._perceive(percept)
        if self.talk is None:
            self._react(percept, new)
        if is_due(self.stream, self.variant):
            reflect(self.asker, self.stream, self.persona.name, percept.step, self.variant)
        primitive = self._talk_turn(percept) if self.talk is not None else None
        primitive = primitive or self._task_turn(percept)
        self.asleep = primitive.verb == "use" and primitive.activity == "sleep"
        return primitive

    def notice(self, percept: Percept) -> bool:
        """Being spoken to interrupts; somebody who comes may. Who sleeps notices nothing."""
        if self.asleep:
            return False
        new = self._perceive(percept)
        if self.talk is not None:
            return bool(self.talk.lines) and self.talk.lines[-1][0] == self.talk.other
        self._react(percept, new)
        return self.talk is not None

    # ----------------------------------------------------------------------------------------
    # perceiving and reacting

    def _perceive(self, percept: Percept) -> list[Observation]:
        """Remember what is new; what was said to the person opens or continues a talk."""
        new = []
        for event in percept.events:
            observation = heard(event, self.people)
            key = f"{event.step} {event.kind} {event.person}"
            if observation is None or key in self.events_seen:
                continue
            self.events_seen = [*self.events_seen, key][-16:]
            self._remember("event", observation, percept.step)
            if event.target == self.persona.id:
                self._spoken_to(event, percept.step)
        for observation in observations(percept, self.town, self.variant, self.noticed):
            self.noticed = [*self.noticed, observation.text][-16:]
            self._remember("event", observation, percept.step)
            new.append(observation)
        return new

    def _spoken_to(self, event: TownEvent, step: int) -> None:
        if self.talk is None:
            self.talk = Talk(event.person, step)
        if self.talk.other == event.person:
            self.talk.lines.append((event.person, event.text))
            self.talk.waited_steps = 0

    def _remember(self, kind: MemoryKind, observation: Observation, step: int) -> None:
        weight = importance_of(self.asker, self.persona.name, observation.text)
        self.asker.remembered(
            self.stream.add(kind, observation.text, step, weight, keywords=observation.keywords)
        )

    def _react(self, percept: Percept, new: list[Observation]) -> None:
        """The first observation that changes anything; people before things, as in the released
        code. Not at bedtime.
        """
        if "sleep" in self._hour(int(percept.minute))[0].lower():
            return
        for observation in sorted(new, key=lambda entry: entry.person is None)[:2]:
            task = self.task
            scene = ReactionScene(
                self.persona,
                self._about(),
                task.text if task else "awake",
                percept,
                self.variant,
                task.fixture if task else None,
                self.last_talks.get(observation.person or ""),
            )
            match react(self.asker, self.stream, scene, observation):
                case "talk" if observation.person is not None:
                    self.talk = Talk(observation.person, percept.step)
                    return
                case "wait" if task is not None:
                    task.queue.insert(0, Primitive("wait", minutes=WAIT_MINUTES, serves=task.id))
                    return
                case "change" if task is not None:
                    self._replan(percept, f"{observation.text}.")
                    return
                case _:
                    pass

    # ----------------------------------------------------------------------------------------
    # talking

    def _talk_turn(self, percept: Percept) -> Primitive | None:
        """The next thing to do in a talk; None when it is over."""
        talk = self.talk
        if talk is None:
            return None
        near = next((person for person in percept.people if person.id == talk.other), None)
        if near is None or near.asleep:
            return self._end_talk(percept.step)
        if near.distance > TALK_DISTANCE:
            talk.approaches += 1
            return (
                Primitive("move-to", talk.other)
                if talk.approaches <= APPROACHES
                else self._end_talk(percept.step)
            )
        if talk.ending:
            return self._end_talk(percept.step)
        if talk.lines and talk.lines[-1][0] == self.persona.id:
            talk.waited_steps += 1
            if talk.waited_steps > ANSWER_STEPS:
                return self._end_talk(percept.step)
            return Primitive(
                "wait",
                minutes=1 / STEPS_PER_MINUTE,
                words=f"listens to {near.name.partition(' ')[0]}",
            )
        doing = self.task.text if self.task else "awake"
        scene = TalkScene(
            self.persona,
            self.people[talk.other],
            self.people,
            self._about(),
            doing,
            percept,
            self.variant,
        )
        talk.ending = not goes_on(self.asker, scene, talk)
        line = next_line(self.asker, self.stream, scene, talk)
        if line is None:
            return self._end_talk(percept.step)
        talk.lines.append((self.persona.id, line))
        return Primitive("speak", target=talk.other, text=line)

    def _end_talk(self, step: int) -> Primitive | None:
        """Remember it; the released code adds what it made of the talk. Nothing is left to do in
        it: None.
        """
        talk, self.talk = self.talk, None
        if talk is None:
            return None
        self.last_talks[talk.other] = step
        if len(talk.lines) < LEAST_LINES:
            return None
        text = talk_memory(self.people, self.persona.id, talk)
        weight = importance_of(self.asker, self.persona.name, text)
        names = (self.persona.name, self.people[talk.other].name)
        chat = self.stream.add("chat", text, step, weight, keywords=names)
        self.asker.remembered(chat)
        if self.variant == "released":
            kept = memo(self.asker, self.persona, talk, self.people)
            if kept is not None:
                weight = importance_of(self.asker, self.persona.name, kept)
                thought = self.stream.add(
                    "thought", kept, step, weight, keywords=names, evidence=(chat.number,)
                )
                self.asker.remembered(thought)
        return None

    # ---------------------------------------------------------------------------------------- doing
    # what was planned

    def _task_turn(self, percept: Percept) -> Primitive:
        self._take_result(percept)
        task = self.task
        if task is None and percept.step < self.idle_to_step:
            return Primitive("wait", minutes=(self.idle_to_step - percept.step) / STEPS_PER_MINUTE)
        if task is not None and percept.step >= task.to_step:
            self._close(
                task, "dropped" if task.queue else "done", "its time was over" if task.queue else ""
            )
            task = None
        if task is not None and not task.queue:
            self._close(task, "done", "")
            left = task.to_step - percept.step
            return (
                Primitive("wait", minutes=left / STEPS_PER_MINUTE)
                if left > 0
                else self._task_turn(percept)
            )
        if task is None:
            task = self._begin_task(percept)
        if not task.queue:
            self.task = None
            return Primitive(
                "wait", minutes=max(1.0, (task.to_step - percept.step) / STEPS_PER_MINUTE)
            )
        leg = self._leg(task, percept)
        if leg is not None:
            return replace(leg, serves=task.id)
        if not task.queue:
            return self._task_turn(percept)
        primitive = task.queue.pop(0)
        if primitive.verb == "use":
            minutes = max(1.0, (task.to_step - percept.step) / STEPS_PER_MINUTE)
            return Primitive(
                "use",
                primitive.object,
                activity=primitive.activity,
                minutes=minutes,
                serves=task.id,
            )
        return primitive

    def _take_up_again(self, percept: Percept) -> None:
        """What somebody's words interrupted is gone on with after the talk."""
        result, task = percept.result, self.task
        if result is None or task is None or not result.cut or result.primitive.verb != "use":
            return
        if result.primitive.serves == task.id and result.primitive not in task.queue:
            task.queue.insert(0, result.primitive)

    def _leg(self, task: CurrentTask, percept: Percept) -> Primitive | None:
        """The way to what is next, door by door, also when a talk came in between; None when there.
        The body walks by itself, as bodies do in the released world: no model is asked. What is
        open is not opened.
        """
        ahead = task.queue[0]
        place = self.town.fixtures.get(
            str(ahead.target if ahead.verb in ("pick-up", "put") else ahead.object)
        )
        if place is None:
            return None
        if ahead.verb == "open" and any(
            thing.id == place.id and thing.state == "open" for thing in percept.things
        ):
            task.queue.pop(0)
            return self._leg(task, percept) if task.queue else None
        leg = next_leg(self.town, percept, place.id, place.stand, self.closed)
        if leg is None and ahead.verb == "move-to":
            task.queue.pop(0)
            return self._leg(task, percept) if task.queue else None
        return leg

    def _take_result(self, percept: Percept) -> None:
        """What the world refused is tried another way: closed doors are opened; else the task is
        given up and, by the paper, the rest of the hour planned anew.
        """
        result, task = percept.result, self.task
        if (
            result is None
            or task is None
            or result.refused is None
            or result.primitive.serves != task.id
        ):
            return
        if percept.step - result.to_step > 1:
            return
        task.refusals += 1
        reason = result.refused
        if reason.endswith("already"):
            return
        if reason == "both hands are full" and percept.carried and task.refusals < REFUSALS:
            target = result.primitive.target
            task.queue[:0] = [
                Primitive("put", percept.carried[0].id, target=target, serves=task.id),
                result.primitive,
            ]
            return
        if (
            reason.startswith("the door ")
            and reason.endswith(" is closed")
            and task.refusals < REFUSALS
        ):
            return
        thing = thing_words(result.primitive.object, self.town, self.people)
        text = f"{self.persona.name} could not use {thing}: {_readable(reason)}"
        self._remember("event", Observation(text, (self.persona.name, thing)), percept.step)
        self._close(task, "dropped", reason)
        replanned = self.variant == "paper" and self._replan(percept, f"{text}.")
        self.idle_to_step = 0 if replanned else task.to_step

    def _begin_task(self, percept: Percept) -> CurrentTask:
        minute = int(percept.minute)
        hour, number, until = self._hour(minute)
        day_step = percept.step - percept.step % STEPS_PER_DAY
        parent = f"{self.persona.id}-g{percept.day}" + (f"-h{number}" if number >= 0 else "")
        if "sleep" in hour.lower() or number < 0:
            wakes = self.persona.wakes + (MINUTES_PER_DAY if minute >= self.persona.wakes else 0)
            end = day_step + min(wakes, minute + 720) * STEPS_PER_MINUTE
            task = self._new_task(percept, parent, "sleep", hour or "sleep", end)
            task.activity, task.fixture, task.room = (
                "sleep",
                self.persona.bed,
                self.town.fixtures[self.persona.bed].room,
            )
            task.queue = [
                Primitive("move-to", self.persona.bed, serves=task.id),
                Primitive("use", self.persona.bed, activity="sleep", serves=task.id),
            ]
            self._declare(task)
            return task
        if minute >= self.agenda.tasks_to_minute or not self.agenda.tasks:
            lines = task_plan(
                self.asker,
                self.persona,
                self.town,
                self._about(),
                self.agenda.hours,
                hour,
                minute,
                until,
            )
            self.agenda.tasks, self.agenda.tasks_to_minute = list(lines or ()), until
        text, end_minute = self._planned_task(minute, until)
        task = self._new_task(
            percept, parent, text or hour, hour, day_step + end_minute * STEPS_PER_MINUTE
        )
        if text is None:  # no tasks could be read: the hour stays whole
            self.setting.trace.note("undivided", {"hour": hour})
        grounded = ground(
            self.asker, self.persona, self.town, self._about(), percept, hour, task.text
        )
        if grounded is None:
            self._close(task, "dropped", "no place for it could be read")
            return task
        task.activity, task.fixture, task.room = grounded.activity, grounded.fixture, grounded.room
        self._grounded_intention(parent, grounded.activity)
        task.queue = primitives_for(grounded, self.town, percept, 1.0, task.id)
        self._declare(task)
        words = activities()[grounded.activity].en
        place = thing_words(grounded.fixture, self.town, self.people)
        own = Observation(
            f"{self.persona.name} is {words} at {place}, to {task.text}", (self.persona.name, words)
        )
        self._remember("event", own, percept.step)
        return task

    def _new_task(
        self, percept: Percept, parent: str, text: str, hour: str, end: int
    ) -> CurrentTask:
        self.agenda.tasks_number += 1
        name = f"{self.persona.id}-g{percept.day}-t{self.agenda.tasks_number}"
        self.task = CurrentTask(
            name, parent, text, hour, percept.step, max(end, percept.step + STEPS_PER_MINUTE)
        )
        return self.task

    def _hour(self, minute: int) -> tuple[str, int, int]:
        """What the hours say for a minute, its number, and until when. Before the first one: sleep,
        number -1.
        """
        hours = self.agenda.hours
        number = max(
            (index for index, line in enumerate(hours) if line.minute <= minute), default=-1
        )
        if number < 0 or minute >= self.persona.sleeps:
            return "sleep", number if hours else -1, MINUTES_PER_DAY
        until = hours[number + 1].minute if number + 1 < len(hours) else self.persona.sleeps
        return hours[number].text, number, max(until, minute + 1)

    def _planned_task(self, minute: int, until: int) -> tuple[str | None, int]:
        tasks = self.agenda.tasks
        index = max(
            (number for number, line in enumerate(tasks) if line.minute <= minute), default=-1
        )
        if index < 0:
            return None, until
        end = tasks[index + 1].minute if index + 1 < len(tasks) else until
        return tasks[index].text, max(end, minute + 1)

    def _replan(self, percept: Percept, reason: str) -> bool:
        """New tasks for the rest of the hour; whether there are any."""
        minute = int(percept.minute)
        hour, number, until = self._hour(minute)
        if number < 0 or until - minute < 5 or "sleep" in hour.lower():
            return False
        lines = task_plan(
            self.asker,
            self.persona,
            self.town,
            self._about(),
            self.agenda.hours,
            hour,
            minute,
            until,
            reason=reason,
        )
        self.setting.trace.note(
            "replanned", {"reason": reason, "hour": hour, "readable": lines is not None}
        )
        if lines is not None:
            if self.task is not None:
                self._close(self.task, "dropped", reason)
            self.agenda.tasks, self.agenda.tasks_to_minute = list(lines), until
        return bool(lines)

    def _declare(self, task: CurrentTask, **changes: Any) -> None:
        entry = PlanEntry(
            task.id,
            task.parent,
            2,
            task.from_step,
            task.to_step,
            task.text,
            task.activity,
            task.room,
            **changes,
        )
        self._plan([entry])

    def _plan(self, entries: list[PlanEntry]) -> None:
        """Into the recording, and into the trace, where plans stand beside what they came from."""
        self.setting.trace.plan(entries)
        for entry in entries:
            self.setting.trace.note("plan", asdict(entry))

    def _close(self, task: CurrentTask, status: str, reason: str) -> None:
        self.task = None
        self._declare(task, status=status, reason=reason)

    def _about(self) -> str:
        return about_words(self.persona, self.setting.people, self.status)

    # ---------------------------------------------------------------------------------------- kept
    # and restored

    def state(self) -> Mapping[str, Any]:
        return {
            "stream": self.stream.stored(),
            "agenda": asdict(self.agenda),
            "task": None if self.task is None else asdict(self.task),
            "talk": None if self.talk is None else self.talk.stored(),
            "status": self.status,
            "asleep": self.asleep,
            "noticed": self.noticed,
            "last_talks": self.last_talks,
            "events_seen": self.events_seen,
            "closed": sorted(self.closed),
            "idle_to_step": self.idle_to_step,
            "failures": self.asker.failures,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.stream = MemoryStream.restored(state["stream"])
        agenda = dict(state["agenda"])
        for name in ("requirements", "hours", "tasks"):
            agenda[name] = [TimetableLine(**line) for line in agenda[name]]
        agenda["intentions"] = [PlanEntry(**entry) for entry in agenda["intentions"]]
        self.agenda = Agenda(**agenda)
        task, talk = state["task"], state["talk"]
        self.task = task and CurrentTask(
            **{**task, "queue": [Primitive(**row) for row in task["queue"]]}
        )
        self.talk = talk and Talk.restored(talk)
        self.status, self.asleep = state["status"], state["asleep"]
        self.noticed, self.events_seen = list(state["noticed"]), list(state["events_seen"])
        self.last_talks = dict(state["last_talks"])
        self.closed = set(state["closed"])
        self.idle_to_step = int(state["idle_to_step"])
        self.asker.failures = dict(state["failures"])


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _readable(reason: str) -> str:
    return reason.replace(".", " ")


GENERATIVE = MindKind(
    "generative",
    "Memory stream, reflection, plans, reactions and talk by a language model (Park et al. 2023).",
    GenerativeMind,
    {"variant": "paper or released: as published, or as the released code does it"},
    asks_model="always",
)
