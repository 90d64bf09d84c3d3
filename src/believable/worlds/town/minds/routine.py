"""The body on a fixed timetable: the baseline of comparisons. It never talks, plans or checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from believable.worlds.town.affordances import uses_in
from believable.worlds.town.clock import MINUTES_PER_DAY, STEPS_PER_DAY
from believable.worlds.town.map import activities, town_data
from believable.worlds.town.mind import MindKind, MindSetting, Percept, PlanEntry, Primitive
from believable.worlds.town.minds.body.body import TownBody
from believable.worlds.town.minds.body.planner import AgendaTask, use_minutes

NOON, DINNER_AFTER_WORK, EARLIEST_DINNER = 720, 60, 1080
#: Work is changed after this long.
WORK_MINUTES = 30
WAIT_MINUTES = 5.0
MAX_DECISIONS = 30
#: Done at work by roles without paid work.
QUIET_WORK = ("study", "research", "write", "read")


@dataclass(frozen=True, slots=True)
class TimetableEntry:
    minute: int
    building: str
    activity: str


class RoutineMind:
    """Begins each activity of the timetable at its time."""

    def __init__(self, setting: MindSetting) -> None:
        self._setting, self._persona = setting, setting.persona
        self._body = TownBody(setting)
        self._timetable = tuple(self._write_timetable())
        self._begun = -1

    def _write_timetable(self) -> list[TimetableEntry]:
        persona = self._persona
        times = {
            "wakes": persona.wakes,
            "work_from": persona.work_from,
            "noon": NOON,
            "work_to": persona.work_to,
            "dinner": max(EARLIEST_DINNER, persona.work_to + DINNER_AFTER_WORK),
            "sleeps": persona.sleeps,
        }
        places = {"home": persona.home, "work": persona.workplace, "cafe": "cafe"}
        entries = [
            TimetableEntry(times[since] + minutes, places[place], activity)
            for since, minutes, place, activity in town_data("minds/routine.yaml")
        ]
        entries.sort(key=lambda entry: entry.minute)
        starts = [entry.minute for entry in entries[1:]] + [MINUTES_PER_DAY]
        timetable = []
        for entry, end in zip(entries, starts, strict=True):
            if entry.activity != "work":
                timetable.append(entry)
                continue
            for number, minute in enumerate(range(entry.minute, end, WORK_MINUTES)):
                work = self._works[number % len(self._works)]
                timetable.append(replace(entry, minute=minute, activity=work))
        return timetable

    @property
    def _works(self) -> list[str]:
        persona, town = self._persona, self._setting.town
        uses = [use.activity for use in uses_in(town, persona.workplace, persona)]
        paid = [name for name in uses if activities()[name].roles]
        return paid or [name for name in QUIET_WORK if name in uses]

    def day_start(self, percept: Percept) -> None:
        self._begun = -1
        day = PlanEntry(
            id=self._day_id(percept),
            parent=None,
            level=0,
            from_step=percept.step,
            to_step=percept.step + STEPS_PER_DAY,
            text=f"Day {percept.day + 1}",
        )
        self._setting.trace.plan([day])

    def _day_id(self, percept: Percept) -> str:
        return f"{self._persona.id}-r{percept.day}"

    def next_primitive(self, percept: Percept) -> Primitive:
        body = self._body
        body.accept_result(percept)
        for _ in range(MAX_DECISIONS):
            due = self._due(percept.minute)
            if due != self._begun:
                self._begin(due, percept)
            primitive = body.act(percept)
            if primitive is not None:
                body.confirm(primitive)
                return replace(primitive, serves=self._day_id(percept))
            if not body.agenda:
                break
        return Primitive(verb="wait", minutes=WAIT_MINUTES, serves=self._day_id(percept))

    def _due(self, minute: float) -> int:
        begun = [number for number, entry in enumerate(self._timetable) if entry.minute <= minute]
        return begun[-1] if begun else len(self._timetable)

    def _begin(self, number: int, percept: Percept) -> None:
        self._begun = number
        persona = self._persona
        if number == len(self._timetable):  # still night
            minutes = persona.wakes - percept.minute
            night = AgendaTask(kind="do", building=persona.home, name="sleep", minutes=minutes)
            self._body.begin(night)
            return
        entry = self._timetable[number]
        following = self._timetable[number + 1 : number + 2]
        end = following[0].minute if following else MINUTES_PER_DAY + persona.wakes
        minutes = use_minutes(entry.activity, end - percept.minute)
        self._body.begin(
            AgendaTask(kind="do", building=entry.building, name=entry.activity, minutes=minutes)
        )

    def notice(self, percept: Percept) -> bool:
        return False

    def state(self) -> Mapping[str, Any]:
        return {"begun": self._begun, "body": self._body.save()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self._begun = state["begun"]
        self._body.restore(state["body"])


ROUTINE = MindKind(
    name="routine",
    about="The body alone on a fixed timetable: the level that other minds are compared with.",
    create=RoutineMind,
)
