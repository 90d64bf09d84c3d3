"""Codebooks: names that exist, relations that can hold, and texts to code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from believable.contracts.trial import Block, outline
from believable.core.nodes import Node
from believable.study.codebook import FLAGS, Code, Codebook, ready_names, resolve_codebook
from believable.study.kinds import kinds_on
from believable.study.reading import Reading
from believable.study.wording import unknown


def check_codebooks(reading: Reading) -> None:
    root = reading.root.get("codebooks")
    if root is None or not root.is_list or reading.is_broken(root.path):
        return
    texts = sorted(text_sources(reading))
    _check_repeated(reading, [book.id for book in reading.study.codebooks], root, "codebook")
    for book, node in zip(reading.study.codebooks, root, strict=True):
        if book.ready is not None and book.ready not in ready_names():
            reading.report(
                node.get("ready") or node, *unknown("ready codebook", book.ready, ready_names())
            )
            continue
        _check_book(reading, book, node)
        for index, source in enumerate(book.of):
            place = node.get("of")
            if source not in texts and not _doubtful(reading, source):
                where = (place.at(index) if place else None) or node
                reading.report(where, *unknown("free text", source, texts))


def text_sources(reading: Reading) -> set[str]:
    """What can be coded: `trial.question` of free texts, and `trial.flags`."""
    sources: set[str] = set()
    texts = kinds_on("text")
    for entry in outline(reading.study.timeline):
        if isinstance(entry.item, Block):
            continue
        asked = [question.id for question in entry.item.all_questions if question.kind in texts]
        sources |= {f"{entry.item.id}.{name}" for name in asked}
        annotation = entry.item.annotation
        if annotation is not None and annotation.kind == FLAGS:
            sources.add(f"{entry.item.id}.{FLAGS}")
    return sources


def _doubtful(reading: Reading, source: str) -> bool:
    trial = source.partition(".")[0]
    return bool({"*", trial, source, f"{trial}.*"} & reading.doubtful)


def _check_book(reading: Reading, book: Codebook, node: Node) -> None:
    whole = resolve_codebook(book)
    if not whole.codes:
        reading.report(
            node,
            f"codebook {book.id} has no codes.",
            "Write `codes:`, or start from a `ready` one.",
        )
    codes = node.get("codes")
    if codes is None or not codes.is_list:
        return
    _check_repeated(reading, [code.id for code in book.codes], codes, "code")
    for code, place in zip(book.codes, codes, strict=True):
        for key, names in _references(code):
            _check_names(reading, whole, code, key, names, place.get(key) or place)
        _check_keywords(reading, code, place.get("keywords") or place)
        if _own_ancestor(whole, code):
            cure = "Let one of them have no parent."
            reading.report(place.get("parent") or place, f"{code.id} is its own ancestor.", cure)


def _references(code: Code) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "parent", (code.parent,) if code.parent else ()
    yield "excludes", code.excludes
    yield "wins_over", code.wins_over


def _check_names(
    reading: Reading, book: Codebook, code: Code, key: str, names: Iterable[str], place: Node
) -> None:
    for name in names:
        if name == code.id:
            reading.report(
                place, f"{code.id} names itself in {key}.", "Name another code, or leave it out."
            )
        elif name not in book.by_id:
            reading.report(
                place, *unknown("code", name, [other for other in book.by_id if other != code.id])
            )
    if key == "wins_over":
        for name in names:
            if name in book.by_id and code.id in book.by_id[name].wins_over:
                cure = "Decide which of them is the more specific one."
                reading.report(place, f"{code.id} and {name} win over each other.", cure)


def _check_keywords(reading: Reading, code: Code, place: Node) -> None:
    directed = [word for word in code.keywords if word.endswith((" +", " -"))]
    if directed and not code.direction:
        cure = "Write `direction: true`, or leave the sign out."
        reading.report(
            place, f"keyword {directed[0]!r} has a direction, but {code.id} has none.", cure
        )


def _own_ancestor(book: Codebook, code: Code) -> bool:
    seen: set[str] = set()
    at = code.parent
    while at is not None and at in book.by_id and at not in seen:
        if at == code.id:
            return True
        seen.add(at)
        at = book.by_id[at].parent
    return False


def _check_repeated(reading: Reading, names: list[str], place: Node, what: str) -> None:
    counted = Counter(names)
    seen: set[str] = set()
    for name, node in zip(names, place, strict=True):
        if counted[name] > 1 and name in seen:
            reading.report(
                node, f"there are {counted[name]} {what}s called {name}.", "Rename all but one."
            )
        seen.add(name)
