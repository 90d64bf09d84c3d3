"""A number typed in."""

from __future__ import annotations

import random
from typing import Any

import pytest

from believable.contracts.instrument import InvalidAnswer
from believable.instruments.number import NUMBER, NumberParams

AGE = NumberParams(min=18, max=120)
SHARE = NumberParams(min=0, max=1, whole=False)


@pytest.mark.parametrize(("raw", "answer"), [(18, 18), (120, 120), (30.0, 30)])
def test_whole_numbers_within_the_bounds(raw: Any, answer: int) -> None:
    read = NUMBER.read(AGE, raw)
    assert (read, type(read)) == (answer, int)


def test_fractions_stay_exact() -> None:
    assert NUMBER.read(SHARE, 0.1) == 0.1


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (17, "at least 18"),
        (121, "at most 120"),
        (30.5, "whole number"),
        ("30", "enter a number"),
        ("thirty", "enter a number"),
        (True, "enter a number"),
        (float("nan"), "enter a number"),
        (float("inf"), "enter a number"),
        (2**60, "enter a number"),
    ],
)
def test_others_are_told_what_is_expected(raw: Any, words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        NUMBER.read(AGE, raw)


@pytest.mark.parametrize(
    ("params", "path"),
    [(NumberParams(min=5, max=1), "min"), (NumberParams(min=0.2, max=0.8), "whole")],
)
def test_bounds_without_a_number_between_are_problems(params: NumberParams, path: str) -> None:
    assert [problem[0] for problem in NUMBER.check(params)] == [path]


@pytest.mark.parametrize("given", [{}, {"min": 500}, {"max": -7}])
def test_simulated_numbers_keep_open_bounds(given: dict[str, float]) -> None:
    params = NumberParams(**given)
    for seed in range(20):
        NUMBER.read(params, NUMBER.simulate(params, random.Random(seed)))
