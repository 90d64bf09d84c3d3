"""A coder's verdict on one text: codes with direction, side and the words that carry them; or that
the text is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from believable.core.errors import InvalidInput
from believable.study.codebook import Code, Codebook

#: Code, direction and side: what makes two labels the same.
Key: TypeAlias = tuple[str, str | None, str | None]
Span: TypeAlias = tuple[int, int]

DIRECTIONS = ("+", "-")
SIDES = ("more", "less")
MEMO_CHARACTERS = 10_000
#: Between the members of a list in one cell.
BETWEEN = "; "


@dataclass(frozen=True, slots=True)
class Label:
    """A code applied to a text. `spans` are the words that carry it, as [from, to) in characters;
    none means the whole text.
    """

    code: str
    direction: str | None = None
    side: str | None = None
    spans: tuple[Span, ...] = ()

    @property
    def key(self) -> Key:
        return self.code, self.direction, self.side


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One coder's verdict on one text. `done` says that they went on from it."""

    labels: tuple[Label, ...] = ()
    discard: str | None = None
    uncertain: bool = False
    memo: str = ""
    done: bool = False

    @property
    def keys(self) -> frozenset[Key]:
        return frozenset(label.key for label in self.labels)

    @property
    def empty(self) -> bool:
        return not self.labels and self.discard is None

    def same_as(self, other: Mark) -> bool:
        """Whether both say the same about the text, wherever in it they saw it."""
        return self.keys == other.keys and self.discard == other.discard


@dataclass(frozen=True, slots=True)
class CodedResponse:
    """The final codes of one text. `judge` is who wrote it: texts of one judge are not
    independent. `position` is the page in the session.
    """

    judge: str
    labels: frozenset[Key]
    condition: str | None = None
    discarded: bool = False
    position: int | None = None


def order(book: Codebook, keys: Iterable[Key]) -> list[Key]:
    """In the order of the codebook, + before -, more before less; unknown codes last."""
    place = {code.id: number for number, code in enumerate(book.codes)}
    return sorted(
        keys,
        key=lambda key: (
            place.get(key[0], len(place)),
            key[0],
            ("+", "-", None).index(key[1]),
            ("more", "less", None).index(key[2]),
        ),
    )


def label_text(key: Key) -> str:
    """`smoothness + more`, for files and messages."""
    return " ".join(part for part in key if part)


def as_json(mark: Mark) -> dict[str, Any]:
    """Plain data; `from_json` reads it."""
    return {
        "labels": labels_json(mark.labels),
        "discard": mark.discard,
        "uncertain": mark.uncertain,
        "memo": mark.memo,
        "done": mark.done,
    }


def labels_json(labels: Iterable[Label]) -> list[dict[str, Any]]:
    return [
        {
            "code": label.code,
            "direction": label.direction,
            "side": label.side,
            "spans": [list(span) for span in label.spans],
        }
        for label in labels
    ]


def from_json(data: Any) -> Mark:
    """Checks the form only: whether codes exist depends on the codebook's version (`problems`)."""
    if not isinstance(data, dict):
        raise InvalidInput(f"mark: expected a mapping, got {type(data).__name__}. Reload the desk.")
    discard, memo = data.get("discard"), data.get("memo", "")
    if discard is not None and not isinstance(discard, str):
        raise InvalidInput(f"mark: discard: expected a name or nothing, got {discard!r}.")
    if not isinstance(memo, str) or len(memo) > MEMO_CHARACTERS:
        raise InvalidInput(
            f"mark: memo: expected at most {MEMO_CHARACTERS} characters. Shorten it."
        )
    return Mark(
        labels=labels_from(data.get("labels", [])),
        discard=discard,
        uncertain=data.get("uncertain") is True,
        memo=memo,
        done=data.get("done") is True,
    )


def labels_from(data: Any) -> tuple[Label, ...]:
    if not isinstance(data, list):
        raise InvalidInput(f"mark: labels: expected a list, got {type(data).__name__}.")
    labels: dict[Key, Label] = {}
    for item in data:
        label = _label(item)
        labels[label.key] = label
    return tuple(labels.values())


def _label(data: Any) -> Label:
    if not isinstance(data, dict) or not isinstance(data.get("code"), str):
        raise InvalidInput(f"mark: label: expected a mapping with a code, got {str(data)[:60]!r}.")
    direction, side = data.get("direction"), data.get("side")
    if direction not in (*DIRECTIONS, None):
        raise InvalidInput(f"mark: direction: expected + or -, got {direction!r}.")
    if side not in (*SIDES, None):
        raise InvalidInput(f"mark: side: expected more or less, got {side!r}.")
    return Label(data["code"], direction, side, _spans(data.get("spans", [])))


def _spans(data: Any) -> tuple[Span, ...]:
    if not isinstance(data, list):
        raise InvalidInput(f"mark: spans: expected a list, got {type(data).__name__}.")
    for span in data:
        whole = isinstance(span, list) and len(span) == 2 and all(type(at) is int for at in span)
        if not whole or not 0 <= span[0] < span[1]:
            raise InvalidInput(f"mark: span: expected [from, to] with from < to, got {span!r}.")
    return merge_spans([(span[0], span[1]) for span in data])


