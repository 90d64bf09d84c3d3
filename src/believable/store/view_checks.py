"""What the server itself knows about views: how much of a medium it has sent, and whether a claimed view was possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from believable.bundle.session_records import ViewCheck
from believable.store.database_tables import media_sent, sessions, view_checks


def note_sent(conn: Connection, token_hash: str, name: str, n_bytes: int) -> None:
    """Add to the bytes of a medium that were sent to a session. A session that was withdrawn meanwhile leaves nothing."""
    session = conn.execute(select(sessions.c.id).where(sessions.c.token_hash == token_hash)).scalar()
    if session is None:
        return
    build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    row = build(media_sent).values(session=session, name=name, bytes=n_bytes)
    total = media_sent.c.bytes + row.excluded.bytes
    conn.execute(row.on_conflict_do_update(index_elements=["session", "name"], set_={"bytes": total}))


def sent_bytes(conn: Connection, session: str) -> Mapping[str, int]:
    """The session's name of each medium → bytes sent."""
    query = select(media_sent.c.name, media_sent.c.bytes).where(media_sent.c.session == session)
    return {row.name: row.bytes for row in conn.execute(query)}


def put_checks(conn: Connection, session: str, checks: Iterable[ViewCheck], *, refused: bool) -> None:
    """Store the latest check of each player of a page. `refused`: the submission was sent back because of it."""
    build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    for check in checks:
        n_refused = int(refused and not check.possible)
        values = asdict(check) | {"refused": n_refused}
        row = build(view_checks).values(session=session, **values)
        latest = {name: value for name, value in values.items() if name not in ("position", "run", "player", "refused")}
        latest["refused"] = view_checks.c.refused + n_refused
        conn.execute(row.on_conflict_do_update(index_elements=["session", "position", "run", "player"], set_=latest))


def checks_of(conn: Connection, session: str) -> tuple[ViewCheck, ...]:
    """In the order of the pages and their players."""
    query = select(view_checks).where(view_checks.c.session == session)
    ordered = query.order_by(view_checks.c.run, view_checks.c.position, view_checks.c.player)
    return tuple(ViewCheck(**{name: getattr(row, name) for name in ViewCheck.__slots__}) for row in conn.execute(ordered))


def impossible_pages(conn: Connection, session: str) -> frozenset[int]:
    """Positions of the pages with a view that was not possible, at the end or in a submission that was refused."""
    suspicious = (view_checks.c.possible.is_(False)) | (view_checks.c.refused > 0)
    query = select(view_checks.c.position).where(view_checks.c.session == session, suspicious)
    return frozenset(conn.execute(query).scalars())


def count_impossible(conn: Connection, study: str, kinds: Iterable[str]) -> int:
    """Sessions of a study with such a page."""
    suspicious = (view_checks.c.possible.is_(False)) | (view_checks.c.refused > 0)
    query = select(func.count(view_checks.c.session.distinct())).join(sessions, sessions.c.id == view_checks.c.session)
    query = query.where(sessions.c.study == study, sessions.c.link_kind.in_(list(kinds)), suspicious)
    return int(conn.execute(query).scalar_one())
