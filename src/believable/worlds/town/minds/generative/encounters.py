"""Encounters: whether a person talks with another whom they see, and the whole talk.

The published agent decides about every observation, and the released code about people only: talk,
wait, or carry on. Then both ask for each line. Here one prompt decides and writes the talk, about
the nearest person whom the person has not decided about for some time. The released code never
talks at 23 h.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from believable.worlds.town.clock import clock_text
from believable.worlds.town.language.model import ChoiceForm, ExchangeForm, SentenceForm
from believable.worlds.town.mind import Percept, Persona, Primitive, SeenPerson
from believable.worlds.town.minds.body.situation import describe_life, describe_situation
from believable.worlds.town.minds.body.talking import (
    MIN_LINES,
    Exchange,
    hear_exchange,
    read_lines,
    speak_next,
    transcript,
)
from believable.worlds.town.minds.generative.asking import UnreadableAnswer, read_sentence
from believable.worlds.town.minds.generative.memory_stream import Memory
from believable.worlds.town.minds.generative.perception import describe_doing
from believable.worlds.town.minds.generative.person import GenerativePerson
from believable.worlds.town.minds.generative.planning import describe_persona
from believable.worlds.town.minds.generative.retrieval import Variant

#: Steps before the same person is considered again. The paper names none; the released code has
#: 2.2 hours.
PAUSE_STEPS: dict[Variant, int] = {"released": 800, "paper": 720}
QUIET_HOUR = 23
MEMORIES_SHOWN, HOURS_SHOWN = 6, 2
#: Talks of today in the prompts of plans.
TALKS_SHOWN = 3
CARRY_ON = "carry on"


def meet(person: GenerativePerson, percept: Percept) -> None:
    """Begin a talk with a person in sight, if the model decides so."""
    other = _find_partner(person, percept)
    if other is None:
        return
    partner_of, me = person.setting.partner_of, person.persona.id
    if any(partner_of(seen.id) == me for seen in percept.people):
        return  # another person is about to begin a talk
    briefing = person.setting.briefing(other.id)
    if partner_of(other.id) is not None:
        return
    person.encounters[other.id] = percept.step
    lines = _ask_for_talk(person, percept, other, briefing)
    if lines:
        person.exchange = Exchange(other=other.id, lines=lines)


def hear(person: GenerativePerson, percept: Percept) -> None:
    """Join the talk of a person who speaks to this one."""
    person.exchange = hear_exchange(person.exchange, percept)
    if person.exchange is not None:
        person.encounters[person.exchange.other] = percept.step


def take_turn(person: GenerativePerson, percept: Percept) -> Primitive | None:
    """Return the next action of the talk. If it is over, remember it and return None."""
    if person.exchange is None:
        return None
    primitive = speak_next(person.exchange, percept, person.people)
    if primitive is None:
        exchange, person.exchange = person.exchange, None
        _remember(person, exchange, percept.step)
    return primitive


def brief(person: GenerativePerson, other: str, percept: Percept) -> Mapping[str, str]:
    """Return the person's topics for a talk: their current task and their memories."""
    return {
        "busy": person.doing,
        "then": _describe_next(person, percept),
        "memories": _memories(person, other, percept.step),
    }


def _describe_next(person: GenerativePerson, percept: Percept) -> str:
    """Return the next hours of the schedule."""
    ahead = [line for line in person.agenda.hours if line.minute > percept.minute]
    return "; ".join(f"{clock_text(line.minute)} {line.text}" for line in ahead[:HOURS_SHOWN])


def _find_partner(person: GenerativePerson, percept: Percept) -> SeenPerson | None:
    if person.hour_at(percept.minute).is_sleep:
        return None
    if person.variant == "released" and int(percept.minute) // 60 == QUIET_HOUR:
        return None
    pause = PAUSE_STEPS[person.variant]
    near = [
        other
        for other in percept.people
        if not other.asleep
        and other.doing != "talking"
        and percept.step - person.encounters.get(other.id, -pause) >= pause
    ]
    return min(near, key=lambda other: (other.distance, other.id), default=None)


def _ask_for_talk(
    person: GenerativePerson, percept: Percept, seen: SeenPerson, briefing: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    persona, other = person.persona, person.people[seen.id]
    first = persona.first_name
    memories = _memories(person, seen.id, percept.step)
    relation = persona.relation_to(other.id)
    values = {
        "about": person.about,
        "life": describe_life(persona, person.setting.people, person.town),
        "situation": describe_situation(persona, person.town, percept, person.body.failure),
        "person": persona.name,
        "first": first,
        "doing": person.doing,
        "then": _describe_next(person, percept),
        "other": other.name,
        "other_first": other.first_name,
        "relation": f"{first}'s {relation}",
        "other_doing": describe_doing(seen),
        "other_about": describe_persona(other, person.setting.people),
        "other_busy": briefing.get("busy", "something else"),
        "other_then": briefing.get("then", ""),
        "memories": memories,
        "other_memories": briefing.get("memories", "nothing"),
        "options": CARRY_ON,
    }
    focus = f"{first} sees {other.name}, {relation} of {first}, {describe_doing(seen)}"
    form = ExchangeForm(
        speakers=(first, other.first_name) * 2,
        openings=(
            f"{other.first_name}, I am here to",
            f"{first}, I am about to",
            "I think that",
            "Yes, and",
        ),
        facts=(f"{first} meets {other.first_name}, a {relation}.", memories[:120]),
        choice=ChoiceForm((CARRY_ON, f"talk with {other.name}"), focus),
    )
    read = functools.partial(_read_encounter, speakers=(persona, other))
    return person.asker.ask("encounter", values, form, read) or ()


def _read_encounter(text: str, speakers: tuple[Persona, Persona]) -> tuple[tuple[str, str], ...]:
    if text.strip(" .\"'").lower() == CARRY_ON:
        return ()
    lines = read_lines(text, speakers)
    if isinstance(lines, str):
        raise UnreadableAnswer(lines)
    return lines


def _memories(person: GenerativePerson, other: str, step: int) -> str:
    name = person.people[other].first_name
    focus = f"{person.people[other].name}, {person.persona.relation_to(other)}"
    recalled = [entry.memory for entry in person.experience.recall(focus, step)]
    fitting = [memory.text for memory in recalled if name in memory.text and not _is_plan(memory)]
    return "\n".join(fitting[:MEMORIES_SHOWN]) or "nothing"


def _is_plan(memory: Memory) -> bool:
    return "plan" in memory.keywords


def _remember(person: GenerativePerson, exchange: Exchange, step: int) -> None:
    """Remember the lines. The released code also remembers the person's opinion."""
    if len(exchange.spoken_lines) < MIN_LINES:
        return
    persona, other = person.persona, person.people[exchange.other]
    names = (persona.name, other.name)
    said = transcript(exchange.spoken_lines, person.people)
    text = f"{persona.name} talked with {other.name}. {said}"
    person.talks = [*person.talks, text][-TALKS_SHOWN:]
    chat = person.experience.remember("chat", text, step, keywords=names)
    if person.variant != "released":
        return
    facts = tuple(line for _, line in exchange.spoken_lines[-2:])
    form = SentenceForm(facts, f"{persona.first_name} remembers that")
    values = {"person": persona.name, "said": said}
    memo = person.asker.ask("talk_memo", values, form, read_sentence)
    if memo is not None:
        person.experience.remember("thought", memo, step, keywords=names, evidence=(chat.number,))