def merge_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Without overlaps, in order.

    >>> merge_spans([(4, 9), (0, 2), (7, 12)])
    ((0, 2), (4, 12))
    """
    apart: list[Span] = []
    for start, end in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], end))
        else:
            apart.append((start, end))
    return tuple(apart)


def spans_from(text: str | None) -> tuple[Span, ...]:
    """`0-5 9-12` → ((0, 5), (9, 12))."""
    parts = [part.partition("-") for part in (text or "").split()]
    return tuple((int(start), int(end)) for start, _, end in parts)


def spans_text(spans: tuple[Span, ...]) -> str | None:
    return " ".join(f"{start}-{end}" for start, end in spans) or None


def problems(book: Codebook, mark: Mark, text: str) -> list[str]:
    """What in a mark does not fit the codebook or the text."""
    lines = [line for label in mark.labels for line in _label_problems(book, label, len(text))]
    if mark.discard is not None and mark.discard not in {discard.id for discard in book.discards}:
        lines.append(f"unknown reason to discard {mark.discard!r}")
    if mark.discard is not None and mark.labels:
        lines.append("a discarded text carries codes")
    if book.single and len(mark.labels) > 1:
        lines.append(f"{len(mark.labels)} codes where exactly one is to be picked")
    return [*lines, *(conflict.words for conflict in conflicts(book, mark.labels))]


def _label_problems(book: Codebook, label: Label, length: int) -> list[str]:
    code = book.by_id.get(label.code)
    if code is None:
        return [f"unknown code {label.code!r}"]
    lines = []
    if code.direction != (label.direction is not None):
        lines.append(
            f"{code.id}: {'a direction is missing' if code.direction else 'it has no direction'}"
        )
    if code.side != (label.side is not None):
        lines.append(f"{code.id}: {'a side is missing' if code.side else 'it has no side'}")
    if any(end > length for _, end in label.spans):
        lines.append(f"{code.id}: highlighted words lie beyond the text")
    return lines


# ----------------------------------------------------------------------------------------------
# which codes may be combined


@dataclass(frozen=True, slots=True)
class LabelConflict:
    """Two labels that do not go together. `loser` gives way; `why` is `excludes` or `wins_over`."""

    winner: Label
    loser: Label
    why: str

    @property
    def words(self) -> str:
        pair = f"{label_text(self.winner.key)} and {label_text(self.loser.key)}"
        if self.why == "excludes":
            return f"{pair} exclude each other"
        return f"{pair} stand on the same words, where the first wins over the second"


def on_same_words(a: Label, b: Label) -> bool:
    """Whether the words overlap; a label on the whole text overlaps with every other."""
    if not a.spans or not b.spans:
        return True
    return any(start < end and begin < stop for start, stop in a.spans for begin, end in b.spans)


def conflict_between(book: Codebook, a: Label, b: Label) -> LabelConflict | None:
    """The conflict of two labels, if there is one. In a mutual exclusion the first one wins."""
    if a.code == b.code or a.side != b.side or not {a.code, b.code} <= book.by_id.keys():
        return None
    first_code, other = book.code(a.code), book.code(b.code)
    if other.id in first_code.excludes or first_code.id in other.excludes:
        return LabelConflict(a, b, "excludes")
    if on_same_words(a, b):
        if other.id in first_code.wins_over:
            return LabelConflict(a, b, "wins_over")
        if first_code.id in other.wins_over:
            return LabelConflict(b, a, "wins_over")
    return None


def conflicts(book: Codebook, labels: Iterable[Label]) -> list[LabelConflict]:
    """All pairs that do not go together."""
    listed = list(labels)
    pairs = ((a, b) for number, a in enumerate(listed) for b in listed[number + 1 :])
    return [conflict for a, b in pairs if (conflict := conflict_between(book, a, b)) is not None]


# ----------------------------------------------------------------------------------------------
# versions of a codebook


Policy: TypeAlias = Literal["keep", "review", "drop"]
POLICIES: tuple[Policy, ...] = ("keep", "review", "drop")
POLICY_WORDS: Mapping[Policy, str] = {
    "keep": "keep them as they are",
    "review": "keep them, and put them up for review",
    "drop": "take them off; the texts are to be coded again",
}

#: Fields that define the meaning of a code; keywords, examples and names do not.
MEANING = ("definition", "direction", "side", "excludes", "wins_over", "parent", "other")


@dataclass(frozen=True, slots=True)
class CodeChange:
    """What happened to a code: added, removed, redefined (its meaning changed) or reworded (only
    names and hints did).
    """

    code: str
    kind: Literal["added", "removed", "redefined", "reworded"]
    fields: tuple[str, ...] = ()

    @property
    def touches_labels(self) -> bool:
        return self.kind in ("removed", "redefined")


def changes(old: Codebook, new: Codebook) -> tuple[CodeChange, ...]:
    """In the order of the new codebook; removed codes last."""
    changed = []
    for code in new.codes:
        before = old.by_id.get(code.id)
        if before is None:
            changed.append(CodeChange(code.id, "added"))
        elif fields := _differing(before, code):
            kind: Literal["redefined", "reworded"] = (
                "redefined" if set(fields) & set(MEANING) else "reworded"
            )
            changed.append(CodeChange(code.id, kind, fields))
    return (
        *changed,
        *(CodeChange(code.id, "removed") for code in old.codes if code.id not in new.by_id),
    )


def _differing(a: Code, b: Code) -> tuple[str, ...]:
    return tuple(name for name in Code.model_fields if getattr(a, name) != getattr(b, name))


def carry_over(mark: Mark, policies: Mapping[str, Policy]) -> tuple[Mark, bool]:
    """The mark under the new version, and whether it is to be looked at again. `policies` per
    touched code.
    """
    wanted = {policies[label.code] for label in mark.labels if label.code in policies}
    if "drop" in wanted:
        kept = tuple(label for label in mark.labels if policies.get(label.code) != "drop")
        mark = replace(mark, labels=kept, done=False)
    return mark, bool(wanted - {"keep"})
