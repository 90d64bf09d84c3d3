"""Whether a rule holds."""

from __future__ import annotations

import pytest

from believable.contracts.record import Rule, holds

ANSWERS = {
    "f.age": 30,
    "f.colour": "blue",
    "f.size": "5",
    "f.ticked": ["a", "b"],
    "f.grid": {"calm": 2},
    "f.open": None,
}


def rule(**fields):
    return Rule.model_validate(fields, strict=True)


@pytest.mark.parametrize(
    ("reference", "test", "value", "expected"),
    [
        ("f.colour", "is", "blue", True),
        ("f.colour", "is", "Blue", False),
        ("f.colour", "is_not", "red", True),
        ("f.colour", "is_not", "blue", False),
        ("f.colour", "in", ("red", "blue"), True),
        ("f.colour", "in", ("red",), False),
        ("f.colour", "at_least", 3, False),
        ("f.size", "is", 5, True),
        ("f.age", "at_least", 30, True),
        ("f.age", "at_least", 30.5, False),
        ("f.age", "at_most", 30, True),
        ("f.age", "at_most", 29, False),
        ("f.age", "answered", True, True),
        ("f.age", "answered", False, False),
        ("f.ticked", "is", "a", True),
        ("f.ticked", "is", "c", False),
        ("f.ticked", "is_not", "a", False),
        ("f.ticked", "is", ("b", "a"), True),
        ("f.ticked", "is", ("a",), False),
        ("f.ticked", "in", ("c", "b"), True),
        ("f.grid.calm", "at_most", 2, True),
        ("f.grid.calm", "is", 3, False),
        ("f.grid.tense", "answered", False, True),
        ("f.open", "answered", True, False),
        ("f.open", "is", "x", False),
        ("f.open", "is_not", "x", True),
        ("f.never", "at_least", 1, False),
        ("f.never", "in", ("x",), False),
        ("f.never", "answered", False, True),
    ],
)
def test_answers(reference, test, value, expected):
    assert holds(rule(answer=reference, **{test: value}), ANSWERS, {}) is expected


@pytest.mark.parametrize(
    ("test", "value", "expected"),
    [
        ("is", "one", True),
        ("is", "two", False),
        ("is_not", "two", True),
        ("in", ("two", "one"), True),
    ],
)
def test_arms(test, value, expected):
    assert holds(rule(arm="tool", **{test: value}), {}, {"tool": "one"}) is expected


def test_true_is_not_one():
    assert not holds(rule(answer="f.age", **{"is": True}), {"f.age": 1}, {})
