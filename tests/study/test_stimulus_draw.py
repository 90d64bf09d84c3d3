"""Drawing without replacement: every slot gets what fits, whenever that is possible at all."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.contracts.trial import MatchedSlots, Slot
from believable.study.stimulus_draw import OutOfStimuli, draw, fill_all, match

NAMES = "abcdef"
ALLOWED = st.lists(st.sets(st.sampled_from(NAMES)).map(sorted).map(tuple), max_size=5)
SLOTS = ALLOWED.map(lambda pools: [Slot(f"s{i}", f"s{i}", pool) for i, pool in enumerate(pools)])


@given(SLOTS, st.sets(st.sampled_from(NAMES)), st.integers(0, 2**63 - 1))
def test_a_draw_fits_and_succeeds_whenever_it_can(slots, taken, seed):
    left = [name for name in NAMES if name not in taken]
    possible = any(
        all(name in slot.allowed for name, slot in zip(names, slots, strict=True))
        for names in permutations(left, len(slots))
    )
    if not possible:
        with pytest.raises(OutOfStimuli, match="Add stimuli or show fewer"):
            draw(slots, taken=taken, seed=seed)
        return
    drawn = draw(slots, taken=taken, seed=seed)
    assert len(set(drawn.values())) == len(slots)
    assert all(drawn[slot] in slot.allowed and drawn[slot] not in taken for slot in slots)
    assert drawn == draw(slots, taken=taken, seed=seed)


@given(SLOTS)
def test_as_many_slots_are_filled_as_possible(slots):
    drawn, left_over = match(slots, taken=(), seed=1)
    assert len(drawn) + len(left_over) == len(slots)
    most = max(
        sum(name in slot.allowed for name, slot in zip(names, slots, strict=True))
        for names in permutations(NAMES, len(slots))
    )
    assert len(drawn) == most


def test_an_earlier_slot_gives_way():
    wide, narrow = Slot("wide", "wide", ("a", "b")), Slot("narrow", "narrow", ("a",))
    for seed in range(20):
        assert draw([wide, narrow], taken=(), seed=seed) == {wide: "b", narrow: "a"}


def test_every_stimulus_is_drawn_about_equally_often():
    slot = Slot("s", "s", tuple(NAMES))
    counts = [
        sum(draw([slot], taken=(), seed=seed)[slot] == name for seed in range(3000))
        for name in NAMES
    ]
    assert all(400 < count < 600 for count in counts)


def test_slots_in_order_come_in_the_order_of_the_file():
    slots = [Slot(f"s{i}", "block", tuple(NAMES), in_order="block") for i in range(4)]
    for seed in range(20):
        drawn = draw(slots, taken=(), seed=seed)
        assert [drawn[slot] for slot in slots] == sorted(drawn.values())


@pytest.mark.parametrize("seed", range(10))
def test_stimuli_repeat_only_if_none_is_left_and_then_the_least_shown(seed):
    slots = [Slot(f"p.{at}", "p", ("a", "b", "c"), again=True) for at in range(7)]
    drawn, left_over = match(slots, taken=(), seed=seed)
    shown = sorted(drawn.values())
    assert not left_over
    assert [shown.count(name) for name in "abc"] in ([3, 2, 2], [2, 3, 2], [2, 2, 3])
    _, once = match([Slot(f"p.{at}", "p", ("a",)) for at in range(2)], taken=(), seed=seed)
    assert len(once) == 1


@pytest.mark.parametrize("seed", range(10))
def test_matched_pairs_repeat_in_the_scenario_that_was_shown_least(seed):
    scenarios = {"north": ("n1", "n2"), "south": ("s1", "s2")}
    groups = [
        MatchedSlots(
            f"pairs.{page}",
            "pairs",
            tuple(
                (
                    Slot(f"pairs.{page}.0", "pairs", (first,), again=True),
                    Slot(f"pairs.{page}.1", "pairs", (second,), again=True),
                )
                for first, second in scenarios.values()
            ),
        )
        for page in range(5)
    ]
    filled = fill_all([], groups, taken=(), seed=seed)
    assert not filled.left_over
    shown = [tuple(filled.drawn[slot] for slot in filled.slots[group]) for group in groups]
    assert set(shown) == set(scenarios.values())
    assert sorted(shown.count(pair) for pair in scenarios.values()) == [2, 3]
