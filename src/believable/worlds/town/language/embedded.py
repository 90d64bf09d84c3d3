"""The model that runs on this machine without a network: sentence embeddings decide, and a small
language model writes sentences.

The small model chooses no better than chance, so it never chooses. Options are compared by meaning,
ratings by examples, and statements by nearness. A grammar restricts its sentences. The answers have
the same form as those of an endpoint and are parsed alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from believable.core.seeds import derive, generator
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
)
from believable.worlds.town.language.sentence_embedding import SentenceModel
from believable.worlds.town.language.weights import SENTENCES, WORDING, weight_file
from believable.worlds.town.language.wording_engine import WordedText, WordingEngine

#: The influence of the nearest examples of a rating; smaller is stronger.
ANCHOR_SPREAD = 0.08
#: Chance in a timetable, and what taking an option again costs, on the scale of a cosine.
NOISE, REPEATED = 0.04, 0.15
#: Of a slot's own words and of who plans.
SLOT_SHARE = 0.65
EVIDENCE = 3
#: Only the beginning of a statement is read before an insight.
STATEMENT_LETTERS = 60


@dataclass(slots=True)
class EmbeddedModel:
    """Both models. All randomness follows from the `seed` of a request."""

    sentences: SentenceModel
    engine: WordingEngine
    usage: ModelUsage = field(default_factory=ModelUsage)

    @classmethod
    def load(cls, folder: Path | None = None) -> EmbeddedModel:
        return cls(SentenceModel.load(folder), WordingEngine(weight_file(WORDING, ".gguf", folder)))

    @property
    def name(self) -> str:
        return f"embedded {SENTENCES.requirement} {WORDING.requirement}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.usage.embedded_texts += len(texts)
        return self.sentences.embed(texts)

    def answer(self, request: ModelRequest) -> ModelAnswer:
        form, seed = request.form, derive(request.seed, request.name, request.attempt)
        words: list[WordedText] = []
        if isinstance(form, ChoiceForm):
            text = form.options[int(np.argmax(self._likeness([form.focus], form.options)[0]))]
        elif isinstance(form, RatingsForm):
            text = self._ratings(form)
        elif isinstance(form, ExchangeForm):
            text = self._exchange(form, seed, words)
        elif isinstance(form, SentenceForm):
            words.append(self._sentence(form, seed))
            text = words[0].text
        elif isinstance(form, TimetableForm):
            text = self._timetable(form, seed)
        elif isinstance(form, QuestionsForm):
            text = self._questions(form, seed, words)
        else:
            text = self._insights(form, seed, words)
        answer = ModelAnswer(
            text, sum(word.tokens_in for word in words), sum(word.tokens_out for word in words)
        )
        self.usage.add(answer)
        return answer

    def _likeness(self, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each pair."""
        a, b = np.array(self.embed(left), np.float64), np.array(self.embed(right), np.float64)
        return np.asarray(a @ b.T)

    def _ratings(self, form: RatingsForm) -> str:
        """Average the numbers of the examples for each text, weighted by nearness."""
        values = np.array([value for _, value in form.anchors], float)
        likeness = self._likeness(form.texts, [text for text, _ in form.anchors])
        weights = np.exp((likeness - likeness.max(axis=1, keepdims=True)) / ANCHOR_SPREAD)
        means = np.clip((weights @ values / weights.sum(axis=1)).round(), form.low, form.high)
        return "\n".join(f"{number}. {mean:.0f}" for number, mean in enumerate(means, 1))

    def _exchange(self, form: ExchangeForm, seed: int, words: list[WordedText]) -> str:
        """Decide whether to talk, then complete each line after its opening."""
        choice = form.choice
        if choice is not None:
            chosen = int(np.argmax(self._likeness([choice.focus], choice.options)[0]))
            if chosen == 0:
                return choice.options[0]
        lines = []
        turns = zip(form.speakers, form.openings, strict=True)
        for number, (speaker, opening) in enumerate(turns):
            facts = (*form.facts, f"{speaker} says:")
            words.append(self._complete(facts, opening, "[.!?]", derive(seed, number)))
            lines.append(f"{speaker}: {words[-1].text}")
        return "\n".join(lines)

    def _sentence(self, form: SentenceForm, seed: int) -> WordedText:
        return self._complete(
            form.facts, form.opening, "[.!?]", seed, form.most_tokens, form.longest
        )

    def _complete(
        self,
        facts: Sequence[str],
        opening: str,
        ends: str,
        seed: int,
        most_tokens: int = 24,
        longest: int = 70,
    ) -> WordedText:
        """Return the opening as the small model completes it after these facts."""
        grammar = sentence_grammar(ends, longest)
        words = self.engine.words(
            " ".join((*facts, opening)), grammar=grammar, seed=seed, most_tokens=most_tokens
        )
        return replace(words, text=opening + words.text)

    def _timetable(self, form: TimetableForm, seed: int) -> str:
        """Choose for each slot the option nearest to the slot and the person, with some noise and a
        cost of repetition.
        """
        rng = generator(seed, "timetable")
        slots = self._likeness(form.slots, form.options)
        person = self._likeness([form.focus], form.options)[0]
        cost = np.zeros(len(form.options))
        lines = []
        for slot, near in zip(form.slots, slots, strict=True):
            noise = np.array([rng.gauss(0, NOISE) for _ in form.options])
            chosen = int(np.argmax(SLOT_SHARE * near + (1 - SLOT_SHARE) * person + noise - cost))
            if form.options[chosen] not in form.recurring:
                cost[chosen] += REPEATED
            lines.append(f"{slot}: {form.options[chosen]}")
        return "\n".join(lines)

    def _questions(self, form: QuestionsForm, seed: int, words: list[WordedText]) -> str:
        lines = []
        for number, index in enumerate(self._spread(form.statements, form.count), 1):
            facts = (f"{form.statements[index][:STATEMENT_LETTERS]}.",)
            words.append(
                self._complete(facts, f"What does {form.person}", "[?]", derive(seed, number))
            )
            lines.append(f"{number}. {words[-1].text}")
        return "\n".join(lines)

    def _insights(self, form: InsightsForm, seed: int, words: list[WordedText]) -> str:
        """Base each insight on a relevant statement and its nearest neighbours."""
        among = self._likeness(form.statements, form.statements)
        relevance = self._likeness([form.question], form.statements)[0]
        lines = []
        for number, index in enumerate(self._spread(form.statements, form.count, relevance), 1):
            evidence = sorted(np.argsort(-among[index], kind="stable")[:EVIDENCE].tolist())
            facts = tuple(
                f"{form.statements[at][:STATEMENT_LETTERS]}." for at in evidence if at != index
            )
            subject, verb, rest = form.statements[index].partition(" is ")
            opening = f"{subject} is often {rest.partition(',')[0]}, and" if verb else form.person
            words.append(self._complete(facts, opening, "[.]", derive(seed, number), longest=60))
            cited = ", ".join(str(at + form.first) for at in evidence)
            lines.append(f"{number}. {words[-1].text.rstrip('.')} (because of {cited})")
        return "\n".join(lines)

    def _spread(
        self, statements: Sequence[str], count: int, relevance: NDArray[np.float64] | None = None
    ) -> list[int]:
        """Choose relevant statements that differ: each next one is unlike those before."""
        among = self._likeness(statements, statements)
        worth = among.mean(axis=1) if relevance is None else relevance
        chosen: list[int] = []
        while len(chosen) < min(count, len(statements)):
            likeness = among[:, chosen].max(axis=1) if chosen else np.zeros(len(statements))
            ranked = worth - likeness
            ranked[chosen] = -np.inf
            chosen.append(int(np.argmax(ranked)))
        return chosen

    def close(self) -> None:
        self.engine.close()


def sentence_grammar(ends: str, longest: int) -> str:
    """Return a grammar for the rest of a sentence, in the GBNF of llama.cpp."""
    return f'root ::= " " [a-zA-Z0-9 ,\':-]{{4,{longest}}} {ends}'
