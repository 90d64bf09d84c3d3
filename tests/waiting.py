"""Waiting for something that another thread or process does and does not announce.

If it can announce it, wait for that instead: an event, a pipe, a line of output.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PAUSE_S = 0.02


def wait_until(look: Callable[[], T], why: str, within_s: float = 120.0) -> T:
    """The first true value of `look`. Fails with `why` if there is none in time."""
    deadline_s, pause = time.monotonic() + within_s, threading.Event()
    while not (value := look()):
        assert time.monotonic() < deadline_s, why
        pause.wait(PAUSE_S)
    return value


async def wait_in_loop(look: Callable[[], T], why: str, within_s: float = 120.0) -> T:
    """The same while an event loop goes on."""
    deadline_s = time.monotonic() + within_s
    while not (value := look()):
        assert time.monotonic() < deadline_s, why
        await asyncio.sleep(0)
    return value


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits for its parent to collect it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
