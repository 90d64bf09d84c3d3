"""The sentences of the neuro-symbolic mind. Their content is chosen from facts; the language model
or a pattern words it.

An act is a greeting, answer, remark or reply. A sentence of the model is used only if it names no
person, place, number or time that the facts do not name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from believable.worlds.town.language.model import ExchangeForm
from believable.worlds.town.map import TownMap
from believable.worlds.town.mind import Percept, Persona, SpokenLine
from believable.worlds.town.minds.body.talking import read_lines
from believable.worlds.town.minds.generative.asking import Asker, UnreadableAnswer
from believable.worlds.town.minds.generative.planning import describe_persona


@dataclass(frozen=True, slots=True)
class SpeechAct:
    """The content of a sentence, its listener, and the facts that it may name. A model's sentence
    begins with `opening`.
    """

    kind: str
    listener: str
    facts: Mapping[str, str]
    opening: str = ""


_PATTERNS: Mapping[str, tuple[str, ...]] = {
    "greeting": (
        "Good {part}, {name}.",
        "Hello {name}!",
        "Hi {name}, good to see you.",
        "{name}! How are you?",
    ),
    "answer": (
        "Good {part}! {news}",
        "Hello {name}. {news}",
        "Nice to see you, {name}. {news}",
        "I am well, thanks. {news}",
    ),
    "remark": (
        "And you? {question}",
        "{question}",
        "That sounds good. {question}",
        "I see. {question}",
    ),
    "reply": (
        "{plan} See you later, {name}.",
        "{plan}",
        "{plan} Have a good {part}.",
        "Not sure yet. {plan}",
    ),
}
_QUESTIONS = (
    "What are you up to next?",
    "Have you eaten yet?",
    "Busy day?",
    "Anything new?",
    "Are you going out later?",
    "How is work going?",
)
#: Words that name a time.
TIMES = frozenset(
    (
        "morning",
        "afternoon",
        "evening",
        "night",
        "noon",
        "midnight",
        "midday",
        "tonight",
        "tomorrow",
        "yesterday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "week",
        "month",
        "year",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "o'clock",
    )
)


def part_of_day(minute: float) -> str:
    return "morning" if minute < 720 else "afternoon" if minute < 1080 else "evening"


def describe_where(percept: Percept, town: TownMap) -> str:
    building = town.buildings.get(percept.building)
    if building is None:
        return "on the street"
    return f"in {building.name}" if building.kind == "home" else f"at the {building.name}"


def speech_act(
    kind: str,
    speaker: Persona,
    listener: Persona,
    percept: Percept,
    town: TownMap,
    rng: random.Random,
    *,
    doing: str,
    upcoming: str,
    seen: str | None,
) -> SpeechAct:
    """Collect the facts of an act. `doing` and `upcoming` are goals of the speaker, `seen` is a
    memory as a clause.
    """
    building = town.buildings.get(percept.building)
    at_home = building is not None and building.id == speaker.home
    where = "at home" if at_home else describe_where(percept, town)
    name = listener.first_name
    facts = {
        "name": name,
        "part": part_of_day(percept.minute),
        "clock": percept.clock,
        "news": f"I am {where}: {doing.lower()}." if doing else f"I am just {where}.",
        "plan": f"Next for me: {upcoming.lower()}." if upcoming else "Then I am done for today.",
        "question": rng.choice(_QUESTIONS),
        **({"seen": seen} if seen else {}),
    }
    openings = {
        "greeting": f"Good {facts['part']}, {name},",
        "answer": f"{facts['news'].rstrip('.')}, and",
        "remark": f"{seen[0].upper()}{seen[1:]}, and" if seen else facts["question"].rstrip("?"),
        "reply": f"{facts['plan'].rstrip('.')}, and",
    }
    return SpeechAct(kind, listener.id, facts, openings[kind])


_CONTENT: Mapping[str, str] = {
    "greeting": "{speaker} greets {name} (it is {part}).",
    "answer": "{speaker} greets back and says: {news}",
    "remark": "{speaker} asks: {question}",
    "reply": "{speaker} replies: {plan}",
}


def choose_sentence(act: SpeechAct, rng: random.Random) -> str:
    """Fill one of the patterns of the act."""
    return rng.choice(_PATTERNS[act.kind]).format(**act.facts)


def ask_for_exchange(
    asker: Asker,
    acts: Sequence[SpeechAct],
    speakers: tuple[Persona, Persona],
    people: Mapping[str, Persona],
    town: TownMap,
    where: str,
    clock: str,
) -> tuple[SpokenLine, ...] | None:
    """Ask the model to word all acts. An exchange that names more than its facts is unreadable."""
    persona, other = speakers
    entities = frozenset(
        word.lower()
        for name in (
            *(who.name for who in people.values()),
            *(place.name for place in town.buildings.values()),
        )
        for word in name.split()
    )
    turns = [speakers[number % 2] for number in range(len(acts))]
    known = " ".join((where, clock, persona.name, other.name, *map(_facts_of, acts)))

    def read(text: str) -> tuple[SpokenLine, ...]:
        lines = read_lines(text, speakers)
        if isinstance(lines, str):
            raise UnreadableAnswer(lines)
        if [speaker for speaker, _ in lines] != [who.id for who in turns]:
            raise UnreadableAnswer(f"expected {len(acts)} lines in turn, got {text[:80]!r}")
        said = " ".join(text for _, text in lines)
        strange = unknown_words(said, known, entities)
        if strange:
            raise UnreadableAnswer(f"names {', '.join(strange)}, which the facts do not")
        return lines

    content = [
        _CONTENT[act.kind].format(speaker=who.first_name, **act.facts)
        + (f" {who.first_name} mentions: {act.facts['seen']}." if "seen" in act.facts else "")
        for act, who in zip(acts, turns, strict=True)
    ]
    values = {
        "person": persona.name,
        "other": other.name,
        "first": persona.first_name,
        "about": describe_persona(persona, list(people.values())),
        "other_about": describe_persona(other, list(people.values())),
        "clock": clock,
        "place": where,
        "relation": persona.relation_to(other.id),
        "content": "\n".join(f"{number}. {text}" for number, text in enumerate(content, 1)),
    }
    form = ExchangeForm(
        speakers=tuple(who.first_name for who in turns),
        openings=tuple(act.opening for act in acts),
        facts=(f"{persona.first_name} meets {other.first_name}.",),
    )
    return asker.ask("exchange", values, form, read)


def _facts_of(act: SpeechAct) -> str:
    return " ".join((*act.facts.values(), act.opening))


def unknown_words(text: str, facts: str, entities: frozenset[str] = frozenset()) -> list[str]:
    """Return names, places, numbers and times in a text that the facts do not name."""
    known = set(_words(facts))
    known |= {word.removesuffix("s").removesuffix("'") for word in known}
    strange = [number for number in re.findall(r"\d+(?::\d+)?", text) if number not in known]
    inside = {word.lower() for word in re.findall(r"(?<=[a-z0-9,;:'] )[A-Z][a-z]+", text)}
    for word in _words(text):
        plain = word.removesuffix("'s")
        named = plain in entities or plain in TIMES or plain in inside
        if named and plain not in known and plain not in strange:
            strange.append(plain)
    return strange


def _words(text: str) -> list[str]:
    return re.findall(r"\d+(?::\d+)?|[^\W\d_]+(?:'[^\W\d_]+)*", text.lower())
