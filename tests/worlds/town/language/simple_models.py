"""Models for tests: answers by a function, vectors from words, so that likeness can be told by
hand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from believable.worlds.town.language.model import (
    ChoiceForm,
    ExchangeForm,
    InsightsForm,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
    QuestionsForm,
    RatingsForm,
    SentenceForm,
    TimetableForm,
    Vector,
    kept_exactly,
)


@dataclass
class ScriptedModel:
    """`reply` answers; a text's vector counts its words, each in a place of its own."""

    reply: Callable[[ModelRequest], str]
    name: str = "scripted"
    usage: ModelUsage = field(default_factory=ModelUsage)
    requests: list[ModelRequest] = field(default_factory=list)
    vectors: dict[str, Vector] = field(default_factory=dict)

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        answer = ModelAnswer(self.reply(request), 7, 3)
        self.usage.add(answer)
        return answer

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.usage.embedded_texts += len(texts)
        for text in texts:
            if text not in self.vectors:
                self.vectors[text] = kept_exactly(word_counts(text)[None])[0]
        return [self.vectors[text] for text in texts]

    def close(self) -> None:
        pass


def word_counts(text: str, size: int = 1024) -> np.ndarray:
    counts = np.zeros(size)
    for word in text.lower().replace(".", " ").replace(",", " ").split():
        counts[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % size] += 1
    return counts


def form_reply(request: ModelRequest) -> str:
    """A readable answer to any form, other for other prompts."""
    form, chance = (
        request.form,
        int.from_bytes(hashlib.sha256(request.prompt.encode()).digest()[:4], "big"),
    )
    match form:
        case ChoiceForm():
            return form.options[chance % len(form.options)]
        case RatingsForm():
            return "\n".join(
                f"{number}. {2 + (chance + number) % 5}" for number in range(1, len(form.texts) + 1)
            )
        case ExchangeForm():
            if form.choice is not None and chance % 3 == 0:
                return form.choice.options[0]
            return "\n".join(
                f"{speaker}: {opening} like the bread."
                for speaker, opening in zip(form.speakers, form.openings, strict=True)
            )
        case SentenceForm():
            return f"{form.opening} like the bread number {chance % 97}.".strip()
        case TimetableForm():
            picks = (
                (chance // (number + 1)) % len(form.options) for number in range(len(form.slots))
            )
            return "\n".join(
                f"{slot}: {form.options[pick]}"
                for slot, pick in zip(form.slots, picks, strict=True)
            )
        case QuestionsForm():
            return "\n".join(
                f"{number}. What of {chance + number}?" for number in range(1, form.count + 1)
            )
        case InsightsForm():
            last = form.first + len(form.statements) - 1
            return f"1. {form.person} is number {chance % 89} (because of {form.first}, {last})"
