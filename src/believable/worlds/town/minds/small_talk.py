"""What the neuro-symbolic mind says: the content is chosen from facts, the wording from ways to say it.

An act is greeting, answer, remark or reply; its facts are who, when, where somebody is and what comes next. `Wording` may be a
language model that words an act; what it gives is used only if it names no person, place or time that the facts do not name.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from believable.worlds.town.mind import Percept, Persona
from believable.worlds.town.town_map import TownMap

#: Words an act from its facts; None where it has nothing to say.
Wording = Callable[["SpeechAct", random.Random], str | None]


@dataclass(frozen=True, slots=True)
class SpeechAct:
    """What is to be said, to whom, and the facts it may name."""

    kind: str
    listener: str
    facts: Mapping[str, str]


_WAYS: Mapping[str, tuple[str, ...]] = {
    "greeting": ("Good {part}, {name}.", "Hello {name}!", "Hi {name}, good to see you.", "{name}! How are you?"),
    "answer": (
        "Good {part}! {news}",
        "Hello {name}. {news}",
        "Nice to see you, {name}. {news}",
        "I am well, thanks. {news}",
    ),
    "remark": ("And you? {question}", "{question}", "That sounds good. {question}", "I see. {question}"),
    "reply": ("{plan} See you later, {name}.", "{plan}", "{plan} Have a good {part}.", "Not sure yet. {plan}"),
}
_QUESTIONS = (
    "What are you up to next?",
    "Have you eaten yet?",
    "Busy day?",
    "Anything new?",
    "Are you going out later?",
    "How is work going?",
)


def part_of_day(minute: float) -> str:
    return "morning" if minute < 720 else "afternoon" if minute < 1080 else "evening"


def speech_act(
    kind: str, listener: Persona, percept: Percept, doing: str, upcoming: str, town: TownMap, rng: random.Random
) -> SpeechAct:
    place = town.buildings[percept.building].name if percept.building in town.buildings else "street"
    where = "at home" if place.startswith("House") else f"at the {place}" if place != "street" else "on my way"
    return SpeechAct(
        kind,
        listener.id,
        {
            "name": listener.name.partition(" ")[0],
            "part": part_of_day(percept.minute),
            "news": f"I am {where}: {doing.lower()}." if doing else f"I am just {where}.",
            "plan": f"Next for me: {upcoming.lower()}." if upcoming else "Then I am done for today.",
            "question": rng.choice(_QUESTIONS),
        },
    )


def worded(act: SpeechAct, rng: random.Random, wording: Wording | None = None) -> tuple[str, str]:
    """The sentence, and who worded it: `model`, or `ways` where there is no model or it said something else than the facts."""
    if wording is not None:
        text = wording(act, rng)
        if text and is_faithful(text, act):
            return text, "model"
    return rng.choice(_WAYS[act.kind]).format(**act.facts), "ways"


def is_faithful(text: str, act: SpeechAct) -> bool:
    """Whether it names no number and no capitalised word inside a sentence that the facts do not name."""
    known = " ".join(act.facts.values()).lower()
    numbers = re.findall(r"\d+", text)
    names = re.findall(r"(?<=[a-z,;:] )[A-Z][a-z]+", text)
    return all(number in known for number in numbers) and all(name.lower() in known or name == "I" for name in names)
