"""One of n ordered points."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import AnswerCell, InvalidAnswer
from believable.instruments.likert import LIKERT, LikertParams

PARAMS = LikertParams(points=5)


@pytest.mark.parametrize("point", [1, 3, 5])
def test_points_count_from_one(point: int) -> None:
    assert LIKERT.read(PARAMS, point) == point
    assert LIKERT.cells(PARAMS, point) == (AnswerCell("", point),)


@pytest.mark.parametrize("raw", [0, 6, -1, 2.0, "3", True, None, [3]])
def test_other_values_are_refused(raw: Any) -> None:
    with pytest.raises(InvalidAnswer, match="from 1 to 5"):
        LIKERT.read(PARAMS, raw)


@pytest.mark.parametrize(("labels", "problems"), [(0, 0), (2, 0), (5, 0), (1, 1), (4, 1), (6, 1)])
def test_labels_name_all_points_or_the_ends_or_nothing(labels: int, problems: int) -> None:
    params = LikertParams.model_validate(
        {"points": 5, "labels": [f"label {n}" for n in range(labels)]}
    )
    assert len(LIKERT.check(params)) == problems
