"""Cleaning annotations: windows, outliers per tool, participants without two valid traces; every
drop has a reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.analysis.trace_windows import PAST_THE_END, Cleaning, TraceAnnotation, cut_windows
from believable.core.errors import InvalidInput
from believable.protocols.trace.trace_cleaning import (
    INACTIVE,
    NO_CHOICE,
    NOT_TWO,
    UNLIKE_OTHERS,
    clean,
)
from believable.traces import dtw_distance, normalise, resample, windows


def both(make: Any, tool: str, people: int, seed: int = 1) -> list[TraceAnnotation]:
    rng = np.random.default_rng(seed)
    return [getattr(make, tool)(f"p{n}", place, rng) for n in range(people) for place in (1, 2)]


@pytest.mark.parametrize("tool", ["ranktrace", "btrace"])
def test_one_untouched_trace_among_twenty_active_ones_is_dropped(make: Any, tool: str) -> None:
    rng = np.random.default_rng(3)
    active = [getattr(make, tool)(f"p{n}", 1, rng) for n in range(20)]
    found = clean([*active, make.untouched("still", tool, 1)], {})
    inactive = [drop for drop in found.drops if drop.reason == INACTIVE]
    assert [drop.session for drop in inactive] == ["still"]
    assert inactive[0].level == "trace"
    assert "distance 0 to the untouched trace, below" in inactive[0].detail
    assert "still" not in {trace.annotation.session for trace in found.traces}


def test_tools_are_cleaned_apart(make: Any) -> None:
    """BTraces are much nearer to the untouched trace than RankTraces; judged together they would
    all be dropped or hide it.
    """
    rng = np.random.default_rng(4)
    ranks = [make.ranktrace(f"r{n}", 1, rng) for n in range(20)]
    marks = [make.btrace(f"b{n}", 1, rng) for n in range(20)]
    still = [make.untouched("still-r", "ranktrace", 1), make.untouched("still-b", "btrace", 1)]
    found = clean([*ranks, *marks, *still], {})
    assert {drop.session for drop in found.drops if drop.reason == INACTIVE} == {
        "still-r",
        "still-b",
    }
    assert set(found.inactive) == {"ranktrace", "btrace"}


def test_ranktrace_is_windowed_then_scaled(make: Any) -> None:
    annotation = make.ranktrace("p", 1, np.random.default_rng(2))
    (found,), drops = cut_windows([annotation])
    bins = resample(annotation.media_ms, annotation.value, duration_ms=60_000)
    assert drops == ()
    assert found.raw == pytest.approx(windows(bins))
    assert found.values == pytest.approx(normalise(windows(bins)))
    assert len(found.values) == 20


def test_a_constant_ranktrace_is_inactive_but_shown_in_the_middle(make: Any) -> None:
    (found,), _ = cut_windows([make.untouched("p", "ranktrace", 1)])
    assert found.judged.tolist() == [0.0] * 20
    assert found.values.tolist() == [0.5] * 20


@pytest.mark.parametrize(
    ("rule", "judged", "values"),
    [
        ("sign", [1.0, -1.0, 0.0], [1.0, 0.0, 0.5]),
        ("mean", [2 / 12, -1 / 12, 0.0], [7 / 12, 11 / 24, 0.5]),
        ("minmax", [2 / 12, -1 / 12, 0.0], [1.0, 0.0, 1 / 3]),
    ],
)
def test_btrace_windows_by_rule(
    make: Any, rule: Any, judged: list[float], values: list[float]
) -> None:
    marks = make.made(
        "p", "btrace", 1, np.array([100.0, 900.0, 3100.0]), np.array([1.0, 1.0, -1.0])
    )
    short = TraceAnnotation(
        **{
            **{name: getattr(marks, name) for name in TraceAnnotation.__slots__},
            "duration_ms": 9000,
        }
    )
    (found,), _ = cut_windows([short], Cleaning(btrace_window=rule))
    assert found.judged == pytest.approx(judged)
    assert found.values == pytest.approx(values)


def test_gtrace_keeps_its_scale(make: Any) -> None:
    (found,), _ = cut_windows(
        [make.made("p", "gtrace", 1, np.array([0.0, 30_000.0]), np.array([-1.0, 1.0]))]
    )
    assert found.judged[[0, 19]].tolist() == [-1.0, 1.0]
    assert found.values[[0, 19]].tolist() == [0.0, 1.0]


def test_consensus_is_judged_on_what_the_first_step_left(make: Any) -> None:
    annotations = [*both(make, "ranktrace", 12), make.untouched("still", "ranktrace", 1)]
    found = clean(annotations, {})
    active = [one for one in cut_windows(annotations)[0] if one.annotation.session != "still"]
    sums = [sum(dtw_distance(a.judged, b.judged) for b in active) for a in active]
    assert found.consensus["ranktrace"].distances == pytest.approx(sums)
    low, high = (np.mean(sums) + side * 2 * np.std(sums, ddof=1) for side in (-1, 1))
    expected = {
        (one.annotation.session, one.annotation.place)
        for one, total in zip(active, sums, strict=True)
        if not low <= total <= high
    }
    dropped = {
        (drop.session, int(drop.trial_key[-1]))
        for drop in found.drops
        if drop.reason == UNLIKE_OTHERS
    }
    assert dropped == expected


def test_participants_need_two_valid_traces_and_a_choice(make: Any) -> None:
    annotations = both(make, "btrace", 10)
    choices: dict[str, int | None] = {f"p{n}": (1, -1, 0)[n % 3] for n in range(10)}
    choices["p4"] = None
    found = clean([*annotations[:-1], make.untouched("still", "btrace", 1)], choices)
    reasons = {drop.session: drop.reason for drop in found.drops if drop.level == "session"}
    assert reasons["p9"] == NOT_TWO
    assert reasons["still"] == NOT_TWO
    assert reasons["p4"] == NO_CHOICE or reasons["p4"] == NOT_TWO
    assert {pair.session for pair in found.pairs}.isdisjoint(reasons)
    assert all(pair.choice == choices[pair.session] for pair in found.pairs)
    assert all(
        (pair.first.annotation.place, pair.second.annotation.place) == (1, 2)
        for pair in found.pairs
    )


def test_the_funnel_counts_every_drop(make: Any) -> None:
    annotations = [*both(make, "ranktrace", 14), make.untouched("still", "ranktrace", 1)]
    found = clean(annotations, {f"p{n}": 1 for n in range(14)})
    for step in found.funnel:
        assert step.before - step.after == sum(drop.reason == step.reason for drop in found.drops)
    assert found.funnel[0].before == 29
    assert found.funnel[-1].after == len(found.pairs)


def test_events_past_the_end_are_counted_and_the_very_end_is_not(make: Any) -> None:
    at_end = make.made("p", "ranktrace", 1, np.array([1000.0, 60_000.0]), np.array([1.0, 5.0]))
    far = make.made("q", "ranktrace", 1, np.array([1000.0, 75_000.0]), np.array([1.0, 5.0]))
    found, drops = cut_windows([at_end, far])
    assert [(drop.session, drop.reason) for drop in drops] == [("q", PAST_THE_END)]
    assert found[0].raw[-1] > 1
    assert found[1].raw[-1] == 1


def test_windows_are_whole_bins(make: Any) -> None:
    with pytest.raises(InvalidInput, match="multiple of step_ms"):
        cut_windows([make.untouched("p", "btrace", 1)], Cleaning(window_ms=1100))


def test_nothing_recorded_gives_nothing(make: Any) -> None:
    found = clean([], {})
    assert found.traces == ()
    assert found.pairs == ()
    assert found.tools == ()
