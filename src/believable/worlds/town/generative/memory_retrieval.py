"""What comes to mind: recency, importance and relevance of each memory, each scaled to 0…1, weighed
and added.

The published paper and the released code differ. In the paper recency falls by .995 an hour since a
memory was last accessed. In the code it is .99 to the power of a rank, and ranks are counted from
the memory that was accessed longest ago, so that the *oldest* scores highest; the weights are .5, 3
and 2 in place of 1, 1 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from believable.worlds.town.generative.memory_stream import Memory, MemoryStream
from believable.worlds.town.language.language_model import LanguageModel

STEPS_PER_HOUR = 360
Variant = Literal["paper", "released"]


@dataclass(frozen=True, slots=True)
class RetrievalRule:
    """How memories are scored; `by_rank` is the released code's recency."""

    decay: float
    by_rank: bool
    recency: float
    relevance: float
    importance: float
    count: int = 30


RULES: dict[Variant, RetrievalRule] = {
    "paper": RetrievalRule(0.995, False, 1.0, 1.0, 1.0),
    "released": RetrievalRule(0.99, True, 0.5, 3.0, 2.0),
}


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory with the three scaled terms and their weighted sum."""

    memory: Memory
    recency: float
    relevance: float
    importance: float
    score: float

    def values(self) -> dict[str, Any]:
        numbers = {
            name: round(value, 6) for name, value in asdict(self).items() if name != "memory"
        }
        return {"memory": self.memory.number, **numbers}


def scaled(values: Sequence[float | None]) -> list[float]:
    """Between 0 for the smallest and 1 for the largest; .5 where all are equal, as in the released
    code. Unknown values are 0.
    """
    known = [value for value in values if value is not None]
    if not known:
        return [0.0] * len(values)
    low, high = min(known), max(known)
    if high == low:
        return [0.0 if value is None else 0.5 for value in values]
    return [0.0 if value is None else (value - low) / (high - low) for value in values]


def scores(
    memories: Sequence[Memory], relevance: Sequence[float], step: int, rule: RetrievalRule
) -> list[ScoredMemory]:
    """Every memory's score, the highest first. `relevance` are the cosines with what is thought
    of.
    """
    order = sorted(range(len(memories)), key=lambda index: memories[index].accessed_step)
    ordered = [memories[index] for index in order]
    if rule.by_rank:
        recency = [rule.decay**rank for rank in range(1, len(ordered) + 1)]
    else:
        recency = [
            rule.decay ** ((step - memory.accessed_step) / STEPS_PER_HOUR) for memory in ordered
        ]
    terms = zip(
        ordered,
        scaled(recency),
        scaled([relevance[index] for index in order]),
        scaled([memory.importance for memory in ordered]),
        strict=True,
    )
    listed = [
        ScoredMemory(
            memory,
            recent,
            near,
            weight,
            rule.recency * recent + rule.relevance * near + rule.importance * weight,
        )
        for memory, recent, near, weight in terms
    ]
    return sorted(listed, key=lambda entry: -entry.score)


def retrieve(
    stream: MemoryStream,
    model: LanguageModel,
    focus: str,
    step: int,
    rule: RetrievalRule,
    count: int | None = None,
) -> list[ScoredMemory]:
    """What comes to mind when thinking of `focus`; it counts as accessed now."""
    memories = stream.candidates(step)
    if not memories:
        return []
    focal, *vectors = model.embed([focus, *(memory.text for memory in memories)])
    relevance = (np.array(vectors, np.float64) @ focal.astype(np.float64)).tolist()
    best = scores(memories, relevance, step, rule)[: count or rule.count]
    for entry in best:
        entry.memory.accessed_step = step
    return best
