"""Which codes stand together: `excludes` never on the same side; `wins_over` not on the same words. The browser's `rules.js`
does the same; `tests/coding/rules.json` holds the cases both are tested with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from believable.coding.labels import Label
from believable.study.codebook import Codebook


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two labels that do not go together. `loser` gives way; `why` is `excludes` or `wins_over`."""

    winner: Label
    loser: Label
    why: str


def on_same_words(a: Label, b: Label) -> bool:
    """Whether the words overlap; a label on the whole text overlaps with every other."""
    if not a.spans or not b.spans:
        return True
    return any(start < end and begin < stop for start, stop in a.spans for begin, end in b.spans)


def between(book: Codebook, a: Label, b: Label) -> Conflict | None:
    """The conflict of two labels, if there is one. In a mutual exclusion the first one wins."""
    if a.code == b.code or a.side != b.side or not {a.code, b.code} <= book.by_id.keys():
        return None
    one, other = book.code(a.code), book.code(b.code)
    if other.id in one.excludes or one.id in other.excludes:
        return Conflict(a, b, "excludes")
    if on_same_words(a, b):
        if other.id in one.wins_over:
            return Conflict(a, b, "wins_over")
        if one.id in other.wins_over:
            return Conflict(b, a, "wins_over")
    return None


def conflicts(book: Codebook, labels: Iterable[Label]) -> list[Conflict]:
    """All pairs that do not go together."""
    listed = list(labels)
    pairs = ((a, b) for number, a in enumerate(listed) for b in listed[number + 1 :])
    return [found for a, b in pairs if (found := between(book, a, b)) is not None]


def added(book: Codebook, labels: Iterable[Label], new: Label) -> tuple[tuple[Label, ...], list[Conflict]]:
    """The labels after `new` was put on, and what gave way. The newer one wins an exclusion; a more specific one that stands
    on the same words keeps a more general one out."""
    kept = [label for label in labels if label.key != new.key]
    if book.single:
        return (new,), []
    found = [one for label in kept if (one := between(book, new, label)) is not None]
    if any(one.loser == new for one in found):
        return tuple(kept), [one for one in found if one.loser == new]
    losers = {one.loser.key for one in found}
    return (*(label for label in kept if label.key not in losers), new), found
