"""10,000 bootstrap medians of 92 judges, and other bootstraps, beside scipy.stats.bootstrap in the
same run.

    python bench/bootstrap.py

Processor time, both called in turn. Exit code 1: slower than scipy, 10,000 medians in 20 ms or
more, or BCa bounds (computed from scipy's own resamples) that differ by 1e-9 or more.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy import stats

from believable.stats.bootstrap import bootstrap, interval, median_interval

RESAMPLES, JUDGES, REPEATS = 10_000, 92, 15
MEDIANS_LIMIT_MS, BOUNDS_LIMIT = 20, 1e-9


def median_ms(*calls: Callable[[], Any]) -> list[float]:
    """The median processor time of each call, all called in turn, after one round to warm up."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(REPEATS + 1):
        for call, taken in zip(calls, times, strict=True):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return [1000 * sorted(taken[1:])[REPEATS // 2] for taken in times]


def beside_scipy(values: Any) -> bool:
    fine = True
    print(f"{'statistic':<10}{'method':<12}{'ours ms':>9}{'scipy ms':>10}{'ratio':>8}")
    for name, function in (("median", np.median), ("mean", np.mean)):
        for method, theirs in (("percentile", "percentile"), ("bca", "BCa")):
            ours, other = median_ms(
                lambda n=name, m=method: bootstrap(
                    values, n, rng=np.random.default_rng(2), method=m, resamples=RESAMPLES
                ),
                lambda f=function, t=theirs: stats.bootstrap(
                    (values,), f, n_resamples=RESAMPLES, method=t, rng=np.random.default_rng(2)
                ),
            )
            quick = ours <= other and (
                name != "median" or method != "percentile" or ours < MEDIANS_LIMIT_MS
            )
            fine &= quick
            print(
                f"{name:<10}{method:<12}{ours:>9.2f}{other:>10.2f}{other / ours:>7.1f}×{'' if quick else '  FAILS'}"
            )
    return fine


def same_bounds(values: Any) -> bool:
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(3)
    )
    bounds = interval(
        theirs.bootstrap_distribution,
        float(values.mean()),
        method="bca",
        level=0.95,
        n=JUDGES,
        left_out=(values.sum() - values) / (JUDGES - 1),
    )
    gap = (
        np.inf
        if bounds is None
        else float(np.abs(np.subtract(bounds, theirs.confidence_interval)).max())
    )
    print(
        f"BCa bounds from scipy's own resamples: largest difference {gap:.1e} (limit"
        f" {BOUNDS_LIMIT})"
    )
    return gap < BOUNDS_LIMIT


def main() -> int:
    rng = np.random.default_rng(1)
    accuracy, smooth = rng.binomial(6, 0.5, JUDGES) / 6, rng.normal(size=JUDGES)
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}; "
        f"{RESAMPLES} resamples of {JUDGES} judges; medians of {REPEATS} runs, CPU time; "
        f"10,000 medians have {MEDIANS_LIMIT_MS} ms"
    )
    fine = beside_scipy(smooth)
    print(
        "exact order-statistic interval of the median:"
        f" {median_ms(lambda: median_interval(accuracy))[0]:.3f} ms"
    )
    fine &= same_bounds(smooth)
    print("all faster and equal" if fine else "NOT all faster and equal")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
