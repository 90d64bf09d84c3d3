"""The server's knowledge about views: how much of a medium it has sent, and whether a claimed view
was possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, exists, func, select
from sqlalchemy.dialects import postgresql, sqlite

from believable.bundle.session_records import ViewCheck
from believable.store.tables.collected import media_sent, sessions, view_checks


def note_sent(conn: Connection, token_hash: str, name: str, n_bytes: int) -> None:
    """Add to the bytes of a medium that were sent to a session. A session that was withdrawn
    meanwhile leaves nothing.
    """
    session = conn.execute(
        select(sessions.c.id).where(sessions.c.token_hash == token_hash)
    ).scalar()
    if session is None:
        return
    build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    row = build(media_sent).values(session=session, name=name, bytes=n_bytes)
    total = media_sent.c.bytes + row.excluded.bytes
    conn.execute(
        row.on_conflict_do_update(index_elements=["session", "name"], set_={"bytes": total})
    )


def sent_bytes(conn: Connection, session: str) -> Mapping[str, int]:
    """The session's name of each medium → bytes sent."""
    query = select(media_sent.c.name, media_sent.c.bytes).where(media_sent.c.session == session)
    return {row.name: row.bytes for row in conn.execute(query)}


def put_checks(
    conn: Connection, session: str, checks: Iterable[ViewCheck], *, refused: bool
) -> None:
    """Store the latest check of each player of a page. `refused`: the submission was sent back
    because of it.
    """
    build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    for check in checks:
        n_refused = int(refused and not check.possible)
        values = asdict(check) | {"refused": n_refused}
        row = build(view_checks).values(session=session, **values)
        latest = {
            name: value
            for name, value in values.items()
            if name not in ("position", "run", "player", "refused")
        }
        latest["refused"] = view_checks.c.refused + n_refused
        conn.execute(
            row.on_conflict_do_update(
                index_elements=["session", "position", "run", "player"], set_=latest
            )
        )


def checks_of(conn: Connection, session: str) -> tuple[ViewCheck, ...]:
    """In the order of the pages and their players."""
    query = select(view_checks).where(view_checks.c.session == session)
    ordered = query.order_by(view_checks.c.run, view_checks.c.position, view_checks.c.player)
    return tuple(
        ViewCheck(**{name: getattr(row, name) for name in ViewCheck.__slots__})
        for row in conn.execute(ordered)
    )


#: A view that was not possible, at the end or in a submission that was refused.
_IMPOSSIBLE = view_checks.c.possible.is_(False) | (view_checks.c.refused > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspectSession:
    """A session that claims impossible views. `pages` are their positions; `n_refused` submissions
    were sent back.
    """

    number: int
    n_views: int
    n_refused: int
    pages: tuple[int, ...]
    outcome: str | None
    rejected: bool
    excluded: bool


def impossible_views(conn: Connection, session: str) -> tuple[ViewCheck, ...]:
    """The checks of one session that failed, in the order of the pages."""
    return tuple(check for check in checks_of(conn, session) if not check.possible or check.refused)


def suspect_sessions(
    conn: Connection, study: str, kinds: Iterable[str], *, limit: int
) -> tuple[SuspectSession, ...]:
    """Sessions of these links with an impossible view, the latest first."""
    of_study = (sessions.c.study == study, sessions.c.link_kind.in_(list(kinds)))
    chosen = (
        select(sessions.c.id)
        .where(*of_study, has_impossible_view())
        .order_by(sessions.c.number.desc())
        .limit(limit)
    )
    names = list(conn.execute(chosen).scalars())
    columns = (sessions.c.number, sessions.c.outcome, sessions.c.rejected, sessions.c.excluded)
    query = (
        select(view_checks.c.position, view_checks.c.refused, *columns)
        .join(sessions, sessions.c.id == view_checks.c.session)
        .where(view_checks.c.session.in_(names), _IMPOSSIBLE)
        .order_by(sessions.c.number.desc(), view_checks.c.position)
    )
    views: dict[int, list[Any]] = {}
    for row in conn.execute(query):
        views.setdefault(row.number, []).append(row)
    return tuple(
        SuspectSession(
            number=number,
            n_views=len(rows),
            n_refused=sum(row.refused for row in rows),
            pages=tuple(sorted({row.position for row in rows})),
            outcome=rows[0].outcome,
            rejected=bool(rows[0].rejected),
            excluded=bool(rows[0].excluded),
        )
        for number, rows in views.items()
    )


def count_impossible(conn: Connection, study: str, kinds: Iterable[str]) -> int:
    """Count the sessions of a study with an impossible view."""
    of_study = (sessions.c.study == study, sessions.c.link_kind.in_(list(kinds)))
    return int(
        conn.execute(
            select(func.count()).select_from(sessions).where(*of_study, has_impossible_view())
        ).scalar_one()
    )


def has_impossible_view() -> ColumnElement[bool]:
    """Whether the session of a query has an impossible view."""
    return exists().where(view_checks.c.session == sessions.c.id, _IMPOSSIBLE)


def n_impossible() -> ScalarSelect[int]:
    """The number of impossible views in the session of a query."""
    return (
        select(func.count())
        .where(view_checks.c.session == sessions.c.id, _IMPOSSIBLE)
        .correlate(sessions)
        .scalar_subquery()
    )
