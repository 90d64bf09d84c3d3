"""The bootstrap: R's intervals, scipy's on the same resamples, closed forms, clusters, workers and
a real cluster.
"""

from __future__ import annotations

import json
import math
import statistics
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import pytest
from scipy import special, stats

from believable.core.errors import InvalidInput
from believable.stats.bootstrap import bootstrap, interval, median_interval
from believable.stats.two_way import bootstrap_two_way

ORACLE = Path(__file__).resolve().parents[1] / "oracles" / "resample"
INPUT = json.loads((ORACLE / "input.json").read_text())
OUTPUT = json.loads((ORACLE / "output.json").read_text())


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def slope(rows: Any) -> float:
    return float(np.polyfit(rows[:, 0], rows[:, 1], 1)[0])


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("statistic", ["mean", "sd", "median"])
@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_as_in_r(index: int, statistic: str, method: str) -> None:
    r = OUTPUT["values"][index][statistic]
    found = bootstrap(INPUT["values"][index], statistic, rng=rng(), method=method, resamples=50_000)
    assert found.value == pytest.approx(r["value"], rel=1e-12)
    # Both draw at random, so bounds agree within the Monte Carlo error: 2 % of the width, 4 % for
    # BCa, which also estimates its bias from the draws; the median's bounds are steps between data
    # values. The formulas are compared to the last digit below.
    slack = {"percentile": 0.02, "bca": 0.04}[method] if statistic != "median" else 0.15
    assert (found.low, found.high) == pytest.approx(r[method], abs=slack * r["width"])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bounds_as_in_scipy_on_the_same_resamples(method: str) -> None:
    data = np.array(INPUT["values"][0])
    theirs = stats.bootstrap((data,), np.mean, n_resamples=2000, method=method, rng=rng())
    left_out = (data.sum() - data) / (len(data) - 1)
    ours = interval(
        theirs.bootstrap_distribution,
        float(data.mean()),
        method=method,
        level=0.95,
        n=len(data),
        left_out=left_out,
    )
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=1e-12)


