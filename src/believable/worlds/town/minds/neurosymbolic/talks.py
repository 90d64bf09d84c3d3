"""Talks: greeting, answer, remark and reply, one sentence each."""

from __future__ import annotations

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.mind import Percept, Persona, Primitive
from believable.worlds.town.minds.generative.conversation import spoken_clause
from believable.worlds.town.minds.neurosymbolic.person import NeurosymbolicPerson
from believable.worlds.town.minds.neurosymbolic.speech import (
    ask_for_sentence,
    choose_sentence,
    speech_act,
)

TURNS = ("greeting", "answer", "remark", "reply")
TALK_DISTANCE = 3
#: Steps that a person waits for an answer.
PATIENCE_STEPS = 4
#: The same two people do not begin another talk within this time.
TALK_PAUSE_STEPS = 150 * STEPS_PER_MINUTE
TALK_CHANCE = 0.8
#: People are not addressed during these.
PRIVATE_ACTIVITIES = ("sleep", "toilet", "shower")
#: Memories from which one is chosen to be mentioned.
N_RECALLED = 8


def hear(person: NeurosymbolicPerson, percept: Percept) -> None:
    """Begin or continue a talk with each person who speaks to this one."""
    talk = person.talk
    for event in percept.hears(person.persona.id):
        talk.turn = talk.turn + 1 if talk.partner == event.person else 1
        talk.partner, talk.turn_step = event.person, percept.step
        talk.last_talks[event.person] = percept.step


def awaits_answer(person: NeurosymbolicPerson, percept: Percept) -> bool:
    talk = person.talk
    return (
        talk.partner is not None
        and talk.turn < len(TURNS)
        and percept.step - talk.turn_step < PATIENCE_STEPS
    )


def take_turn(person: NeurosymbolicPerson, percept: Percept) -> Primitive | None:
    """Continue the talk, or begin one with a person nearby."""
    talk = person.talk
    if talk.partner is not None:
        near = any(
            other.id == talk.partner and other.distance <= TALK_DISTANCE and not other.asleep
            for other in percept.people
        )
        waited = percept.step - talk.turn_step
        if talk.turn >= len(TURNS) or not near or waited > PATIENCE_STEPS:
            talk.partner, talk.turn = None, 0
            return None
        if any(percept.hears(person.persona.id)):
            return _say(person, TURNS[talk.turn], talk.partner, percept)
        return Primitive(verb="wait", minutes=1 / STEPS_PER_MINUTE)
    if percept.minute < person.persona.wakes or person.is_in_bed:
        return None
    for other in percept.people:
        last = talk.last_talks.get(other.id)
        paused = last is None or percept.step - last > TALK_PAUSE_STEPS
        if (
            other.distance <= TALK_DISTANCE
            and not other.asleep
            and other.doing not in PRIVATE_ACTIVITIES
            and (paused or "memory" not in person.checks)
        ):
            talk.last_talks[other.id] = percept.step
            if person.rng("talks", other.id).random() < TALK_CHANCE:
                talk.turn = 0
                return _say(person, "greeting", other.id, percept)
    return None


def note_said(person: NeurosymbolicPerson, primitive: Primitive, percept: Percept) -> None:
    """Remember a sentence that passed the checks."""
    talk, listener = person.talk, str(primitive.target)
    talk.said.append(f"{listener}: {primitive.text}")
    talk.partner, talk.turn_step = listener, percept.step
    talk.turn += 1
    talk.last_talks[listener] = percept.step


def _say(person: NeurosymbolicPerson, kind: str, listener: str, percept: Percept) -> Primitive:
    entry, following = person.entry, person.next_entry
    rng, other = person.rng("words", percept.step), person.people[listener]
    seen = _choose_memory(person, other, percept) if kind == "remark" else None
    act = speech_act(
        kind,
        other,
        percept,
        person.town,
        rng,
        doing=entry.goal.text if entry is not None else "",
        upcoming=following.goal.text if following is not None else "",
        seen=seen,
    )
    sentence = None
    if person.experience is not None:
        asker = person.experience.asker
        sentence = ask_for_sentence(asker, act, person.persona, other, person.town, person.people)
        if seen is not None and sentence is not None:
            person.talk.told.append(f"{listener}: {seen}")
    person.counts[f"worded by {'model' if sentence else 'ways'}"] += 1
    text = sentence or choose_sentence(act, rng)
    person.setting.trace.note(
        "speech", {"act": kind, "to": listener, "facts": dict(act.facts), "text": text}
    )
    return Primitive(verb="speak", target=listener, text=text)


def _choose_memory(person: NeurosymbolicPerson, other: Persona, percept: Percept) -> str | None:
    """Return a sight that fits the listener and is news to them. Private sights are left out."""
    if person.experience is None:
        return None
    focus = f"{other.name}, {person.persona.relation_to(other.id)} of {person.persona.name}"
    for entry in person.experience.recall(focus, percept.step, N_RECALLED):
        text = entry.memory.text
        if " is " not in text or any(
            word in text for word in ("sleep", "toilet", "shower", "night")
        ):
            continue
        clause = spoken_clause(text, person.persona, other)
        if (
            clause
            and clause.startswith("I saw ")
            and f"{other.id}: {clause}" not in person.talk.told
        ):
            return clause
    return None
