"""Alarms: problems that a researcher must know about. One that cannot be written (a full disk) is
kept in memory until it can.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import DBAPIError

from believable.core.clock import Clock
from believable.store.database import Database
from believable.store.tables.collected import alarms
from believable.store.trouble import Trouble, trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """`id` is None while the alarm is only in memory; `cleared_ms` is None until it is cleared."""

    id: int | None
    study: str | None
    kind: str
    message: str
    raised_ms: int
    cleared_ms: int | None = None


def sound(conn: Connection, *, kind: str, message: str, study: str | None, at_ms: int) -> None:
    """Write an alarm, once: while the same one is open, another adds nothing."""
    words = (alarms.c.kind == kind) & (alarms.c.message == message)
    same = words & alarms.c.study.is_not_distinct_from(study) & alarms.c.cleared_ms.is_(None)
    if conn.execute(select(alarms.c.id).where(same)).first() is None:
        write(conn, Alarm(id=None, study=study, kind=kind, message=message, raised_ms=at_ms))


def write(conn: Connection, alarm: Alarm) -> None:
    values = asdict(alarm)
    del values["id"]  # the database gives it
    conn.execute(insert(alarms).values(**values))


def standing(conn: Connection) -> tuple[Alarm, ...]:
    """Open alarms, newest first."""
    query = select(alarms).where(alarms.c.cleared_ms.is_(None)).order_by(alarms.c.id.desc())
    return tuple(Alarm(**row._mapping) for row in conn.execute(query))


def recent(conn: Connection, limit: int = 100) -> tuple[Alarm, ...]:
    """The latest alarms, cleared or not, newest first."""
    query = select(alarms).order_by(alarms.c.id.desc()).limit(limit)
    return tuple(Alarm(**row._mapping) for row in conn.execute(query))


def clear(conn: Connection, alarm_id: int, at_ms: int) -> None:
    conn.execute(
        update(alarms)
        .where(alarms.c.id == alarm_id, alarms.c.cleared_ms.is_(None))
        .values(cleared_ms=at_ms)
    )


# ---------------------------------------------------------------------------------------------- the
# store's own


log = logging.getLogger(__name__)

#: An alarm is cleared by a change that was stored this long after the last trouble: one that fits
#: by luck is no recovery.
QUIET_MS = 5_000
#: Not over because something else could be stored: a person clears these.
LASTING = frozenset({"database_damaged", "writer_failed"})


@dataclass(slots=True)
class _StandingAlarm:
    alarm: Alarm
    latest_ms: int
    written: bool = False


class StoreAlarms:
    """The store's alarms about itself: they arise exactly when they cannot be written, so they live
    in memory first.

    Raised by the writing thread, read by any.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._standing: dict[str, _StandingAlarm] = {}
        self._lock = threading.Lock()

    @property
    def unwritten_alarms(self) -> tuple[Alarm, ...]:
        with self._lock:
            return tuple(
                sounded.alarm for sounded in self._standing.values() if not sounded.written
            )

    def stands(self, kind: str) -> bool:
        with self._lock:
            return kind in self._standing

    def sound(self, kind: str, message: str) -> None:
        now_ms = self._clock.now_ms()
        with self._lock:
            known = self._standing.get(kind)
            if known is not None:
                known.latest_ms = now_ms
                return
            self._standing[kind] = _StandingAlarm(
                Alarm(id=None, study=None, kind=kind, message=message, raised_ms=now_ms), now_ms
            )
        log.error("%s: %s", kind, message)

    def settle(self, database: Database, *, healthy: bool) -> None:
        """After each group: write new alarms, and clear those that are over (`healthy`: the group
        was stored).
        """
        now_ms = self._clock.now_ms()
        with self._lock:
            new = [sounded for sounded in self._standing.values() if not sounded.written]
            over = [
                sounded
                for sounded in self._standing.values()
                if healthy
                and now_ms - sounded.latest_ms >= QUIET_MS
                and sounded.alarm.kind not in LASTING
            ]
        if not new and not over:
            return
        try:
            self._write(database, new, over, now_ms)
        except DBAPIError as error:
            if trouble(error) is Trouble.OTHER:
                raise
            return
        with self._lock:
            for sounded in new:
                sounded.written = True
            for sounded in over:
                del self._standing[sounded.alarm.kind]

    def _write(
        self, database: Database, new: list[_StandingAlarm], over: list[_StandingAlarm], now_ms: int
    ) -> None:
        with database.writing() as conn:
            database.enter(conn, exclusive=True)
            for sounded in new:
                write(conn, sounded.alarm)
            for sounded in over:
                mine = (alarms.c.kind == sounded.alarm.kind) & alarms.c.cleared_ms.is_(None)
                conn.execute(update(alarms).where(mine).values(cleared_ms=now_ms))
            conn.commit()
