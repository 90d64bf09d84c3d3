"""Tasks: taken from the plan of the part of the day, and given to the body."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from believable.worlds.town.clock import MINUTES_PER_DAY, STEPS_PER_DAY, STEPS_PER_MINUTE
from believable.worlds.town.mind import Percept, PlanEntry, Primitive
from believable.worlds.town.minds.body.planner import AgendaTask, use_minutes
from believable.worlds.town.minds.body.situation import describe_place, describe_situation
from believable.worlds.town.minds.generative.asking import ask_together
from believable.worlds.town.minds.generative.days import add_activity
from believable.worlds.town.minds.generative.perception import Observation
from believable.worlds.town.minds.generative.person import (
    CurrentTask,
    GenerativePerson,
    PlannedHour,
)
from believable.worlds.town.minds.generative.planning import task_plan
from believable.worlds.town.minds.generative.reflection import is_due, reflect

MAX_SLEEP_MINUTES = 720
#: The rest of a part of the day is planned again only if the failed task had this much left, and
#: not again within `REPLAN_PAUSE_MINUTES`.
MIN_REPLANNED_MINUTES, REPLAN_PAUSE_MINUTES = 15, 90
#: A person who waits looks around this often.
WAIT_MINUTES = 5.0
#: A task whose activity has not begun, because of the way there, is dropped when it is this late.
LATE_MINUTES = 20
#: Decisions at one step until the person gives up for a while.
MAX_DECISIONS = 30


def do_task(person: GenerativePerson, percept: Percept) -> Primitive:
    """Return the next primitive of the task, or of a new one."""
    for _ in range(MAX_DECISIONS):
        task = person.task
        under_way = _is_under_way(person)
        late_steps = LATE_MINUTES * STEPS_PER_MINUTE if under_way else 0
        if task is not None and percept.step >= task.to_step + late_steps:
            if under_way:
                close_task(person, task, "dropped", "its time was over")
            else:
                close_task(person, task, "done")
            task = None
        if task is None:
            task = _begin_task(person, percept)
        serves = task.id
        primitive = person.body.act(percept)
        if primitive is not None:
            person.body.confirm(primitive)
            return replace(primitive, serves=serves)
        if person.body.agenda:
            continue
        if person.body.failure and task.activity is not None and _fail(person, task, percept):
            continue
        minutes = (task.to_step - percept.step) / STEPS_PER_MINUTE
        return Primitive(verb="wait", minutes=min(WAIT_MINUTES, max(1.0, minutes)))
    return Primitive(verb="wait", minutes=WAIT_MINUTES)


def _is_under_way(person: GenerativePerson) -> bool:
    task = person.task
    return task is not None and any(entry.name == task.activity for entry in person.body.agenda)


def _fail(person: GenerativePerson, task: CurrentTask, percept: Percept) -> bool:
    """Remember why the task failed. Return whether there are new tasks: in the paper's variant the
    rest of the part is planned again.
    """
    failure, name = person.body.failure, person.persona.name
    text = f"{name} could not do this: {task.text} ({failure})"
    person.experience.observe(Observation(text, (name,)), percept.step)
    left = (task.to_step - percept.step) / STEPS_PER_MINUTE
    to_step = task.to_step
    _declare(person, task, "dropped", failure)
    minute = int(percept.minute)
    waits = (
        person.variant != "paper"
        or left < MIN_REPLANNED_MINUTES
        or minute - person.agenda.replanned_minute < REPLAN_PAUSE_MINUTES
        or minute >= person.agenda.tasks_to_minute
    )
    if waits or not _plan_part(person, percept, f"{text}."):
        person.body.failure, task.activity = "", None
        task.to_step = to_step
        return False
    person.agenda.replanned_minute = minute
    person.body.failure, person.task = "", None
    return True


def _begin_task(person: GenerativePerson, percept: Percept) -> CurrentTask:
    minute, hour = int(percept.minute), person.hour_at(percept.minute)
    midnight = percept.step - percept.step % STEPS_PER_DAY
    if hour.is_sleep or hour.number < 0:
        return _begin_sleep(person, percept, hour, midnight)
    agenda = person.agenda
    if minute >= agenda.tasks_to_minute:
        ask_together(lambda: _settle_memories(person, percept), lambda: _plan_part(person, percept))
    planned, end_minute = agenda.task_at(minute)
    end = midnight + end_minute * STEPS_PER_MINUTE
    task = _new_task(person, percept, hour, planned.text if planned else None, end)
    person.body.failure = ""
    if planned is None:  # the model's tasks could not be read
        person.setting.trace.note("undivided", {"hour": hour.text})
        _declare(person, task)
        return task
    task.activity, task.building = planned.activity, planned.building
    add_activity(person, task.parent, planned.activity)
    person.body.begin(
        AgendaTask(
            kind="do",
            building=planned.building,
            name=planned.activity,
            minutes=use_minutes(planned.activity, (end - percept.step) / STEPS_PER_MINUTE),
        )
    )
    _declare(person, task)
    name, place = person.persona.name, describe_place(planned.building, person.persona, person.town)
    own = Observation(f"{name}, at {place}: {task.text}", (name,))
    person.experience.observe(own, percept.step)
    return task


def _begin_sleep(
    person: GenerativePerson, percept: Percept, hour: PlannedHour, midnight: int
) -> CurrentTask:
    if hour.number >= 0:  # the day is over
        _settle_memories(person, percept)
    persona, minute = person.persona, int(percept.minute)
    hours = person.agenda.hours
    wakes = hours[0].minute if hours and minute < hours[0].minute else persona.wakes
    wakes += MINUTES_PER_DAY if minute >= wakes else 0
    end = midnight + min(wakes, minute + MAX_SLEEP_MINUTES) * STEPS_PER_MINUTE
    task = _new_task(person, percept, hour, "sleep", end)
    task.activity, task.building = "sleep", persona.home
    minutes = (task.to_step - percept.step) / STEPS_PER_MINUTE
    person.body.begin(
        AgendaTask(kind="do", building=persona.home, name="sleep", at="bed", minutes=minutes)
    )
    _declare(person, task)
    return task


def _settle_memories(person: GenerativePerson, percept: Percept) -> bool:
    """Rate the new memories, and reflect if it is due."""
    person.experience.rate()
    stream = person.experience.stream
    if is_due(stream, person.variant):
        reflect(person.asker, stream, person.persona.name, percept.step, person.variant)
    return True


def _new_task(
    person: GenerativePerson, percept: Percept, hour: PlannedHour, text: str | None, end: int
) -> CurrentTask:
    day = f"{person.persona.id}-g{percept.day}"
    person.agenda.tasks_number += 1
    person.task = CurrentTask(
        id=f"{day}-t{person.agenda.tasks_number}",
        parent=f"{day}-h{hour.number}" if hour.number >= 0 else day,
        text=text or hour.text,
        hour=hour.text,
        from_step=percept.step,
        to_step=max(end, percept.step + STEPS_PER_MINUTE),
    )
    return person.task


def _plan_part(person: GenerativePerson, percept: Percept, reason: str = "") -> bool:
    """Plan the tasks from now on. Return whether they could be read."""
    agenda, minute = person.agenda, int(percept.minute)
    to_minute = agenda.tasks_to_minute if reason else agenda.part_to(minute, person.persona.sleeps)
    lines = task_plan(
        person.asker,
        person.persona,
        person.setting.people,
        person.town,
        person.about,
        agenda.hours,
        describe_situation(person.persona, person.town, percept, person.body.failure),
        minute,
        to_minute,
        talks=person.talks,
        reason=reason,
    )
    if reason:
        readable = lines is not None
        person.setting.trace.note("replanned", {"reason": reason, "readable": readable})
    if lines is not None or not reason:
        agenda.tasks, agenda.tasks_to_minute = list(lines or ()), to_minute
    return lines is not None


def close_task(
    person: GenerativePerson,
    task: CurrentTask,
    status: Literal["done", "dropped"],
    reason: str = "",
) -> None:
    person.task = None
    if task.activity is not None:
        _declare(person, task, status, reason)


def _declare(
    person: GenerativePerson,
    task: CurrentTask,
    status: Literal["open", "done", "dropped"] = "open",
    reason: str = "",
) -> None:
    entry = PlanEntry(
        id=task.id,
        parent=task.parent,
        level=2,
        from_step=task.from_step,
        to_step=task.to_step,
        text=task.text,
        activity=task.activity,
        place=task.building,
        status=status,
        reason=reason,
    )
    person.plan([entry])
