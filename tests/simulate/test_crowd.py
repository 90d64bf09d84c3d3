from __future__ import annotations

import statistics
from itertools import pairwise

import pytest

from believable.core.errors import InvalidInput
from believable.simulate.crowd import Crowd, summary
from believable.simulate.person import Visit


def test_a_member_is_the_same_whoever_else_comes() -> None:
    rng, traits = Crowd(participants=5, seed=3).member(4)
    other_rng, other = Crowd(participants=500, seed=3).member(4)
    assert traits == other
    assert rng.random() == other_rng.random()
    assert Crowd(participants=5, seed=4).member(4)[1] != traits


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_the_share_who_leave_is_the_one_asked_for(share: float) -> None:
    crowd = Crowd(participants=2000, drop_out=share)
    leaving = sum(crowd.member(number)[1].stays_for is not None for number in range(2000))
    assert leaving / 2000 == pytest.approx(share, abs=0.03)


def test_arrivals_have_the_mean_gap_and_never_go_back() -> None:
    times = Crowd(participants=4000, gap_ms=10_000).arrivals_ms()
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert times[0] == 0
    assert min(gaps) >= 0
    assert statistics.mean(gaps) == pytest.approx(10_000, rel=0.05)


@pytest.mark.parametrize(
    ("field", "value"), [("drop_out", 1.2), ("care", -0.1), ("participants", -1)]
)
def test_impossible_crowds_are_refused(field: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=field):
        Crowd(**{"participants": 1, **{field: value}})  # type: ignore[arg-type]


def test_the_summary_counts_outcomes() -> None:
    visits = [
        Visit(token="t", outcome=outcome, pages=3, events=10, resent=0, took_ms=1000, receipt=None)
        for outcome in ("complete", "complete", "left", "screened_out")
    ]
    assert (
        summary(visits)
        == "4 simulated participants (2 complete, 1 left, 1 screened out), 40 events"
    )
