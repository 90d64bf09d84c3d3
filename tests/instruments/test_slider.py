"""A point on a line."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import InvalidAnswer
from believable.instruments.slider import SLIDER, SliderParams

FINE = SliderParams(min=-1, max=1, step=0.1)


@pytest.mark.parametrize("raw", [-1, 0.1, 0.30000000000000004, 0.7, 1])
def test_points_on_the_line_are_kept_as_the_browser_gives_them(raw: float) -> None:
    assert SLIDER.read(FINE, raw) == raw


@pytest.mark.parametrize("raw", [-1.1, 1.1, 0.15, "0.1", True, None, float("nan")])
def test_points_beside_it_are_refused(raw: Any) -> None:
    with pytest.raises(InvalidAnswer, match="point on the line"):
        SLIDER.read(FINE, raw)


@pytest.mark.parametrize(
    ("params", "path"), [(SliderParams(min=3, max=3), "min"), (SliderParams(step=500), "step")]
)
def test_a_line_without_length_or_steps_is_a_problem(params: SliderParams, path: str) -> None:
    assert [problem[0] for problem in SLIDER.check(params)] == [path]
