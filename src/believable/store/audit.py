"""What researchers did: log-ins, state changes, exports, rejections."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from believable.store.tables import audit


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    user: str
    what: str
    study: str | None
    at_ms: int


def note(conn: Connection, *, user: str, what: str, at_ms: int, study: str | None = None) -> None:
    conn.execute(insert(audit).values(user=user, what=what, study=study, at_ms=at_ms))


def recent(conn: Connection, limit: int = 100, study: str | None = None) -> tuple[Entry, ...]:
    """Newest first."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if study is not None:
        query = query.where(audit.c.study == study)
    return tuple(Entry(**row._mapping) for row in conn.execute(query))
