"""Reactions to an observation.

In the paper, people react to any observation: they carry on, talk, or do something else. The
released code reacts only to people: talk, wait for furniture that both want, or carry on. It never
reacts at 23 h, nor to the same person within 800 steps (2.2 hours).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from believable.worlds.town.mind import Percept, Persona
from believable.worlds.town.minds.generative.asking import Asker
from believable.worlds.town.minds.generative.memory_stream import MemoryStream
from believable.worlds.town.minds.generative.perception import Observation
from believable.worlds.town.minds.generative.retrieval import RULES, ScoredMemory, Variant, retrieve

ReactionKind = Literal["go on", "talk", "wait", "change"]
#: Steps before the same two people talk again. The paper names none; half an hour is our choice.
TALK_PAUSE_STEPS: dict[Variant, int] = {"released": 800, "paper": 180}
QUIET_HOUR = 23
MEMORIES_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionScene:
    """The situation of a person. `wanted` is the furniture that they are about to use."""

    persona: Persona
    about: str
    doing: str
    percept: Percept
    variant: Variant
    wanted: str | None = None
    last_talk_step: int | None = None


def possible(scene: ReactionScene, observation: Observation) -> list[ReactionKind]:
    """Return the possible reactions. If there is only one, the model is not asked."""
    seen = next(
        (person for person in scene.percept.people if person.id == observation.person), None
    )
    talkative = (
        seen is not None
        and not seen.asleep
        and seen.doing != "talking"
        and (
            scene.last_talk_step is None
            or scene.percept.step - scene.last_talk_step >= TALK_PAUSE_STEPS[scene.variant]
        )
    )
    if scene.variant == "paper":
        return ["go on", *(("talk",) if talkative else ()), "change"]
    if seen is None or seen.asleep or int(scene.percept.minute) // 60 == QUIET_HOUR:
        return ["go on"]
    users = {
        user for thing in scene.percept.things if thing.id == scene.wanted for user in thing.users
    }
    waits: tuple[ReactionKind, ...] = ("wait",) if seen.id in users else ()
    return ["go on", *(("talk",) if talkative else ()), *waits]


def react(
    asker: Asker, stream: MemoryStream, scene: ReactionScene, observation: Observation
) -> ReactionKind:
    """Ask how the person reacts. An answer that cannot be read changes nothing; the trace has the
    failure.
    """
    kinds = possible(scene, observation)
    if kinds == ["go on"]:
        return "go on"
    step = scene.percept.step
    recalled: Sequence[ScoredMemory] = ()
    if scene.variant == "paper":
        recalled = retrieve(
            stream, asker.model, observation.text, step, RULES["paper"], MEMORIES_SHOWN
        )
        remembered = [entry.memory.text for entry in recalled]
    else:
        remembered = [
            memory.text for memory in stream.about(observation.keywords, step)[:MEMORIES_SHOWN]
        ]
    first = scene.persona.first_name
    subject = observation.keywords[0]
    words: dict[ReactionKind, str] = {
        "go on": f"carry on, {scene.doing}",
        "talk": f"talk with {subject}",
        "wait": f"wait until {subject} is done",
        "change": f"do something else about it, {subject}",
    }
    values = {
        "about": scene.about,
        "clock": scene.percept.clock,
        "person": scene.persona.name,
        "doing": scene.doing,
        "observation": observation.text,
        "memories": "\n".join(remembered) or "nothing",
    }
    relation = scene.persona.relations.get(observation.person or "", "")
    focus = f"{first} is {scene.doing}. {observation.text}, {relation} of {first}"
    chosen = asker.choose(
        "reaction", values, [words[kind] for kind in kinds], focus, retrieved=recalled
    )
    return "go on" if chosen is None else kinds[chosen]
