"""A language model behind an OpenAI-compatible endpoint.

If the endpoint is out of order, it is asked again until the patience ends, and every wait is
counted. Then the run stops and can be resumed later. No answer is ever made up.

Some servers refuse `max_tokens`, `temperature` or `seed`. A parameter that the server's refusal
names is left out from then on, and the usage lists it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx
import numpy as np

from believable.core.errors import InvalidInput
from believable.worlds.town.language.model import (
    LanguageModel,
    ModelAnswer,
    ModelRefused,
    ModelRequest,
    ModelUnavailable,
    ModelUsage,
    Vector,
    kept_exactly,
)
from believable.worlds.town.language.spending import RateLimit, SpendLimit, TokenPrices

#: Status codes after which the same request may succeed later.
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
#: Status codes of a server that does not accept the form of a request.
REJECTING = frozenset({400, 422})
#: Parameters that a request can do without, each with its newer name, if it has one.
OPTIONAL_PARAMETERS: Mapping[str, str | None] = {
    "max_completion_tokens": None,
    "max_tokens": "max_completion_tokens",
    "temperature": None,
    "seed": None,
}
Read = TypeVar("Read")
SYSTEM = "You answer exactly in the form that is asked for, without any other words."


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """How to ask. The key is read from the environment variable, never from a file or an option."""

    url: str
    model: str
    key_variable: str = "OPENAI_API_KEY"
    embedding_model: str | None = None
    temperature: float = 0.7
    timeout_s: float = 120.0
    patience_s: float = 1800.0
    first_wait_s: float = 1.0
    longest_wait_s: float = 60.0
    per_minute: float | None = None
    prices: TokenPrices = field(default_factory=TokenPrices)
    spend_limit: float | None = None


@dataclass(frozen=True, slots=True)
class WaitNotice:
    """A pause of the run: the reason, and the time until the next try."""

    reason: str
    seconds: float


@dataclass(slots=True, kw_only=True)
class EndpointModel:
    """`sentences` makes the vectors if the endpoint has no embedding model. `on_wait` is called
    before every pause.
    """

    settings: EndpointSettings
    sentences: LanguageModel | None = None
    on_wait: Callable[[WaitNotice], None] = lambda notice: None
    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    usage: ModelUsage = field(default_factory=ModelUsage)
    spending: SpendLimit = field(init=False)
    _renamed: dict[str, str | None] = field(init=False, default_factory=dict)
    _client: httpx.Client = field(init=False)
    _rate: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        if self.settings.embedding_model is None and self.sentences is None:
            raise InvalidInput(
                "endpoint: expected a model for embeddings, got none. Name one of the endpoint's"
                " (--embedding-model), or install the one that runs here: believable town models"
            )
        key = os.environ.get(self.settings.key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(timeout=self.settings.timeout_s, headers=headers)
        self._rate = RateLimit(self.settings.per_minute, self.now_s, self.sleep)
        self.spending = SpendLimit(self.settings.prices, self.settings.spend_limit)

    @property
    def name(self) -> str:
        embedding = self.settings.embedding_model or (self.sentences.name if self.sentences else "")
        return f"endpoint {self.settings.model} t{self.settings.temperature:g} · {embedding}"

    def answer(self, request: ModelRequest) -> ModelAnswer:
        self.spending.require(request)
        body = {
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": request.prompt},
            ],
            "temperature": self.settings.temperature,
            "max_tokens": request.most_tokens,
            "seed": request.seed % 2**31,
        }
        answer = self._until_answered("chat/completions", body, self._read_answer)
        if (
            answer.tokens_in is None or answer.tokens_out is None
        ):  # no counts: the limit assumes the worst case
            answer = ModelAnswer(answer.text, cost=self.settings.prices.most(request))
        self.spending.spent += answer.cost
        self.usage.add(answer)
        return answer

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.settings.embedding_model is None:
            if self.sentences is None:
                raise InvalidInput("endpoint: there is no model for embeddings.")
            return self.sentences.embed(texts)
        body = {"model": self.settings.embedding_model, "input": list(texts)}
        self.usage.embedded_texts += len(texts)
        return self._until_answered(
            "embeddings", body, lambda tree: _read_vectors(tree, len(texts))
        )

    def _read_answer(self, tree: Mapping[str, Any]) -> ModelAnswer:
        text = tree["choices"][0]["message"]["content"]
        if not isinstance(text, str):
            raise TypeError(f"expected a text as the message's content, got {text!r}")
        counts = tree.get("usage") or {}
        tokens_in, tokens_out = counts.get("prompt_tokens"), counts.get("completion_tokens")
        if not isinstance(tokens_in, int) or not isinstance(tokens_out, int):
            return ModelAnswer(text)
        return ModelAnswer(
            text, tokens_in, tokens_out, self.settings.prices.cost(tokens_in, tokens_out)
        )

    def _until_answered(
        self, path: str, body: Mapping[str, object], read: Callable[[Mapping[str, Any]], Read]
    ) -> Read:
        """Ask again after pauses that double, until there is an answer or the patience ends."""
        url, begin_s, pause_s = (
            f"{self.settings.url.rstrip('/')}/{path}",
            self.now_s(),
            self.settings.first_wait_s,
        )
        while True:
            self._rate.wait()
            asked_for_s: float | None = None
            try:
                response = self._client.post(url, json=self._accepted_body(body))
                if response.status_code == 200:
                    return read(json.loads(response.content))
                if response.status_code in REJECTING and self._leave_out(response, body):
                    continue
                reason = f"status {response.status_code}"
                if response.status_code not in PASSING:
                    raise ModelRefused(
                        f"{url}: {reason}: {response.text[:300].strip()}. {self._cure(response)}"
                    )
                asked_for_s = _retry_after(response)
            except httpx.TimeoutException:
                reason = f"no answer within {self.settings.timeout_s:g} s"
            except httpx.TransportError as error:
                reason = f"connection: {type(error).__name__}"
            except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
                reason = f"unreadable: {type(error).__name__}"
            wait_s = pause_s if asked_for_s is None else max(asked_for_s, pause_s)
            gone_s = self.now_s() - begin_s
            if gone_s + wait_s > self.settings.patience_s:
                raise ModelUnavailable(
                    f"{url}: {reason}, for {gone_s:.0f} s now. Nothing was put in place of the"
                    " answer and everything so far is kept: run the same command again when the"
                    " endpoint is back, and the run continues."
                )
            self.usage.add_wait(reason, wait_s)
            self.on_wait(WaitNotice(reason, wait_s))
            self.sleep(wait_s)
            pause_s = min(2 * pause_s, self.settings.longest_wait_s)

    def _accepted_body(self, body: Mapping[str, object]) -> dict[str, object]:
        """The body under the names that the server accepts."""
        accepted: dict[str, object] = {}
        for name, value in body.items():
            newest: str | None = name
            while newest is not None and newest in self._renamed:
                newest = self._renamed[newest]
            if newest is not None:
                accepted[newest] = value
        return accepted

    def _leave_out(self, response: httpx.Response, body: Mapping[str, object]) -> bool:
        """Rename or leave out the parameter that the refusal names. Return whether there is one."""
        sent = self._accepted_body(body)
        stated = _refused_parameter(response)
        name = next((name for name in OPTIONAL_PARAMETERS if name in sent and name in stated), None)
        if name is None:
            return False
        self._renamed[name] = OPTIONAL_PARAMETERS[name]
        if name not in self.usage.left_out:
            self.usage.left_out.append(name)
        return True

    def _cure(self, response: httpx.Response) -> str:
        if response.status_code in (401, 403):
            return f"Put the key into the environment variable {self.settings.key_variable}."
        if response.status_code == 404:
            return (
                f"Check the address and the model's name, {self.settings.model!r}; the address"
                " usually ends in /v1."
            )
        return "The endpoint refuses this request for good: check model and options."

    def close(self) -> None:
        self._client.close()
        if self.sentences is not None:
            self.sentences.close()


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return max(0.0, float(response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _refused_parameter(response: httpx.Response) -> str:
    """The parameter that an error object names, or else its whole text.

    A refusal of `max_tokens` often recommends `max_completion_tokens` in its text, so the field
    counts first.
    """
    try:
        error = response.json()["error"]
        if isinstance(error["param"], str):
            return error["param"]
    except (ValueError, KeyError, TypeError):
        pass
    return response.text


def _read_vectors(tree: Mapping[str, Any], count: int) -> list[Vector]:
    rows = sorted(tree["data"], key=lambda row: row["index"])
    vectors = np.array([row["embedding"] for row in rows], np.float64)
    if vectors.shape[0] != count or vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError(f"expected {count} vectors of one length, got {vectors.shape}")
    return kept_exactly(vectors)
