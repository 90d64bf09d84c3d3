"""Tasks: taken from the plan of the hour, grounded in the town, and carried out."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from believable.worlds.town.clock import MINUTES_PER_DAY, STEPS_PER_DAY, STEPS_PER_MINUTE
from believable.worlds.town.map import activities
from believable.worlds.town.mind import Percept, PlanEntry, Primitive
from believable.worlds.town.minds.generative.asking import TimetableLine
from believable.worlds.town.minds.generative.days import add_activity
from believable.worlds.town.minds.generative.grounding import ground, primitives_for
from believable.worlds.town.minds.generative.perception import Observation
from believable.worlds.town.minds.generative.person import (
    CurrentTask,
    GenerativePerson,
    PlannedHour,
)
from believable.worlds.town.minds.generative.planning import task_plan
from believable.worlds.town.primitive_text import name_thing
from believable.worlds.town.walking import next_leg

#: A task is given up after this many refusals.
MAX_REFUSALS = 4
MAX_SLEEP_MINUTES = 720
#: The rest of an hour is planned again only if it is at least this long.
MIN_REPLANNED_MINUTES = 5


def do_task(person: GenerativePerson, percept: Percept) -> Primitive:
    """Return the next primitive of the task, or of a new one."""
    _take_result(person, percept)
    task = person.task
    if task is None and percept.step < person.idle_to_step:
        return _wait(person.idle_to_step, percept)
    if task is not None and percept.step >= task.to_step:
        if task.queue:
            close_task(person, task, "dropped", "its time was over")
        else:
            close_task(person, task, "done")
        task = None
    if task is not None and not task.queue:
        close_task(person, task, "done")
        if task.to_step > percept.step:
            return _wait(task.to_step, percept)
        return do_task(person, percept)
    if task is None:
        task = _begin_task(person, percept)
    if not task.queue:
        person.task = None
        return _wait(task.to_step, percept, least_minutes=1.0)
    leg = _next_leg(person, task, percept)
    if leg is not None:
        return replace(leg, serves=task.id)
    if not task.queue:
        return do_task(person, percept)
    primitive = task.queue.pop(0)
    if primitive.verb == "use":
        return replace(primitive, minutes=_minutes_until(task.to_step, percept, 1.0))
    return primitive


def _minutes_until(step: int, percept: Percept, least_minutes: float) -> float:
    return max(least_minutes, (step - percept.step) / STEPS_PER_MINUTE)


def _wait(to_step: int, percept: Percept, least_minutes: float = 0.0) -> Primitive:
    return Primitive(verb="wait", minutes=_minutes_until(to_step, percept, least_minutes))


def resume_task(person: GenerativePerson, percept: Percept) -> None:
    """Put an activity that a talk interrupted back into the queue."""
    result, task = percept.result, person.task
    if result is None or task is None or not result.cut or result.primitive.verb != "use":
        return
    if result.primitive.serves == task.id and result.primitive not in task.queue:
        task.queue.insert(0, result.primitive)


def _next_leg(person: GenerativePerson, task: CurrentTask, percept: Percept) -> Primitive | None:
    """Return the next part of the way to the next primitive, also after a talk; None on arrival.

    The body walks without asking the model, as in the released world. It opens
    only closed things.
    """
    while task.queue:
        ahead = task.queue[0]
        target = ahead.target if ahead.verb in ("pick-up", "put") else ahead.object
        fixture = person.town.fixtures.get(str(target))
        if fixture is None:
            return None
        if ahead.verb == "open" and percept.state_of(fixture.id) == "open":
            task.queue.pop(0)
            continue
        leg = next_leg(person.town, percept, fixture.id, fixture.stand, person.closed)
        if leg is not None or ahead.verb != "move-to":
            return leg
        task.queue.pop(0)
    return None


def _take_result(person: GenerativePerson, percept: Percept) -> None:
    """React to a refusal. Closed doors are opened and full hands emptied; otherwise the task is
    given up and, in the paper's variant, the rest of the hour planned again.
    """
    result, task = percept.result, person.task
    if (
        result is None
        or task is None
        or result.refused is None
        or result.primitive.serves != task.id
        or percept.step - result.to_step > 1
    ):
        return
    task.refusals += 1
    refused, primitive = result.refused, result.primitive
    if refused.code == "already":
        return
    if task.refusals < MAX_REFUSALS:
        if refused.code == "hands_full" and percept.carried:
            put = Primitive(
                verb="put", object=percept.carried[0].id, target=primitive.target, serves=task.id
            )
            task.queue[:0] = [put, primitive]
            return
        if refused.code == "door_closed":
            return
    thing, name = name_thing(primitive.object, person.town, person.people), person.persona.name
    text = f"{name} could not use {thing}: {refused.text.replace('.', ' ')}"
    person.experience.observe(Observation(text, (name, thing)), percept.step)
    close_task(person, task, "dropped", refused.text)
    replanned = person.variant == "paper" and replan(person, percept, f"{text}.")
    person.idle_to_step = 0 if replanned else task.to_step


def _begin_task(person: GenerativePerson, percept: Percept) -> CurrentTask:
    minute, hour = int(percept.minute), person.hour_at(percept.minute)
    midnight = percept.step - percept.step % STEPS_PER_DAY
    if hour.is_sleep or hour.number < 0:
        return _begin_sleep(person, percept, hour, midnight)
    agenda = person.agenda
    if minute >= agenda.tasks_to_minute or not agenda.tasks:
        agenda.tasks = list(_plan_tasks(person, minute, hour) or ())
        agenda.tasks_to_minute = hour.until
    text, end_minute = agenda.task_at(minute, hour.until)
    task = _new_task(person, percept, hour, text, midnight + end_minute * STEPS_PER_MINUTE)
    if text is None:  # the model's tasks could not be read: the hour stays whole
        person.setting.trace.note("undivided", {"hour": hour.text})
    grounded = ground(
        person.asker, person.persona, person.town, person.about, percept, hour.text, task.text
    )
    if grounded is None:
        close_task(person, task, "dropped", "no place for it could be read")
        return task
    task.activity, task.fixture, task.room = grounded.activity, grounded.fixture, grounded.room
    add_activity(person, task.parent, grounded.activity)
    task.queue = primitives_for(grounded, person.town, percept, 1.0, task.id)
    _declare(person, task)
    doing = activities()[grounded.activity].en
    thing, name = name_thing(grounded.fixture, person.town, person.people), person.persona.name
    own = Observation(f"{name} is {doing} at {thing}, to {task.text}", (name, doing))
    person.experience.observe(own, percept.step)
    return task


def _begin_sleep(
    person: GenerativePerson, percept: Percept, hour: PlannedHour, midnight: int
) -> CurrentTask:
    persona, minute = person.persona, int(percept.minute)
    wakes = persona.wakes + (MINUTES_PER_DAY if minute >= persona.wakes else 0)
    end = midnight + min(wakes, minute + MAX_SLEEP_MINUTES) * STEPS_PER_MINUTE
    task = _new_task(person, percept, hour, "sleep", end)
    task.activity, task.fixture = "sleep", persona.bed
    task.room = person.town.fixtures[persona.bed].room
    task.queue = [
        Primitive(verb="move-to", object=persona.bed, serves=task.id),
        Primitive(verb="use", object=persona.bed, activity="sleep", serves=task.id),
    ]
    _declare(person, task)
    return task


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


def _plan_tasks(
    person: GenerativePerson, minute: int, hour: PlannedHour, reason: str = ""
) -> tuple[TimetableLine, ...] | None:
    return task_plan(
        person.asker,
        person.persona,
        person.town,
        person.about,
        person.agenda.hours,
        hour.text,
        minute,
        hour.until,
        reason=reason,
    )


def replan(person: GenerativePerson, percept: Percept, reason: str) -> bool:
    """Plan the rest of the hour again. Return whether there are new tasks."""
    minute, hour = int(percept.minute), person.hour_at(percept.minute)
    if hour.number < 0 or hour.until - minute < MIN_REPLANNED_MINUTES or hour.is_sleep:
        return False
    lines = _plan_tasks(person, minute, hour, reason)
    readable = lines is not None
    person.setting.trace.note(
        "replanned", {"reason": reason, "hour": hour.text, "readable": readable}
    )
    if lines is not None:
        if person.task is not None:
            close_task(person, person.task, "dropped", reason)
        person.agenda.tasks, person.agenda.tasks_to_minute = list(lines), hour.until
    return bool(lines)


def close_task(
    person: GenerativePerson,
    task: CurrentTask,
    status: Literal["done", "dropped"],
    reason: str = "",
) -> None:
    person.task = None
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
        place=task.room,
        status=status,
        reason=reason,
    )
    person.plan([entry])
