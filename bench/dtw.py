"""All pairs by dynamic time warping, beside aeon, dtaidistance, tslearn, tsdistances and dtw-python
in the same run.

    python bench/dtw.py [--quick]

Peers are optional: pip install aeon dtaidistance tslearn tsdistances dtw-python. All run on one
core; distances are compared with ours to 1e-9. Then two million pairs against the clock, and the
long traces beside the kernel's own peak. Exit code 1: a kernel of ours slower than a peer, a
different result, or two million pairs in 5 s or more; 2: no peer is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import sys
import time
from collections.abc import Callable
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402  the variables above are read at import

from believable.core.work import available_cores  # noqa: E402
from believable.traces.dtw import DiagonalBatch, batch_size, dtw_matrix  # noqa: E402

Matrix = Callable[[Any], Any]
LIMIT_S = 5.0


def aeon() -> Matrix:
    distances = importlib.import_module("aeon.distances")
    return lambda x: distances.dtw_pairwise_distance(x[:, None, :])


def dtaidistance() -> Matrix:
    module = importlib.import_module("dtaidistance.dtw")

    def matrix(x: Any) -> Any:
        upper = module.distance_matrix_fast(x, parallel=False, compact=False, only_triu=True)
        upper = np.triu(np.where(np.isfinite(upper), upper, 0.0), 1) ** 2
        return upper + upper.T

    return matrix


def tslearn() -> Matrix:
    metrics = importlib.import_module("tslearn.metrics")
    return lambda x: metrics.cdist_dtw(x) ** 2


def tsdistances() -> Matrix:
    module = importlib.import_module("tsdistances")
    return lambda x: module.dtw_distance(x, band=1.0)


def dtw_python() -> Matrix:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [
        entry for entry in sys.path if os.path.abspath(entry) != here
    ]  # this file is called dtw too
    sys.modules.pop("dtw", None)
    module = importlib.import_module("dtw")

    def matrix(x: Any) -> Any:
        found = np.zeros((len(x), len(x)))
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                cost = (x[i][:, None] - x[j][None, :]) ** 2
                found[i, j] = module.dtw(
                    cost, distance_only=True, step_pattern="symmetric1"
                ).distance
        return found + found.T

    return matrix


PEERS: dict[str, Callable[[], Matrix]] = {
    "aeon": aeon,
    "dtaidistance": dtaidistance,
    "tslearn": tslearn,
    "tsdistances": tsdistances,
    "dtw-python": dtw_python,
}


def fastest(call: Callable[[], Any], *, repeats: int) -> tuple[float, Any]:
    """The least processor time of several runs after one to warm up: other work on the machine
    counts less so.
    """
    result = call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times), result


def gigacells(traces: int, length: int, seconds: float) -> float:
    return traces * (traces - 1) / 2 * length**2 / seconds / 1e9


def beside_peers(traces: int, length: int, *, repeats: int) -> bool | None:
    """Is each of our kernels at least as fast as every peer, with the same distances? None without
    a peer.
    """
    x = np.random.default_rng(1).standard_normal((traces, length)).cumsum(axis=1)
    print(f"\n{traces} traces of {length} points, squared cost, one core")
    print(
        f"  {'':<22}{'CPU s':>9}{'Gcells/s':>10}{'ours is … times as fast':>32}{'largest difference':>20}"
    )
    ours: dict[str, float] = {}
    verdicts: list[bool] = []
    for kernel in kernels():
        seconds, matrix = fastest(
            lambda k=kernel: dtw_matrix(x, cost="square", workers=1, kernel=k), repeats=repeats
        )
        ours[kernel] = seconds
        print(
            "  believable"
            f" ({kernel}){'':<{9 - len(kernel)}}{seconds:>10.4f}{gigacells(traces, length, seconds):>10.3f}"
        )
    for name, load in PEERS.items():
        try:
            peer = load()
        except ImportError:
            print(f"  {name:<22}not installed, left out: pip install {name}")
            continue
        few = x if name != "dtw-python" else x[: max(10, traces // 10)]
        seconds, found = fastest(
            lambda p=peer, data=few: p(data), repeats=1 if name == "dtw-python" else repeats
        )
        speed = gigacells(len(few), length, seconds)
        wanted = matrix[: len(few), : len(few)]
        difference = float(np.abs(found - wanted).max() / max(1.0, wanted.max()))
        ratios = [gigacells(traces, length, taken) / speed for taken in ours.values()]
        verdicts.append(min(ratios) >= 1 and difference < 1e-9)
        shown = ", ".join(
            f"{ratio:.1f} ({kernel})" for kernel, ratio in zip(ours, ratios, strict=True)
        )
        print(f"  {name:<22}{seconds:>9.4f}{speed:>10.3f}{shown:>32}{difference:>20.1e}")
    return all(verdicts) if verdicts else None


def kernels() -> list[str]:
    found = importlib.util.find_spec("numba") is not None
    if not found:
        print("  the compiled kernel is not installed, left out: pip install 'believable[fast]'")
    return ["numba", "numpy"] if found else ["numpy"]


def peak(kernel: str, length: int) -> float:
    """Gcells/s of the bare kernel on one batch, one core, nothing else."""
    rng = np.random.default_rng(2)
    if kernel == "numba":
        compiled = importlib.import_module("believable.traces.dtw_numba")
        rows, block = rng.random((64, length)), compiled.pack(rng.random((length, 256)))
        first = np.zeros(64, dtype=np.int64)
        seconds, _ = fastest(
            lambda: compiled.rows_distances(rows, block, first, square=False, window=None),
            repeats=5,
        )
        return 64 * 256 * length**2 / seconds / 1e9
    pairs = batch_size(length)
    batch = DiagonalBatch(length, pairs, square=False, window=None)
    traces, others = rng.random((length, pairs)), rng.random((length, pairs))
    seconds, _ = fastest(lambda: [batch.distances(traces, others) for _ in range(10)], repeats=5)
    return 10 * pairs * length**2 / seconds / 1e9


def clocked(x: Any, kernel: Any) -> tuple[float, float]:
    """Wall and processor seconds of one call."""
    start, cpu = time.perf_counter(), time.process_time()
    dtw_matrix(x, kernel=kernel)
    return time.perf_counter() - start, time.process_time() - cpu


def two_million_pairs() -> bool:
    x = np.random.default_rng(3).random((2000, 20))
    fine = True
    print(
        f"\n2,000 traces of 20 windows: {2000 * 1999 // 2:,} pairs, |x − y|, {available_cores()}"
        f" cores, limit {LIMIT_S} s"
    )
    for kernel in kernels():
        first, cpu = clocked(x, kernel)
        second, _ = clocked(x, kernel)
        fine &= second < LIMIT_S
        print(
            f"  {kernel:<8}{second:>8.2f} s  {'ok' if second < LIMIT_S else 'TOO SLOW'}   (first"
            f" call, with loading and compiling where needed: {first:.2f} s, {cpu:.2f} s of"
            " processor)"
        )
    return fine


def long_traces(traces: int) -> None:
    x = np.random.default_rng(4).random((traces, 240))
    print(f"\n{traces:,} traces of 240 points: {traces * (traces - 1) // 2:,} pairs")
    for kernel in kernels():
        top = peak(kernel, 240)
        start, cpu = time.perf_counter(), time.process_time()
        dtw_matrix(x, kernel=kernel)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        per_core = gigacells(traces, 240, cpu)
        print(
            f"  {kernel:<8}{wall:>8.2f} s wall  {gigacells(traces, 240, wall):>6.2f} Gcells/s;  per"
            f" core {per_core:.2f} of the kernel's peak {top:.2f} ({per_core / top:.0%})"
        )


def main() -> int:
    quick = "--quick" in sys.argv[1:]
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    fine = two_million_pairs()
    long_traces(200 if quick else 1000)
    short = beside_peers(300, 20, repeats=5)
    long = beside_peers(60 if quick else 150, 240, repeats=3)
    if short is None or long is None:
        print("\nno peer is installed: nothing compared")
        return 1 if not fine else 2
    fine = fine and short and long
    print("\nall fastest and equal" if fine else "\nNOT all fastest and equal")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
