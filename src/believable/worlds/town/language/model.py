"""Requests to a language model and its answers. An answer is a text, which the mind parses.

A request contains the whole prompt and the form of the answer. A model behind an endpoint reads
only the prompt. Models on this machine also use the form: the options to choose from, the facts to
put into words. Recorded answers are found by a hash of the request, so the names and fields of
forms must not change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import BelievableError, Refused

Vector: TypeAlias = NDArray[np.float32]

#: After fewer answers than this, the share of unreadable ones says little.
FEWEST_READ = 6


class ModelUnavailable(BelievableError):
    """The model did not answer until the patience ended. The run can be resumed later."""


class AnswerPending(Exception):
    """A prompt has no answer yet. The person who asked waits in this step."""


class ModelRefused(Refused):
    """The model will never answer: a wrong key, an unknown name, or the spend limit is reached."""


class TooManyUnreadable(Refused):
    """The model answers, but too few of its answers can be read."""


@dataclass(frozen=True, slots=True)
class ChoiceForm:
    """One of the options, verbatim. The options are compared with `focus`."""

    options: tuple[str, ...]
    focus: str


@dataclass(frozen=True, slots=True)
class RatingsForm:
    """A numbered line with a whole number for each text; `anchors` are examples with their
    numbers.
    """

    low: int
    high: int
    texts: tuple[str, ...]
    anchors: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ExchangeForm:
    """Lines `Name: text`, one for each speaker in turn, each beginning with its opening. With a
    `choice` the talk may be left out: then the answer is the first option.
    """

    speakers: tuple[str, ...]
    openings: tuple[str, ...]
    facts: tuple[str, ...]
    choice: ChoiceForm | None = None


@dataclass(frozen=True, slots=True)
class SentenceForm:
    """One sentence that follows from the facts and begins with `opening`; at most `longest`
    characters follow.
    """

    facts: tuple[str, ...]
    opening: str = ""
    most_tokens: int = 24
    longest: int = 70


@dataclass(frozen=True, slots=True)
class TimetableForm:
    """A line `slot: option` for each slot. An option is less likely the second time, unless it is
    `recurring`.
    """

    slots: tuple[str, ...]
    options: tuple[str, ...]
    focus: str
    recurring: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionsForm:
    """A numbered line for each of `count` questions that the statements raise."""

    statements: tuple[str, ...]
    count: int
    person: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightsForm:
    """A numbered line for each of `count` insights, with the numbers of the statements it follows
    from, counted from `first`.
    """

    question: str
    statements: tuple[str, ...]
    count: int
    person: str
    first: int = 1


AnswerForm: TypeAlias = (
    ChoiceForm
    | RatingsForm
    | SentenceForm
    | ExchangeForm
    | TimetableForm
    | QuestionsForm
    | InsightsForm
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """`name` is the file of the prompt. `attempt` counts from 1; each asks for another answer."""

    name: str
    prompt: str
    form: AnswerForm
    seed: int
    attempt: int = 1
    most_tokens: int = 400

    def key(self, model: str) -> str:
        """Return the key of the answer, the same on every machine."""
        tree = [
            model,
            self.name,
            self.prompt,
            type(self.form).__name__,
            asdict(self.form),
            self.seed,
            self.attempt,
        ]
        return hashlib.sha256(
            json.dumps(tree, ensure_ascii=False, sort_keys=True).encode()
        ).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """An unchanged answer. Tokens are None if the model does not count them."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float = 0.0


@dataclass(slots=True, kw_only=True)
class ModelUsage:
    """The cost of all requests of a run. `answers` were given by the model, `repeated` are recorded
    ones. `unreadable` answers did not have the form that was asked for. `left_out` names the
    parameters that the server refuses.
    """

    answers: int = 0
    repeated: int = 0
    embedded_texts: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    answers_without_counts: int = 0
    cost: float = 0.0
    read: int = 0
    unreadable: int = 0
    left_out: list[str] = field(default_factory=list)
    waits: dict[str, int] = field(default_factory=dict)
    waited_s: float = 0.0

    def add_reading(self, *, readable: bool) -> None:
        self.read += readable
        self.unreadable += not readable

    def require_readable(self, limit: float) -> None:
        """Stop if more than this share of the answers was unreadable."""
        asked = self.read + self.unreadable
        if asked >= FEWEST_READ and self.unreadable > limit * asked:
            raise TooManyUnreadable(
                f"{self.unreadable} of {asked} answers of the language model could not be read,"
                f" more than the limit of {limit:.0%}. trace.jsonl lists them with the reasons."
                " Choose a model that follows instructions, or raise --unreadable-limit."
            )

    def add(self, answer: ModelAnswer) -> None:
        self.answers += 1
        self.tokens_in += answer.tokens_in or 0
        self.tokens_out += answer.tokens_out or 0
        self.answers_without_counts += answer.tokens_in is None or answer.tokens_out is None
        self.cost += answer.cost

    def add_wait(self, reason: str, seconds: float) -> None:
        self.waits[reason] = self.waits.get(reason, 0) + 1
        self.waited_s += seconds


class LanguageModel(Protocol):
    """Models with different answers have different names. Vectors have length 1 and are exact in 16
    bits.
    """

    @property
    def name(self) -> str: ...

    @property
    def usage(self) -> ModelUsage: ...

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """The model's answer, or ModelUnavailable, or ModelRefused; never a text of our own."""
        ...

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text: the nearer two meanings, the larger the product."""
        ...

    def close(self) -> None: ...


def describe_model(name: str) -> str:
    """Return the name of a model as studies and recordings say it. `embedded` is no language model:
    sentence embeddings decide.
    """
    kind, _, rest = name.partition(" ")
    if kind == "embedded":
        return "embedded stand-in"
    return rest.partition(" · ")[0] if kind == "queue" else name


def kept_exactly(vectors: NDArray[np.floating]) -> list[Vector]:
    """Return vectors of length 1, rounded to 16 bits."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled = vectors / np.where(lengths == 0, 1, lengths)
    return list(scaled.astype(np.float16).astype(np.float32))
