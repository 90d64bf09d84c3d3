"""Any number of several options."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import AnswerCell, InvalidAnswer
from believable.instruments.choices import CHOICES, ChoicesParams

PARAMS = ChoicesParams.model_validate({"options": ["a", "b", "c"], "at_least": 1, "at_most": 2})


def test_the_answer_is_in_the_order_of_the_study_file() -> None:
    assert CHOICES.read(PARAMS, ["c", "a"]) == ["a", "c"]


def test_what_was_left_out_is_data_too() -> None:
    assert CHOICES.cells(PARAMS, ["b"]) == (
        AnswerCell("a", 0),
        AnswerCell("b", 1),
        AnswerCell("c", 0),
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([], "at least 1"),
        (["a", "b", "c"], "at most 2"),
        (["a", "a"], "options shown"),
        (["z"], "options shown"),
        ("a", "options shown"),
    ],
)
def test_too_few_too_many_twice_or_unknown(raw: Any, words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        CHOICES.read(PARAMS, raw)


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"at_least": 4}, "at_least"),
        ({"at_most": 9}, "at_most"),
        ({"at_least": 2, "at_most": 1}, "at_least"),
    ],
)
def test_bounds_that_cannot_be_met_are_problems(given: dict[str, int], path: str) -> None:
    params = ChoicesParams.model_validate({"options": ["a", "b", "c"], **given})
    assert [problem[0] for problem in CHOICES.check(params)] == [path]
