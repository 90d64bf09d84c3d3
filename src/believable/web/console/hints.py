"""Why a free-text answer deserves a look: copied, pasted, very short, or faster than anybody types. Pure functions.

A hint is never a verdict: a person decides, without knowing the condition.
"""

from __future__ import annotations

import bisect
import math
import re
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

HintKind: TypeAlias = Literal["duplicate", "paste", "short", "fast"]
HINT_KINDS: tuple[HintKind, ...] = ("duplicate", "paste", "short", "fast")

#: Texts this short are alike by chance ("I don't know"), so sameness says nothing.
ALIKE_MIN_CHARACTERS = 16
#: Jaccard similarity of character 4-grams from which two texts count as nearly the same.
ALIKE_FROM = 0.8
GRAM = 4
#: How many of the rarest grams two texts must share before they are compared in full.
PREFIX_SHARED = 10
#: Only the start of a very long text is compared.
COMPARED_CHARACTERS = 2_000
#: Others named in a hint.
NAMED_OTHERS = 5

SHORT_CHARACTERS: Mapping[str, int] = {"text": 2, "long_text": 15}
#: Faster than this nobody types (150 words a minute).
TYPED_PER_S = 12.5
#: A page or a session below this share of the median is fast, once so many are there to compare with.
FAST_SHARE = 1 / 3
FAST_MIN_N = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """One free-text answer with what is known about how it came about. Nothing here tells condition or arm."""

    session: str
    number: int
    position: int
    trial_key: str
    trial_id: str
    question: str
    question_kind: str
    prompt: str
    text: str
    took_ms: int | None
    trial_characters: int
    pasted_characters: int | None
    session_ms: int | None


@dataclass(frozen=True, slots=True)
class Hint:
    kind: HintKind
    words: str


