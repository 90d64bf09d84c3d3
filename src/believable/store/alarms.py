"""Alarms: what a researcher must hear about. One that cannot be written (a full disk) is kept in memory until it can."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from believable.store.tables import alarms


@dataclass(frozen=True, slots=True)
class Alarm:
    """`id` is None while the alarm is only in memory; `cleared_ms` is None while it stands."""

    id: int | None
    study: str | None
    kind: str
    message: str
    raised_ms: int
    cleared_ms: int | None = None


def sound(conn: Connection, *, kind: str, message: str, study: str | None, at_ms: int) -> None:
    """Write an alarm, once: while the same one stands, saying it again adds nothing."""
    same = (alarms.c.kind == kind) & (alarms.c.message == message) & alarms.c.cleared_ms.is_(None)
    if conn.execute(select(alarms.c.id).where(same)).first() is None:
        write(conn, Alarm(None, study, kind, message, at_ms))


def write(conn: Connection, alarm: Alarm) -> None:
    conn.execute(
        insert(alarms).values(
            study=alarm.study,
            kind=alarm.kind,
            message=alarm.message,
            raised_ms=alarm.raised_ms,
            cleared_ms=alarm.cleared_ms,
        )
    )


def standing(conn: Connection) -> tuple[Alarm, ...]:
    """Alarms nobody has cleared, newest first."""
    query = select(alarms).where(alarms.c.cleared_ms.is_(None)).order_by(alarms.c.id.desc())
    return tuple(Alarm(**row._mapping) for row in conn.execute(query))


def recent(conn: Connection, limit: int = 100) -> tuple[Alarm, ...]:
    """The latest alarms, cleared or not, newest first."""
    query = select(alarms).order_by(alarms.c.id.desc()).limit(limit)
    return tuple(Alarm(**row._mapping) for row in conn.execute(query))


def clear(conn: Connection, alarm_id: int, at_ms: int) -> None:
    conn.execute(
        update(alarms).where(alarms.c.id == alarm_id, alarms.c.cleared_ms.is_(None)).values(cleared_ms=at_ms)
    )
