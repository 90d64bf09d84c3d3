"""Talks: the person who begins one decides it as a whole exchange, and both speak it line by line.

Deciding a talk at once is how the released code of Generative Agents first did it; its prompt knew
the memories of both people. Here the person who begins asks the other for a briefing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.worlds.town.actions import speech_steps
from believable.worlds.town.clock import STEPS_PER_MINUTE
from believable.worlds.town.mind import Percept, Persona, Primitive, SpokenLine

#: A talk ends after this many steps without an answer, or walks to the other person.
MAX_WAIT_STEPS, MAX_APPROACHES = 6, 5
TALK_DISTANCE = 3
#: Lines of both people together.
MIN_LINES, MAX_LINES = 2, 8


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A talk with another person: all its lines with their speakers, and the index of the next."""

    other: str
    lines: tuple[SpokenLine, ...]
    index: int = 0
    #: The step at which the last line is over.
    ready_step: int = 0
    waited_steps: int = 0
    approaches: int = 0

    @property
    def spoken_lines(self) -> tuple[SpokenLine, ...]:
        return self.lines[: self.index]


def hear_exchange(exchange: Exchange | None, percept: Percept) -> Exchange | None:
    """Return the talk after all lines that this person heard. People in a talk ignore a third
    person. Of two people who begin a talk with each other, the first to speak leads it.
    """
    for event in percept.hears(percept.person):
        if exchange is None or not exchange.index:
            exchange = Exchange(other=event.person, lines=event.exchange)
        if exchange.other == event.person:
            exchange.index, exchange.waited_steps = event.line + 1, 0
            exchange.ready_step = event.step + speech_steps(event.text)
    return exchange


def speak_next(
    exchange: Exchange, percept: Percept, people: Mapping[str, Persona]
) -> Primitive | None:
    """Return the next action of a talk: the next line, a step towards the other, or listening. None
    if the talk is over.
    """
    near = next((other for other in percept.people if other.id == exchange.other), None)
    if near is None or near.asleep or exchange.index >= len(exchange.lines):
        return None
    if near.distance > TALK_DISTANCE:
        exchange.approaches += 1
        walks = exchange.approaches <= MAX_APPROACHES
        return Primitive(verb="move-to", object=exchange.other) if walks else None
    speaker, text = exchange.lines[exchange.index]
    if speaker == percept.person and percept.step >= exchange.ready_step:
        line = exchange.index
        exchange.index, exchange.waited_steps = line + 1, 0
        return Primitive(
            verb="speak", target=exchange.other, text=text, exchange=exchange.lines, line=line
        )
    exchange.waited_steps += speaker != percept.person
    if exchange.waited_steps > MAX_WAIT_STEPS:
        return None
    label = f"listens to {people[exchange.other].first_name}"
    return Primitive(verb="wait", minutes=1 / STEPS_PER_MINUTE, label=label)


def read_lines(text: str, speakers: Sequence[Persona]) -> tuple[SpokenLine, ...] | str:
    """Read lines `Name: text` of two people, the first of `speakers` first. If they cannot be read,
    return the reason.
    """
    known = {name: who.id for who in speakers for name in (who.first_name, who.name)}
    lines: list[SpokenLine] = []
    for line in filter(str.strip, text.splitlines()):
        stated = re.fullmatch(r"\s*(?:\d+[.)]\s+)?([^:]{1,40}):\s*(\S.*?)\s*", line)
        if stated is None or stated[1].strip() not in known:
            names = " and ".join(who.first_name for who in speakers)
            return f"expected lines 'Name: text' of {names}, got {line[:80]!r}"
        lines.append((known[stated[1].strip()], stated[2].strip('"“” ')))
    if not MIN_LINES <= len(lines) <= MAX_LINES or lines[0][0] != speakers[0].id:
        first = speakers[0].first_name
        return f"expected {MIN_LINES} to {MAX_LINES} lines, the first by {first}, got {len(lines)}"
    return tuple(lines)


def transcript(lines: Sequence[SpokenLine], people: Mapping[str, Persona]) -> str:
    return " / ".join(f"{people[who].first_name}: {text}" for who, text in lines)
