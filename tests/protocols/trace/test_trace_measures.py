"""Counting all traces at once gives what counting one at a time gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.analysis.trace_windows import EPSILONS, Centre, count_windows, cut_windows
from believable.protocols.trace.trace_cleaning import Pair, differences
from believable.traces import high_low, rises_falls


@pytest.mark.parametrize("centre", ["mean", "neutral"])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_same_as_one_at_a_time(make: Any, centre: Centre, epsilon: float) -> None:
    rng = np.random.default_rng(1)
    shorter = make.made("q", "ranktrace", 1, np.array([0.0, 5000.0]), np.array([1.0, -1.0]))
    annotations = [make.ranktrace(f"p{n}", 1, rng) for n in range(8)] + [
        make.btrace(f"b{n}", 1, rng) for n in range(8)
    ]
    traces, _ = cut_windows([*annotations, shorter])
    found = count_windows(traces, epsilon, centre)
    for index, trace in enumerate(traces):
        one = high_low(trace.values, epsilon=epsilon, centre="mean" if centre == "mean" else 0.5)
        slopes = rises_falls(trace.values, epsilon=epsilon)
        assert (found["high"][index], found["low"][index]) == (one.high, one.low)
        assert found["difference"][index] == one.difference
        assert found["mean"][index] == pytest.approx(one.mean)
        assert (found["rises"][index], found["falls"][index]) == (slopes.rises, slopes.falls)
        assert found["gradient"][index] == slopes.difference


def test_differences_are_first_minus_second(make: Any) -> None:
    good = make.made("p", "btrace", 1, np.arange(0, 60_000, 3000.0), np.ones(20))
    bad = make.made("p", "btrace", 2, np.arange(0, 60_000, 3000.0), -np.ones(20))
    (first, second), _ = cut_windows([good, bad])
    found = differences(
        [Pair(session="p", tool="btrace", first=first, second=second, choice=1)], 0.0, "neutral"
    )
    assert found["high"].tolist() == [20.0]
    assert found["low"].tolist() == [-20.0]
    assert found["difference"].tolist() == [40.0]
    assert found["mean"].tolist() == [1.0]
