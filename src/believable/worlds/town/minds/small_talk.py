"""What the neuro-symbolic mind says: the content is chosen from facts, the wording by the language
model or from ways to say it.

An act is greeting, answer, remark or reply; its facts are who, when, where somebody is, what was
seen and what comes next. What a model makes of it is said only if it names no person, place, number
or time that the facts do not name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

from believable.worlds.town.generative.asking import Asker, UnreadableAnswer, read_sentence
from believable.worlds.town.language.language_model import SentenceForm
from believable.worlds.town.mind import Percept, Persona
from believable.worlds.town.town_map import TownMap


@dataclass(frozen=True, slots=True)
class SpeechAct:
    """What is to be said, to whom, and the facts it may name. `opening` is how a model's sentence
    begins.
    """

    kind: str
    listener: str
    facts: Mapping[str, str]
    opening: str = ""


_WAYS: Mapping[str, tuple[str, ...]] = {
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
#: Words that state a time; those of a day's part among them.
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
    doing: str,
    upcoming: str,
    town: TownMap,
    rng: random.Random,
    seen: str | None = None,
) -> SpeechAct:
    """`seen` is something remembered, as it is told."""
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
    name = listener.name.partition(" ")[0]
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


def worded(act: SpeechAct, rng: random.Random, sentence: str | None = None) -> tuple[str, str]:
    """What is said, and who worded it: `model`, or `ways` where there is no sentence of a model."""
    return (
        (sentence, "model")
        if sentence
        else (rng.choice(_WAYS[act.kind]).format(**act.facts), "ways")
    )


def ask_for_words(
    asker: Asker,
    act: SpeechAct,
    persona: Persona,
    listener: Persona,
    town: TownMap,
    people: Mapping[str, Persona],
) -> str | None:
    """The model's sentence. One that names something else than the facts counts as unreadable: it
    is asked for again, and after the last attempt None.
    """
    if not act.opening:
        return None
    first, other = (who.name.partition(" ")[0] for who in (persona, listener))
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

    relation = persona.relations.get(listener.id, "acquaintance")
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
    """Names, places, numbers and times in a text that the facts do not name."""
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
