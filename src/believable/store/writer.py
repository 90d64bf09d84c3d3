"""Group commit: one thread runs all waiting changes in one transaction, commits once, durably, and
only then answers them.

Each change has a separate savepoint, so a failing change fails alone. Event batches are merged into
a few statements. A change may be run more than once (another writer in the way, a connection lost
before the commit); only the run that was committed counts, so a change must act through its
connection alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from believable.core.clock import Clock
from believable.core.errors import BelievableError, StorageFull, Unavailable
from believable.core.system import try_lock, unlock
from believable.store import event_log
from believable.store.alarms import StoreAlarms
from believable.store.database import Database, Ticket, owner_file
from believable.store.event_checks import EventBatch
from believable.store.fixed_statements import run_text
from believable.store.trouble import Trouble, driver_words, trouble

#: How long to queue before leaving it to SQLite's waiting: the holder of the lock may have been
#: stopped.
QUEUE_S = 5.0
PAUSE_S = 0.001


class FileQueue:
    """Processes that write the same SQLite file queue for it. Used by one thread.

    SQLite alone lets them try again at intervals of up to a tenth of a second, so that under load
    one of them can starve: measured with four processes at 1,000 batches a second, the slowest
    hundredth waited 1 to 2 s, and 0.2 s with this lock. The system frees it when its holder dies.
    SQLite's own locks stay what keeps the data safe; this only makes waiting short.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = owner_file(Path(f"{path}-turn"), os.O_RDWR)

    def close(self) -> None:
        os.close(self._descriptor)

    @contextmanager
    def take(self) -> Iterator[None]:
        held = self._acquire()
        try:
            yield
        finally:
            if held:
                unlock(self._descriptor)

    def _acquire(self) -> bool:
        deadline_s = time.monotonic() + QUEUE_S
        while not try_lock(self._descriptor):
            if time.monotonic() > deadline_s:
                return False
            time.sleep(PAUSE_S)
        return True


# ---------------------------------------------------------------------------------------------- the
# writing thread


Change = Callable[[Connection], Any]
log = logging.getLogger(__name__)

#: `conn.info` key by which a change says that it erased something for good.
ERASED = "erased"


@dataclass(slots=True)
class Waiting:
    """One change or batch, and who waits for its answer."""

    work: Change | EventBatch
    future: Future[Any] | asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop | None = None


@dataclass(frozen=True, slots=True)
class FailedChange:
    error: BaseException


Outcome = Any  # a value, or Failed


