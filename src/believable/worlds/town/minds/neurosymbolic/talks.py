"""Talks of four acts: greeting, answer, remark and reply. Who begins decides all of them."""

from __future__ import annotations

from collections.abc import Mapping

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.mind import Percept, Persona, Primitive, SpokenLine
from believable.worlds.town.minds.body.talking import Exchange, hear_exchange, speak_next
from believable.worlds.town.minds.neurosymbolic.person import NeurosymbolicPerson
from believable.worlds.town.minds.neurosymbolic.speech import (
    SpeechAct,
    ask_for_exchange,
    choose_sentence,
    describe_where,
    speech_act,
)

TURNS = ("greeting", "answer", "remark", "reply")
TALK_DISTANCE = 3
#: The same two people do not begin another talk within this time.
TALK_PAUSE_STEPS = 150 * STEPS_PER_MINUTE
TALK_CHANCE = 0.8
#: People are not addressed during these.
PRIVATE_ACTIVITIES = ("sleep", "toilet", "shower")
#: Memories from which one is chosen to be mentioned.
N_RECALLED = 8


def hear(person: NeurosymbolicPerson, percept: Percept) -> None:
    """Join the talk of a person who speaks to this one."""
    person.exchange = hear_exchange(person.exchange, percept)
    if person.exchange is not None:
        person.talks.last_talks[person.exchange.other] = percept.step


def awaits_answer(person: NeurosymbolicPerson, percept: Percept) -> bool:
    exchange = person.exchange
    return exchange is not None and exchange.index < len(exchange.lines)


def take_turn(person: NeurosymbolicPerson, percept: Percept) -> Primitive | None:
    """Continue the talk, or begin one with a person nearby."""
    if person.exchange is None:
        _begin(person, percept)
    if person.exchange is None:
        return None
    primitive = speak_next(person.exchange, percept, person.people)
    if primitive is None:
        person.exchange = None
    return primitive


def note_said(person: NeurosymbolicPerson, primitive: Primitive, percept: Percept) -> None:
    """Remember a sentence that passed the checks."""
    listener = str(primitive.target)
    person.talks.said.append(f"{listener}: {primitive.text}")
    person.talks.last_talks[listener] = percept.step


def brief(person: NeurosymbolicPerson, other: str, percept: Percept) -> Mapping[str, str]:
    """Return the person's topics for a talk: their present and their next goal."""
    entry, following = person.entry, person.next_entry
    return {
        "doing": entry.goal.text if entry is not None else "",
        "upcoming": following.goal.text if following is not None else "",
    }


def _begin(person: NeurosymbolicPerson, percept: Percept) -> None:
    if percept.minute < person.persona.wakes or person.is_in_bed:
        return
    for other in percept.people:
        last = person.talks.last_talks.get(other.id)
        paused = last is None or percept.step - last > TALK_PAUSE_STEPS
        if (
            other.distance <= TALK_DISTANCE
            and not other.asleep
            and other.doing not in PRIVATE_ACTIVITIES
            and (paused or "memory" not in person.checks)
        ):
            person.talks.last_talks[other.id] = percept.step
            if person.rng("talks", other.id).random() < TALK_CHANCE:
                lines = _decide(person, person.people[other.id], percept)
                person.exchange = Exchange(other=other.id, lines=lines)
                return


def _decide(
    person: NeurosymbolicPerson, other: Persona, percept: Percept
) -> tuple[SpokenLine, ...]:
    """Choose the content of all four acts, and have them worded by the model or by patterns."""
    rng, persona = person.rng("words", percept.step), person.persona
    own = brief(person, other.id, percept)
    theirs = {"doing": "", "upcoming": "", **person.setting.briefing(other.id)}
    seen = _choose_memory(person, other, percept)
    acts: list[SpeechAct] = []
    for number, kind in enumerate(TURNS):
        mine = number % 2 == 0
        speaker, listener, facts = (persona, other, own) if mine else (other, persona, theirs)
        acts.append(
            speech_act(
                kind,
                speaker,
                listener,
                percept,
                person.town,
                rng,
                doing=facts["doing"],
                upcoming=facts["upcoming"],
                seen=seen if kind == "remark" else None,
            )
        )
    worded = None
    if person.experience is not None:
        where = describe_where(percept, person.town)
        worded = ask_for_exchange(
            person.experience.asker,
            acts,
            (persona, other),
            person.people,
            person.town,
            where,
            percept.clock,
        )
        if seen is not None and worded is not None:
            person.talks.told.append(f"{other.id}: {seen}")
    person.counts[f"worded by {'model' if worded else 'ways'}"] += 1
    speakers = (persona.id, other.id) * 2
    lines = worded or tuple(
        (speaker, choose_sentence(act, rng)) for speaker, act in zip(speakers, acts, strict=True)
    )
    facts_told = [dict(act.facts) for act in acts]
    person.setting.trace.note(
        "speech", {"to": other.id, "facts": facts_told, "lines": [text for _, text in lines]}
    )
    return lines


def _choose_memory(person: NeurosymbolicPerson, other: Persona, percept: Percept) -> str | None:
    """Return a sight that fits the listener and is news to them. Private sights are left out."""
    if person.experience is None:
        return None
    focus = f"{other.name}, {person.persona.relation_to(other.id)} of {person.persona.name}"
    for entry in person.experience.recall(focus, percept.step, N_RECALLED):
        subject, verb, rest = entry.memory.text.partition(" is ")
        private = any(word in rest for word in ("sleep", "toilet", "shower", "night"))
        others = {who.name for who in person.setting.people if who.id != person.persona.id}
        if not verb or private or subject not in others:
            continue
        seen = "you" if subject == other.name else subject
        clause = f"I saw {seen} {rest.partition(', to ')[0].partition(' in the ')[0]}"
        if f"{other.id}: {clause}" not in person.talks.told:
            return clause
    return None
