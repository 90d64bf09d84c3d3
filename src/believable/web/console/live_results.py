"""Results computed outside of the server: one process at a time, the last results cached, never
twice for the same data.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

from believable.core.errors import BelievableError
from believable.core.processes import Child, FunctionElsewhere
from believable.report.live_records import LiveReport, ReportRequest

log = logging.getLogger(__name__)

#: Between two computations of the same results at least this long, and this many times as long as
#: the last one took.
LEAST_PAUSE_S = 5.0
#: Computing takes a third of the time at most, however long it takes.
PAUSE_FACTOR = 2.0
LONGEST_S = 900.0

#: The server itself never loads the analyses.
COMPUTE = FunctionElsewhere("believable.web.results_worker", "compute")


@dataclass(frozen=True, slots=True)
class ResultsKey:
    """Which results: of whom, and with letters or names."""

    study: str
    pool: str
    blinded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResults:
    """The last results. `key` is the fingerprint of the data they were computed from."""

    key: str
    live: LiveReport
    at_ms: int
    took_s: float
    ended_s: float


@dataclass
class LiveResults:
    """The results of one server process. It is a cache: another process computes its own."""

    _kept: dict[ResultsKey, KeptResults] = field(default_factory=dict)
    _tasks: dict[ResultsKey, asyncio.Task[None]] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    def find(self, about: ResultsKey) -> KeptResults | None:
        return self._kept.get(about)

    def busy(self, about: ResultsKey) -> bool:
        return about in self._tasks

    def ask(self, about: ResultsKey, key: str, wish: ReportRequest, now_ms: int) -> None:
        """See that results of these data will be there. Returns at once."""
        if about in self._tasks or not self._due(about, key):
            return
        task = asyncio.get_running_loop().create_task(self._compute(about, key, wish, now_ms))
        self._tasks[about] = task
        task.add_done_callback(lambda _: self._tasks.pop(about, None))

    def _due(self, about: ResultsKey, key: str) -> bool:
        last = self._kept.get(about)
        if last is None:
            return True
        pause_s = max(LEAST_PAUSE_S, PAUSE_FACTOR * last.took_s)
        return last.key != key and asyncio.get_running_loop().time() >= last.ended_s + pause_s

    async def _compute(self, about: ResultsKey, key: str, wish: ReportRequest, now_ms: int) -> None:
        loop = asyncio.get_running_loop()
        async with self._turn:
            begun_s = loop.time()
            live = await compute_result(wish)
        ended_s = loop.time()
        self._kept[about] = KeptResults(
            key=key, live=live, at_ms=now_ms, took_s=ended_s - begun_s, ended_s=ended_s
        )

    async def close(self) -> None:
        """Ends what still runs."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def compute_result(wish: ReportRequest) -> LiveReport:
    """Run the process and store its result. An error in it is reported in a sentence, and in full
    in the log.
    """
    child: Child[LiveReport] = await asyncio.to_thread(Child, COMPUTE, wish)
    try:
        return await asyncio.wait_for(asyncio.to_thread(child.result), LONGEST_S)
    except TimeoutError:
        return LiveReport(
            error=(
                f"The analysis took longer than {LONGEST_S / 60:.0f} minutes and was stopped. Use"
                " `believable report`."
            )
        )
    except BelievableError as error:
        return LiveReport(error=str(error))
    except RuntimeError as error:
        log.error("live results of %s failed: %s", wish.study, error)
        return LiveReport(error="The analysis ended unexpectedly; the server's log says why.")
    finally:
        child.end()
