"""Suggestions, never decisions: codes whose keywords occur, and texts most like this one that the
same coder has coded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from believable.coding.labels import Span
from believable.core.deferred import sparse
from believable.study.codebook import Codebook

_WORD = re.compile(r"[^\W\d_]{2,}", re.UNICODE)
#: Neighbours less alike than this are no help.
LEAST_LIKENESS = 0.15


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """A code whose keywords occur in the text; `direction` where the keyword says it."""

    code: str
    direction: str | None
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class LikeText:
    """A text that is like this one; `likeness` is the cosine, 0 to 1."""

    number: int
    likeness: float


def keyword(text: str) -> tuple[str, str | None]:
    """`jerky -` → ("jerky", "-")."""
    return (text[:-2].strip(), text[-1]) if text.endswith((" +", " -")) else (text, None)


def hits(book: Codebook, text: str) -> tuple[KeywordHit, ...]:
    """Codes by their keywords, as whole beginnings of words: `swerve` finds swerves; case does not
    matter.
    """
    spans_of: dict[tuple[str, str | None], list[Span]] = {}
    for code in book.codes:
        for words in code.keywords:
            plain, direction = keyword(words)
            for match in re.finditer(rf"(?<!\w){re.escape(plain)}\w*", text, re.IGNORECASE):
                spans_of.setdefault((code.id, direction), []).append(match.span())
    return tuple(
        KeywordHit(code, direction, tuple(sorted(spans)))
        for (code, direction), spans in spans_of.items()
    )


class Likeness:
    """TF-IDF of all texts of a project, made once. Rows are unit vectors, so that a product is the
    cosine.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._numbers = tuple(texts)
        self._place = {number: at for at, number in enumerate(self._numbers)}
        counted = [Counter(words(text)) for text in texts.values()]
        vocabulary: dict[str, int] = {}
        for counts in counted:
            for word in counts:
                vocabulary.setdefault(word, len(vocabulary))
        self._matrix = _weigh(counted, vocabulary)

    def nearest(self, number: int, among: Collection[int], n: int = 3) -> tuple[LikeText, ...]:
        """The most alike of `among`, nearest first."""
        if number not in self._place:
            return ()
        at = self._place[number]
        row = np.asarray((self._matrix @ self._matrix[[at]].T).todense()).ravel()
        candidates = [
            candidate for candidate in among if candidate != number and candidate in self._place
        ]
        ranked = sorted(
            candidates, key=lambda candidate: (-row[self._place[candidate]], candidate)
        )[:n]
        like = [LikeText(candidate, float(row[self._place[candidate]])) for candidate in ranked]
        return tuple(text for text in like if text.likeness >= LEAST_LIKENESS)


def words(text: str) -> Iterable[str]:
    return (match.group().lower() for match in _WORD.finditer(text))


def _weigh(counted: Sequence[Counter[str]], vocabulary: Mapping[str, int]) -> Any:
    documents: Counter[str] = Counter()
    for counts in counted:
        documents.update(counts.keys())
    n = len(counted)
    values, columns, starts = [], [], [0]
    for counts in counted:
        row = {
            word: (1 + math.log(count)) * (math.log((1 + n) / (1 + documents[word])) + 1)
            for word, count in counts.items()
        }
        length = math.sqrt(sum(value * value for value in row.values())) or 1.0
        values += [value / length for value in row.values()]
        columns += [vocabulary[word] for word in row]
        starts.append(len(columns))
    shape = (n, max(1, len(vocabulary)))
    return sparse.csr_array((values, columns, starts), shape=shape, dtype=np.float64)
