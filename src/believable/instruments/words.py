"""Free text: what is kept of it, and what simulated participants write."""

from __future__ import annotations

import random
import re
from typing import Any

from believable.instruments.contract import InvalidAnswer

#: Lone surrogates cannot be stored as UTF-8 and NUL not in PostgreSQL; the event keeps what was typed to the letter.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"

_SENTENCES = (
    "It moved in a way I did not expect.",
    "The turns looked too exact to me.",
    "It stopped and seemed to think.",
    "I could not say why, it just felt natural.",
    "It ran into the wall twice.",
    "The pace never changed.",
)


def read_words(raw: Any, *, min_length: int, max_length: int) -> str:
    """The text, if it says something and its length (in characters) is within the bounds."""
    if not isinstance(raw, str) or not raw.strip():
        raise InvalidAnswer("error.required")
    if len(raw.strip()) < min_length:
        raise InvalidAnswer("error.text_min", min=min_length)
    if len(raw) > max_length:
        raise InvalidAnswer("error.text_max", max=max_length)
    return _UNSTORABLE.sub(_REPLACEMENT, raw)


def simulated_words(rng: random.Random, *, min_length: int, max_length: int) -> str:
    """A few plain sentences that fit the bounds."""
    text = rng.choice(_SENTENCES)
    while len(text) < min_length or (rng.random() < 0.5 and len(text) < max_length // 2):
        text = f"{text} {rng.choice(_SENTENCES)}"
    cut = text[:max_length].rstrip()
    return cut if len(cut) >= min_length else cut.ljust(min_length, ".")


def length_problems(min_length: int, max_length: int) -> list[tuple[str, str, str]]:
    if min_length <= max_length:
        return []
    return [("min_length", f"{min_length} is above max_length {max_length}.", "Swap them.")]
