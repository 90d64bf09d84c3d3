"""Agreement measures beside scikit-learn, statsmodels, krippendorff and pingouin in the same run.

    python bench/agreement.py

Peers are optional: pip install scikit-learn statsmodels krippendorff pingouin pandas. Ours always
gives value and interval; the peers, pingouin's ICC apart, the value only. Both are called in turn,
so that other work on the machine meets both. Exit code 1: slower than a peer on any table, or a
value that differs by 1e-9 or more; 2: no peer is installed.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402  the variables above are read at import

from believable.stats import agreement  # noqa: E402

SECONDS_PER_CASE = 1.0
FEWEST_CALLS = 3


@dataclass(frozen=True)
class Case:
    """One measure on one table: our call, and the peer's as a function that imports it first."""

    name: str
    ours: Callable[[], Any]
    package: str
    peer: Callable[[], Callable[[], float]]


def ratings(n: int, raters: int, categories: int, *, missing: float = 0.0) -> Any:
    rng = np.random.default_rng(n)
    truth, guess = rng.integers(0, categories, (n, 1)), rng.integers(0, categories, (n, raters))
    table = np.where(rng.random((n, raters)) < 0.7, truth, guess)
    if not missing:
        return table
    return np.where(rng.random((n, raters)) < missing, np.nan, table)


def sklearn_kappa(a: Any, b: Any, weights: str | None) -> Callable[[], Callable[[], float]]:
    def load() -> Callable[[], float]:
        score = importlib.import_module("sklearn.metrics").cohen_kappa_score
        return lambda: float(score(a, b, weights=weights))

    return load


def statsmodels_fleiss(table: Any) -> Callable[[], Callable[[], float]]:
    def load() -> Callable[[], float]:
        module = importlib.import_module("statsmodels.stats.inter_rater")
        return lambda: float(module.fleiss_kappa(module.aggregate_raters(table)[0]))

    return load


def krippendorff_peer(table: Any, level: str) -> Callable[[], Callable[[], float]]:
    def load() -> Callable[[], float]:
        alpha = importlib.import_module("krippendorff").alpha
        return lambda: float(alpha(table.T, level_of_measurement=level))

    return load


def pingouin_icc(table: Any) -> Callable[[], Callable[[], float]]:
    def load() -> Callable[[], float]:
        pingouin, pandas = importlib.import_module("pingouin"), importlib.import_module("pandas")
        n, k = table.shape
        frame = pandas.DataFrame(
            {
                "item": np.repeat(np.arange(n), k),
                "rater": np.tile(np.arange(k), n),
                "score": table.ravel(),
            }
        )

        def call() -> float:
            found = pingouin.intraclass_corr(frame, targets="item", raters="rater", ratings="score")
            return float(found["ICC"].iloc[1])

        return call

    return load


def pingouin_cronbach(table: Any) -> Callable[[], Callable[[], float]]:
    def load() -> Callable[[], float]:
        pingouin, pandas = importlib.import_module("pingouin"), importlib.import_module("pandas")
        frame = pandas.DataFrame(table)
        return lambda: float(pingouin.cronbach_alpha(frame)[0])

    return load


def cases() -> list[Case]:
    found = []
    for n in (100, 1_000, 100_000):
        pair = ratings(n, 2, 5)
        a, b = np.ascontiguousarray(pair[:, 0]), np.ascontiguousarray(pair[:, 1])
        for weights in (None, "linear", "quadratic"):
            name = f"cohen_kappa {weights or 'unweighted'}, {n:,} items"
            call = lambda a=a, b=b, w=weights: agreement.cohen_kappa(a, b, w)  # noqa: E731
            found.append(Case(name, call, "scikit-learn", sklearn_kappa(a, b, weights)))
        table = ratings(n, 6, 5)
        call = lambda t=table: agreement.fleiss_kappa(t)  # noqa: E731
        found.append(
            Case(f"fleiss_kappa, {n:,} items × 6", call, "statsmodels", statsmodels_fleiss(table))
        )
        gaps = ratings(n, 6, 5, missing=0.2) + 1.0
        for level in ("nominal", "ordinal", "interval", "ratio"):
            call = lambda t=gaps, lv=level: agreement.krippendorff_alpha(t, lv)  # noqa: E731
            found.append(
                Case(
                    f"alpha {level}, {n:,} × 6, gaps",
                    call,
                    "krippendorff",
                    krippendorff_peer(gaps, level),
                )
            )
    rng = np.random.default_rng(1)
    table = rng.standard_normal((120, 1)) + rng.standard_normal((120, 6))
    call = lambda t=table: agreement.krippendorff_alpha(t, "interval")  # noqa: E731
    found.append(
        Case(
            "alpha interval, 120 × 6, continuous",
            call,
            "krippendorff",
            krippendorff_peer(table, "interval"),
        )
    )
    call = lambda t=table: agreement.icc(t, "ICC2")  # noqa: E731
    found.append(Case("ICC2, 120 × 6", call, "pingouin", pingouin_icc(table)))
    call = lambda t=table: agreement.cronbach_alpha(t)  # noqa: E731
    found.append(Case("cronbach_alpha, 120 × 6", call, "pingouin", pingouin_cronbach(table)))
    return found


def least_ms(*calls: Callable[[], Any]) -> tuple[list[float], list[Any]]:
    """The least processor time of each call, all called in turn for a while, after one round to
    warm up.
    """
    results = [call() for call in calls]
    best, started, rounds = [np.inf] * len(calls), time.process_time(), 0
    while rounds < FEWEST_CALLS or time.process_time() - started < SECONDS_PER_CASE:
        for which, call in enumerate(calls):
            start = time.process_time()
            call()
            best[which] = min(best[which], time.process_time() - start)
        rounds += 1
    return [1000 * seconds for seconds in best], results


def main() -> int:
    warnings.simplefilter("ignore")
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}; least CPU time per call, one"
        " core"
    )
    print(f"{'measure':<38}{'ours ms':>9}{'peer ms':>10}{'ratio':>8}{'difference':>12}  peer")
    compared, failed = 0, 0
    for case in cases():
        try:
            peer = case.peer()
        except ImportError:
            print(
                f"{case.name:<38}{'':>39}  {case.package} is not installed: pip install"
                f" {case.package}"
            )
            continue
        (ours_ms, peer_ms), (found, expected) = least_ms(case.ours, peer)
        difference = abs(found.value - expected)
        fine = difference < 1e-9 and ours_ms <= peer_ms
        compared, failed = compared + 1, failed + (not fine)
        print(
            f"{case.name:<38}{ours_ms:>9.3f}{peer_ms:>10.3f}{peer_ms / ours_ms:>8.2f}{difference:>12.1e}"
            f"  {case.package}{'' if fine else '  FAILS'}"
        )
    print(f"{compared} compared, {failed} slower or different")
    return 1 if failed else 0 if compared else 2


if __name__ == "__main__":
    sys.exit(main())
