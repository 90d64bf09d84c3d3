"""Which actions broke belief: shares of viewers, falls of traces, and their order."""

from __future__ import annotations

import numpy as np
import pytest

from believable.analysis.viewed_actions import (
    BeliefBreak,
    LoggedActions,
    falls,
    flagged_share,
    rank_actions,
)

ACTIONS = LoggedActions.of(["walk", "vanish", "sit"], [0, 5000, 12_000], [5000, 6000, 20_000])


def test_a_trace_that_drops_after_an_action_falls_there_and_nowhere_else() -> None:
    one = np.where(np.arange(80) * 250 < 5500, 1.0, 0.2)
    found = falls(np.stack([one, one]), ACTIONS, bin_ms=250)
    assert found[1].value == pytest.approx(0.8)
    assert found[2].value == pytest.approx(0.0)


def test_nothing_before_the_first_action_is_undefined() -> None:
    found = falls(np.ones((3, 80)), ACTIONS, bin_ms=250)
    assert found[0].value is None
    assert found[0].reason == "no trace before it"
    assert falls(np.empty((0, 0)), ACTIONS, bin_ms=250)[1].reason == "nobody annotated it"


def test_a_share_without_viewers_is_undefined() -> None:
    assert flagged_share(0, 0).reason == "nobody viewed it"
    assert flagged_share(10, 5).value == 0.5


def test_many_viewers_weigh_more_than_a_lucky_few() -> None:
    nothing = falls(np.empty((0, 0)), ACTIONS, bin_ms=250)
    few, many, none = flagged_share(2, 2), flagged_share(40, 30), flagged_share(40, 0)
    found = rank_actions(
        [
            BeliefBreak(0, few, nothing[0]),
            BeliefBreak(1, many, nothing[1]),
            BeliefBreak(2, none, nothing[2]),
        ]
    )
    assert [one.action for one in found] == [1, 0, 2]


def test_equal_shares_are_ranked_by_the_fall() -> None:
    one = np.where(np.arange(80) * 250 < 12_500, 1.0, 0.2)
    down = falls(np.stack([one, one]), ACTIONS, bin_ms=250)
    share = flagged_share(10, 1)
    assert [
        b.action
        for b in rank_actions([BeliefBreak(1, share, down[1]), BeliefBreak(2, share, down[2])])
    ] == [2, 1]
