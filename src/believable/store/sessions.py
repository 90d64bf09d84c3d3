"""Sessions: one participant's run each. A withdrawn session has no row here, only a tombstone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, insert, or_, select, update

from believable.core.errors import NotFound, Withdrawn
from believable.store.tables import sessions, tombstones


@dataclass(frozen=True, slots=True)
class Session:
    """`arms`, `rows` and `seed` are what chance decided; `recruiter_extra` maps parameters to keyed hashes."""

    id: str
    token_hash: str
    code_hash: str
    study: str
    definition: str
    link_kind: str
    number: int
    language: str
    arms: Mapping[str, str]
    rows: Mapping[str, int]
    seed: int
    recruiter_hash: str | None
    recruiter_extra: Mapping[str, str]
    state: str
    outcome: str | None
    position: int
    run: int
    run_after_seq: int
    wrong_tries: int
    tried_seq: int
    opened_ms: int
    epoch: int
    head_seq: int
    head_hash: str
    top_seq: int
    started_ms: int
    seen_ms: int
    reserved_until_ms: int
    reservation_ms: int
    finished_ms: int | None
    rejected: bool


_JSON = ("arms", "rows", "recruiter_extra")


def _record(row: Row[Any]) -> Session:
    values = dict(row._mapping)
    return Session(**{**values, **{name: json.loads(values[name]) for name in _JSON}})


def _one(conn: Connection, where: ColumnElement[bool], *, lock: bool = False) -> Session | None:
    query = select(sessions).where(where)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _record(row)


def by_token(conn: Connection, token_hash: str, *, lock: bool = False) -> Session:
    """The session a token opens. Says so when it was withdrawn."""
    found = _one(conn, sessions.c.token_hash == token_hash, lock=lock)
    if found is not None:
        return found
    if conn.execute(select(tombstones.c.session).where(tombstones.c.token_hash == token_hash)).first():
        raise Withdrawn("this session was withdrawn and everything of it deleted.")
    raise NotFound("there is no session with this address. Open the link you were given again.")


def by_id(conn: Connection, session_id: str) -> Session | None:
    return _one(conn, sessions.c.id == session_id)


def by_code(conn: Connection, code_hash: str) -> Session | None:
    return _one(conn, sessions.c.code_hash == code_hash)


def by_recruiter(conn: Connection, study: str, recruiter_hash: str, kinds: Sequence[str]) -> Session | None:
    """The latest session of this person in this study."""
    query = (
        select(sessions)
        .where(
            sessions.c.study == study,
            sessions.c.recruiter_hash == recruiter_hash,
            sessions.c.link_kind.in_(kinds),
        )
        .order_by(sessions.c.number.desc())
        .limit(1)
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else _record(row)


def is_withdrawn(conn: Connection, session_id: str) -> bool:
    return (
        conn.execute(select(tombstones.c.session).where(tombstones.c.session == session_id)).first()
        is not None
    )


def create(conn: Connection, session: Session) -> None:
    values = {name: getattr(session, name) for name in Session.__slots__}
    for name in _JSON:
        values[name] = json.dumps(dict(values[name]), sort_keys=True)
    conn.execute(insert(sessions).values(**values))


def change(conn: Connection, session_id: str, **values: Any) -> None:
    conn.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


def next_number(conn: Connection, study: str, kinds: Sequence[str]) -> int:
    """1, 2, 3 … among sessions that count together; a withdrawn session's number is not given again."""
    highest = 0
    for table in (sessions, tombstones):
        query = select(func.max(table.c.number)).where(table.c.study == study, table.c.link_kind.in_(kinds))
        highest = max(highest, conn.execute(query).scalar() or 0)
    return highest + 1


def _counts(study: str, kinds: Sequence[str], now_ms: int) -> ColumnElement[bool]:
    """Sessions that hold a place: complete and not rejected, or still running with a live reservation."""
    return and_(
        sessions.c.study == study,
        sessions.c.link_kind.in_(kinds),
        or_(
            and_(
                sessions.c.state == "finished",
                sessions.c.outcome == "complete",
                sessions.c.rejected.is_(False),
            ),
            and_(sessions.c.state == "active", sessions.c.reserved_until_ms > now_ms),
        ),
    )


@dataclass(frozen=True, slots=True)
class Filled:
    """How many sessions hold a place in one cell of the design."""

    arms: Mapping[str, str]
    rows: Mapping[str, int]
    n_sessions: int


def filled(conn: Connection, study: str, kinds: Sequence[str], now_ms: int) -> tuple[Filled, ...]:
    query = (
        select(sessions.c.arms, sessions.c.rows, func.count())
        .where(_counts(study, kinds, now_ms))
        .group_by(sessions.c.arms, sessions.c.rows)
    )
    return tuple(Filled(json.loads(arms), json.loads(rows), n) for arms, rows, n in conn.execute(query))