class Writer:
    """The writing thread of one process."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        group_limit: int,
        patience_s: float,
        linger_s: float,
    ) -> None:
        self._database = database
        self._clock = clock
        self._group_limit = group_limit
        self._patience_s = patience_s
        self._linger_s = linger_s if group_limit > 1 else 0.0
        self._waiting: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self.watch = StoreAlarms(clock)
        self._queue = FileQueue(database.path) if database.path is not None else None
        self._unscrubbed = False
        self._closed = False
        #: The changes that the thread is about to store, and since when.
        self._group: list[Waiting] = []
        self._since_s = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="believable-writer", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------------------------------
    # asking

    def submit(self, work: Change | EventBatch) -> Future[Any]:
        """For threads."""
        if threading.current_thread() is self._thread:
            raise RuntimeError(
                "a change may not start another change and wait for it. Do both on the same"
                " connection."
            )
        future: Future[Any] = Future()
        self._put(Waiting(work, future))
        return future

    def submit_async(self, work: Change | EventBatch) -> asyncio.Future[Any]:
        """For coroutines."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._put(Waiting(work, future, loop))
        return future

    def _put(self, waiting: Waiting) -> None:
        if self._closed:
            raise Unavailable("the store is closed. Open it again.")
        self._waiting.put(waiting)

    def close(self) -> None:
        """Finish what waits, then stop."""
        if not self._closed:
            self._closed = True
            self._waiting.put(None)
            self._thread.join()
            if self._queue is not None:
                self._queue.close()

    # ------------------------------------------------------------------------------------------ the
    # thread

    @property
    def stuck_s(self) -> float:
        """How long the thread has been storing its changes; 0 while it waits for work."""
        return time.monotonic() - self._since_s if self._group else 0.0

    def _run(self) -> None:
        """After any error the thread continues: without it all callers would wait for ever."""
        while True:
            try:
                self._store_groups()
                return
            except BaseException as error:
                log.exception("the writing thread failed and continues")
                self.watch.sound(
                    "writer_failed", f"the writing thread failed and went on by itself: {error!r}"
                )
                unknown = Unavailable(
                    "storing failed half-way, and it is not known whether this is in. Send it"
                    " again."
                )
                answer((waiting, FailedChange(unknown)) for waiting in self._group)
            finally:
                self._group = []

    def _store_groups(self) -> None:
        open_for_more = True
        while open_for_more:
            self._group = []
            first = self._next()
            if first is None:
                break
            self._group = group = [first]
            self._since_s = time.monotonic()
            if self._linger_s:
                time.sleep(self._linger_s)
            while len(group) < self._group_limit:
                try:
                    more = self._waiting.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    open_for_more = False
                    break
                group.append(more)
            self._store(group)

    def _next(self) -> Waiting | None:
        while True:
            try:
                return self._waiting.get(timeout=1.0 if self._unscrubbed else None)
            except queue.Empty:
                self._chores(healthy=False)

    def _store(self, group: Sequence[Waiting]) -> None:
        """Commit the group and answer it, whatever happens."""
        try:
            outcomes = self._commit([waiting.work for waiting in group])
        except BaseException as error:
            log.exception("a group of %d changes failed", len(group))
            outcomes = [FailedChange(error)] * len(group)
        answer(zip(group, outcomes, strict=True))
        troubled = any(
            isinstance(outcome, FailedChange)
            and isinstance(outcome.error, StorageFull | Unavailable)
            for outcome in outcomes
        )
        self._chores(healthy=not troubled)

    def _chores(self, *, healthy: bool) -> None:
        """Work without a waiting caller. After any error here, the thread must continue."""
        try:
            self.watch.settle(self._database, healthy=healthy)
            if self._unscrubbed:
                self._scrub()
        except Exception:
            log.exception("tidying up after a commit failed")

    def _commit(self, works: Sequence[Change | EventBatch]) -> list[Outcome]:
        deadline_s = time.monotonic() + self._patience_s
        pause_s = 0.05
        while True:
            try:
                return self._transaction(works)
            except DBAPIError as error:
                kind = trouble(error)
                if kind is Trouble.OTHER:
                    raise
                if kind in _LASTING:
                    return self._one_by_one(works, kind, error)
                if kind is Trouble.LOST:
                    self.watch.sound(
                        "database_lost", f"the database cannot be reached: {driver_words(error)}"
                    )
                if time.monotonic() > deadline_s:
                    return [FailedChange(_unavailable(kind, error))] * len(works)
                time.sleep(pause_s)
                pause_s = min(2 * pause_s, 1.0)

    def _one_by_one(
        self, works: Sequence[Change | EventBatch], kind: Trouble, error: DBAPIError
    ) -> list[Outcome]:
        """Nothing of the group is stored, and waiting does not help. Each is tried alone: something
        small may still fit on a full disk, and where a file is damaged most of it is not.
        """
        lasting = _LASTING[kind]
        self.watch.sound(lasting.alarm, lasting.message(error))
        if len(works) > 1:
            return [outcome for work in works for outcome in self._commit([work])]
        return [FailedChange(lasting.error(error))]

    def _transaction(self, works: Sequence[Change | EventBatch]) -> list[Outcome]:
        with self._turn(), self._database.writing() as conn:
            exclusive = not all(isinstance(work, EventBatch) for work in works)
            ticket = self._database.enter(conn, exclusive=exclusive)
            outcomes = self._work(conn, works)
            self._unscrubbed |= bool(conn.info.pop(ERASED, False))
            self._make_durable(conn, ticket)
            return outcomes

    def _turn(self) -> AbstractContextManager[None]:
        return self._queue.take() if self._queue is not None else nullcontext()

    def _make_durable(self, conn: Connection, ticket: Ticket) -> None:
        try:
            conn.commit()
        except DBAPIError as error:
            unanswered = trouble(error) is Trouble.LOST and ticket.mark is not None
            if not unanswered or not self._database.has_committed(
                ticket, patience_s=self._patience_s
            ):
                raise

    def _work(self, conn: Connection, works: Sequence[Change | EventBatch]) -> list[Outcome]:
        outcomes: list[Outcome] = [None] * len(works)
        places = [place for place, work in enumerate(works) if isinstance(work, EventBatch)]
        if places:
            merged = self._append(conn, [works[place] for place in places])  # type: ignore[misc]
            for place, outcome in zip(places, merged, strict=True):
                outcomes[place] = outcome
        for place, work in enumerate(works):
            if not isinstance(work, EventBatch):
                outcomes[place] = self._alone(conn, work)
        return outcomes

    def _append(self, conn: Connection, batches: list[EventBatch]) -> list[Outcome]:
        now_ms = self._clock.now_ms()
        together = self._alone(conn, lambda inner: event_log.apply(inner, batches, now_ms))
        if not isinstance(together, FailedChange):
            return [
                FailedChange(outcome) if isinstance(outcome, BelievableError) else outcome
                for outcome in together
            ]
        if len(batches) == 1:
            return [together]
        log.error("merged batches failed, storing them one by one", exc_info=together.error)
        return [outcome for batch in batches for outcome in self._append(conn, [batch])]

    def _alone(self, conn: Connection, change: Change) -> Outcome:
        """Run one change in a savepoint: its failure is its own, unless the transaction itself is
        lost.

        A change that *raises* is undone. One that *returns* an error keeps its rows (an alarm, a
        failed try), and its caller gets the error raised.
        """
        run_text(conn, "SAVEPOINT change")
        try:
            value = change(conn)
            run_text(conn, "RELEASE SAVEPOINT change")
            return FailedChange(value) if isinstance(value, BelievableError) else value
        except BaseException as error:
            if trouble(error) is not Trouble.OTHER:
                raise
            run_text(conn, "ROLLBACK TO SAVEPOINT change")
            run_text(conn, "RELEASE SAVEPOINT change")
            return FailedChange(error)

    # ------------------------------------------------------------------------------------------
    # afterwards

    def _scrub(self) -> None:
        with self._database.writing() as conn:
            self._unscrubbed = not self._database.scrub(conn)


