"""The actions of users on a server and its studies: access to people's data, exports, changes. The
log is only added to.

Triggers in the database refuse every other change (`tables.accounts.APPEND_ONLY`) but one: when a
participant withdraws, texts about their session are removed; the fact of the action stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from sqlalchemy import Connection, Select, insert, select, update

from believable.store.tables.accounts import FORGOTTEN, audit

T = TypeVar("T")
Change: TypeAlias = Callable[[Connection], T]

AuditKind: TypeAlias = Literal["view", "export", "unblind", "change", "account"]
AUDIT_KINDS: tuple[AuditKind, ...] = ("view", "export", "unblind", "change", "account")
#: Looking at the same again within this time adds no line.
SAME_LOOK_MS = 15 * 60_000
#: Lines read in one step.
CHUNK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """`session` names whom the words are about, as long as they have not withdrawn."""

    id: int
    user: str
    what: str
    study: str | None
    at_ms: int
    kind: str
    session: str | None


def note_audit(
    conn: Connection,
    *,
    user: str,
    what: str,
    at_ms: int,
    study: str | None = None,
    kind: AuditKind = "change",
    session: str | None = None,
) -> None:
    conn.execute(
        insert(audit).values(
            user=user, what=what, study=study, at_ms=at_ms, kind=kind, session=session
        )
    )


def note_view(
    conn: Connection,
    *,
    user: str,
    what: str,
    at_ms: int,
    study: str | None,
    session: str | None = None,
) -> None:
    """Once for a look, however often its page is renewed."""
    same = (
        audit.c.user == user,
        audit.c.what == what,
        audit.c.kind == "view",
        audit.c.at_ms > at_ms - SAME_LOOK_MS,
    )
    if (
        conn.execute(select(audit.c.id).where(audit.c.study == study, *same).limit(1)).first()
        is None
    ):
        note_audit(
            conn, user=user, what=what, at_ms=at_ms, study=study, kind="view", session=session
        )


def with_note(
    change: Change[T],
    *,
    user: str,
    what: str,
    at_ms: int,
    study: str | None = None,
    kind: AuditKind = "change",
    session: str | None = None,
) -> Change[T]:
    """The change, with its line in the audit log written in the same transaction."""

    def both(conn: Connection) -> T:
        result = change(conn)
        note_audit(conn, user=user, what=what, at_ms=at_ms, study=study, kind=kind, session=session)
        return result

    return both


def forget_session(conn: Connection, session: str) -> None:
    conn.execute(
        update(audit).where(audit.c.session == session).values(what=FORGOTTEN, session=None)
    )


# ----------------------------------------------------------------------------------------------
# reading it


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """None and '' take everything."""

    study: str | None = None
    kind: str = ""
    user: str = ""

    def of(self, query: Select[tuple[object, ...]]) -> Select[tuple[object, ...]]:
        if self.study is not None:
            query = query.where(audit.c.study == self.study)
        if self.kind:
            query = query.where(audit.c.kind == self.kind)
        if self.user:
            query = query.where(audit.c.user == self.user)
        return query


EVERYTHING = AuditFilter()


def recent_audit(
    conn: Connection,
    limit: int = 100,
    wanted: AuditFilter = EVERYTHING,
    *,
    before: int | None = None,
) -> tuple[AuditEntry, ...]:
    """Newest first; `before` is the number of the last line seen."""
    query = wanted.of(select(audit)).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    return tuple(AuditEntry(**row._mapping) for row in conn.execute(query))


def whole_audit(conn: Connection, wanted: AuditFilter) -> Iterator[AuditEntry]:
    """Oldest first."""
    last = 0
    while True:
        query = wanted.of(select(audit)).where(audit.c.id > last).order_by(audit.c.id).limit(CHUNK)
        entries = [AuditEntry(**row._mapping) for row in conn.execute(query)]
        yield from entries
        if len(entries) < CHUNK:
            return
        last = entries[-1].id
