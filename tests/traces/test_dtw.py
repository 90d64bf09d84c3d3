"""DTW: both kernels equal the definition, on any number of workers, threads, processes and a Dask
cluster.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput, MissingExtra
from believable.traces import dtw, dtw_distance, dtw_matrix

KERNELS = ["numpy", "numba"] if importlib.util.find_spec("numba") else ["numpy"]
kernels = pytest.mark.parametrize("kernel", KERNELS)
values = st.floats(-100, 100, allow_nan=False, width=32)
series = st.lists(values, min_size=1, max_size=12)


def definition(a: Any, b: Any, *, square: bool, window: int | None) -> float:
    table = np.full((len(a) + 1, len(b) + 1), np.inf)
    table[0, 0] = 0
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if window is None or abs(i - j) <= window:
                cost = (x - y) ** 2 if square else abs(x - y)
                table[i + 1, j + 1] = cost + min(table[i, j], table[i, j + 1], table[i + 1, j])
    return float(table[-1, -1])


@kernels
@given(a=series, b=series, square=st.booleans(), slack=st.none() | st.integers(0, 4))
def test_one_pair_is_the_definition(
    kernel: Any, a: Any, b: Any, square: bool, slack: int | None
) -> None:
    window = None if slack is None else abs(len(a) - len(b)) + slack
    found = dtw_distance(a, b, cost="square" if square else "abs", window=window, kernel=kernel)
    assert found == pytest.approx(
        definition(a, b, square=square, window=window), rel=1e-12, abs=1e-12
    )


@kernels
@pytest.mark.parametrize("lengths", ["equal", "mixed"])
@pytest.mark.parametrize("window", [None, 12])
@pytest.mark.parametrize("cost", ["abs", "square"])
def test_the_matrix_is_all_pairs(kernel: Any, lengths: str, window: int | None, cost: Any) -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 13, 41) if lengths == "mixed" else np.full(41, 9)
    traces = [rng.standard_normal(size) for size in sizes]
    expected = [
        [definition(a, b, square=cost == "square", window=window) for b in traces] for a in traces
    ]
    np.fill_diagonal(array := np.array(expected), 0)
    assert dtw_matrix(traces, cost=cost, window=window, kernel=kernel) == pytest.approx(
        array, abs=1e-12
    )


def test_both_kernels_give_the_same_bits() -> None:
    pytest.importorskip("numba", reason="the extra `fast` is not installed")
    traces = np.random.default_rng(1).random((70, 23))
    assert np.array_equal(dtw_matrix(traces, kernel="numpy"), dtw_matrix(traces, kernel="numba"))


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dtw, "_CELLS_PER_CHUNK", 2_000)


@kernels
def test_any_number_of_workers_gives_the_same_bits(kernel: Any, small_chunks: None) -> None:
    traces = np.random.default_rng(2).random((30, 11))
    done: list[tuple[int, int]] = []
    one = dtw_matrix(traces, workers=1, kernel=kernel, progress=lambda k, n: done.append((k, n)))
    assert len(done) > 5
    assert done[-1][0] == done[-1][1]
    for workers in (2, 3):
        assert np.array_equal(one, dtw_matrix(traces, workers=workers, kernel=kernel))


def test_processes_give_the_same_bits(small_chunks: None) -> None:
    traces = np.random.default_rng(2).random((30, 11))
    with ProcessPoolExecutor(2) as executor:
        assert np.array_equal(dtw_matrix(traces, workers=1), dtw_matrix(traces, executor=executor))


@pytest.fixture
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as here,
            distributed.Client(here) as found,
        ):
            yield found


def test_a_real_dask_cluster_gives_the_same_bits(client: Any, small_chunks: None) -> None:
    traces = np.random.default_rng(4).random((25, 14))
    assert np.array_equal(dtw_matrix(traces, workers=1), dtw_matrix(traces, executor=client))


@kernels
def test_single_points_and_empty_groups(kernel: Any) -> None:
    assert dtw_distance([2.0], [5.0], kernel=kernel) == 3.0
    assert dtw_distance([2.0], [5.0, 1.0], kernel=kernel) == 4.0
    assert dtw_matrix([], kernel=kernel).shape == (0, 0)
    assert dtw_matrix([[1.0, 2.0]], kernel=kernel).tolist() == [[0.0]]


def test_what_cannot_be_warped_is_named() -> None:
    with pytest.raises(InvalidInput, match="a: expected at least 1 value"):
        dtw_distance([], [1.0])
    with pytest.raises(InvalidInput, match=r"traces\[1\]\[0\]: expected a finite number, got nan"):
        dtw_matrix([[1.0], [np.nan]])
    with pytest.raises(InvalidInput, match=r"difference of the lengths \(2\), got 1"):
        dtw_distance([1, 2, 3], [1], window=1)
    with pytest.raises(InvalidInput, match=r"cost: unknown value 'sqare'\. Did you mean 'square'"):
        dtw_distance([1], [1], cost="sqare")  # type: ignore[arg-type]


def test_without_numba_the_compiled_kernel_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"believable\[fast\]"):
        dtw_distance([1.0], [2.0], kernel="numba")
    assert dtw_distance([1.0], [2.0]) == 1.0
