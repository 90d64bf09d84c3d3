"""One of several options."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import AnswerCell, InvalidAnswer
from believable.instruments.choice import CHOICE, ChoiceParams

PARAMS = ChoiceParams.model_validate(
    {"options": ["red", {"value": "b", "label": {"en": "Blue", "de": "Blau"}}, 3]}
)


def test_plain_words_numbers_and_mappings_become_options() -> None:
    assert [option.value for option in PARAMS.options] == ["red", "b", "3"]
    assert PARAMS.options[0].label.in_language("de") == "red"
    assert PARAMS.options[1].label.in_language("de") == "Blau"


@pytest.mark.parametrize(("raw", "answer"), [("red", "red"), ("b", "b"), (3, "3"), ("3", "3")])
def test_an_option_is_kept_by_its_value(raw: Any, answer: str) -> None:
    assert CHOICE.read(PARAMS, raw) == answer
    assert CHOICE.cells(PARAMS, answer) == (AnswerCell("", answer),)


@pytest.mark.parametrize("raw", ["Blue", "", "RED", True, ["red"], {"red": 1}, 3.5])
def test_anything_else_is_refused_without_saying_what_is_right(raw: Any) -> None:
    with pytest.raises(InvalidAnswer, match="choose one of the options shown") as caught:
        CHOICE.read(PARAMS, raw)
    assert "red" not in str(caught.value)


def test_a_value_that_occurs_twice_is_a_problem() -> None:
    params = ChoiceParams.model_validate({"options": ["a", "a", "b"]})
    assert CHOICE.check(params) == [
        ("options", "value 'a' occurs 2 times.", "Give every option its own value.")
    ]
