"""Trace processing against R: every function, two cases each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable import traces

ORACLE = Path(__file__).parents[1] / "oracles" / "traces"
INPUT, R = (json.loads((ORACLE / name).read_text()) for name in ("input.json", "output.json"))
BOTH = pytest.mark.parametrize("case", [0, 1])


def close(found: Any, expected: Any) -> None:
    assert np.asarray(found) == pytest.approx(np.asarray(expected), abs=1e-12)


@BOTH
@pytest.mark.parametrize("fill", ["hold", "hold_last", "zero"])
def test_resample(case: int, fill: Any) -> None:
    events = INPUT["events"][case]
    found = traces.resample(
        events["t_ms"], events["value"], duration_ms=events["duration_ms"], fill=fill
    )
    close(found, R["resample"][case][fill])


@BOTH
def test_windows_and_normalise(case: int) -> None:
    close(traces.windows(INPUT["traces"][case]), R["windows"][case])
    close(traces.normalise(INPUT["traces"][case]), R["normalise"][case])


@BOTH
@pytest.mark.parametrize(("kind", "tolerance"), [("exact", 0.0), ("tolerant", 0.5)])
def test_direction(case: int, kind: str, tolerance: float) -> None:
    a, b = INPUT["pairs"][case]
    close(traces.sda(a, b, tolerance=tolerance), R["sda"][case][kind])
    close(traces.direction_kappa(a, b, tolerance=tolerance).value, R["direction_kappa"][case][kind])


@BOTH
@pytest.mark.parametrize("kernel", ["numpy", "numba"])
def test_dtw_distance(case: int, kernel: Any) -> None:
    if kernel == "numba":
        pytest.importorskip("numba", reason="the extra `fast` is not installed")
    a, b = INPUT["pairs"][case]
    close(traces.dtw_distance(a, b, kernel=kernel), R["dtw"][case]["abs"])
    close(traces.dtw_distance(a, b, cost="square", kernel=kernel), R["dtw"][case]["square"])
    close(traces.dtw_distance(a, b, window=8, kernel=kernel), R["dtw"][case]["abs_window_8"])


@BOTH
def test_groups(case: int) -> None:
    group, expected = INPUT["groups"][case], R["groups"][case]
    close(traces.dtw_matrix(group), expected["matrix"])
    inactive = traces.inactive_outliers([traces.normalise(trace) for trace in group])
    close(inactive.distances, expected["inactive"]["distances"])
    assert inactive.kept.tolist() == expected["inactive"]["kept"]
    consensus = traces.consensus_outliers(group, sd=1.5)
    close(consensus.distances, expected["consensus"]["distances"])
    assert consensus.kept.tolist() == expected["consensus"]["kept"]
    close(traces.gold_standard(group), expected["median"])
    close(traces.gold_standard(group, method="mean"), expected["mean"])
    close(traces.gold_standard(group, leave_out=0), expected["median_without_first"])
    close(traces.gold_standard(group, method="lag_aligned", max_lag=6), expected["lag_aligned"])


@BOTH
def test_lag(case: int) -> None:
    given = INPUT["lag"][case]
    found = traces.lag_ms(
        given["a"], given["truth"], max_ms=given["max_ms"], step_ms=given["step_ms"]
    )
    assert found.value == R["lag"][case]


@BOTH
def test_counts(case: int) -> None:
    expected = R["counts"][case]
    values = traces.normalise(traces.windows(INPUT["traces"][case], per=4))
    own, neutral = (
        traces.high_low(values, epsilon=0.1),
        traces.high_low(values, epsilon=0.25, centre=0.5),
    )
    assert (own.high, own.low) == (expected["high"], expected["low"])
    assert (neutral.high, neutral.low) == (expected["high_neutral"], expected["low_neutral"])
    steps = traces.rises_falls(values, epsilon=0.1)
    assert (steps.rises, steps.falls) == (expected["rises"], expected["falls"])
