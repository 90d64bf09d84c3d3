"""Events to bins: what an event, an empty bin and the end of the stimulus become."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.traces import point_sample, resample, resample_all, windows


def test_bins_hold_the_mean_and_empty_bins_the_value_before() -> None:
    found = resample([0, 100, 249, 250, 1000], [0, 3, 6, 1, 9], duration_ms=1500)
    assert found.tolist() == [3, 1, 1, 1, 9, 9]


def test_the_last_events_own_value_can_be_held() -> None:
    assert resample([0, 100], [2, 4], duration_ms=750, fill="hold_last").tolist() == [3, 4, 4]


def test_labels_are_moments_so_empty_bins_are_zero() -> None:
    assert resample([300, 400], [1, -1], duration_ms=1000, fill="zero").tolist() == [0, 0, 0, 0]
    assert resample([300], [1], duration_ms=1000, fill="zero").tolist() == [0, 1, 0, 0]


def test_before_the_first_event_there_is_the_start_value() -> None:
    assert resample([600], [5], duration_ms=1000).tolist() == [0, 0, 5, 5]
    assert resample([600], [5], duration_ms=1000, start=2).tolist() == [2, 2, 5, 5]


def test_no_event_at_all_is_an_untouched_trace() -> None:
    assert resample([], [], duration_ms=750, start=2).tolist() == [2, 2, 2]
    assert resample([], [], duration_ms=750, fill="zero").tolist() == [0, 0, 0]


@pytest.mark.parametrize("fill", ["hold", "hold_last"])
def test_no_event_and_no_value_to_rest_at_is_no_trace(fill: Any) -> None:
    with pytest.raises(InvalidInput, match="t_ms: expected at least 1 event, got none"):
        resample([], [], duration_ms=750, fill=fill)


def test_a_partial_last_bin_is_a_bin() -> None:
    assert len(resample([0], [1], duration_ms=32_521)) == 131
    assert len(resample([0], [1], duration_ms=32_500)) == 130


def test_order_does_not_matter() -> None:
    assert resample([700, 100, 120], [9, 1, 3], duration_ms=1000).tolist() == [2, 2, 9, 9]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: resample([0, 1250], [1, 2], duration_ms=1100),
            r"t_ms\[1\]: expected a time from 0 to 1250 ms",
        ),
        (lambda: resample([-1], [1], duration_ms=1000), r"t_ms\[0\].*got -1"),
        (
            lambda: resample([0], [np.nan], duration_ms=1000),
            r"value\[0\]: expected a finite number",
        ),
        (lambda: resample([0, 1], [1], duration_ms=1000), "same length, got 2 and 1"),
        (lambda: resample([0], [1], duration_ms=0), "duration_ms: expected a positive number"),
        (
            lambda: resample([0], [1], duration_ms=10, step_ms=-5),
            "step_ms: expected a positive number",
        ),
        (lambda: resample([0], [1], duration_ms=10, fill="holt"), "Did you mean 'hold'"),
        (
            lambda: resample_all([2], [0], [1], traces=2, duration_ms=10),
            "row numbers from 0 to 1, got 2",
        ),
        (
            lambda: resample_all([0, 1], [0], [1], traces=2, duration_ms=10),
            "one row number per event",
        ),
        (
            lambda: point_sample([1.0], every=0),
            "every: expected a whole number of samples, at least 1",
        ),
    ],
)
def test_errors_name_place_value_and_cure(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize("fill", ["hold", "hold_last", "zero"])
def test_many_at_once_are_each_on_its_own(fill: Any) -> None:
    rng = np.random.default_rng(0)
    owner, times = rng.integers(0, 7, 300), rng.integers(0, 10_000, 300)
    values = rng.standard_normal(300)
    together = resample_all(owner, times, values, traces=7, duration_ms=10_000, fill=fill)
    for row in range(7):
        mine = owner == row
        alone = resample(times[mine], values[mine], duration_ms=10_000, fill=fill)
        assert together[row] == pytest.approx(alone, abs=1e-12)


def test_the_known_signal_is_point_sampled() -> None:
    assert point_sample(range(10), every=4).tolist() == [0, 4, 8]


@pytest.mark.parametrize("step", [1000 / 30, 1000 / 60, 33.3, 250.0, 100.0, 1000 / 24])
def test_an_event_at_the_start_of_a_bin_is_in_that_bin(step: float) -> None:
    bins = 600
    trace = resample(step * np.arange(bins), np.arange(bins), step_ms=step, duration_ms=bins * step)
    assert trace.tolist() == list(range(bins))


def test_a_part_of_a_sample_cannot_be_taken() -> None:
    with pytest.raises(
        InvalidInput, match=r"every: expected a whole number of samples, at least 1, got 1\.5"
    ):
        point_sample([1.0, 2.0, 3.0], every=1.5)  # type: ignore[arg-type]
    with pytest.raises(
        InvalidInput,
        match=r"per: expected a whole number of points per window, at least 1, got 2\.5",
    ):
        windows([1.0, 2.0, 3.0], per=2.5)  # type: ignore[arg-type]
