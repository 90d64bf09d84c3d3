"""The prompts of plans: broad strokes of the day, hours, then tasks of 5 to 15 minutes; new tasks
after an interruption.

In the paper every day gets a new plan, which follows from yesterday. In the released code the
requirements of the first day stay, and the model writes a new status. The heading of that prompt
names the same person for all people.
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
from believable.worlds.town.minds.generative.asking import (
    Asker,
    TimetableLine,
    read_sentence,
    read_timetable,
)
from believable.worlds.town.minds.generative.retrieval import ScoredMemory

TASK_MINUTES = (5, 10, 15)
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
        f"{persona.name} is {persona.age} years old, works as {persona.role} and {persona.about}. "
        f"{persona.name} knows {relations}."
        f"{' ' + status if status else ''}"
    )


def day_plan(
    asker: Asker,
    persona: Persona,
    town: TownMap,
    about: str,
    *,
    day: int,
    yesterday: str,
    retrieved: Sequence[ScoredMemory] = (),
) -> tuple[TimetableLine, ...] | None:
    """Ask for the day in broad strokes."""
    work = work_text(persona, town)
    slots = (
        (persona.wakes, "getting up in the morning and getting ready for the day"),
        (persona.wakes + 35, "time for breakfast at home"),
        (persona.work_from, f"in the morning, {work}"),
        (max(720, persona.work_from + 120), "noon, time for lunch"),
        (max(775, persona.work_from + 175), f"in the afternoon, {work}"),
        *(
            (minute, FREE_TIME[number % len(FREE_TIME)])
            for number, minute in enumerate(
                range(persona.work_to, max(1110, persona.work_to + 60) - 30, 60)
            )
        ),
        (max(1110, persona.work_to + 60), "in the evening, time to cook and have dinner"),
        (max(1170, persona.work_to + 120), f"in the evening at leisure, {persona.about}"),
        (persona.sleeps - 25, "late in the evening, getting ready for bed"),
        (persona.sleeps, "at night, sleep"),
    )
    kept = [
        slot for number, slot in enumerate(slots) if number == 0 or slot[0] > slots[number - 1][0]
    ]
    values = {
        "about": about,
        "day": str(day + 1),
        "yesterday": yesterday,
        "person": persona.name,
        "wakes": clock_text(persona.wakes),
        "work_from": clock_text(persona.work_from),
        "work_to": clock_text(persona.work_to),
        "sleeps": clock_text(persona.sleeps),
    }
    form = TimetableForm(
        tuple(f"{clock_text(minute)} {words}" for minute, words in kept),
        tuple(intentions_of(persona, town)),
        f"{persona.role}, {persona.about}",
        (work,),
    )
    read = functools.partial(read_timetable, from_minute=0, to_minute=MINUTES_PER_DAY)
    return asker.ask("day_plan", values, form, read, retrieved=retrieved)


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
    asker: Asker, persona: Persona, town: TownMap, about: str, plan: Sequence[TimetableLine]
) -> tuple[TimetableLine, ...] | None:
    """Ask for the hours between getting up and going to bed."""
    starts = [
        persona.wakes,
        *(hour * 60 for hour in range(persona.wakes // 60 + 1, -(-persona.sleeps // 60))),
    ]
    slots = tuple(f"{clock_text(minute)} {_line_at(plan, minute)}" for minute in starts)
    options = tuple(intentions_of(persona, town))
    values = {
        "about": about,
        "person": persona.name,
        "plan": timetable_text(plan),
        "first": clock_text(starts[0]),
        "last": clock_text(persona.sleeps),
    }
    form = TimetableForm(slots, options, f"{persona.role}, {persona.about}", options)
    read = functools.partial(read_timetable, from_minute=0, to_minute=MINUTES_PER_DAY)
    return asker.ask("hours", values, form, read)


def task_plan(
    asker: Asker,
    persona: Persona,
    town: TownMap,
    about: str,
    hours: Sequence[TimetableLine],
    activity: str,
    from_minute: int,
    to_minute: int,
    *,
    reason: str = "",
) -> tuple[TimetableLine, ...] | None:
    """Ask for the tasks between two minutes. With a `reason` they replace the planned ones."""
    rng = generator(asker.seed, "tasks", activity, from_minute, to_minute, persona.id)
    starts, minute = [], from_minute
    while minute < to_minute:
        starts.append(minute)
        minute += rng.choice(TASK_MINUTES)
    options = intentions_of(persona, town)
    pieces = () if reason else options.get(activity, ())
    choices = pieces or tuple(
        dict.fromkeys(words for listed in options.values() for words in listed)
    )
    values = {
        "about": about,
        "person": persona.name,
        "hours": timetable_text(hours),
        "activity": activity,
        "reason": reason,
        "first": clock_text(from_minute),
        "last": clock_text(to_minute),
    }
    form = TimetableForm(
        tuple(f"{clock_text(start)} {activity}" for start in starts),
        choices,
        f"{persona.role}, {persona.about}",
    )
    read = functools.partial(read_timetable, from_minute=from_minute, to_minute=to_minute)
    return asker.ask("replan" if reason else "tasks", values, form, read)


def timetable_text(lines: Sequence[TimetableLine]) -> str:
    return "\n".join(f"{clock_text(line.minute)}: {line.text}" for line in lines)


def _line_at(plan: Sequence[TimetableLine], minute: int) -> str:
    """Return the line of the plan for a minute; before the first line, the first."""
    said = [line for line in plan if line.minute <= minute] or list(plan[:1])
    return said[-1].text.replace(":", ",") if said else ""
