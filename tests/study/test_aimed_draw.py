"""The next judge sees an agent whose verdict is open, or, with a small chance, any agent."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from believable.core.errors import InvalidInput
from believable.study.aimed_draw import FLOOR, aim


def test_the_least_seen_open_agent_is_next() -> None:
    views = {"a": 4, "b": 2, "c": 1, "d": 2}
    choice = aim(views, {"c"}, random.Random(1), floor=0)
    assert choice.agent in ("b", "d")
    assert choice.probability == 0.5


def test_the_logged_probability_is_that_of_the_draw() -> None:
    views, rng = {"a": 4, "b": 2, "c": 1, "d": 2}, random.Random(2)
    drawn = [aim(views, {"c"}, rng) for _ in range(20_000)]
    counts = Counter(choice.agent for choice in drawn)
    stated = {choice.agent: choice.probability for choice in drawn}
    assert sum(stated.values()) == pytest.approx(1)
    assert stated["c"] == stated["a"] == FLOOR / 4
    for agent, probability in stated.items():
        assert counts[agent] / 20_000 == pytest.approx(probability, abs=0.01)


def test_all_agents_are_drawn_evenly_after_the_last_verdict() -> None:
    choice = aim({"a": 3, "b": 3}, {"a", "b"}, random.Random(3))
    assert choice.probability == 0.5


def test_the_same_seed_draws_the_same_agent() -> None:
    views = {"b": 0, "a": 0, "c": 0}
    assert aim(views, (), random.Random(4)) == aim(
        dict(sorted(views.items())), (), random.Random(4)
    )


@pytest.mark.parametrize(
    ("views", "decided", "floor", "words"),
    [
        ({}, (), 0.1, "views: expected at least one agent"),
        ({"a": 1}, ("b",), 0.1, "decided: 'b' has no views"),
        ({"a": 1}, (), 1.5, "floor: expected a chance from 0 to 1, got 1.5"),
    ],
)
def test_wrong_input_is_refused(
    views: dict[str, int], decided: tuple[str, ...], floor: float, words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        aim(views, decided, random.Random(1), floor=floor)
