"""The prompts of a talk: the next line, its end, and the memory of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from believable.worlds.town.language.model import SentenceForm
from believable.worlds.town.mind import Percept, Persona
from believable.worlds.town.minds.generative.asking import Asker, read_sentence
from believable.worlds.town.minds.generative.memory_stream import MemoryStream
from believable.worlds.town.minds.generative.retrieval import RULES, Variant, retrieve

#: Lines of both people together.
MIN_LINES, MAX_LINES = 2, 8
MEMORIES_SHOWN = 8


@dataclass(slots=True, kw_only=True)
class Talk:
    """A talk with another person: its lines with their speakers, and how long the last one has
    been unanswered.
    """

    other: str
    lines: list[tuple[str, str]] = field(default_factory=list)
    ending: bool = False
    waited_steps: int = 0
    approaches: int = 0

    def transcript(self, people: Mapping[str, Persona]) -> str:
        return "\n".join(f"{people[who].name}: {text}" for who, text in self.lines) or "nothing yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkScene:
    """Who talks with whom, and in which situation."""

    persona: Persona
    other: Persona
    people: Mapping[str, Persona]
    about: str
    doing: str
    percept: Percept
    variant: Variant


def next_line(asker: Asker, stream: MemoryStream, scene: TalkScene, talk: Talk) -> str | None:
    """Ask for the next line; None if no answer could be read."""
    first, other = scene.persona.first_name, scene.other.first_name
    relation = scene.persona.relation_to(scene.other.id)
    last = talk.lines[-1][1] if talk.lines else ""
    focus = (
        f"{scene.other.name}. {last}"
        if last
        else f"{scene.other.name}, {relation} of {scene.persona.name}"
    )
    recalled = retrieve(
        stream, asker.model, focus, scene.percept.step, RULES[scene.variant], MEMORIES_SHOWN
    )
    topics = [entry.memory.text for entry in recalled]
    values = {
        "about": scene.about,
        "clock": scene.percept.clock,
        "person": scene.persona.name,
        "doing": scene.doing,
        "other": scene.other.name,
        "relation": relation,
        "said": talk.transcript(scene.people),
        "memories": "\n".join(entry.memory.text for entry in recalled) or "nothing",
    }
    clauses = [
        clause for topic in topics if (clause := spoken_clause(topic, scene.persona, scene.other))
    ]
    clause = clauses[len(talk.lines) // 2 % len(clauses)] if clauses else f"I am {scene.doing}"
    facts = (f"{first} meets {other}, a {relation}. {first} says:",)
    form = SentenceForm(
        facts,
        f"{other}, {clause}, and" if not talk.lines else f"{clause[0].upper()}{clause[1:]}, and",
    )
    return asker.ask("talk", values, form, read_sentence, retrieved=recalled)


def spoken_clause(memory: str, persona: Persona, other: Persona) -> str | None:
    """Turn a memory into a clause that its owner says to the other. Plans and earlier talk are not
    repeated: None.
    """
    if " said to " in memory or " talked with " in memory or "'s plan for day " in memory:
        return None
    subject, verb, rest = memory.partition(" is ")
    rest = rest.partition(", to ")[0].partition(" in the ")[0]
    if memory.startswith(f"{persona.name} could not "):
        return "I" + memory.removeprefix(persona.name).partition(":")[0]
    if not verb or not rest:
        return f"I think that {memory.rstrip('.')}"
    if subject == persona.name:
        return f"I was {rest}"
    return f"I saw you {rest}" if subject == other.name else f"I saw {subject} {rest}"


def goes_on(asker: Asker, scene: TalkScene, talk: Talk) -> bool:
    """Ask whether the person says more after this line. An answer that cannot be read ends the
    talk.
    """
    if len(talk.lines) < MIN_LINES:
        return True
    if len(talk.lines) >= MAX_LINES - 1:
        return False
    first = scene.persona.first_name
    options = [f"{first} says more and asks about it", f"{first} ends the talk and says goodbye"]
    values = {
        "person": scene.persona.name,
        "other": scene.other.name,
        "said": talk.transcript(scene.people),
    }
    return (
        asker.choose("talk_on", values, options, " ".join(text for _, text in talk.lines[-2:])) == 0
    )


def talk_memory(scene_people: Mapping[str, Persona], person: str, talk: Talk) -> str:
    """Write the memory of a talk: with whom, and every line."""
    lines = " / ".join(f"{scene_people[who].first_name}: {text}" for who, text in talk.lines)
    return f"{scene_people[person].name} talked with {scene_people[talk.other].name}. {lines}"


def memo(asker: Asker, persona: Persona, talk: Talk, people: Mapping[str, Persona]) -> str | None:
    """Ask for the person's memory of the talk, as the released code does."""
    first = persona.first_name
    values = {"person": persona.name, "said": talk.transcript(people)}
    facts = tuple(text for _, text in talk.lines[-2:])
    form = SentenceForm(facts, f"{first} remembers that")
    return asker.ask("talk_memo", values, form, read_sentence)
