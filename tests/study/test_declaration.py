"""Declarations of the five protocols: sound defaults, names that never collide, values that are
checked.
"""

from __future__ import annotations

import pytest

from believable.contracts.protocol import EVERY, EVERY_PAIR, Option, problem_of
from believable.contracts.registries import PROTOCOLS

DECLARATIONS = [protocol.declaration for protocol in PROTOCOLS]


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=lambda one: one.name)
def test_defaults_can_be_used_and_names_are_unique(declaration):
    for part in (declaration.roles, declaration.outcomes, declaration.options):
        names = [one.name for one in part]
        assert len(names) == len(set(names))
        assert all(one.about for one in part)
    for option in (
        *declaration.options,
        *(test for outcome in declaration.outcomes for test in outcome.tests),
    ):
        assert problem_of(option, option.default) is None, option.name
    for role in declaration.roles:
        assert role.defaults, f"{role.name}: without a default every study would have to name it"


def test_a_declaration_is_called_what_its_protocol_is_called():
    assert [declaration.name for declaration in DECLARATIONS] == list(PROTOCOLS.names)


@pytest.mark.parametrize(
    ("type_", "good", "bad", "words"),
    [
        ("number", [0, 0.5, 1], [2, -1, "1", True, None], "a number from 0 to 1"),
        ("integer", [0, 1], [0.5, True], "a whole number from 0 to 1"),
        ("flag", [True, False], [0, "true"], "true or false"),
        (
            "numbers",
            [[0, 1], (0.5,)],
            [[], 0.5, [2]],
            "a list of values, each a number from 0 to 1",
        ),
    ],
)
def test_values_are_checked_by_type_and_range(type_, good, bad, words):
    option = Option(name="x", about="x", type=type_, default=None, least=0, most=1)
    assert [problem_of(option, value) for value in good] == [None] * len(good)
    assert {problem_of(option, value) for value in bad} == {words}


def test_words_are_checked_against_those_there_are():
    option = Option(name="x", about="x", type="word", default="a", one_of=("a", "b"))
    assert problem_of(option, "b") is None
    assert problem_of(option, "c") == "a or b"
    assert (
        problem_of(Option(name="x", about="x", type="words", default=("a",)), ["a", 1])
        == "a list of values, each a word"
    )


def test_parts_are_words_or_conditions():
    for declaration in DECLARATIONS:
        for outcome in declaration.outcomes:
            of_conditions = {EVERY, EVERY_PAIR} & set(outcome.parts)
            assert not of_conditions or of_conditions == set(outcome.parts)
