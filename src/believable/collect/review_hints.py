"""Why a free text deserves a look: copied, pasted, very short, or faster than people type. Pure
functions.

A hint is never a verdict: a person decides, without knowing the condition.
"""

from __future__ import annotations

import hashlib
import re
import statistics
import unicodedata
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.contracts.registries import INSTRUMENTS

HintKind: TypeAlias = Literal["duplicate", "paste", "short", "fast"]
HINT_KINDS: tuple[HintKind, ...] = ("duplicate", "paste", "short", "fast")

#: Texts this short are alike by chance ("I don't know"), so sameness says nothing.
ALIKE_MIN_CHARACTERS = 16
#: Jaccard similarity of character 4-grams from which two texts count as nearly the same.
ALIKE_FROM = 0.8
GRAM = 4
#: Only the start of a very long text is compared.
COMPARED_CHARACTERS = 2_000
#: Others named in a hint.
NAMED_OTHERS = 5

#: Faster than this is impossible for typing (150 words a minute).
TYPED_PER_S = 12.5
#: A page or a session below this share of the median is fast, if there are at least this number to
#: compare with.
FAST_SHARE = 1 / 3
FAST_MIN_N = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """One free-text answer with its circumstances. Nothing here reveals condition or arm."""

    session: str
    number: int
    position: int
    trial_key: str
    question: str
    question_kind: str
    prompt: str
    text: str
    took_ms: int | None
    trial_characters: int
    pasted_characters: int
    session_ms: int | None

    @property
    def trial_id(self) -> str:
        return self.trial_key.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Hint:
    kind: HintKind
    words: str


# ----------------------------------------------------------------------------------------------
# copied


def normalise_words(text: str) -> str:
    """Letters and digits only, one space between words, no case, no accents' variants: what
    sameness is judged on.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))[:COMPARED_CHARACTERS]


def digest(plain: str) -> str:
    """The same for the same words; empty where a text is too short to say anything."""
    return (
        hashlib.blake2b(plain.encode(), digest_size=16).hexdigest()
        if len(plain) >= ALIKE_MIN_CHARACTERS
        else ""
    )


def grams(plain: str) -> frozenset[str]:
    return frozenset(plain[i : i + GRAM] for i in range(len(plain) - GRAM + 1))


def similarity(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)


#: Texts are compared in full if one of this number of keys is the same, each made of this number of
#: minima (MinHash with banding). Two texts with similarity s share one with probability 1 - (1 -
#: s^ROWS)^BANDS: .998 at .8, over .9999 from .86, .005 at .2. So the work grows with the number of
#: texts, not with the number of pairs.
BANDS = 16
ROWS = 5
_FACTORS = np.random.default_rng(20_261_116).integers(
    1, 2**63, (2, BANDS * ROWS), dtype=np.uint64
) | np.uint64(1)


def sharing_keys(salt: str, gram_set: frozenset[str]) -> tuple[int, ...]:
    """The keys of a text, below 2**63. Texts of other studies, with another salt, have others."""
    hashed: NDArray[np.uint64] = np.fromiter(
        (zlib.crc32(gram.encode()) for gram in gram_set), np.uint64, len(gram_set)
    )
    minima = (
        ((hashed[:, None] * _FACTORS[0] + _FACTORS[1]) >> np.uint64(32))
        .min(axis=0)
        .reshape(BANDS, ROWS)
    )
    return tuple(
        int.from_bytes(
            hashlib.blake2b(f"{salt}/{band}/".encode() + row.tobytes(), digest_size=8).digest(),
            "big",
        )
        >> 1
        for band, row in enumerate(minima)
    )


def copied_hint(places: list[str], n_same: int, similarity: float) -> Hint:
    """`places` of the first few others; of `n_same` with the very same words if there are any."""
    how = "same text" if n_same else f"nearly the same text ({similarity:.0%})"
    named = places[:NAMED_OTHERS]
    more = f" and {n_same - len(named)} more" if n_same > len(named) else ""
    return Hint("duplicate", f"{how} as {', '.join(named)}{more}")


def place_in_words(session: str, number: int, position: int, of: str) -> str:
    """By page number: names of trials and questions may give the condition away."""
    page = f"page {position + 1}"
    return f"{page} of this session" if session == of else f"session {number} ({page})"


# ----------------------------------------------------------------------------------------------
# pasted, short, fast


def own_hints(answer: TextAnswer) -> list[Hint]:
    """The hints in the answer itself."""
    return [*_paste_hints(answer), *_short(answer), *_typing_hints(answer)]


def _paste_hints(answer: TextAnswer) -> list[Hint]:
    if not answer.pasted_characters:
        return []
    return [Hint("paste", f"{answer.pasted_characters} characters were pasted")]


def _short(answer: TextAnswer) -> list[Hint]:
    n_characters = len(answer.text.strip())
    if n_characters >= INSTRUMENTS[answer.question_kind].short_text:
        return []
    return [Hint("short", f"{n_characters} character{'' if n_characters == 1 else 's'}")]


def _typing_hints(answer: TextAnswer) -> list[Hint]:
    if answer.took_ms is None or answer.pasted_characters:
        return []
    per_s = answer.trial_characters / max(answer.took_ms / 1000, 0.001)
    words = f"{answer.trial_characters} characters in {answer.took_ms / 1000:.1f} s"
    return [Hint("fast", words)] if per_s > TYPED_PER_S else []


def fast_hints(
    trial_id: str, took_ms: int | None, session_ms: int | None, median_ms: Mapping[str, float]
) -> list[Hint]:
    """Far below the median of the page, or of whole sessions, which has the key ''."""
    hints = []
    for what, took, name in (("page", took_ms, trial_id), ("session", session_ms, "")):
        median = median_ms.get(name)
        if took is not None and median is not None and took < FAST_SHARE * median:
            hints.append(
                Hint(
                    "fast", f"{what} took {took / 1000:.0f} s, the median is {median / 1000:.0f} s"
                )
            )
    return hints


def medians(pairs: Iterable[tuple[str, int | None]]) -> dict[str, float]:
    """The median by name, if there are enough values."""
    values: dict[str, list[int]] = defaultdict(list)
    for name, value in pairs:
        if value is not None:
            values[name].append(value)
    return {
        name: statistics.median(times) for name, times in values.items() if len(times) >= FAST_MIN_N
    }


# ----------------------------------------------------------------------------------------------
# kinds as they are kept

#: Stored in addition to the kinds: fast by itself, whatever the medians.
TYPED = "typed"


def kept_kinds(kinds: Iterable[str]) -> tuple[str, int]:
    """As the queue keeps them: each between commas, and how many kinds of hints they are.

    >>> kept_kinds({"fast", "typed", "paste"})
    (',paste,fast,typed,', 2)
    """
    known = set(kinds)
    names = [name for name in (*HINT_KINDS, TYPED) if name in known]
    return "".join(f",{name}" for name in names) + ("," if names else ""), len(
        known & set(HINT_KINDS)
    )
