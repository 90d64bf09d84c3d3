"""Talk: each says the next line from what comes to mind about the other, until the model ends it; then it is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    focus = f"{scene.other.name}. {last}" if last else f"{scene.other.name}, {relation} of {scene.persona.name}"
    recalled = retrieve(stream, asker.model, focus, scene.percept.step, RULES[scene.variant], MEMORIES_SHOWN)
    said = {text for _, text in talk.lines}
    topics = [entry.memory.text for entry in recalled if not any(text in entry.memory.text for text in said)]
    values = {
        "about": scene.about, "clock": scene.percept.clock, "person": scene.persona.name, "doing": scene.doing,
        "other": scene.other.name, "relation": relation, "said": talk.said(scene.people),
        "memories": "\n".join(entry.memory.text for entry in recalled) or "nothing",
    }  # fmt: skip
    topic = topics[len(talk.lines) % len(topics)] if topics else f"{first} is {scene.doing}"
    facts = (f"{other} said: {last}",) if last else ()
    facts = (*facts, f"{first} tells {other}, in the first person, about this: {topic}.")
    form = SentenceForm(facts, f"{other}, I" if not talk.lines else "I")
    return asker.ask("talk", values, form, read_sentence, retrieved=recalled)


def goes_on(asker: Asker, scene: TalkScene, talk: Talk) -> bool:
    """Whether the person says more after this line. Unread answers end a talk: nothing is put into anybody's mouth."""
    if len(talk.lines) < LEAST_LINES:
        return True
    if len(talk.lines) >= MOST_LINES - 1:
        return False
    first = scene.persona.name.partition(" ")[0]
    options = [f"{first} says more and asks about it", f"{first} ends the talk and says goodbye"]
    values = {"person": scene.persona.name, "other": scene.other.name, "said": talk.said(scene.people)}
    return asker.choose("talk_on", values, options, " ".join(text for _, text in talk.lines[-2:])) == 0


def talk_memory(scene_people: Mapping[str, Persona], person: str, talk: Talk) -> str:
    """The talk as it is remembered: with whom, and what was said."""
    lines = " / ".join(f"{scene_people[who].name.partition(' ')[0]}: {text}" for who, text in talk.lines)
    return f"{scene_people[person].name} talked with {scene_people[talk.other].name}. {lines}"


def memo(asker: Asker, persona: Persona, talk: Talk, people: Mapping[str, Persona]) -> str | None:
    """What the released code keeps of a talk besides its lines."""
    first = persona.name.partition(" ")[0]
    values = {"person": persona.name, "said": talk.said(people)}
    facts: Sequence[str] = [text for _, text in talk.lines[-3:]]
    form = SentenceForm((*facts, f"Write one sentence on what {first} remembers of this."), f"{first} remembers that")
    return asker.ask("talk_memo", values, form, read_sentence)
