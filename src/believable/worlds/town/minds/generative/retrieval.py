"""Retrieval: recency, importance and relevance of each memory, scaled to 0…1, weighted and added.

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

from believable.worlds.town.clock import STEPS_PER_HOUR
from believable.worlds.town.language.model import LanguageModel
from believable.worlds.town.minds.generative.memory_stream import Memory, MemoryStream

Variant = Literal["paper", "released"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRule:
    """The weights of a score. `by_rank`: the recency of the released code."""

    decay: float
    by_rank: bool
    recency: float
    relevance: float
    importance: float
    count: int = 30


RULES: dict[Variant, RetrievalRule] = {
    "paper": RetrievalRule(decay=0.995, by_rank=False, recency=1.0, relevance=1.0, importance=1.0),
    "released": RetrievalRule(decay=0.99, by_rank=True, recency=0.5, relevance=3.0, importance=2.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
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


def scale(values: Sequence[float | None]) -> list[float]:
    """Scale from 0 (smallest) to 1 (largest). If all are equal they get .5, as in the released
    code. Unknown values get 0.
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
    """Score every memory, the highest first. `relevance` holds the cosines with the focus."""
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
        scale(recency),
        scale([relevance[index] for index in order]),
        scale([memory.importance for memory in ordered]),
        strict=True,
    )
    listed = [
        ScoredMemory(
            memory=memory,
            recency=recent,
            relevance=near,
            importance=weight,
            score=rule.recency * recent + rule.relevance * near + rule.importance * weight,
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
    """Return the memories that fit the focus best. They count as accessed now."""
    memories = stream.candidates(step)
    if not memories:
        return []
    focal, *vectors = model.embed([focus, *(memory.text for memory in memories)])
    relevance = (np.array(vectors, np.float64) @ focal.astype(np.float64)).tolist()
    best = scores(memories, relevance, step, rule)[: count or rule.count]
    for entry in best:
        entry.memory.accessed_step = step
    return best
