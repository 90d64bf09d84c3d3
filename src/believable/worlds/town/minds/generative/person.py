"""The person whose mind this is: everything that the parts of the mind share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from believable.core.seeds import derive
from believable.worlds.town import checkpoint
from believable.worlds.town.clock import MINUTES_PER_DAY
from believable.worlds.town.language.model import LanguageModel
from believable.worlds.town.mind import MindSetting, PlanEntry, Primitive
from believable.worlds.town.minds.generative.asking import Asker, TimetableLine
from believable.worlds.town.minds.generative.conversation import Talk
from believable.worlds.town.minds.generative.experience import Experience
from believable.worlds.town.minds.generative.planning import describe_persona
from believable.worlds.town.minds.generative.retrieval import Variant
from believable.worlds.town.walking import assume_closed


class PlannedHour(NamedTuple):
    """The plan for an hour in the words of the model, its number (-1: none), and when it ends."""

    text: str
    number: int
    until: int

    @property
    def is_sleep(self) -> bool:
        """The model writes hours in its own words: there is no code for them."""
        return "sleep" in self.text.lower()


@dataclass(slots=True, kw_only=True)
class CurrentTask:
    """The task under way. `queue` holds its remaining primitives."""

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


@dataclass(slots=True, kw_only=True)
class Agenda:
    """The plans of the day: broad strokes, hours, and the tasks of the present hour."""

    requirements: list[TimetableLine] = field(default_factory=list)
    hours: list[TimetableLine] = field(default_factory=list)
    tasks: list[TimetableLine] = field(default_factory=list)
    tasks_to_minute: int = -1
    tasks_number: int = 0
    intentions: list[PlanEntry] = field(default_factory=list)

    def hour_at(self, minute: int, bedtime: int) -> PlannedHour:
        """Return the hour of a minute. Before the first hour and after bedtime it is sleep."""
        number = _last_begun(self.hours, minute)
        if number < 0 or minute >= bedtime:
            return PlannedHour("sleep", number if self.hours else -1, MINUTES_PER_DAY)
        until = self.hours[number + 1].minute if number + 1 < len(self.hours) else bedtime
        return PlannedHour(self.hours[number].text, number, max(until, minute + 1))

    def task_at(self, minute: int, until: int) -> tuple[str | None, int]:
        """Return the task of a minute and when it ends. Before the first task there is none."""
        number = _last_begun(self.tasks, minute)
        if number < 0:
            return None, until
        end = self.tasks[number + 1].minute if number + 1 < len(self.tasks) else until
        return self.tasks[number].text, max(end, minute + 1)


def _last_begun(lines: list[TimetableLine], minute: int) -> int:
    return max((number for number, line in enumerate(lines) if line.minute <= minute), default=-1)


class GenerativePerson:
    """One person with their plans, their task and their talk."""

    SAVED = (
        *("agenda", "task", "talk", "status", "asleep", "last_talks", "closed", "idle_to_step"),
    )
    agenda: Agenda
    task: CurrentTask | None
    talk: Talk | None
    #: How the released code describes the person's day, in the words of the model.
    status: str
    asleep: bool
    #: Other person → step of the last talk.
    last_talks: dict[str, int]
    #: Doors that the person believes to be closed.
    closed: set[str]
    #: The person waits until this step: the plan failed, and there is no other.
    idle_to_step: int

    def __init__(self, setting: MindSetting, model: LanguageModel, variant: Variant) -> None:
        self.setting, self.persona, self.town = setting, setting.persona, setting.town
        self.people = {persona.id: persona for persona in setting.people}
        self.variant = variant
        seed = derive(setting.seed, "generative", self.persona.id)
        self.asker = Asker(model, seed, setting.trace.note)
        self.experience = Experience(self.asker, self.persona, self.people, self.town, variant)
        self.agenda = Agenda()
        self.task, self.talk = None, None
        self.status, self.asleep = "", False
        self.last_talks = {}
        self.closed = assume_closed(self.town)
        self.idle_to_step = 0

    @property
    def about(self) -> str:
        """The description of the person at the beginning of every prompt."""
        return describe_persona(self.persona, self.setting.people, self.status)

    @property
    def doing(self) -> str:
        return self.task.text if self.task else "awake"

    def hour_at(self, minute: float) -> PlannedHour:
        return self.agenda.hour_at(int(minute), self.persona.sleeps)

    def plan(self, entries: list[PlanEntry]) -> None:
        """Declare plan entries. The trace shows them next to the prompts that they came from."""
        self.setting.trace.plan(entries)
        for entry in entries:
            self.setting.trace.note("plan", asdict(entry))

    def save(self) -> dict[str, Any]:
        return {**checkpoint.save(self, self.SAVED), "experience": self.experience.save()}

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, {name: tree[name] for name in self.SAVED})
        self.experience.restore(tree["experience"])
