"""Whether what was noticed changes what somebody does.

By the paper any observation may: the person goes on, talks to somebody, or does something else. The
released code reacts to people only: talk, wait until the other is done with what both want, or
nothing; never at 23 h, and not again with the same person for 800 steps, 2.2 hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from believable.worlds.town.generative.asking import Asker
from believable.worlds.town.generative.memory_retrieval import (
    RULES,
    ScoredMemory,
    Variant,
    retrieve,
)
from believable.worlds.town.generative.memory_stream import MemoryStream
from believable.worlds.town.generative.perception import Observation
from believable.worlds.town.mind import Percept, Persona

ReactionKind = Literal["go on", "talk", "wait", "change"]
#: So many steps pass before the same two talk again; the paper does not say, half an hour is ours.
TALK_PAUSE_STEPS: dict[Variant, int] = {"released": 800, "paper": 180}
QUIET_HOUR = 23
MEMORIES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ReactionScene:
    """Who reacts in which situation. `wanted` is the furniture that the person is on the way to
    use.
    """

    persona: Persona
    about: str
    doing: str
    percept: Percept
    variant: Variant
    wanted: str | None = None
    last_talk_step: int | None = None


def possible(scene: ReactionScene, observation: Observation) -> list[ReactionKind]:
    """What may be chosen; `go on` alone means that nobody is asked."""
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
    """What the person does about it. An answer that cannot be read changes nothing, and is in the
    trace as a failure.
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
    first = scene.persona.name.partition(" ")[0]
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
