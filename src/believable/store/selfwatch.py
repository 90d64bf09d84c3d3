"""The store's alarms about itself: they arise exactly when they cannot be written, so they live in memory first."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.exc import DBAPIError

from believable.core.clock import Clock
from believable.store.alarms import Alarm, write
from believable.store.database import Database, Trouble, trouble
from believable.store.tables import alarms

log = logging.getLogger(__name__)

#: An alarm is cleared by a change that was stored this long after the last trouble: one that fits by luck is no recovery.
QUIET_MS = 5_000


@dataclass(slots=True)
class _Standing:
    alarm: Alarm
    latest_ms: int
    written: bool = False


class SelfWatch:
    """Raised by the writing thread, read by any."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._standing: dict[str, _Standing] = {}
        self._lock = threading.Lock()

    @property
    def unwritten(self) -> tuple[Alarm, ...]:
        with self._lock:
            return tuple(one.alarm for one in self._standing.values() if not one.written)

    def sound(self, kind: str, message: str) -> None:
        now_ms = self._clock.now_ms()
        with self._lock:
            known = self._standing.get(kind)
            if known is not None:
                known.latest_ms = now_ms
                return
            self._standing[kind] = _Standing(Alarm(None, None, kind, message, now_ms), now_ms)
        log.error("%s: %s", kind, message)

    def settle(self, database: Database, *, healthy: bool) -> None:
        """After each group: write what is not written, and clear what is over (`healthy`: the group was stored)."""
        now_ms = self._clock.now_ms()
        with self._lock:
            new = [one for one in self._standing.values() if not one.written]
            over = [one for one in self._standing.values() if healthy and now_ms - one.latest_ms >= QUIET_MS]
        if not new and not over:
            return
        try:
            self._write(database, new, over, now_ms)
        except DBAPIError as error:
            if trouble(error) is Trouble.OTHER:
                raise
            return
        with self._lock:
            for one in new:
                one.written = True
            for one in over:
                del self._standing[one.alarm.kind]

    def _write(self, database: Database, new: list[_Standing], over: list[_Standing], now_ms: int) -> None:
        with database.writer.connect() as conn:
            database.enter(conn, exclusive=True)
            for one in new:
                write(conn, one.alarm)
            for one in over:
                mine = (alarms.c.kind == one.alarm.kind) & alarms.c.cleared_ms.is_(None)
                conn.execute(update(alarms).where(mine).values(cleared_ms=now_ms))
            conn.commit()
