"""Windows, scale, direction, outliers, gold standard, counts: designed cases and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from believable import traces
from believable.core.errors import InvalidInput
from believable.stats.agreement import cohen_kappa
from believable.traces.resample import row_normalised
from believable.traces.trace_agreement import row_kappas, row_lags, row_sdas


class TestWindows:
    def test_a_last_window_at_least_half_full_is_kept(self) -> None:
        assert traces.windows([1, 1, 3, 3, 8, 8], per=4).tolist() == [2, 8]
        assert traces.windows([1, 1, 3, 3, 8], per=4).tolist() == [2]

    def test_sixty_seconds_are_twenty_windows(self) -> None:
        assert len(traces.windows(np.zeros(240))) == 20

    def test_a_constant_trace_has_no_range(self) -> None:
        assert traces.normalise([4, 4, 4]).tolist() == [0, 0, 0]
        assert traces.normalise([4, 4], constant=0.5).tolist() == [0.5, 0.5]

    def test_one_point(self) -> None:
        assert traces.normalise([7]).tolist() == [0]

    def test_the_rules_for_btrace(self) -> None:
        means = [-1, -0.2, 0, 0.1, 1]
        assert traces.btrace_values(means).tolist() == [0, 0, 0.5, 1, 1]
        assert traces.btrace_values(means, rule="mean") == pytest.approx([0, 0.4, 0.5, 0.55, 1])
        assert traces.btrace_values([0.2, 0.2], rule="minmax").tolist() == [0.5, 0.5]


class TestDirection:
    def test_rest_is_a_direction(self) -> None:
        assert traces.sda([1, 1, 2, 1], [5, 5, 9, 10]) == pytest.approx(1 / 3)

    def test_traces_are_cut_to_the_shorter(self) -> None:
        assert traces.sda([1, 2, 3], [1, 2, 3, 0]) == 1

    def test_small_steps_can_count_as_rest(self) -> None:
        assert traces.sda([0, 0.1], [0, 0]) == -1
        assert traces.sda([0, 0.1], [0, 0], tolerance=0.1) == 1

    def test_two_constant_traces_have_no_kappa(self) -> None:
        found = traces.direction_kappa([1, 1, 1], [2, 2, 2])
        assert found.value is None
        assert "same direction throughout" in (found.reason or "")
        assert traces.sda([1, 1, 1], [2, 2, 2]) == 1

    def test_a_kappa_is_cohens_of_the_directions_whichever_of_them_occur(self) -> None:
        rng = np.random.default_rng(5)
        for steps in ((-1, 0, 1), (0, 1), (-1, 1), (-1, 0)):
            a, b = (rng.choice(steps, size=59) for _ in range(2))
            kappa = traces.direction_kappa(np.cumsum([0, *a]), np.cumsum([0, *b]))
            assert kappa.value == cohen_kappa(a, b).value

    def test_many_traces_are_compared_as_each_by_itself(self) -> None:
        rng = np.random.default_rng(6)
        a, b = (np.round(rng.normal(size=(20, 61)).cumsum(axis=1)) for _ in range(2))
        a[3] = b[4] = 7.0
        assert row_sdas(a, b).tolist() == [traces.sda(*pair) for pair in zip(a, b, strict=True)]
        assert row_kappas(a, b) == [
            traces.direction_kappa(*pair) for pair in zip(a, b, strict=True)
        ]
        by_row = [traces.lag_ms(*pair, max_ms=5000, step_ms=250) for pair in zip(a, b, strict=True)]
        assert row_lags(a, b, max_ms=5000, step_ms=250) == by_row
        assert [place for place, lag in enumerate(by_row) if lag.value is None] == [3, 4]
        assert (row_normalised(a) == [traces.normalise(trace) for trace in a]).all()
        with pytest.raises(
            InvalidInput, match=r"tables of one shape, got \(20, 61\) and \(20, 60\)"
        ):
            row_sdas(a, b[:, 1:])

    def test_a_kappa_has_no_interval_over_steps(self) -> None:
        found = traces.direction_kappa([1, 2, 1, 3], [1, 2, 3, 4])
        assert found.value is not None
        assert (found.low, found.reason) == (
            None,
            "the steps of one trace depend on each other; take the interval over annotators",
        )

    def test_a_delay_is_found(self) -> None:
        truth = np.sin(np.arange(100) / 5)
        late = np.concatenate([np.full(6, truth[0]), truth[:-6]])
        assert traces.lag_ms(late, truth, max_ms=3000, step_ms=250).value == 1500
        assert traces.lag_ms(truth, truth, max_ms=3000, step_ms=250).value == 0

    def test_a_constant_trace_has_no_delay(self) -> None:
        found = traces.lag_ms(np.zeros(20), np.arange(20), max_ms=500, step_ms=250)
        assert (found.value, found.reason) == (None, "one of the two traces does not vary")


class TestOutliers:
    @pytest.mark.parametrize("tool", ["ranktrace", "btrace"])
    def test_one_untouched_session_among_twenty_is_dropped(self, tool: str) -> None:
        rng = np.random.default_rng(11)
        if tool == "ranktrace":
            active = [traces.normalise(rng.standard_normal(20).cumsum()) for _ in range(20)]
        else:
            active = [rng.choice([-1.0, 1.0, 0.5], 20) for _ in range(20)]
        untouched = traces.normalise(
            traces.windows(traces.resample([], [], duration_ms=60_000, start=0))
        )
        found = traces.inactive_outliers([*active, untouched])
        assert found.dropped_indexes == (20,)
        assert found.low is not None
        assert found.distances[20] == 0 < found.low

    def test_the_sum_is_the_dtw_distance_to_the_inactive_trace(self) -> None:
        trace = np.random.default_rng(2).random(30)
        found = traces.inactive_outliers([trace, trace], baseline=0.3)
        assert found.distances[0] == pytest.approx(
            traces.dtw_distance(trace, np.full(30, 0.3)), abs=1e-12
        )

    def test_one_unlike_all_others_is_dropped(self) -> None:
        rng = np.random.default_rng(4)
        alike = [np.linspace(0, 1, 20) + 0.05 * rng.standard_normal(20) for _ in range(12)]
        found = traces.consensus_outliers([*alike, np.linspace(4, -4, 20)])
        assert found.dropped_indexes == (12,)

    def test_equal_traces_are_all_kept(self) -> None:
        found = traces.consensus_outliers([[0.1, 0.7, 0.3]] * 5)
        assert found.kept.all()
        assert found.sd == 0

    @pytest.mark.parametrize("count", [0, 1])
    def test_too_few_to_judge_says_so(self, count: int) -> None:
        for judge in (traces.inactive_outliers, traces.consensus_outliers):
            found = judge([[1.0, 2.0]] * count)
            assert found.kept.all()
            assert found.low is None
            assert (
                found.reason
                == f"too few traces for a standard deviation ({count}), so that none is set aside"
            )


class TestGoldStandard:
    def test_leave_one_out(self) -> None:
        group = [[0, 0], [1, 2], [5, 9]]
        assert traces.gold_standard(group).tolist() == [1, 2]
        assert traces.gold_standard(group, leave_out=2).tolist() == [0.5, 1]
        assert traces.gold_standard(group, leave_out=2, method="mean").tolist() == [0.5, 1]

    def test_alignment_recovers_a_common_signal(self) -> None:
        signal = np.sin(np.arange(200) / 10)
        shifts = (0, 3, 5, 8)
        delayed = [np.concatenate([np.full(k, signal[0]), signal[: 200 - k]]) for k in shifts]
        aligned = traces.gold_standard(delayed, method="lag_aligned")
        plain = traces.gold_standard(delayed, method="mean")
        assert np.ptp(aligned) > np.ptp(plain)

    def test_one_annotator_is_the_gold_standard(self) -> None:
        trace = np.arange(30.0)
        for method in ("median", "mean", "lag_aligned"):
            assert traces.gold_standard([trace], method=method) == pytest.approx(trace)  # type: ignore[arg-type]

    def test_a_constant_annotator_is_not_moved(self) -> None:
        wave = np.sin(np.arange(60) / 4)
        found = traces.gold_standard([wave, wave, np.zeros(60)], method="lag_aligned")
        assert found == pytest.approx(2 * wave / 3)


class TestCounts:
    def test_high_low_and_difference(self) -> None:
        found = traces.high_low([0, 0.2, 0.5, 0.9, 1], epsilon=0.1, centre=0.5)
        assert (found.high, found.low, found.difference) == (2, 2, 0)
        assert found.mean == pytest.approx(0.52)

    def test_a_window_on_the_border_is_neither(self) -> None:
        assert traces.high_low([0.75, 0.25], epsilon=0.25, centre=0.5).high == 0

    def test_rounding_makes_no_window_high_or_low(self) -> None:
        found = traces.high_low([0.1] * 3, epsilon=0.0)
        assert (found.high, found.low) == (0, 0)

    def test_rises_and_falls(self) -> None:
        found = traces.rises_falls([0, 0.5, 0.4, 0.4, 1], epsilon=0.2)
        assert (found.rises, found.falls, found.difference, found.steps) == (2, 0, 2, 4)

    def test_one_window_has_no_step(self) -> None:
        assert traces.rises_falls([0.3], epsilon=0).steps == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: traces.windows([1, 2, 3], per=12), r"half a window \(6 points\), got 3"),
        (
            lambda: traces.windows([1], per=0),
            "per: expected a whole number of points per window, at least 1, got 0",
        ),
        (lambda: traces.normalise([]), "trace: expected at least 1"),
        (lambda: traces.normalise([1, np.inf]), r"trace\[1\]: expected a finite number, got inf"),
        (lambda: traces.btrace_values([2.0]), r"windows\[0\]: expected a mean of labels"),
        (lambda: traces.sda([1], [1]), "at least 2 common points, got 1"),
        (lambda: traces.sda([1, 2], [1, 2], tolerance=-1), "tolerance: expected 0 or more"),
        (
            lambda: traces.lag_ms([1, 2, 3], [1, 2, 3], max_ms=500, step_ms=250),
            "at least 3 points left",
        ),
        (lambda: traces.lag_ms([1, 2, 3], [1, 2, 3], max_ms=0, step_ms=0), "max_ms, step_ms"),
        (lambda: traces.inactive_outliers([[1.0]], sd=0), "sd: expected a positive number"),
        (lambda: traces.gold_standard([]), "at least one trace"),
        (
            lambda: traces.gold_standard([[1.0]], leave_out=1),
            "leave_out: expected a position from 0 to 0",
        ),
        (
            lambda: traces.gold_standard([[1.0] * 5], method="lag_aligned"),
            "max_lag: expected 0 to 2",
        ),
        (lambda: traces.gold_standard([[1.0]], method="mode"), "method: unknown value 'mode'"),
        (lambda: traces.high_low([1.0], epsilon=-1), "epsilon: expected 0 or more"),
        (
            lambda: traces.high_low([1.0], epsilon=0, centre="median"),
            "centre: expected 'mean' or a number",
        ),
        (lambda: traces.high_low([], epsilon=0), "windows: expected at least 1"),
    ],
)
def test_errors_name_place_value_and_cure(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
