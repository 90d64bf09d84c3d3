"""A process of its own in which rounds become videos, started when the first one is wanted."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Executor, ProcessPoolExecutor


class Studio:
    """One video at a time: others may be playing on this machine."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def open(self) -> Executor:
        if self._pool is None:
            # The encoder's threads do not survive a fork.
            self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        return self._pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
