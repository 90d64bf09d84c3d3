"""Results computed beside the server: one process at a time, the last results kept, never twice for the same data."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from believable.report.live_records import Live, Wish

log = logging.getLogger(__name__)

#: Between two computations of the same results at least this long, and this many times as long as the last one took.
LEAST_PAUSE_S = 5.0
PAUSE_FACTOR = 2.0
LONGEST_S = 900.0


@dataclass(frozen=True, slots=True)
class About:
    """Which results: of whom, and with letters or names."""

    study: str
    pool: str
    blinded: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """The last results. `key` is the fingerprint of the data they were computed from."""

    key: str
    live: Live
    at_ms: int
    took_s: float
    ended_s: float


@dataclass
class Computing:
    """The results of one server process. It is a cache: another process computes its own."""

    _kept: dict[About, Kept] = field(default_factory=dict)
    _tasks: dict[About, asyncio.Task[None]] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    def kept(self, about: About) -> Kept | None:
        return self._kept.get(about)

    def busy(self, about: About) -> bool:
        return about in self._tasks

    def ask(self, about: About, key: str, wish: Wish, now_ms: int) -> None:
        """See that results of these data will be there. Returns at once."""
        if about in self._tasks or not self._due(about, key):
            return
        task = asyncio.get_running_loop().create_task(self._compute(about, key, wish, now_ms))
        self._tasks[about] = task
        task.add_done_callback(lambda _: self._tasks.pop(about, None))

    def _due(self, about: About, key: str) -> bool:
        last = self._kept.get(about)
        if last is None:
            return True
        pause_s = max(LEAST_PAUSE_S, PAUSE_FACTOR * last.took_s)
        return last.key != key and asyncio.get_running_loop().time() >= last.ended_s + pause_s

    async def _compute(self, about: About, key: str, wish: Wish, now_ms: int) -> None:
        loop = asyncio.get_running_loop()
        async with self._turn:
            begun_s = loop.time()
            live = await computed(wish)
        ended_s = loop.time()
        self._kept[about] = Kept(key, live, now_ms, ended_s - begun_s, ended_s)

    async def close(self) -> None:
        """Ends what still runs."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def computed(wish: Wish) -> Live:
    """Runs the process and reads what it says. What goes wrong in it is told in words, and in full in the log."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "believable.report.live",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        # The wish goes in by the input, not by the command line: a database's address may hold a password.
        out, err = await asyncio.wait_for(process.communicate(json.dumps(asdict(wish)).encode()), LONGEST_S)
    except TimeoutError:
        return Live(
            error=f"The analysis took longer than {LONGEST_S / 60:.0f} minutes and was stopped. Use `believable report`."
        )
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        log.error("live results of %s failed: %s", wish.study, err.decode(errors="replace"))
        return Live(error="The analysis ended unexpectedly; the server's log says why.")
    told: Mapping[str, Any] = json.loads(out)
    return Live(**told)
