"""Talk: each says the next line from what comes to mind about the other, until the model ends it;
then it is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from believable.worlds.town.generative.asking import Asker, read_sentence
from believable.worlds.town.generative.memory_retrieval import RULES, Variant, retrieve
from believable.worlds.town.generative.memory_stream import MemoryStream
from believable.worlds.town.language.language_model import SentenceForm
from believable.worlds.town.mind import Percept, Persona

#: A talk ends after so many lines of both at the latest.
MOST_LINES = 8
LEAST_LINES = 2
MEMORIES_SHOWN = 8


@dataclass(slots=True)
class Talk:
    """With whom, what was said (by whom), and since when an answer is waited for."""

    other: str
    from_step: int
    lines: list[tuple[str, str]] = field(default_factory=list)
    ending: bool = False
    waited_steps: int = 0
    approaches: int = 0

    def stored(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def restored(cls, tree: Mapping[str, Any]) -> Talk:
        return cls(**{**tree, "lines": [(who, text) for who, text in tree["lines"]]})

    def said(self, people: Mapping[str, Persona]) -> str:
        return "\n".join(f"{people[who].name}: {text}" for who, text in self.lines) or "nothing yet"


@dataclass(frozen=True, slots=True)
class TalkScene:
    """Who talks with whom."""

    persona: Persona
    other: Persona
    people: Mapping[str, Persona]
    about: str
    doing: str
    percept: Percept
    variant: Variant


def next_line(asker: Asker, stream: MemoryStream, scene: TalkScene, talk: Talk) -> str | None:
    """What the person says next; None where no answer could be read."""
    first, other = (persona.name.partition(" ")[0] for persona in (scene.persona, scene.other))
    relation = scene.persona.relations.get(scene.other.id, "acquaintance")
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
        "said": talk.said(scene.people),
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
    """What a memory is, said by its owner to the other: what was decided to be said, before it is
    worded. None for what was said before, and for plans.
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
    """Whether the person says more after this line. Unread answers end a talk: nothing is put into
    anybody's mouth.
    """
    if len(talk.lines) < LEAST_LINES:
        return True
    if len(talk.lines) >= MOST_LINES - 1:
        return False
    first = scene.persona.name.partition(" ")[0]
    options = [f"{first} says more and asks about it", f"{first} ends the talk and says goodbye"]
    values = {
        "person": scene.persona.name,
        "other": scene.other.name,
        "said": talk.said(scene.people),
    }
    return (
        asker.choose("talk_on", values, options, " ".join(text for _, text in talk.lines[-2:])) == 0
    )


def talk_memory(scene_people: Mapping[str, Persona], person: str, talk: Talk) -> str:
    """The talk as it is remembered: with whom, and what was said."""
    lines = " / ".join(
        f"{scene_people[who].name.partition(' ')[0]}: {text}" for who, text in talk.lines
    )
    return f"{scene_people[person].name} talked with {scene_people[talk.other].name}. {lines}"


def memo(asker: Asker, persona: Persona, talk: Talk, people: Mapping[str, Persona]) -> str | None:
    """What the released code keeps of a talk besides its lines."""
    first = persona.name.partition(" ")[0]
    values = {"person": persona.name, "said": talk.said(people)}
    facts = tuple(text for _, text in talk.lines[-2:])
    form = SentenceForm(facts, f"{first} remembers that")
    return asker.ask("talk_memo", values, form, read_sentence)
