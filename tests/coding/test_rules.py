"""Which codes stand together. The browser's script is tested with the same cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from believable.coding.labels import Label
from believable.coding.rules import added, conflicts
from believable.study.codebook import Code, Codebook, ready

SHARED = json.loads((Path(__file__).parent / "rules.json").read_text())


def book(pick: str = "many") -> Codebook:
    codes = tuple(Code(label=one["id"], definition="…", **_tuples(one)) for one in SHARED["codes"])
    return Codebook(id="book", pick=pick, codes=codes)


def _tuples(one: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in one.items()}


def label(code: str, direction: str | None, side: str | None, spans: list[list[int]]) -> Label:
    return Label(code, direction, side, tuple((start, end) for start, end in spans))


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_putting_a_label_on(case: dict[str, Any]) -> None:
    after, found = added(book(), [label(*one) for one in case["labels"]], label(*case["new"]))
    assert [one.code for one in after] == case["after"]
    assert [one.why for one in found] == case["why"]


def test_where_exactly_one_is_picked_the_new_one_replaces_it() -> None:
    after, _ = added(book("one"), [Label("goal")], Label("wild"))
    assert [one.code for one in after] == ["wild"]


def test_all_conflicts_of_a_mark_are_found() -> None:
    labels = [Label("goal", "-", "less"), Label("collision", "-", "less"), Label("smoothness", "+", "more")]
    found = conflicts(ready("hntt"), labels)
    assert [(one.winner.code, one.loser.code) for one in found] == [("collision", "goal")]
