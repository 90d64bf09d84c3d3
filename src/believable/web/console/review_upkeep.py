"""Keeps the review queue up to date while the server works: in small steps between which other work
has its turn, or, if there is a large backlog, in a separate process.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field

from believable.collect.context import Definitions
from believable.collect.review_intake import KnownQuestions, take_in
from believable.core.errors import BelievableError
from believable.core.processes import Child, FunctionElsewhere
from believable.store import pending_sessions, review_queue
from believable.store.engine import Connection, Store

log = logging.getLogger(__name__)

#: A page waits this long for new items; then it shows the stored ones and says so.
PATIENCE_S = 1.0
#: From this number of unread sessions on, another process reads them.
MANY_SESSIONS = 200
#: After each step the thread rests for this multiple of its working time.
REST = 1.0

ELSEWHERE = FunctionElsewhere("believable.web.review_worker", "take_in_all")


@dataclass
class ReviewUpkeep:
    """One server process's work on the queues. Several processes do no harm to each other: ingested
    items are in the tables.
    """

    _tasks: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)

    async def refresh(self, store: Store, definitions: Definitions, study: str, pool: str) -> int:
        """See that the queue is made up, and wait a little for it: how many sessions are still
        unread after that.
        """
        if not await store.aread(lambda conn: _stale(conn, study, pool)):
            return 0
        place = (study, pool)
        task = self._tasks.get(place)
        if task is None:
            task = asyncio.get_running_loop().create_task(
                self._work(store, definitions, study, pool)
            )
            self._tasks[place] = task
            task.add_done_callback(lambda _: self._tasks.pop(place, None))
        await asyncio.wait({task}, timeout=PATIENCE_S)
        if task.done():
            return 0
        return await store.aread(lambda conn: pending_sessions.n_pending(conn, study, pool))

    async def _work(self, store: Store, definitions: Definitions, study: str, pool: str) -> None:
        try:
            n_unread = await store.aread(lambda conn: pending_sessions.n_pending(conn, study, pool))
            if n_unread >= MANY_SESSIONS:
                await _elsewhere(
                    store.database.url.render_as_string(hide_password=False), study, pool
                )
            known = KnownQuestions(definitions)
            await asyncio.to_thread(
                take_in, store, known, study, pool, lambda took_s: time.sleep(REST * took_s)
            )
        except BelievableError as error:
            log.warning("the review queue of %s was not made up: %s", study, error)

    async def close(self) -> None:
        """Ends what still runs."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _stale(conn: Connection, study: str, pool: str) -> bool:
    return (
        review_queue.fingerprint(conn, study, pool)
        != review_queue.state(conn, study, pool).fingerprint
    )


async def _elsewhere(url: str, study: str, pool: str) -> None:
    child: Child[int] = await asyncio.to_thread(Child, ELSEWHERE, url, study, pool)
    try:
        await asyncio.to_thread(child.result)
    except RuntimeError as error:
        log.error("reading the answers of %s elsewhere failed: %s", study, error)
    finally:
        child.end()
