"""The beginning of a day: broad strokes, then hours, declared as intentions."""

from __future__ import annotations

from dataclasses import replace

from believable.worlds.town.clock import (
    MINUTES_PER_DAY,
    STEPS_PER_DAY,
    STEPS_PER_MINUTE,
    clock_text,
)
from believable.worlds.town.mind import Percept, PlanEntry
from believable.worlds.town.minds.generative.person import Agenda, GenerativePerson
from believable.worlds.town.minds.generative.planning import fulfilling, hour_plan, new_status

PLAN_IMPORTANCE = 5
#: The activity of an hour that cannot be fulfilled yet: none of its tasks has a place.
NOTHING_BEGUN = "nothing_begun"


def start_day(person: GenerativePerson, percept: Percept) -> None:
    """Plan the day. In the released code later days get a new status, and the plan of the first
    day stays in their prompt.
    """
    persona, asker, experience = person.persona, person.asker, person.experience
    day, step = percept.day, percept.step
    if day == 0 or person.variant == "paper":
        recalled, yesterday = experience.recall_yesterday(percept)
    else:
        recalled = experience.recall(f"{persona.name}'s plan; important recent events", step)
        heading = person.setting.people[0].name
        person.status = (
            new_status(asker, persona, heading, person.status, recalled) or person.status
        )
        first_day = ", ".join(
            f"{clock_text(line.minute)} {line.text}" for line in person.agenda.first_hours
        )
        yesterday = f"{persona.first_name}'s usual day: {first_day}."
    hours = hour_plan(
        asker,
        persona,
        person.setting.people,
        person.town,
        person.about,
        day=day,
        yesterday=yesterday,
        retrieved=recalled,
    )
    lines = list(hours or ())
    person.agenda = Agenda(first_hours=person.agenda.first_hours or lines, hours=lines)
    person.talks = []
    strokes = ", ".join(f"{clock_text(line.minute)} {line.text}" for line in lines)
    text = f"{persona.name}'s plan for day {day + 1}: {strokes or 'no plan'}."
    asker.note_memory(
        experience.stream.add("thought", text, step, PLAN_IMPORTANCE, keywords=("plan",))
    )
    _declare_hours(person, day, step)


def _declare_hours(person: GenerativePerson, day: int, step: int) -> None:
    root, hours = f"{person.persona.id}-g{day}", person.agenda.hours
    ends = [*(line.minute for line in hours[1:]), MINUTES_PER_DAY]
    intentions = []
    for number, (line, end) in enumerate(zip(hours, ends, strict=False)):
        known = fulfilling(person.persona, person.town, line.text)
        activity, place = known or (NOTHING_BEGUN, None)
        intentions.append(
            PlanEntry(
                id=f"{root}-h{number}",
                parent=root,
                level=1,
                from_step=step + line.minute * STEPS_PER_MINUTE,
                to_step=step + end * STEPS_PER_MINUTE,
                text=line.text,
                activity=activity,
                place=place,
            )
        )
    person.agenda.intentions = intentions
    whole = PlanEntry(
        id=root,
        parent=None,
        level=0,
        from_step=step,
        to_step=step + STEPS_PER_DAY,
        text=f"Day {day + 1} of {person.persona.name}",
    )
    person.plan([whole, *intentions])


def add_activity(person: GenerativePerson, parent: str, activity: str) -> None:
    """Add what fulfils an hour in the words of the model: the activities of its tasks."""
    intentions = person.agenda.intentions
    for number, entry in enumerate(intentions):
        if entry.id == parent and not fulfilling(person.persona, person.town, entry.text):
            known = (entry.activity or "").split()
            others = [name for name in known if name not in (NOTHING_BEGUN, activity)]
            intentions[number] = replace(entry, activity=" ".join([*others, activity]))
            person.plan([intentions[number]])
