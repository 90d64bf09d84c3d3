"""Drawing and assigning: seeded, balanced, in proportion."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from believable.coding.samples import DrawableText, RoundPlan, allot, assign, draw
from believable.core.errors import InvalidInput

ITEMS = [DrawableText(number, f"j{number % 40}", "abc"[number % 3]) for number in range(1, 241)]


def test_the_same_seed_draws_the_same_texts() -> None:
    plan = RoundPlan(kind="agreement", n=55)
    assert draw(ITEMS, plan, random.Random(1)) == draw(
        list(reversed(ITEMS)), plan, random.Random(1)
    )
    assert draw(ITEMS, plan, random.Random(1)) != draw(ITEMS, plan, random.Random(2))


def test_at_most_so_many_texts_of_each_judge() -> None:
    drawn = set(draw(ITEMS, RoundPlan(kind="split", n=None, per_judge=3), random.Random(1)))
    counts = Counter(item.judge for item in ITEMS if item.number in drawn)
    assert set(counts.values()) == {3}
    assert len(counts) == 40


@given(st.lists(st.integers(0, 2), min_size=1, max_size=80), st.integers(1, 80), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_conditions_are_represented_in_proportion(strata: list[int], n: int, seed: int) -> None:
    items = [
        DrawableText(number, f"j{number}", "abc"[stratum]) for number, stratum in enumerate(strata)
    ]
    drawn = draw(items, RoundPlan(kind="agreement", n=n), random.Random(seed))
    assert len(drawn) == len(set(drawn)) == min(n, len(items))
    for stratum, size in Counter(item.condition for item in items).items():
        taken = sum(item.condition == stratum for item in items if item.number in set(drawn))
        assert abs(taken - len(drawn) * size / len(items)) < 1


def test_by_judge_everybody_is_heard_before_anybody_twice() -> None:
    drawn = set(draw(ITEMS, RoundPlan(kind="agreement", n=60, stratify="judge"), random.Random(1)))
    counts = Counter(item.judge for item in ITEMS if item.number in drawn)
    assert set(counts.values()) == {1, 2}
    assert len(counts) == 40


def test_places_are_allotted_by_largest_remainders() -> None:
    assert allot({"a": 50, "b": 30, "c": 20}, 10, random.Random(1)) == {"a": 5, "b": 3, "c": 2}
    assert sum(allot({"a": 1, "b": 1, "c": 1}, 2, random.Random(1)).values()) == 2


@given(st.integers(1, 200), st.integers(2, 5), st.floats(0, 1), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_a_split_gives_everybody_the_same_amount(
    n: int, n_coders: int, overlap: float, seed: int
) -> None:
    numbers, coders = list(range(n)), [f"c{one}" for one in range(n_coders)]
    tasks = assign(numbers, coders, RoundPlan(kind="split", overlap=overlap), random.Random(seed))
    times = Counter(task.number for task in tasks)
    shared = {task.number for task in tasks if task.shared}
    assert set(times) == set(numbers)
    assert len(shared) == round(overlap * n)
    assert all(times[number] == (2 if number in shared else 1) for number in numbers)
    load = Counter(task.coder for task in tasks)
    assert max(load.values()) - min(load[coder] for coder in coders) <= max(1, n_coders)
    for coder in coders:
        assert sorted(task.position for task in tasks if task.coder == coder) == list(
            range(load[coder])
        )


def test_in_a_joint_round_all_see_the_same_order_and_for_agreement_each_their_own() -> None:
    for kind, same in (("joint", True), ("agreement", False)):
        tasks = assign(list(range(30)), ["kim", "lee"], RoundPlan(kind=kind), random.Random(1))  # type: ignore[arg-type]
        orders = [
            [task.number for task in tasks if task.coder == coder] for coder in ("kim", "lee")
        ]
        assert (orders[0] == orders[1]) is same
        assert sorted(orders[0]) == sorted(orders[1]) == list(range(30))


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidInput, match="overlap: expected a share from 0 to 1"):
        RoundPlan(kind="split", overlap=25)
    with pytest.raises(InvalidInput, match="at least two coders"):
        assign([1], ["kim"], RoundPlan(kind="agreement"), random.Random(1))
    with pytest.raises(InvalidInput, match="each once"):
        assign([1], ["kim", "kim"], RoundPlan(kind="agreement"), random.Random(1))


def test_an_agreement_sample_is_thirty_percent_unless_asked_otherwise() -> None:
    """At least: 30 % of the texts, rounded up, in proportion to the conditions; other rounds take
    what is left.
    """
    for count, expected in ((10, 3), (11, 4), (100, 30), (1, 1)):
        items = ITEMS[:count]
        assert len(draw(items, RoundPlan(kind="agreement"), random.Random(1))) == expected
        assert len(draw(items, RoundPlan(kind="split"), random.Random(1))) == len(items)
