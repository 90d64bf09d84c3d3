"""How fast this machine is at the moment: the figure beside every absolute time."""

from __future__ import annotations

import time


def calibration_ms() -> float:
    """A fixed piece of interpreter work, best of five: compare machines by it."""
    best = float("inf")
    for _ in range(5):
        start_s, total = time.perf_counter(), 0
        for number in range(1_000_000):
            total += number & 7
        best = min(best, time.perf_counter() - start_s)
    return best * 1000
