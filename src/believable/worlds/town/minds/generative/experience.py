"""Hearing, seeing and remembering. Both minds with a memory stream use this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.worlds.town import checkpoint
from believable.worlds.town.map import TownMap
from believable.worlds.town.mind import Percept, Persona, TownEvent
from believable.worlds.town.minds.generative.asking import Asker
from believable.worlds.town.minds.generative.memory_stream import Memory, MemoryKind, MemoryStream
from believable.worlds.town.minds.generative.perception import Observation, heard, observations
from believable.worlds.town.minds.generative.reflection import rate_memories
from believable.worlds.town.minds.generative.retrieval import RULES, ScoredMemory, Variant, retrieve

#: Events and sights that are known to be no news.
N_KNOWN = 16
#: Memories of yesterday in the prompt of a new plan.
N_YESTERDAY = 8


class Experience:
    """The memory stream of a person, and the senses that fill it."""

    SAVED = ("stream", "noticed", "events_seen")
    stream: MemoryStream
    noticed: list[str]
    events_seen: list[str]

    def __init__(
        self,
        asker: Asker,
        persona: Persona,
        people: Mapping[str, Persona],
        town: TownMap,
        variant: Variant,
    ) -> None:
        self.asker, self.variant = asker, variant
        self._persona, self._people, self._town = persona, people, town
        self.stream = MemoryStream()
        self.noticed, self.events_seen = [], []

    def listen(self, percept: Percept) -> list[TownEvent]:
        """Remember everything that is said for the first time, and return it."""
        new = []
        for event in percept.events:
            observation = heard(event, self._people)
            key = f"{event.step} {event.kind} {event.person}"
            if observation is None or key in self.events_seen:
                continue
            self.events_seen = [*self.events_seen, key][-N_KNOWN:]
            self.observe(observation, percept.step)
            new.append(event)
        return new

    def look(self, percept: Percept) -> list[Observation]:
        """Remember everything that is seen for the first time, and return it."""
        new = observations(percept, self._town, self.variant, self.noticed)
        for observation in new:
            self.noticed = [*self.noticed, observation.text][-N_KNOWN:]
            self.observe(observation, percept.step)
        return new

    def observe(self, observation: Observation, step: int) -> None:
        self.remember("event", observation.text, step, keywords=observation.keywords)

    def remember(
        self,
        kind: MemoryKind,
        text: str,
        step: int,
        *,
        keywords: Sequence[str],
        evidence: Sequence[int] = (),
    ) -> Memory:
        """Add a memory to the stream. The model rates it later, together with others."""
        return self.stream.add(kind, text, step, None, keywords=keywords, evidence=evidence)

    def rate(self) -> None:
        """Let the model rate the new memories."""
        if self.stream.unrated:
            rate_memories(self.asker, self._persona.name, self.stream)

    def recall(self, focus: str, step: int, count: int | None = None) -> list[ScoredMemory]:
        """Return the memories that fit the focus best."""
        return retrieve(self.stream, self.asker.model, focus, step, RULES[self.variant], count)

    def recall_yesterday(
        self, percept: Percept, count: int | None = None
    ) -> tuple[list[ScoredMemory], str]:
        """Return the memories for a new plan, and the best of them as a sentence of the prompt."""
        if percept.day == 0:
            return [], ""
        focus = f"{self._persona.name}'s plan for today; what happened yesterday"
        recalled = self.recall(focus, percept.step, count)
        texts = [entry.memory.text for entry in recalled[:N_YESTERDAY]]
        listed = "; ".join(texts)
        return recalled, f"Yesterday: {listed}" if texts else ""

    def save(self) -> dict[str, Any]:
        return {**checkpoint.save(self, self.SAVED), "failures": self.asker.failures}

    def restore(self, tree: Mapping[str, Any]) -> None:
        checkpoint.restore(self, {name: tree[name] for name in self.SAVED})
        self.asker.failures = dict(tree["failures"])
