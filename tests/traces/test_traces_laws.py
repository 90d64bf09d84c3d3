"""Laws of the trace functions, and a check that no public function is without one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from believable import traces

RECORDS = {"HighLow", "Outliers", "RisesFalls"}
LAWS: dict[str, str] = {
    "sda": "symmetric, shift- and scale-free",
    "direction_kappa": "symmetric, shift- and scale-free",
    "dtw_distance": "symmetric, zero to itself, scales, reversible",
    "dtw_matrix": "symmetric, follows the order of traces",
    "normalise": "in [0, 1], idempotent, shift- and scale-free",
    "windows": "keeps the mean of full windows",
    "btrace_values": "mirrors",
    "high_low": "mirrors",
    "rises_falls": "mirrors",
    "resample": "order of events does not matter",
    "resample_all": "rows are independent",
    "point_sample": "of a sample of samples",
    "inactive_outliers": "follows the order of traces",
    "consensus_outliers": "follows the order of traces",
    "gold_standard": "order of annotators does not matter",
    "lag_ms": "shift- and scale-free",
}

whole = st.integers(-20, 20).map(float)
trace = arrays(np.float64, st.integers(2, 16), elements=whole)
groups = arrays(np.float64, st.tuples(st.integers(3, 7), st.integers(20, 24)), elements=whole)


def test_every_public_function_has_a_law() -> None:
    assert set(LAWS) | RECORDS == set(traces.__all__)


@given(a=trace, b=trace, factor=st.sampled_from([0.5, 4.0]), shift=whole)
def test_direction_is_symmetric_and_knows_no_unit(
    a: Any, b: Any, factor: float, shift: float
) -> None:
    assert traces.sda(a, b) == traces.sda(b, a) == traces.sda(a * factor + shift, b)
    kappas = [
        traces.direction_kappa(*pair).value for pair in ((a, b), (b, a), (a * factor + shift, b))
    ]
    assert kappas[1] == pytest.approx(kappas[0])
    assert kappas[2] == pytest.approx(kappas[0])
    assert traces.sda(a, a) == 1


@given(a=trace, b=trace, factor=st.sampled_from([0.5, 2.0, 8.0]), shift=whole)
def test_dtw(a: Any, b: Any, factor: float, shift: float) -> None:
    for cost, power in (("abs", 1), ("square", 2)):
        distance = traces.dtw_distance(a, b, cost=cost)  # type: ignore[arg-type]
        assert distance == traces.dtw_distance(b, a, cost=cost)  # type: ignore[arg-type]
        assert distance >= 0
        assert traces.dtw_distance(a, a, cost=cost) == 0  # type: ignore[arg-type]
        scaled = traces.dtw_distance(a * factor + shift, b * factor + shift, cost=cost)  # type: ignore[arg-type]
        assert scaled == pytest.approx(distance * factor**power)
        assert traces.dtw_distance(a[::-1], b[::-1], cost=cost) == pytest.approx(distance)  # type: ignore[arg-type]
        stretched = traces.dtw_distance(np.repeat(a, 2), a, cost=cost)  # type: ignore[arg-type]
        assert stretched == 0


@given(a=trace, b=trace)
def test_a_band_never_shortens(a: Any, b: Any) -> None:
    least = abs(len(a) - len(b))
    free = traces.dtw_distance(a, b)
    banded = [traces.dtw_distance(a, b, window=least + extra) for extra in (0, 2, 30)]
    assert banded[0] >= banded[1] >= banded[2] == free


@given(group=groups, seed=st.integers(0, 99))
def test_the_order_of_traces_only_orders_the_result(group: Any, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(group))
    matrix, moved = traces.dtw_matrix(group), traces.dtw_matrix(group[order])
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(matrix[np.ix_(order, order)], moved)
    for judge in (traces.inactive_outliers, traces.consensus_outliers):
        assert judge(group).kept[order].tolist() == judge(group[order]).kept.tolist()
    for method in ("median", "mean", "lag_aligned"):
        gold = [traces.gold_standard(g, method=method, max_lag=3) for g in (group, group[order])]  # type: ignore[arg-type]
        assert gold[0] == pytest.approx(gold[1], abs=1e-9)


@given(a=trace, factor=st.sampled_from([0.5, 4.0]), shift=whole)
def test_normalise(a: Any, factor: float, shift: float) -> None:
    found = traces.normalise(a)
    assert ((found >= 0) & (found <= 1)).all()
    assert traces.normalise(found) == pytest.approx(found)
    assert traces.normalise(a * factor + shift) == pytest.approx(found, abs=1e-12)
    assert len(np.unique(a)) == 1 or (found.min(), found.max()) == (0, 1)


@given(a=trace, per=st.integers(1, 4))
def test_windows_keep_the_mean(a: Any, per: int) -> None:
    full = a[: len(a) // per * per]
    if len(full):
        assert traces.windows(full, per=per).mean() == pytest.approx(full.mean())


@given(a=arrays(np.float64, st.integers(1, 16), elements=st.integers(-4, 4).map(lambda k: k / 4)))
def test_mirrors(a: Any) -> None:
    for rule in ("sign", "mean", "minmax"):
        mirrored = traces.btrace_values(-a, rule=rule)  # type: ignore[arg-type]
        assert mirrored == pytest.approx(1 - traces.btrace_values(a, rule=rule))  # type: ignore[arg-type]
    up, down = traces.high_low(a, epsilon=0.1), traces.high_low(-a, epsilon=0.1)
    assert (up.high, up.low) == (down.low, down.high)
    rising, falling = traces.rises_falls(a, epsilon=0.1), traces.rises_falls(-a, epsilon=0.1)
    assert (rising.rises, rising.falls) == (falling.falls, falling.rises)


@given(
    events=st.lists(st.tuples(st.integers(0, 4999), whole), max_size=30),
    seed=st.integers(0, 99),
    fill=st.sampled_from(["hold", "zero"]),
)
def test_the_order_of_events_does_not_matter(events: Any, seed: int, fill: Any) -> None:
    shuffled = [events[k] for k in np.random.default_rng(seed).permutation(len(events))]
    results = []
    for given_events in (events, shuffled):
        times, values = ([event[k] for event in given_events] for k in (0, 1))
        results.append(traces.resample(times, values, duration_ms=5000, fill=fill, start=0))
        both = traces.resample_all(
            [1] * len(times), times, values, traces=3, duration_ms=5000, fill=fill
        )
        assert both[1] == pytest.approx(results[-1])
        assert not both[[0, 2]].any()
    assert results[0] == pytest.approx(results[1])


@given(a=trace)
def test_a_sample_of_a_sample(a: Any) -> None:
    twice = traces.point_sample(traces.point_sample(a, every=2), every=3)
    assert twice.tolist() == traces.point_sample(a, every=6).tolist()


@given(a=groups, factor=st.sampled_from([0.5, 4.0]), shift=whole)
def test_a_delay_knows_no_unit(a: Any, factor: float, shift: float) -> None:
    first = traces.lag_ms(a[0], a[1], max_ms=1000, step_ms=250).value
    assert first == traces.lag_ms(a[0] * factor + shift, a[1], max_ms=1000, step_ms=250).value
