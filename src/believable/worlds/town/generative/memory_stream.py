"""The memory stream: everything a person has seen, heard, done, planned and concluded, in words and
in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

MemoryKind = Literal["event", "thought", "chat"]


@dataclass(slots=True)
class Memory:
    """One entry. `importance` is None where the model's rating could not be read. `evidence` are
    the numbers of the memories it follows from; `keywords` are who and what it is about.
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
    """Memories by number, counted from 0. `unreflected` counts what came since the last
    reflection.
    """

    memories: list[Memory] = field(default_factory=list)
    importance_sum: int = 0
    unreflected: int = 0

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
        """Remember something. Citations of what is not in the stream are an error of ours, never of
        a model: they are checked.
        """
        unknown = [number for number in evidence if not 0 <= number < len(self.memories)]
        if unknown:
            raise IndexError(f"evidence {unknown} is not among the {len(self.memories)} memories")
        memory = Memory(
            len(self.memories),
            kind,
            text,
            step,
            step,
            importance,
            tuple(keywords),
            tuple(evidence),
            expires_step,
        )
        self.memories.append(memory)
        if kind != "thought":
            self.importance_sum += importance or 0
            self.unreflected += 1
        return memory

    def reflected(self) -> None:
        self.importance_sum = self.unreflected = 0

    def candidates(self, step: int) -> list[Memory]:
        """What can be retrieved, events before thoughts, the newest first: the order in which equal
        scores stand.
        """
        there = [
            memory
            for memory in reversed(self.memories)
            if not _gone(memory, step) and "idle" not in memory.text
        ]
        return [memory for memory in there if memory.kind != "thought"] + [
            memory for memory in there if memory.kind == "thought"
        ]

    def latest(self, count: int, step: int) -> list[Memory]:
        """The latest ones, the oldest of them first."""
        there = [memory for memory in self.memories if not _gone(memory, step)]
        return there[-count:] if count else []

    def about(self, keywords: Sequence[str], step: int) -> list[Memory]:
        """Those that share a keyword, the newest first: how the released code remembers when it
        perceives.
        """
        wanted = {keyword.lower() for keyword in keywords}
        return [
            memory
            for memory in self.candidates(step)
            if wanted & {keyword.lower() for keyword in memory.keywords}
        ]

    def stored(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def restored(cls, tree: Mapping[str, Any]) -> MemoryStream:
        memories = [
            Memory(
                **{**row, "keywords": tuple(row["keywords"]), "evidence": tuple(row["evidence"])}
            )
            for row in tree["memories"]
        ]
        return cls(memories, tree["importance_sum"], tree["unreflected"])


def _gone(memory: Memory, step: int) -> bool:
    return memory.expires_step is not None and step > memory.expires_step
