"""The memory stream: everything that a person has seen, heard, done, planned and concluded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

MemoryKind = Literal["event", "thought", "chat"]


@dataclass(slots=True, kw_only=True)
class Memory:
    """A memory. `importance` is None before the model has rated it, or if its rating could not be
    read. `evidence` are the
    numbers of the memories that it follows from; `keywords` name its subjects.
    """

    number: int
    kind: MemoryKind
    text: str
    created_step: int
    accessed_step: int
    importance: int | None
    keywords: tuple[str, ...] = ()
    evidence: tuple[int, ...] = ()
    expires_step: int | None = None


@dataclass(slots=True)
class MemoryStream:
    """Memories, numbered from 0. `unreflected` counts those since the last reflection."""

    memories: list[Memory] = field(default_factory=list)
    importance_sum: int = 0
    unreflected: int = 0
    #: Numbers of the memories that wait for their rating.
    unrated: list[int] = field(default_factory=list)

    def add(
        self,
        kind: MemoryKind,
        text: str,
        step: int,
        importance: int | None,
        *,
        keywords: Sequence[str] = (),
        evidence: Sequence[int] = (),
        expires_step: int | None = None,
    ) -> Memory:
        """Add a memory. Its evidence must be in the stream: the caller has checked the citations
        of the model.
        """
        unknown = [number for number in evidence if not 0 <= number < len(self.memories)]
        if unknown:
            raise IndexError(f"evidence {unknown} is not among the {len(self.memories)} memories")
        memory = Memory(
            number=len(self.memories),
            kind=kind,
            text=text,
            created_step=step,
            accessed_step=step,
            importance=importance,
            keywords=tuple(keywords),
            evidence=tuple(evidence),
            expires_step=expires_step,
        )
        self.memories.append(memory)
        if importance is None:
            self.unrated.append(memory.number)
        self._weigh(memory)
        self.unreflected += kind != "thought"
        return memory

    def rate(self, ratings: Sequence[int | None]) -> list[Memory]:
        """Rate the memories that wait for it, and return them."""
        rated = [self.memories[number] for number in self.unrated]
        for memory, rating in zip(rated, ratings, strict=True):
            memory.importance = rating
            self._weigh(memory)
        self.unrated = []
        return rated

    def _weigh(self, memory: Memory) -> None:
        if memory.kind != "thought":
            self.importance_sum += memory.importance or 0

    def restart_reflection(self) -> None:
        self.importance_sum = self.unreflected = 0

    def candidates(self, step: int) -> list[Memory]:
        """Return the memories that can be retrieved: events before thoughts, the newest first.
        Equal scores keep this order.

        The released code skips every memory whose text contains `idle`, and so does this.
        """
        there = [
            memory
            for memory in reversed(self.memories)
            if not _is_expired(memory, step) and "idle" not in memory.text
        ]
        return [memory for memory in there if memory.kind != "thought"] + [
            memory for memory in there if memory.kind == "thought"
        ]

    def latest(self, count: int, step: int) -> list[Memory]:
        """Return the latest memories, the oldest of them first."""
        there = [memory for memory in self.memories if not _is_expired(memory, step)]
        return there[-count:] if count else []

    def about(self, keywords: Sequence[str], step: int) -> list[Memory]:
        """Return the memories that share a keyword, the newest first. The released code remembers
        this way when it perceives.
        """
        wanted = {keyword.lower() for keyword in keywords}
        return [
            memory
            for memory in self.candidates(step)
            if wanted & {keyword.lower() for keyword in memory.keywords}
        ]


def _is_expired(memory: Memory, step: int) -> bool:
    return memory.expires_step is not None and step > memory.expires_step