@dataclass(frozen=True, slots=True)
class LastingTrouble:
    """A problem that trying again does not fix: the alarm it raises, and the message to the
    caller.
    """

    alarm: str
    words: str
    cure: str
    kind: type[StorageFull] | type[Unavailable] = Unavailable

    def message(self, error: DBAPIError) -> str:
        return f"{self.words}: {driver_words(error)}. Nothing new is acknowledged. {self.cure}"

    def error(self, error: DBAPIError) -> BelievableError:
        return self.kind(f"{self.words}, so this was not stored. {self.cure} Then send it again.")


_LASTING = {
    Trouble.FULL: LastingTrouble(
        "storage_full", "the database has no space left", "Free space on its disk.", StorageFull
    ),
    Trouble.DAMAGED: LastingTrouble(
        "database_damaged",
        "the database is damaged",
        "Stop the server and restore a backup (`believable restore`).",
    ),
    Trouble.READ_ONLY: LastingTrouble(
        "database_read_only",
        "the database cannot be written",
        "Give the server the right to write its file and folder.",
    ),
}


def read_trouble(watch: StoreAlarms, error: DBAPIError) -> BelievableError | None:
    """Reading, too, may find the file damaged: the alarm is raised, and the error to report is
    returned.
    """
    if trouble(error) is not Trouble.DAMAGED:
        return None
    lasting = _LASTING[Trouble.DAMAGED]
    watch.sound(lasting.alarm, lasting.message(error))
    return Unavailable(f"{lasting.words}: what was asked for cannot be read. {lasting.cure}")


def _unavailable(kind: Trouble, error: DBAPIError) -> Unavailable:
    return Unavailable(
        f"the database cannot store now ({kind.value}: {driver_words(error)}). Nothing was"
        " acknowledged; send it again."
    )


def answer(pairs: Iterable[tuple[Waiting, Outcome]]) -> None:
    """Report to all callers, waking each event loop once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Waiting, Outcome]]] = {}
    for waiting, outcome in pairs:
        if waiting.loop is None:
            _settle(waiting.future, outcome)
        else:
            by_loop.setdefault(waiting.loop, []).append((waiting, outcome))
    for loop, outcomes in by_loop.items():
        with contextlib.suppress(RuntimeError):  # the loop was closed: there is no caller to answer
            loop.call_soon_threadsafe(_settle_all, outcomes)


def _settle_all(outcomes: list[tuple[Waiting, Outcome]]) -> None:
    for waiting, outcome in outcomes:
        _settle(waiting.future, outcome)


def _settle(future: Future[Any] | asyncio.Future[Any], outcome: Outcome) -> None:
    if future.done():  # the caller gave up; stored changes stay stored
        return
    if isinstance(outcome, FailedChange):
        future.set_exception(outcome.error)
    else:
        future.set_result(outcome)
