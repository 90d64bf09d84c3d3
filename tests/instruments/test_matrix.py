"""Several statements on one scale."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import AnswerCell, InvalidAnswer
from believable.instruments.matrix import MATRIX, MatrixParams

PARAMS = MatrixParams.model_validate({"rows": ["calm", "bored"], "points": 3})
PARTIAL = MatrixParams.model_validate({"rows": ["calm", "bored"], "points": 3, "partial": True})


def test_rows_are_kept_in_the_order_of_the_study_file() -> None:
    answer = MATRIX.read(PARAMS, {"bored": 1, "calm": 3})
    assert list(answer.items()) == [("calm", 3), ("bored", 1)]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"calm": 3}, "every row"),
        ({}, "every row"),
        ([3, 1], "every row"),
        ({"calm": 3, "bored": 4}, "from 1 to 3"),
        ({"calm": 3, "bored": 1, "extra": 1}, "options shown"),
    ],
)
def test_rows_left_out_made_up_or_off_the_scale(raw: Any, words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        MATRIX.read(PARAMS, raw)


def test_a_row_left_out_is_an_empty_cell_where_that_is_allowed() -> None:
    answer = MATRIX.read(PARTIAL, {"bored": 2})
    assert MATRIX.cells(PARTIAL, answer) == (AnswerCell("calm", None), AnswerCell("bored", 2))
