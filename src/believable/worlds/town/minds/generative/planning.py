"""The prompts of plans: the day in blocks of an hour, then the tasks of a part of the day; new
tasks after something failed.

In the paper every day gets a new plan, which follows from yesterday. In the released code the plan
of the first day stays in the prompt, and the model writes a new status. The heading of that prompt
names the same person for all people. Both ask for broad strokes, hours, and tasks of an hour in
turn, then for the place of each task. Here a plan has two prompts, and a task includes its place.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.nodes import read_plain
from believable.core.seeds import generator
from believable.worlds.town.clock import MINUTES_PER_DAY, clock_text
from believable.worlds.town.language.model import SentenceForm, TimetableForm
from believable.worlds.town.map import TownMap, activities
from believable.worlds.town.mind import Persona
from believable.worlds.town.minds.body.situation import (
    describe_hours,
    describe_life,
    list_uses,
    use_texts,
)
from believable.worlds.town.minds.generative.asking import (
    Asker,
    PlannedTask,
    TimetableLine,
    read_sentence,
    read_tasks,
    read_timetable,
)
from believable.worlds.town.minds.generative.retrieval import ScoredMemory

#: The length of a task, for models that choose and cannot invent.
TASK_MINUTES = (10, 15, 30)
#: The hours between work and dinner, one after the other.
FREE_TIME = (
    "after work, a coffee or shopping",
    "free time in the afternoon, a walk in the open air",
    "free time in the afternoon, books or music",
    "free time at home in the late afternoon",
)


@dataclass(frozen=True, slots=True)
class EverydayIntention:
    """An intention that many people have, with the activities it may consist of."""

    text: str
    at: tuple[str, ...]
    does: tuple[str, ...]


@functools.cache
def everyday() -> tuple[EverydayIntention, ...]:
    rows = read_plain(Path(__file__).with_name("intentions.yaml"))
    return tuple(
        EverydayIntention(row["words"], tuple(row["at"]), tuple(row["does"])) for row in rows
    )


def work_text(persona: Persona, town: TownMap) -> str:
    return f"work as {persona.role} at the {town.buildings[persona.workplace].name}"


def intentions_of(persona: Persona, town: TownMap) -> dict[str, tuple[str, ...]]:
    """Return what this person may intend to do, with the names of its activities."""
    kinds = activities()
    work = [
        kind.en
        for kind in kinds.values()
        if kind.wage and any(town.fixtures_of(name, building=persona.workplace) for name in kind.at)
    ]
    options = {}
    for intention in everyday():
        if intention.at == ("work",):
            options[work_text(persona, town)] = tuple(work) or ("reading", "writing")
        else:
            options[intention.text] = tuple(kinds[name].en for name in intention.does)
    for habit in persona.habits:
        options.setdefault(f"{kinds[habit.activity].en} as usual", (kinds[habit.activity].en,))
    return options


def fulfilling(persona: Persona, town: TownMap, words: str) -> tuple[str, str | None] | None:
    """Return the activities that fulfil an intention and its building; None for an intention in
    the model's words.
    """
    if words == work_text(persona, town):
        paid = [
            name
            for name, kind in activities().items()
            if kind.wage
            and any(town.fixtures_of(place, building=persona.workplace) for place in kind.at)
        ]
        return " ".join(paid or ["read", "write"]), persona.workplace
    for intention in everyday():
        if intention.text == words:
            place = persona.home if intention.at == ("home",) else intention.at[0]
            return " ".join(intention.does), place if place in town.buildings else None
    for habit in persona.habits:
        if words == f"{activities()[habit.activity].en} as usual":
            return habit.activity, None
    return None


def describe_persona(persona: Persona, people: Sequence[Persona], status: str = "") -> str:
    """Write the description of a person with which every prompt begins."""
    names = {other.id: other.name for other in people}
    relations = ", ".join(
        f"{names[other]} ({relation})" for other, relation in persona.relations.items()
    )
    return (
        f"{persona.name}, {persona.age}, is a {persona.role}: {persona.about}."
        f" {persona.first_name} knows {relations}.{' ' + status if status else ''}"
    )


def new_status(
    asker: Asker, persona: Persona, heading: str, status: str, retrieved: Sequence[ScoredMemory]
) -> str | None:
    """Ask for the status of a new day, as the released code does. `heading` is the person whom its
    prompt names for all people.
    """
    statements = tuple(entry.memory.text for entry in retrieved)
    values = {
        "heading": heading,
        "person": persona.name,
        "status": status,
        "statements": "\n".join(statements),
    }
    first = persona.first_name
    form = SentenceForm(statements[:2], f"Today {first} will")
    return asker.ask("status", values, form, read_sentence, retrieved=retrieved)


def hour_plan(
    asker: Asker,
    persona: Persona,
    people: Sequence[Persona],
    town: TownMap,
    about: str,
    *,
    day: int,
    yesterday: str,
    retrieved: Sequence[ScoredMemory] = (),
) -> tuple[TimetableLine, ...] | None:
    """Ask for the day in blocks of about an hour, from getting up to bedtime."""
    options = tuple(intentions_of(persona, town))
    values = {
        "about": about,
        "life": describe_life(persona, people, town),
        "day": str(day + 1),
        "yesterday": yesterday,
        "opening": "; ".join(
            f"{building.name} {describe_hours(building)}"
            for building in town.buildings.values()
            if building.kind != "home"
        ),
        "person": persona.name,
        "first": clock_text(persona.wakes),
        "last": clock_text(persona.sleeps),
    }
    form = TimetableForm(
        _usual_slots(persona, town),
        options,
        f"{persona.role}, {persona.about}",
        (work_text(persona, town),),
    )
    read = functools.partial(read_timetable, from_minute=0, to_minute=MINUTES_PER_DAY)
    return asker.ask("hours", values, form, read, retrieved=retrieved)


def _usual_slots(persona: Persona, town: TownMap) -> tuple[str, ...]:
    """Return the hours of a usual day, for models that choose and cannot invent."""
    work, wakes = work_text(persona, town), persona.wakes
    evening = max(1110, persona.work_to + 60)
    slots = [
        (wakes, "getting up in the morning and getting ready for the day"),
        (wakes + 35, "time for breakfast at home"),
        *((minute, work) for minute in range(persona.work_from, 700, 60)),
        (max(720, persona.work_from + 120), "noon, time for lunch"),
        *(
            (minute, work)
            for minute in range(max(780, persona.work_from + 180), persona.work_to, 60)
        ),
        *(
            (minute, FREE_TIME[number % len(FREE_TIME)])
            for number, minute in enumerate(range(persona.work_to, evening - 30, 60))
        ),
        (evening, "in the evening, time to cook and have dinner"),
        (evening + 60, f"in the evening at leisure, {persona.about}"),
        (persona.sleeps - 25, "late in the evening, getting ready for bed"),
        (persona.sleeps, "at night, sleep"),
    ]
    kept: list[tuple[int, str]] = []
    for minute, text in slots:
        if not kept or minute > kept[-1][0]:
            kept.append((minute, text))
    return tuple(f"{clock_text(minute)} {text.replace(':', ',')}" for minute, text in kept)


def task_plan(
    asker: Asker,
    persona: Persona,
    people: Sequence[Persona],
    town: TownMap,
    about: str,
    hours: Sequence[TimetableLine],
    situation: str,
    from_minute: int,
    to_minute: int,
    *,
    talks: Sequence[str] = (),
    reason: str = "",
) -> tuple[PlannedTask, ...] | None:
    """Ask for the tasks between two minutes, each with a thing to do and its place. With a `reason`
    they replace the planned ones.
    """
    rng = generator(asker.seed, "tasks", from_minute, to_minute, persona.id)
    starts, minute = [], from_minute
    while minute < to_minute:
        starts.append(minute)
        minute += rng.choice(TASK_MINUTES)
    uses = use_texts(persona, town)
    said = "".join(f"{text}\n" for text in talks)
    values = {
        "about": about,
        "life": describe_life(persona, people, town),
        "situation": situation,
        "person": persona.name,
        "hours": timetable_text(hours),
        "talks": f"Recent talks:\n{said}" if said else "",
        "reason": f"Something went wrong: {reason}\n" if reason else "",
        "uses": "\n".join(list_uses(persona, town)),
        "first": clock_text(from_minute),
        "last": clock_text(to_minute),
    }
    form = TimetableForm(
        tuple(f"{clock_text(start)} {_line_at(hours, start)}" for start in starts),
        tuple(uses),
        f"{persona.role}, {persona.about}",
    )
    read = functools.partial(read_tasks, uses=uses, from_minute=from_minute, to_minute=to_minute)
    return asker.ask("tasks", values, form, read)


def wished_tasks(
    asker: Asker,
    persona: Persona,
    people: Sequence[Persona],
    town: TownMap,
    about: str,
    *,
    day: int,
    yesterday: str,
    retrieved: Sequence[ScoredMemory] = (),
) -> tuple[PlannedTask, ...] | None:
    """Ask for the person's plans for the free hours."""
    uses = use_texts(persona, town)
    values = {
        "about": about,
        "life": describe_life(persona, people, town),
        "day": str(day + 1),
        "yesterday": yesterday,
        "person": persona.name,
        "uses": "\n".join(list_uses(persona, town)),
        "first": clock_text(persona.work_to),
        "last": clock_text(persona.sleeps),
    }
    starts = range(persona.work_to, persona.sleeps - 60, 90)
    form = TimetableForm(
        tuple(
            f"{clock_text(minute)} {FREE_TIME[number % len(FREE_TIME)]}"
            for number, minute in enumerate(starts)
        ),
        tuple(uses),
        f"{persona.role}, {persona.about}",
    )
    read = functools.partial(
        read_tasks, uses=uses, from_minute=persona.work_to, to_minute=persona.sleeps
    )
    return asker.ask("wishes", values, form, read, retrieved=retrieved)


def timetable_text(lines: Sequence[TimetableLine]) -> str:
    return "\n".join(f"{clock_text(line.minute)}: {line.text}" for line in lines)


def _line_at(plan: Sequence[TimetableLine], minute: int) -> str:
    """Return the line of the plan for a minute; before the first line, the first."""
    said = [line for line in plan if line.minute <= minute] or list(plan[:1])
    return said[-1].text.replace(":", ",") if said else ""
