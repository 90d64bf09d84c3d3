"""10,000 bootstrap medians of 92 judges, and other bootstraps, beside scipy.stats.bootstrap in the same run.

python bench/bootstrap.py
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from scipy import stats

from believable.stats.resample import bootstrap, interval, median_interval

RESAMPLES, JUDGES, REPEATS = 10_000, 92, 9


def median_ms(call: Callable[[], Any]) -> float:
    """The median of several runs, after one to warm up."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1000 * sorted(times)[REPEATS // 2]


def main() -> None:
    rng = np.random.default_rng(1)
    accuracy, smooth = rng.binomial(6, 0.5, JUDGES) / 6, rng.normal(size=JUDGES)
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}; "
        f"{RESAMPLES} resamples of {JUDGES} judges; medians of {REPEATS} runs"
    )
    print(f"{'statistic':<10}{'method':<12}{'ours ms':>9}{'scipy ms':>10}{'ratio':>8}")
    for name, function in (("median", np.median), ("mean", np.mean)):
        for method, theirs in (("percentile", "percentile"), ("bca", "BCa")):
            ours = median_ms(
                lambda n=name, m=method: bootstrap(
                    smooth, n, rng=np.random.default_rng(2), method=m, resamples=RESAMPLES
                )
            )
            other = median_ms(
                lambda f=function, t=theirs: stats.bootstrap(
                    (smooth,), f, n_resamples=RESAMPLES, method=t, rng=np.random.default_rng(2)
                )
            )
            print(f"{name:<10}{method:<12}{ours:>9.2f}{other:>10.2f}{other / ours:>7.1f}×")
            if name == "median" and method == "percentile":
                print(f"    under 20 ms: {'yes' if ours < 20 else 'NO'}")
            if ours > other:
                print("    SLOWER than scipy")
    exact = median_ms(lambda: median_interval(accuracy))
    print(f"exact order-statistic interval of the median: {exact:.3f} ms")
    theirs_once = stats.bootstrap(
        (smooth,), np.mean, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(3)
    )
    left_out = (smooth.sum() - smooth) / (JUDGES - 1)
    bounds = interval(
        theirs_once.bootstrap_distribution,
        float(smooth.mean()),
        method="bca",
        level=0.95,
        n=JUDGES,
        left_out=left_out,
    )
    assert bounds is not None
    gap = float(np.abs(np.array(bounds) - np.array(theirs_once.confidence_interval)).max())
    print(f"BCa bounds from scipy's own resamples: largest difference {gap:.1e} (limit 1e-9)")
    assert gap < 1e-9


if __name__ == "__main__":
    main()
