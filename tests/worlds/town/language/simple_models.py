"""Models for tests: answers by a function, vectors from words, so that likeness can be told by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from believable.worlds.town.language.language_model import ModelAnswer, ModelRequest, ModelUsage, Vector, kept_exactly


@dataclass
class ScriptedModel:
    """`reply` answers; a text's vector counts its words, each in a place of its own."""

    reply: Callable[[ModelRequest], str]
    name: str = "scripted"
    usage: ModelUsage = field(default_factory=ModelUsage)
    requests: list[ModelRequest] = field(default_factory=list)

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = ModelAnswer(self.reply(request), 7, 3)
        self.usage.add(answer)
        return answer

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.usage.embedded_texts += len(texts)
        return [kept_exactly(word_counts(text)[None])[0] for text in texts]

    def close(self) -> None:
        pass


def word_counts(text: str, size: int = 4096) -> np.ndarray:
    counts = np.zeros(size)
    for word in text.lower().replace(".", " ").replace(",", " ").split():
        counts[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % size] += 1
    return counts