def normalised(text: str) -> str:
    """Letters and digits only, one space between words, no case, no accents' variants: what sameness is judged on."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def find(answers: Sequence[Answer]) -> tuple[tuple[Hint, ...], ...]:
    """The hints of each answer, in the order of the answers."""
    alike = alike_texts([answer.text for answer in answers])
    page_ms = _medians((answer.trial_id, answer.took_ms) for answer in answers)
    whole_ms = _medians({(a.session, a.session_ms): ("", a.session_ms) for a in answers}.values())
    return tuple(
        (
            *_copied(answer, alike[i], answers),
            *_pasted(answer),
            *_short(answer),
            *_fast(answer, page_ms.get(answer.trial_id), whole_ms.get("")),
        )
        for i, answer in enumerate(answers)
    )


# ---------------------------------------------------------------------------------------------- copied


@dataclass(frozen=True, slots=True)
class Alike:
    """Another text that is the same (`similarity` 1) or nearly."""

    index: int
    similarity: float


def alike_texts(texts: Sequence[str]) -> tuple[tuple[Alike, ...], ...]:
    """For each text the others that are nearly the same, the most similar first.

    Exact for the threshold (prefix filtering): two sets as similar as that share `PREFIX_SHARED` of their rarest grams.
    """
    plain = [normalised(text)[:COMPARED_CHARACTERS] for text in texts]
    same: dict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(plain):
        if len(text) >= ALIKE_MIN_CHARACTERS:
            same[text].append(i)
    near = _near(list(same))
    members = list(same.values())
    found: list[list[Alike]] = [[] for _ in texts]
    for group, indices in enumerate(members):
        for i in indices:
            found[i] += [Alike(j, 1.0) for j in indices if j != i]
            found[i] += [Alike(j, similarity) for other, similarity in near[group] for j in members[other]]
    return tuple(tuple(sorted(others, key=lambda a: (-a.similarity, a.index))) for others in found)


def _near(texts: Sequence[str]) -> list[list[tuple[int, float]]]:
    """Pairs of different texts at or above the threshold, by index."""
    near: list[list[tuple[int, float]]] = [[] for _ in texts]
    ranked = _rare_first([{text[i : i + GRAM] for i in range(len(text) - GRAM + 1)} for text in texts])
    order = sorted(range(len(texts)), key=lambda index: len(ranked[index]))
    sets = [frozenset(ranked[index]) for index in order]
    sizes = [len(one) for one in sets]
    must_share = [math.ceil(ALIKE_FROM * size) for size in sizes]
    enough = [min(PREFIX_SHARED, shared) for shared in must_share]
    by_gram: dict[int, list[int]] = defaultdict(list)
    for i, index in enumerate(order):
        prefix = ranked[index][: sizes[i] - must_share[i] + enough[i]]
        long_enough = bisect.bisect_left(sizes, must_share[i])
        met: Counter[int] = Counter()
        for gram in prefix:
            shorter = by_gram[gram]
            met.update(shorter[bisect.bisect_left(shorter, long_enough) :])
            shorter.append(i)
        for j, n_met in met.items():
            if n_met >= enough[j]:
                shared = len(sets[i] & sets[j])
                similarity = shared / (sizes[i] + sizes[j] - shared)
                if similarity >= ALIKE_FROM:
                    near[index].append((order[j], similarity))
                    near[order[j]].append((index, similarity))
    return near


def _rare_first(gram_sets: Sequence[set[str]]) -> list[list[int]]:
    """Each set as numbers, the rarest gram of all texts first."""
    frequency = Counter(gram for grams in gram_sets for gram in grams)
    rank = {gram: i for i, gram in enumerate(sorted(frequency, key=lambda gram: (frequency[gram], gram)))}
    return [sorted(rank[gram] for gram in grams) for grams in gram_sets]


def _copied(answer: Answer, others: Sequence[Alike], answers: Sequence[Answer]) -> list[Hint]:
    if not others:
        return []
    exact = [other for other in others if other.similarity == 1.0]
    how = "same text" if exact else f"nearly the same text ({others[0].similarity:.0%})"
    named = exact or others
    places = [_place(answers[other.index], answer) for other in named[:NAMED_OTHERS]]
    more = f" and {len(named) - NAMED_OTHERS} more" if len(named) > NAMED_OTHERS else ""
    return [Hint("duplicate", f"{how} as {', '.join(places)}{more}")]


def _place(other: Answer, answer: Answer) -> str:
    """By page number: names of trials and questions may give the condition away."""
    page = f"page {other.position + 1}"
    return (
        f"{page} of this session" if other.session == answer.session else f"session {other.number} ({page})"
    )


# ---------------------------------------------------------------------------------------------- pasted, short, fast


def _pasted(answer: Answer) -> list[Hint]:
    if not answer.pasted_characters:
        return []
    return [Hint("paste", f"{answer.pasted_characters} characters were pasted")]


def _short(answer: Answer) -> list[Hint]:
    n_characters = len(answer.text.strip())
    if n_characters >= SHORT_CHARACTERS.get(answer.question_kind, 0):
        return []
    return [Hint("short", f"{n_characters} character{'' if n_characters == 1 else 's'}")]


def _fast(answer: Answer, page_ms: float | None, whole_ms: float | None) -> list[Hint]:
    hints = []
    if answer.took_ms is not None:
        per_s = answer.trial_characters / max(answer.took_ms / 1000, 0.001)
        if per_s > TYPED_PER_S and not answer.pasted_characters:
            hints.append(
                Hint("fast", f"{answer.trial_characters} characters in {answer.took_ms / 1000:.1f} s")
            )
        if page_ms is not None and answer.took_ms < FAST_SHARE * page_ms:
            hints.append(_below("page", answer.took_ms, page_ms))
    if whole_ms is not None and answer.session_ms is not None and answer.session_ms < FAST_SHARE * whole_ms:
        hints.append(_below("session", answer.session_ms, whole_ms))
    return hints


def _below(what: str, took_ms: float, median_ms: float) -> Hint:
    return Hint("fast", f"{what} took {took_ms / 1000:.0f} s, the median is {median_ms / 1000:.0f} s")


def _medians(pairs: Iterable[tuple[str, int | None]]) -> dict[str, float]:
    """The median by name, where there are enough values to speak of one."""
    values: dict[str, list[int]] = defaultdict(list)
    for name, value in pairs:
        if value is not None:
            values[name].append(value)
    return {name: statistics.median(found) for name, found in values.items() if len(found) >= FAST_MIN_N}
