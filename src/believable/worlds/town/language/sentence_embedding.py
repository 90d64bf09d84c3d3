"""Sentences as vectors: MiniLM's six layers in numpy, from weights that are checked when they are
fetched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf
from threadpoolctl import threadpool_limits

from believable.core.errors import MissingExtra
from believable.worlds.town.language.model import Vector, kept_exactly
from believable.worlds.town.language.weights import SENTENCES, weight_file

LAYERS, HEADS, WIDTH = 6, 12, 384
#: Longer texts are cut, as by the model's makers.
MOST_TOKENS = 256

Array = NDArray[np.float32]


@dataclass(slots=True)
class SentenceModel:
    """MiniLM. One thread."""

    weights: Mapping[str, Array]
    tokenizer: Any
    _cache: dict[str, Vector] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path | None = None) -> SentenceModel:
        try:
            from safetensors.numpy import load_file  # noqa: PLC0415  the extra `town`
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra(what="The model for sentence embeddings", extra="town") from error
        tokenizer = Tokenizer.from_file(str(weight_file(SENTENCES, "tokenizer.json", folder)))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MOST_TOKENS)
        weights = load_file(str(weight_file(SENTENCES, ".safetensors", folder)))
        return cls({name: _ready(name, array) for name, array in weights.items()}, tokenizer)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text."""
        unknown = list(dict.fromkeys(text for text in texts if text not in self._cache))
        if not unknown:
            return [self._cache[text] for text in texts]
        tokens = {text: self.tokenizer.encode(text).ids for text in unknown}
        with threadpool_limits(1):
            # Alone, not in a batch: a batch's shape would change the last bits, and with them what
            # a run repeats.
            for text in unknown:
                self._cache[text] = kept_exactly(self._pool(tokens[text])).pop()
        return [self._cache[text] for text in texts]

    def _pool(self, ids: Sequence[int]) -> Array:
        """The mean over the tokens of the last layer, as the only row."""
        states = self._embed_batch(ids)
        for layer in range(LAYERS):
            states = self._layer(states, f"encoder.layer.{layer}")
        return np.asarray(states.mean(axis=0, keepdims=True), np.float32)

    def _embed_batch(self, ids: Sequence[int]) -> Array:
        prefix = "embeddings"
        summed = (
            self.weights[f"{prefix}.word_embeddings.weight"][list(ids)]
            + self.weights[f"{prefix}.position_embeddings.weight"][: len(ids)]
            + self.weights[f"{prefix}.token_type_embeddings.weight"][0]
        )
        return self._normalize(summed, f"{prefix}.LayerNorm")

    def _layer(self, states: Array, prefix: str) -> Array:
        attention = f"{prefix}.attention"
        query, key, value = (
            _heads(self._linear(states, f"{attention}.self.{name}"))
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(WIDTH // HEADS))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        joined = mixed.transpose(1, 0, 2).reshape(states.shape)
        states = self._normalize(
            states + self._linear(joined, f"{attention}.output.dense"),
            f"{attention}.output.LayerNorm",
        )
        inner = self._linear(states, f"{prefix}.intermediate.dense")
        inner = (
            inner * np.float32(0.5) * (1 + erf(inner / np.float32(np.sqrt(2)))).astype(np.float32)
        )
        return self._normalize(
            states + self._linear(inner, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm"
        )

    def _linear(self, states: Array, name: str) -> Array:
        return np.asarray(states @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"])

    def _normalize(self, states: Array, name: str) -> Array:
        centred = states - states.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-12))
        return np.asarray(
            centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        )


def _heads(states: Array) -> Array:
    return states.reshape(len(states), HEADS, WIDTH // HEADS).transpose(1, 0, 2)


def _ready(name: str, weights: Array) -> Array:
    """As it is multiplied with: the matrices of the layers turned round once, and not in every
    product.
    """
    turned = name.startswith("encoder.layer.") and weights.ndim == 2
    return np.ascontiguousarray(weights.T if turned else weights, np.float32)
