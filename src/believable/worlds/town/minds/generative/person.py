"""The person whose mind this is: everything that the parts of the mind share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from believable.core.seeds import derive
from believable.worlds.town import checkpoint
from believable.worlds.town.clock import MINUTES_PER_DAY
from believable.worlds.town.language.model import LanguageModel
from believable.worlds.town.mind import MindSetting, PlanEntry
from believable.worlds.town.minds.body.body import TownBody
from believable.worlds.town.minds.body.talking import Exchange
from believable.worlds.town.minds.generative.asking import Asker, PlannedTask, TimetableLine
from believable.worlds.town.minds.generative.experience import Experience
from believable.worlds.town.minds.generative.planning import describe_persona
from believable.worlds.town.minds.generative.retrieval import Variant

#: The tasks of this much of a day are asked for at once.
PART_MINUTES, REST_MINUTES = 8 * 60, 90


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
    """The task under way."""

    id: str
    parent: str
    text: str
    hour: str
    from_step: int
    to_step: int
    activity: str | None = None
    building: str | None = None


@dataclass(slots=True, kw_only=True)
class Agenda:
    """The plans of the day: the hours of the first day, the hours, and the tasks of the present
    part of the day.
    """

    first_hours: list[TimetableLine] = field(default_factory=list)
    hours: list[TimetableLine] = field(default_factory=list)
    tasks: list[PlannedTask] = field(default_factory=list)
    tasks_to_minute: int = -1
    replanned_minute: int = -MINUTES_PER_DAY
    tasks_number: int = 0
    intentions: list[PlanEntry] = field(default_factory=list)

    def hour_at(self, minute: int, bedtime: int) -> PlannedHour:
        """Return the hour of a minute. Before the first hour and after bedtime it is sleep."""
        number = _last_begun(self.hours, minute)
        if number < 0 or minute >= bedtime:
            return PlannedHour("sleep", number if self.hours else -1, MINUTES_PER_DAY)
        until = self.hours[number + 1].minute if number + 1 < len(self.hours) else bedtime
        return PlannedHour(self.hours[number].text, number, max(until, minute + 1))

    def part_to(self, minute: int, bedtime: int) -> int:
        """Return the end of the part of the day that begins now: hours of about `PART_MINUTES`. A
        short rest of the day belongs to it.
        """
        if bedtime - minute <= PART_MINUTES + REST_MINUTES:
            return bedtime
        ends = [line.minute for line in self.hours if minute < line.minute <= bedtime]
        fitting = [end for end in [*ends, bedtime] if end - minute <= PART_MINUTES]
        return max(fitting, default=min([*ends, bedtime]))

    def task_at(self, minute: int) -> tuple[PlannedTask | None, int]:
        """Return the task of a minute and when it ends. Before the first task there is none."""
        number = _last_begun(self.tasks, minute)
        following = self.tasks[number + 1 : number + 2]
        end = following[0].minute if following else self.tasks_to_minute
        return self.tasks[number] if number >= 0 else None, max(end, minute + 1)


def _last_begun(lines: Sequence[TimetableLine | PlannedTask], minute: int) -> int:
    return max((number for number, line in enumerate(lines) if line.minute <= minute), default=-1)


class GenerativePerson:
    """One person with their plans, their task and their talk."""

    SAVED = (*("agenda", "task", "exchange", "status", "asleep", "encounters", "talks"),)
    agenda: Agenda
    task: CurrentTask | None
    exchange: Exchange | None
    #: How the released code describes the person's day, in the words of the model.
    status: str
    asleep: bool
    #: Other person → step at which the person last decided about a talk with them.
    encounters: dict[str, int]
    #: The latest talks of today, in full.
    talks: list[str]

    def __init__(self, setting: MindSetting, model: LanguageModel, variant: Variant) -> None:
        self.setting, self.persona, self.town = setting, setting.persona, setting.town
        self.people = {persona.id: persona for persona in setting.people}
        self.variant = variant
        seed = derive(setting.seed, "generative", self.persona.id)
        self.asker = Asker(model, seed, setting.trace.note)
        self.experience = Experience(self.asker, self.persona, self.people, self.town, variant)
        self.agenda = Agenda()
        self.body = TownBody(setting)
        self.task, self.exchange = None, None
        self.status, self.asleep = "", False
        self.encounters, self.talks = {}, []

    @property
    def about(self) -> str:
        """The description of the person at the beginning of every prompt."""
        return describe_persona(self.persona, self.setting.people, self.status)

    @property
    def doing(self) -> str:
        if self.task is None or self.task.activity == "sleep":
            return "getting up"
        return self.task.text

    def hour_at(self, minute: float) -> PlannedHour:
        return self.agenda.hour_at(int(minute), self.persona.sleeps)

    def plan(self, entries: list[PlanEntry]) -> None:
        """Declare plan entries. The trace shows them next to the prompts that they came from."""
        self.setting.trace.plan(entries)
        for entry in entries:
            self.setting.trace.note("plan", asdict(entry))

    def save(self) -> dict[str, Any]:
        return {
            **checkpoint.save(self, self.SAVED),
            "body": self.body.save(),
            "experience": self.experience.save(),
        }

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, {name: tree[name] for name in self.SAVED})
        self.body.restore(tree["body"])
        self.experience.restore(tree["experience"])
