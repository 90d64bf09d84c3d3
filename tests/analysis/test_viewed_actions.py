"""Which actions were seen, which flags belong to which action, and what the unbelievable rate
divides by.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.analysis.viewed_actions import (
    ActionFlag,
    LoggedActions,
    Seeing,
    Stretches,
    attach,
    judge_actions,
    viewed_mask,
)
from believable.core.errors import InvalidInput

#: walk 0–10 s, open 10–11 s, instant at 15 s, sleep 20–60 s
ACTIONS = LoggedActions.of(
    ["walk", "open", "pick", "sleep"], [0, 10_000, 15_000, 20_000], [10_000, 11_000, 15_000, 60_000]
)


def played(*pieces: tuple[float, float, float]) -> Stretches:
    table = np.array(pieces, dtype=float).reshape(-1, 3)
    return Stretches(table[:, 0], table[:, 1], table[:, 2])


def seen(*pieces: tuple[float, float, float], seeing: Seeing | None = None) -> list[str]:
    mask = viewed_mask(ACTIONS, played(*pieces), seeing or Seeing())
    return [name for name, one in zip(ACTIONS.ids, mask, strict=True) if one]


def test_everything_watched_is_everything_seen() -> None:
    assert seen((0, 60_000, 1)) == ["walk", "open", "pick", "sleep"]


def test_the_start_is_enough() -> None:
    assert seen((19_000, 21_000, 1)) == ["sleep"]


def test_half_of_it_is_enough_without_the_start() -> None:
    assert seen((30_000, 50_000, 1)) == ["sleep"]
    assert seen((30_000, 49_999, 1)) == []
    assert seen((21_000, 31_000, 1), (35_000, 45_000, 1)) == ["sleep"]


def test_watching_a_part_twice_does_not_make_half_of_it() -> None:
    assert seen((30_000, 42_000, 1), (30_000, 42_000, 1)) == []


def test_too_short_on_screen_is_not_seen() -> None:
    assert seen((0, 11_000, 1)) == ["walk", "open"]
    assert seen((0, 11_000, 6)) == ["walk"]
    assert seen((0, 11_000, 5)) == ["walk", "open"]
    assert seen((0, 11_000, 60), seeing=Seeing(least_screen_ms=0)) == ["walk", "open"]


def test_screen_time_adds_up_over_repetitions() -> None:
    assert seen((9_900, 11_000, 8)) == []
    assert seen((9_900, 11_000, 8), (9_900, 11_000, 8)) == ["open"]


def test_an_action_without_duration_needs_its_moment_and_some_time_after_it() -> None:
    assert seen((14_000, 15_200, 1)) == ["pick"]
    assert seen((14_000, 15_100, 1)) == []


def test_nothing_watched_is_undefined_with_the_reason() -> None:
    found = judge_actions(ACTIONS, played(), [ActionFlag(500, "walk")])
    assert (found.a, found.f, found.rate) == (0, 0, None)
    assert found.reason == "no action was viewed, so there is nothing to divide by"
    assert found.unseen == 1


def test_flags_find_their_action() -> None:
    flags = [
        ActionFlag(500, "sleep"),
        ActionFlag(10_500),
        ActionFlag(16_000),
        ActionFlag(17_500),
        ActionFlag(63_000),
        ActionFlag(1, "gone"),
    ]
    named = [None if place is None else ACTIONS.ids[place] for place in attach(flags, ACTIONS)]
    assert named == ["sleep", "open", "pick", None, None, None]


def test_of_several_on_screen_the_last_to_begin() -> None:
    together = LoggedActions.of(["sit", "talk"], [0, 4000], [9000, 8000])
    assert attach([ActionFlag(5000), ActionFlag(8500)], together) == (1, 0)


def test_flags_close_together_on_one_action_are_one() -> None:
    flags = [
        ActionFlag(21_000, "sleep"),
        ActionFlag(22_500, "sleep"),
        ActionFlag(40_000, "sleep"),
        ActionFlag(1000),
    ]
    found = judge_actions(ACTIONS, played((0, 60_000, 1)), flags)
    assert (found.raw_flags, found.flags, found.f, found.a) == (4, 3, 2, 4)
    assert found.rate == 50


def test_flags_on_what_was_never_seen_are_kept_apart() -> None:
    found = judge_actions(
        ACTIONS, played((0, 12_000, 1)), [ActionFlag(500, "walk"), ActionFlag(30_000, "sleep")]
    )
    assert (found.f, found.a, found.flags, found.unseen) == (1, 2, 2, 1)
    assert found.rate == 50
    assert found.flagged.tolist() == [True, False, False, True]


def test_actions_are_put_in_order() -> None:
    mixed = LoggedActions.of(["b", "a"], [10, 0], [20, 5])
    assert mixed.ids == ("a", "b")
    assert mixed.to_ms.tolist() == [5, 20]


def test_parameters_are_checked() -> None:
    with pytest.raises(InvalidInput, match="a share above 0"):
        Seeing(least_share=0)


@given(st.lists(st.tuples(st.integers(0, 60_000), st.integers(0, 60_000)), min_size=1, max_size=6))
def test_watching_more_never_means_seeing_less(pairs: list[tuple[int, int]]) -> None:
    pieces = [(min(pair), max(pair), 1.0) for pair in pairs]
    fewer = viewed_mask(ACTIONS, played(*pieces[:-1]))
    more = viewed_mask(ACTIONS, played(*pieces))
    assert not (fewer & ~more).any()