@pytest.mark.parametrize("n", [7, 8])
def test_medians_of_resamples_have_their_exact_distribution(n: int) -> None:
    """P(middle order statistic ≤ k-th value) is a binomial tail; even n against brute force."""
    data = np.arange(1.0, n + 1) ** 2
    found = bootstrap(data, "median", rng=rng(), resamples=200_000)
    if n % 2:
        below = [float(special.bdtrc((n + 1) // 2 - 1, n, k / n)) for k in range(n + 1)]
        chances = np.diff(below)
        mean = float(chances @ data)
        assert found.se == pytest.approx(math.sqrt(float(chances @ data**2) - mean**2), rel=0.01)
    else:
        brute = np.median(data[rng().integers(0, n, (200_000, n))], axis=1)
        assert found.se == pytest.approx(float(brute.std()), rel=0.01)
        assert (found.low, found.high) == tuple(np.quantile(brute, [0.025, 0.975]))


def test_clusters_as_in_r() -> None:
    values, clusters = INPUT["clusters"]["value"], INPUT["clusters"]["cluster"]
    for method in ("percentile", "bca"):
        found = bootstrap(
            values, "mean", rng=rng(), method=method, clusters=clusters, resamples=50_000
        )
        assert (found.low, found.high) == pytest.approx(OUTPUT["by_cluster"][method], abs=0.03)
        assert found.n == 15
    general = bootstrap(
        values, lambda rows: float(np.mean(rows)), rng=rng(), clusters=clusters, resamples=2000
    )
    fast = bootstrap(values, "mean", rng=rng(), clusters=clusters, resamples=2000)
    assert (general.low, general.high) == pytest.approx((fast.low, fast.high), rel=1e-12)


def test_one_row_per_cluster_is_no_clustering() -> None:
    values = INPUT["values"][0]
    plain = bootstrap(values, "sd", rng=rng(), resamples=1000)
    clustered = bootstrap(
        values, "sd", rng=rng(), resamples=1000, clusters=[f"judge {i}" for i in range(40)]
    )
    assert (plain.low, plain.high) == pytest.approx((clustered.low, clustered.high), rel=1e-12)


@pytest.mark.parametrize("index", [0, 1])
def test_two_way_components_as_in_r(index: int) -> None:
    s, r = INPUT["two_way"][index], OUTPUT["two_way"][index]
    found = bootstrap_two_way(s["value"], s["judge"], s["clip"], rng=rng(), resamples=20_000)
    variance = max(r["judges"] + r["clips"] - r["rows"], r["judges"], r["clips"])
    assert found.value == pytest.approx(r["mean"], rel=1e-12)
    assert found.se == pytest.approx(math.sqrt(variance), rel=0.02)
    wider = bootstrap_two_way(s["value"], s["judge"], s["clip"], rng=rng(), method="pigeonhole")
    judges_only = bootstrap(s["value"], "mean", rng=rng(), clusters=s["judge"])
    assert (found.half_width or 0) > (judges_only.half_width or 9)
    assert (wider.half_width or 0) > (judges_only.half_width or 9)


@pytest.mark.parametrize("statistic", ["median", "mean", statistics.fmean])
def test_the_same_result_on_any_number_of_workers(statistic: Any) -> None:
    data = INPUT["values"][0]
    done: list[tuple[int, int]] = []
    one = bootstrap(
        data, statistic, rng=rng(), resamples=3500, progress=lambda *step: done.append(step)
    )
    two = bootstrap(data, statistic, rng=rng(), resamples=3500, workers=2)
    assert one == two
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.fixture(scope="module")
def client() -> Iterator[distributed.Client]:
    """A real local cluster; what its own start-up warns about (a taken port, say) is not under test
    here.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def test_the_same_result_on_a_dask_cluster(client: distributed.Client) -> None:
    data = np.array(INPUT["values"][0])
    rows = np.column_stack([data, data**2])
    s = INPUT["two_way"][0]
    calls: list[Callable[..., Any]] = [
        lambda **how: bootstrap(rows, slope, rng=rng(), resamples=2000, **how),
        lambda **how: bootstrap_two_way(s["value"], s["judge"], s["clip"], rng=rng(), **how),
    ]
    for call in calls:
        assert call(executor=client) == call()


@pytest.mark.parametrize("index", [0, 1, 2])
def test_median_interval_as_in_r(index: int) -> None:
    r = OUTPUT["medians"][index]
    found = median_interval(INPUT["median"][index])
    assert (found.value, found.low, found.high) == pytest.approx((r["median"], *r["ci"]))
    # Every value the sign test does not reject lies in the closed interval.
    assert (found.low or 0) <= r["sign_test"][0]
    assert r["sign_test"][1] <= (found.high or 0)
    assert found.exact


def test_median_interval_of_few_values() -> None:
    few = median_interval([3, 1, 2, 5, 4])
    assert (few.value, few.low, few.high) == (3, -math.inf, math.inf)
    assert "too few" in few.notes[0]
    assert median_interval([]).reason == "no values"
    six = median_interval([6, 1, 2, 5, 4, 3])
    assert (six.low, six.high, six.notes) == (1, 6, ("achieved level 0.9688",))


def test_what_cannot_be_resampled_says_so() -> None:
    assert bootstrap([1.0], "mean", rng=rng()).reason == "needs at least 2 units to resample, got 1"
    same_judge = bootstrap([1.0, 2.0], "mean", rng=rng(), clusters=["a", "a"])
    assert (same_judge.value, same_judge.low) == (1.5, None)
    assert (
        bootstrap([1.0, 2.0], lambda rows: math.nan, rng=rng()).reason
        == "the statistic of the data is nan"
    )
    constant = bootstrap([2.0, 2.0, 2.0], "mean", rng=rng(), method="bca")
    assert (constant.low, constant.high) == (2.0, 2.0)
    extreme = bootstrap(
        [1.0, 2.0, 3.0], "mean", rng=rng(), clusters=["a", "a", "b"], method="bca", resamples=100
    )
    assert extreme.value == 2.0
    one_clip = bootstrap_two_way([1, 2, 3], ["a", "b", "c"], ["x", "x", "x"], rng=rng())
    assert one_clip.reason == "needs at least 2 judges and 2 clips, there are 3 and 1"
    equal = bootstrap_two_way([1, 1, 1, 1], ["a", "a", "b", "b"], [1, 2, 1, 2], rng=rng())
    assert equal.reason == "all judgements are equal"


def test_resamples_on_which_it_is_undefined_are_counted() -> None:
    def rate(rows: Any) -> float:
        return float(rows.sum()) / float((rows > 0).sum()) if (rows > 0).any() else math.nan

    found = bootstrap([0.0, 0.0, 0.0, 5.0, 7.0], rate, rng=rng(), resamples=1000)
    assert found.low is not None
    assert found.notes[0].startswith("undefined on ")
    assert found.notes[0].endswith(" of 1000 resamples, left out")


def test_two_way_with_missing_cells_keeps_count_of_empty_resamples() -> None:
    found = bootstrap_two_way(
        [1.0, 2.0], ["a", "b"], ["x", "y"], rng=rng(), method="pigeonhole", resamples=400
    )
    assert "resamples held no judgement, left out" in found.notes[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bootstrap([1, 2], "mode", rng=rng()), "statistic: unknown value 'mode'"),
        (
            lambda: bootstrap([1, 2], "mean", rng=rng(), method="bias"),
            "method: unknown value 'bias'",
        ),
        (
            lambda: bootstrap([1, 2], "mean", rng=rng(), resamples=10),
            "resamples: expected at least 100, got 10",
        ),
        (
            lambda: bootstrap([1, np.inf], "mean", rng=rng()),
            r"data\[1\]: expected a finite number, got inf",
        ),
        (lambda: bootstrap([], "mean", rng=rng()), "data: expected at least 1 value"),
        (
            lambda: bootstrap([1, 2], "mean", rng=rng(), clusters=[1]),
            "clusters: expected one label for each of 2 rows",
        ),
        (
            lambda: bootstrap_two_way([1, 2], [1], [1, 2], rng=rng()),
            "judges: expected one label for each of 2 values",
        ),
    ],
)
def test_wrong_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


@pytest.mark.parametrize("method", ["percentile", "bca", "expanded"])
def test_an_interval_without_width_says_why(method: str) -> None:
    estimate = bootstrap(
        [3.0] * 8, "mean", rng=np.random.default_rng(1), method=method, resamples=100
    )
    assert (estimate.value, estimate.low, estimate.high) == (3.0, 3.0, 3.0)
    assert estimate.notes == ("the values have no variance, so the interval has no width",)


@pytest.mark.parametrize(("n", "bounded"), [(3, False), (5, False), (6, True)])
def test_a_median_of_too_few_values_has_no_interval(n: int, bounded: bool) -> None:
    """From the lowest to the highest of n values covers a median in 1 − 2·.5ⁿ of samples: 75 % with
    three, 96.9 % with six.
    """
    values = np.arange(n) / n
    for statistic in ("median", np.median):
        found = bootstrap(values, statistic, rng=rng(), resamples=500)
        assert found.value == statistics.median(values)
        assert (found.low is not None) == bounded
    at_90 = bootstrap(values, "median", rng=rng(), resamples=500, level=0.9)
    assert (at_90.low is not None) == (n > 4)
    if n == 3:
        assert "covers 75% at most" in (bootstrap(values, "median", rng=rng()).reason or "")
