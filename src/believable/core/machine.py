"""What this machine gives to the process."""

from __future__ import annotations

import os
import sys


def available_cores() -> int:
    """The cores this process may use (its affinity mask), not those of the machine."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
