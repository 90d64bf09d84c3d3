"""What a coder says about one text: codes with direction, side and the words that carry them; or that it is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from believable.core.errors import InvalidInput
from believable.study.codebook import Codebook

#: Code, direction and side: what makes two labels the same.
Key: TypeAlias = tuple[str, str | None, str | None]
Span: TypeAlias = tuple[int, int]

DIRECTIONS = ("+", "-")
SIDES = ("more", "less")
SIDE_WORDS: Mapping[str | None, str] = {"more": "more human-like", "less": "less human-like", None: ""}
MEMO_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Label:
    """A code applied to a text. `spans` are the words that carry it, as [from, to) in characters; none means the whole text."""

    code: str
    direction: str | None = None
    side: str | None = None
    spans: tuple[Span, ...] = ()

    @property
    def key(self) -> Key:
        return self.code, self.direction, self.side


@dataclass(frozen=True, slots=True)
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
    """The final codes of one text. `judge` is who wrote it: texts of one judge are not independent."""

    judge: str
    labels: frozenset[Key]
    condition: str | None = None
    discarded: bool = False


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


def written(key: Key) -> str:
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
            "code": one.code,
            "direction": one.direction,
            "side": one.side,
            "spans": [list(span) for span in one.spans],
        }
        for one in labels
    ]


def from_json(data: Any) -> Mark:
    """Checks the form only: whether codes exist depends on the codebook's version (`problems`)."""
    if not isinstance(data, dict):
        raise InvalidInput(f"mark: expected a mapping, got {type(data).__name__}. Reload the desk.")
    discard, memo = data.get("discard"), data.get("memo", "")
    if discard is not None and not isinstance(discard, str):
        raise InvalidInput(f"mark: discard: expected a name or nothing, got {discard!r}.")
    if not isinstance(memo, str) or len(memo) > MEMO_CHARACTERS:
        raise InvalidInput(f"mark: memo: expected at most {MEMO_CHARACTERS} characters. Shorten it.")
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
    found: dict[Key, Label] = {}
    for one in data:
        label = _label(one)
        found[label.key] = label
    return tuple(found.values())


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
    for one in data:
        whole = isinstance(one, list) and len(one) == 2 and all(type(at) is int for at in one)
        if not whole or not 0 <= one[0] < one[1]:
            raise InvalidInput(f"mark: span: expected [from, to] with from < to, got {one!r}.")
    return merged([(one[0], one[1]) for one in data])


def merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Without overlaps, in order.

    >>> merged([(4, 9), (0, 2), (7, 12)])
    ((0, 2), (4, 12))
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def problems(book: Codebook, mark: Mark, text: str) -> list[str]:
    """What in a mark does not fit the codebook or the text."""
    found = [line for label in mark.labels for line in _label_problems(book, label, len(text))]
    if mark.discard is not None and mark.discard not in {one.id for one in book.discards}:
        found.append(f"unknown reason to discard {mark.discard!r}")
    if mark.discard is not None and mark.labels:
        found.append("a discarded text carries codes")
    if book.single and len(mark.labels) > 1:
        found.append(f"{len(mark.labels)} codes where exactly one is to be picked")
    return found


def _label_problems(book: Codebook, label: Label, length: int) -> list[str]:
    code = book.by_id.get(label.code)
    if code is None:
        return [f"unknown code {label.code!r}"]
    found = []
    if code.direction != (label.direction is not None):
        found.append(f"{code.id}: {'a direction is missing' if code.direction else 'it has no direction'}")
    if code.side != (label.side is not None):
        found.append(f"{code.id}: {'a side is missing' if code.side else 'it has no side'}")
    if any(end > length for _, end in label.spans):
        found.append(f"{code.id}: highlighted words lie beyond the text")
    return found
