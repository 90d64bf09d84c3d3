"""The turns of a talk, from the first words to the memory of it."""

from __future__ import annotations

from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.mind import Percept, Primitive, TownEvent
from believable.worlds.town.minds.generative.conversation import (
    MIN_LINES,
    Talk,
    TalkScene,
    goes_on,
    memo,
    next_line,
    talk_memory,
)
from believable.worlds.town.minds.generative.person import GenerativePerson

#: A talk ends after this many steps without an answer, or walks to the other person.
MAX_WAIT_STEPS, MAX_APPROACHES = 6, 2
TALK_DISTANCE = 3


def hear(person: GenerativePerson, event: TownEvent) -> None:
    """Begin or continue a talk with the speaker if this person is addressed."""
    if event.target != person.persona.id:
        return
    if person.talk is None:
        person.talk = Talk(other=event.person)
    if person.talk.other == event.person:
        person.talk.lines.append((event.person, event.text))
        person.talk.waited_steps = 0


def take_turn(person: GenerativePerson, percept: Percept) -> Primitive | None:
    """Return the next action of the talk. If it is over, remember it and return None."""
    if person.talk is None:
        return None
    primitive = _continue(person, person.talk, percept)
    if primitive is None:
        talk, person.talk = person.talk, None
        _remember_talk(person, talk, percept.step)
    return primitive


def _continue(person: GenerativePerson, talk: Talk, percept: Percept) -> Primitive | None:
    near = next((other for other in percept.people if other.id == talk.other), None)
    if near is None or near.asleep:
        return None
    if near.distance > TALK_DISTANCE:
        talk.approaches += 1
        return (
            Primitive(verb="move-to", object=talk.other)
            if talk.approaches <= MAX_APPROACHES
            else None
        )
    if talk.ending:
        return None
    other = person.people[talk.other]
    if talk.lines and talk.lines[-1][0] == person.persona.id:
        talk.waited_steps += 1
        if talk.waited_steps > MAX_WAIT_STEPS:
            return None
        label = f"listens to {other.first_name}"
        return Primitive(verb="wait", minutes=1 / STEPS_PER_MINUTE, label=label)
    scene = TalkScene(
        persona=person.persona,
        other=other,
        people=person.people,
        about=person.about,
        doing=person.doing,
        percept=percept,
        variant=person.variant,
    )
    talk.ending = not goes_on(person.asker, scene, talk)
    line = next_line(person.asker, person.experience.stream, scene, talk)
    if line is None:
        return None
    talk.lines.append((person.persona.id, line))
    return Primitive(verb="speak", target=talk.other, text=line)


def _remember_talk(person: GenerativePerson, talk: Talk, step: int) -> None:
    """Remember the lines. The released code also remembers the person's opinion."""
    person.last_talks[talk.other] = step
    if len(talk.lines) < MIN_LINES:
        return
    names = (person.persona.name, person.people[talk.other].name)
    text = talk_memory(person.people, person.persona.id, talk)
    chat = person.experience.remember("chat", text, step, keywords=names)
    if person.variant == "released":
        made = memo(person.asker, person.persona, talk, person.people)
        if made is not None:
            person.experience.remember(
                "thought", made, step, keywords=names, evidence=(chat.number,)
            )
