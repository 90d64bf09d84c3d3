"""The store: durable, grouped writing and separate reading, on SQLite or PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from believable.core.clock import Clock, WallClock
from believable.core.errors import BelievableError, InvalidInput, StorageFull, Unavailable
from believable.store import alarms, migration
from believable.store.alarms import Alarm
from believable.store.database import Checkpointer, Database, Synchronous
from believable.store.event_checks import EventBatch
from believable.store.trouble import RESTORE, Trouble, driver_words, trouble
from believable.store.writer import Writer, read_trouble

__all__ = ["Connection", "Store"]

T = TypeVar("T")

#: Changes per commit at most: bounds how long a commit takes.
GROUP_LIMIT = 1_000
#: How long a change waits for a database that is gone before its caller gets an error.
PATIENCE_S = 15.0
#: How long the writer waits for company before it begins a commit.
LINGER_S = 0.002
READERS = 4
#: Who stores for longer than this is stuck: a disk that does not answer, a lock that is never let
#: go.
STUCK_S = 20.0
#: With less than this left on its disk, a database should get no new people.
LEAST_FREE_BYTES = 64 * 1024 * 1024


class Store:
    """One database, opened by one process. Thread-safe. Close it, or use it as a context manager.

    `write(fn)` runs `fn(conn)` in a transaction shared with all waiting changes, and returns when
    it is durable. `read(fn)` runs `fn(conn)` on a consistent snapshot. `awrite` and `aread` are the
    same for coroutines.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        group_limit: int,
        patience_s: float,
        linger_s: float,
    ) -> None:
        self.database = database
        self.clock = clock
        self._patience_s = patience_s
        self._writer = Writer(
            database, clock, group_limit=group_limit, patience_s=patience_s, linger_s=linger_s
        )
        self._checkpointer = Checkpointer(database.path) if database.path is not None else None
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="believable-reader")

    @classmethod
    def open(
        cls,
        url: str,
        *,
        clock: Clock | None = None,
        max_pages: int | None = None,
        group_limit: int | None = None,
        patience_s: float = PATIENCE_S,
        linger_s: float = LINGER_S,
        synchronous: Synchronous = "FULL",
    ) -> Store:
        """Open, and bring the tables to this version. Refuses a database made by a newer version.

        `max_pages` (or BELIEVABLE_SQLITE_MAX_PAGES) limits a SQLite file; `group_limit` (or
        BELIEVABLE_GROUP_LIMIT) the changes per commit, 1 meaning one commit per change.
        `synchronous` is `NORMAL` for a process that stores simulated answers only.
        """
        pages = (
            max_pages if max_pages is not None else _from_environment("BELIEVABLE_SQLITE_MAX_PAGES")
        )
        limit = (
            group_limit if group_limit is not None else _from_environment("BELIEVABLE_GROUP_LIMIT")
        )
        database = Database(url, max_pages=pages, readers=READERS, synchronous=synchronous)
        try:
            with database.opening():
                migration.migrate(database)
                return cls(
                    database,
                    clock or WallClock(),
                    group_limit=limit or GROUP_LIMIT,
                    patience_s=patience_s,
                    linger_s=linger_s,
                )
        except BaseException:
            database.dispose()
            raise

    # ------------------------------------------------------------------------------------------
    # writing

    def write(self, change: Callable[[Connection], T | BelievableError]) -> T:
        """What `change` returns, once it is durable. It may run more than once. An error it returns
        is raised after storing.
        """
        result: T = self._writer.submit(change).result()
        return result

    async def awrite(self, change: Callable[[Connection], T | BelievableError]) -> T:
        result: T = await self._writer.submit_async(change)
        return result

    def append(self, batch: EventBatch) -> int:
        """Store events; the highest number up to which nothing is missing, once that is durable."""
        ack: int = self._writer.submit(batch).result()
        return ack

    async def aappend(self, batch: EventBatch) -> int:
        ack: int = await self._writer.submit_async(batch)
        return ack

    # ------------------------------------------------------------------------------------------
    # reading

    def read(self, query: Callable[[Connection], T]) -> T:
        deadline_s = time.monotonic() + self._patience_s
        while True:
            try:
                with self.database.reader.connect() as conn, conn.begin():
                    return query(conn)
            except DBAPIError as error:
                if (damaged := read_trouble(self._writer.watch, error)) is not None:
                    raise damaged from error
                if trouble(error) not in (Trouble.LOST, Trouble.BUSY):
                    raise
                if time.monotonic() > deadline_s:
                    raise Unavailable(
                        f"the database cannot be read now: {driver_words(error)}. Try again later."
                    ) from error
            time.sleep(0.1)

    async def aread(self, query: Callable[[Connection], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read, query)

    # ------------------------------------------------------------------------------------------
    # care

    def alarms(self) -> tuple[Alarm, ...]:
        """The open alarms: those that cannot be written now (first), and those in the database."""
        unwritten = self._writer.watch.unwritten_alarms
        stored = self.read(alarms.standing)
        known = {
            (alarm.kind, alarm.message) for alarm in stored
        }  # one may be written between the two looks
        return (
            *(alarm for alarm in unwritten if (alarm.kind, alarm.message) not in known),
            *stored,
        )

    def examine(self) -> None:
        """Refuse a damaged SQLite file before answers are stored in it. Reads the whole file
        once.
        """
        if damages := self.database.damages():
            listed = "\n".join(f"  {line}" for line in damages)
            raise Unavailable(f"the database {self.database.path} is damaged. {RESTORE}\n{listed}")

    async def atroubles(self, patience_s: float = STUCK_S) -> Mapping[str, str]:
        """The reasons why this process cannot store, by subject; empty when a change was just
        stored durably. It waits no longer than `patience_s` for that.
        """
        troubles = {"integrity": "damaged"} if self._writer.watch.stands("database_damaged") else {}
        if (stuck_s := self._writer.stuck_s) > STUCK_S:
            return {**troubles, "writer": f"busy with one change for {stuck_s:.0f} s"}
        if (
            self.database.path is not None
            and shutil.disk_usage(self.database.path.parent).free < LEAST_FREE_BYTES
        ):
            troubles["disk"] = f"less than {LEAST_FREE_BYTES // 2**20} MB left"
        try:
            await asyncio.wait_for(self.awrite(self.database.leave_mark), patience_s)
        except (StorageFull, Unavailable):
            troubles["write"] = "refused"
        except TimeoutError:
            troubles["write"] = "no answer"
        return troubles

    def limit_pages(self, pages: int | None) -> None:
        """Let the SQLite file grow to this many pages at most (None: no limit). For drills of a
        full disk.
        """
        if self.database.dialect != "sqlite":
            raise InvalidInput(
                "a page limit exists on SQLite only. Use a quota of the server's disk."
            )
        self.write(lambda conn: self.database.limit_pages(conn, pages))

    def close(self) -> None:
        """Finish what waits, then let go."""
        self._writer.close()
        if self._checkpointer is not None:
            self._checkpointer.close()
        self._readers.shutdown()
        self.database.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _from_environment(name: str) -> int | None:
    text = os.environ.get(name)
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise InvalidInput(
            f"environment variable {name}: expected a whole number above 0, got {text!r}. Correct"
            " or unset it."
        )
    return int(text)
