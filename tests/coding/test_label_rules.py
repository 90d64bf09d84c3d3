"""Which codes stand together. The browser's script is tested with the same cases."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from believable.coding.labels import Label, LabelConflict, conflict_between, conflicts
from believable.study.codebook import Code, Codebook, ready

SHARED = json.loads((Path(__file__).parent / "rules.json").read_text())


def book(pick: str = "many") -> Codebook:
    codes = tuple(Code(label=one["id"], definition="…", **_tuples(one)) for one in SHARED["codes"])
    return Codebook(id="book", pick=pick, codes=codes)


def _tuples(one: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}


def label(code: str, direction: str | None, side: str | None, spans: list[list[int]]) -> Label:
    return Label(code, direction, side, tuple((start, end) for start, end in spans))


def with_label(
    book: Codebook, labels: Iterable[Label], new: Label
) -> tuple[tuple[Label, ...], list[LabelConflict]]:
    """What the desk does, by the server's rules: the newer label wins an exclusion; a more specific
    one that stands on the same words keeps a more general one out.
    """
    kept = [label for label in labels if label.key != new.key]
    if book.single:
        return (new,), []
    clashes = [
        conflict for label in kept if (conflict := conflict_between(book, new, label)) is not None
    ]
    if any(conflict.loser == new for conflict in clashes):
        return tuple(kept), [conflict for conflict in clashes if conflict.loser == new]
    losers = {conflict.loser.key for conflict in clashes}
    return (*(label for label in kept if label.key not in losers), new), clashes


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_putting_a_label_on(case: dict[str, Any]) -> None:
    after, found = with_label(book(), [label(*one) for one in case["labels"]], label(*case["new"]))
    assert [one.code for one in after] == case["after"]
    assert [one.why for one in found] == case["why"]


def test_where_exactly_one_is_picked_the_new_one_replaces_it() -> None:
    after, _ = with_label(book("one"), [Label("goal")], Label("wild"))
    assert [one.code for one in after] == ["wild"]


def test_all_conflicts_of_a_mark_are_found() -> None:
    labels = [
        Label("goal", "-", "less"),
        Label("collision", "-", "less"),
        Label("smoothness", "+", "more"),
    ]
    found = conflicts(ready("hntt"), labels)
    assert [(one.winner.code, one.loser.code) for one in found] == [("collision", "goal")]
