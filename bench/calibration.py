"""How fast this machine is at the moment, the figure beside every absolute time; and what a process
took of it.
"""

from __future__ import annotations

import os
import time
from pathlib import Path


def calibration_ms() -> float:
    """A fixed piece of interpreter work, best of five: compare machines by it."""
    best = float("inf")
    for _ in range(5):
        start_s, total = time.perf_counter(), 0
        for number in range(1_000_000):
            total += number & 7
        best = min(best, time.perf_counter() - start_s)
    return best * 1000


def cpu_s(pid: int) -> float:
    """Processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
