"""The sentences of the neuro-symbolic mind. Their content is chosen from facts; the language model
or a pattern words it.

An act is a greeting, answer, remark or reply. A sentence of the model is used only if it names no
person, place, number or time that the facts do not name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from believable.worlds.town.language.model import SentenceForm
from believable.worlds.town.map import TownMap
from believable.worlds.town.mind import Percept, Persona
from believable.worlds.town.minds.generative.asking import Asker, UnreadableAnswer, read_sentence


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


def speech_act(
    kind: str,
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
    place = (
        town.buildings[percept.building].name if percept.building in town.buildings else "street"
    )
    where = (
        "at home"
        if place.startswith("House")
        else f"at the {place}"
        if place != "street"
        else "on my way"
    )
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
        "remark": f"{seen[0].upper()}{seen[1:]}, and" if seen else "",
        "reply": f"{facts['plan'].rstrip('.')}, and",
    }
    return SpeechAct(kind, listener.id, facts, openings[kind])


def choose_sentence(act: SpeechAct, rng: random.Random) -> str:
    """Fill one of the patterns of the act."""
    return rng.choice(_PATTERNS[act.kind]).format(**act.facts)


def ask_for_sentence(
    asker: Asker,
    act: SpeechAct,
    persona: Persona,
    listener: Persona,
    town: TownMap,
    people: Mapping[str, Persona],
) -> str | None:
    """Ask the model for a sentence. One that names more than the facts counts as unreadable."""
    if not act.opening:
        return None
    first, other = persona.first_name, listener.first_name
    entities = frozenset(
        word.lower()
        for name in (
            *(who.name for who in people.values()),
            *(place.name for place in town.buildings.values()),
        )
        for word in name.split()
    )

    def read(text: str) -> str:
        sentence = read_sentence(text)
        strange = unknown_words(sentence, act, entities)
        if strange:
            raise UnreadableAnswer(
                f"names {', '.join(strange)}, which the facts do not: {sentence[:80]!r}"
            )
        if not sentence.endswith((".", "!", "?")):
            raise UnreadableAnswer(f"expected a whole sentence, got {sentence[-40:]!r}")
        return sentence

    relation = persona.relation_to(listener.id)
    values = {
        "person": persona.name,
        "other": listener.name,
        "content": act.opening,
        "opening": act.opening,
        "facts": " ".join(act.facts.values()),
    }
    form = SentenceForm((f"{first} meets {other}, a {relation}. {first} says:",), act.opening)
    return asker.ask("speech", values, form, read)


def unknown_words(text: str, act: SpeechAct, entities: frozenset[str] = frozenset()) -> list[str]:
    """Return names, places, numbers and times in a text that the facts do not name."""
    known = set(_words(" ".join((*act.facts.values(), act.opening))))
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
