"""Sessions: one participant's run each, its closed trials and the files made for it. A withdrawn
one leaves only a tombstone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from believable.bundle.session_records import ClosedTrial
from believable.core.errors import NotFound, Withdrawn
from believable.store.audit_log import forget_session
from believable.store.fixed_statements import FixedStatement
from believable.store.tables.coding import (
    coding_marks,
    coding_operations,
    coding_outcomes,
    coding_strays,
    coding_texts,
)
from believable.store.tables.collected import (
    blobs,
    decisions,
    events,
    links,
    media_sent,
    round_inputs,
    rounds,
    sessions,
    strays,
    tombstones,
    trials,
    view_checks,
)
from believable.store.tables.review import review_answers, review_keys, review_sessions
from believable.store.writer import ERASED

#: Sessions that count together, by the kind of their link. Real ones, simulated ones and previews
#: are never added up.
POOLS: Mapping[str, tuple[str, ...]] = {
    "real": ("open", "personal"),
    "simulated": ("simulated",),
    "preview": ("preview",),
}
LINK_KINDS: tuple[str, ...] = tuple(kind for kinds in POOLS.values() for kind in kinds)


def pool_of(link_kind: str) -> tuple[str, ...]:
    """The link kinds that a session of this kind is balanced and numbered together with."""
    return next(kinds for kinds in POOLS.values() if link_kind in kinds)


# ----------------------------------------------------------------------------------------------
# sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`arms`, `rows` and `seed` are what chance decided; `recruiter_extra` maps parameters to keyed
    hashes.
    """

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
    state: str = "active"
    outcome: str | None = None
    position: int
    run: int = 0
    run_after_seq: int = 0
    wrong_tries: int = 0
    tried_seq: int = 0
    opened_ms: int
    epoch: int = 0
    head_seq: int = 0
    head_hash: str
    top_seq: int = 0
    started_ms: int
    seen_ms: int
    reserved_until_ms: int
    reservation_ms: int
    finished_ms: int | None = None
    rejected: bool = False
    approved: bool = False
    excluded: bool = False
    stored_chars: int = 0
    minute_ms: int = 0
    minute_chars: int = 0


_JSON = ("arms", "rows", "recruiter_extra")


def _record(values: dict[str, Any]) -> Session:
    for name in _JSON:
        text = values[name]
        values[name] = {} if text == "{}" else json.loads(text)
    return Session(**values)


#: Statements of every page, put together once: building one takes several times as long as running
#: it.
_BY_TOKEN = select(sessions).where(sessions.c.token_hash == bindparam("key"))
_TOKEN, _TOKEN_LOCKED = FixedStatement(_BY_TOKEN), FixedStatement(_BY_TOKEN.with_for_update())
_CREATE, _CLOSE = FixedStatement(insert(sessions)), FixedStatement(insert(trials))
_CLOSED = (
    select(trials)
    .where(trials.c.session == bindparam("key"))
    .order_by(trials.c.run, trials.c.position)
)
_CLOSED_OF_RUN = _CLOSED.where(trials.c.run == bindparam("of_run"))


_HIGHEST = tuple(
    select(func.max(table.c.number)).where(
        table.c.study == bindparam("key"), table.c.link_kind.in_(bindparam("kinds", expanding=True))
    )
    for table in (sessions, tombstones)
)


@cache
def _change(names: tuple[str, ...]) -> FixedStatement:
    return FixedStatement(
        update(sessions)
        .where(sessions.c.id == bindparam("key"))
        .values({name: bindparam(f"new_{name}") for name in names})
    )


def _session_where(conn: Connection, *where: ColumnElement[bool]) -> Session | None:
    """The latest of them, if there are several."""
    row = conn.execute(
        select(sessions).where(*where).order_by(sessions.c.number.desc()).limit(1)
    ).one_or_none()
    return None if row is None else _record(dict(row._mapping))


def by_token(conn: Connection, token_hash: str, *, lock: bool = False) -> Session:
    """The session a token opens. Says so when it was withdrawn."""
    row = (_TOKEN_LOCKED if lock else _TOKEN).first(conn, {"key": token_hash})
    if row is not None:
        return _record(row)
    if conn.execute(
        select(tombstones.c.session).where(tombstones.c.token_hash == token_hash)
    ).first():
        raise Withdrawn("this session was withdrawn and everything of it deleted.")
    raise NotFound("there is no session with this address. Open the link you were given again.")


def by_id(conn: Connection, session_id: str) -> Session | None:
    return _session_where(conn, sessions.c.id == session_id)


def by_code(conn: Connection, code_hash: str) -> Session | None:
    return _session_where(conn, sessions.c.code_hash == code_hash)


def by_recruiter(
    conn: Connection, study: str, recruiter_hash: str, kinds: Sequence[str]
) -> tuple[Session, ...]:
    """The sessions under this person's id in this study, the latest first."""
    person = (
        sessions.c.study == study,
        sessions.c.recruiter_hash == recruiter_hash,
        sessions.c.link_kind.in_(kinds),
    )
    rows = conn.execute(select(sessions).where(*person).order_by(sessions.c.number.desc()))
    return tuple(_record(dict(row._mapping)) for row in rows)


def of_study(conn: Connection, study: str, token_hash: str) -> Session | None:
    """The session with this token, if it is one of this study's; none if it was withdrawn."""
    return _session_where(conn, sessions.c.token_hash == token_hash, sessions.c.study == study)


def is_withdrawn(conn: Connection, session_id: str) -> bool:
    return (
        conn.execute(select(tombstones.c.session).where(tombstones.c.session == session_id)).first()
        is not None
    )


def create(conn: Connection, session: Session) -> None:
    values = {name: getattr(session, name) for name in Session.__slots__}
    for name in _JSON:
        values[name] = json.dumps(dict(values[name]), sort_keys=True)
    _CREATE.run(conn, values)


def change(conn: Connection, session_id: str, **values: Any) -> None:
    new = {f"new_{name}": value for name, value in values.items()}
    _change(tuple(values)).run(conn, {"key": session_id, **new})


def next_number(conn: Connection, study: str, kinds: Sequence[str]) -> int:
    """1, 2, 3 … among sessions that count together; a withdrawn session's number is not given
    again.
    """
    values = {"key": study, "kinds": list(kinds)}
    return max(conn.execute(query, values).scalar() or 0 for query in _HIGHEST) + 1


def _counts(study: str, kinds: Sequence[str], now_ms: int) -> ColumnElement[bool]:
    """Sessions that hold a place: complete and neither rejected nor excluded, or still running with
    a live reservation.
    """
    return and_(
        sessions.c.study == study,
        sessions.c.link_kind.in_(kinds),
        or_(
            and_(
                sessions.c.state == "finished",
                sessions.c.outcome == "complete",
                sessions.c.rejected.is_(False),
                sessions.c.excluded.is_(False),
            ),
            and_(sessions.c.state == "active", sessions.c.reserved_until_ms > now_ms),
        ),
    )


@dataclass(frozen=True, slots=True)
class FilledCell:
    """How many sessions hold a place in one cell of the design."""

    arms: Mapping[str, str]
    rows: Mapping[str, int]
    n_sessions: int


def count_filled(
    conn: Connection, study: str, kinds: Sequence[str], now_ms: int
) -> tuple[FilledCell, ...]:
    query = (
        select(sessions.c.arms, sessions.c.rows, func.count())
        .where(_counts(study, kinds, now_ms))
        .group_by(sessions.c.arms, sessions.c.rows)
    )
    return tuple(
        FilledCell(json.loads(arms), json.loads(rows), n) for arms, rows, n in conn.execute(query)
    )


# ----------------------------------------------------------------------------------------------
# closed trials


def close_trial(conn: Connection, session: str, trial: ClosedTrial) -> None:
    values = {name: getattr(trial, name) for name in ClosedTrial.__slots__}
    values["answers"] = json.dumps(dict(trial.answers), allow_nan=False)
    _CLOSE.run(conn, {"session": session, **values})


def closed_trials(
    conn: Connection, session: str, run: int | None = None
) -> tuple[ClosedTrial, ...]:
    """In order of position; of one run, or of all."""
    if run is None:
        return tuple(closed_trial(row) for row in conn.execute(_CLOSED, {"key": session}))
    return tuple(
        closed_trial(row) for row in conn.execute(_CLOSED_OF_RUN, {"key": session, "of_run": run})
    )


def closed_trial(row: Row[Any]) -> ClosedTrial:
    values = {name: getattr(row, name) for name in ClosedTrial.__slots__}
    return ClosedTrial(**{**values, "answers": json.loads(row.answers)})


# ----------------------------------------------------------------------------------------------
# files


def put_file(conn: Connection, session: str, name: str, media_type: str, body: bytes) -> None:
    """Keep a file; one of the same name is replaced."""
    conn.execute(delete(blobs).where(blobs.c.session == session, blobs.c.name == name))
    conn.execute(insert(blobs).values(session=session, name=name, media_type=media_type, body=body))


def get_file(conn: Connection, session: str, name: str) -> bytes | None:
    query = select(blobs.c.body).where(blobs.c.session == session, blobs.c.name == name)
    body = conn.execute(query).scalar_one_or_none()
    return None if body is None else bytes(body)


def file_size(conn: Connection, session: str, name: str) -> int | None:
    """Its length in bytes; None if it does not exist."""
    query = select(func.length(blobs.c.body)).where(
        blobs.c.session == session, blobs.c.name == name
    )
    n_bytes = conn.execute(query).scalar_one_or_none()
    return None if n_bytes is None else int(n_bytes)


# ----------------------------------------------------------------------------------------------
# withdrawing


#: The codings of a session's texts.
OF_CODING = (coding_marks, coding_operations, coding_outcomes, coding_strays, coding_texts)
#: Every table that holds something of a session.
OF_SESSION = (
    events,
    strays,
    trials,
    decisions,
    blobs,
    media_sent,
    view_checks,
    round_inputs,
    rounds,
    review_answers,
    review_sessions,
    *OF_CODING,
)


def withdraw(conn: Connection, session: Session, at_ms: int) -> None:
    """Everything of a session is deleted, and a counted tombstone says that it was there.

    On SQLite deleted bytes are overwritten (`secure_delete`) and the write-ahead log is emptied
    right after. PostgreSQL frees the rows at once and reuses their space after its next vacuum. No
    hash of the recruiter's id remains, so the same person may start again: forbidding that would
    mean remembering them.
    """
    delete_content(conn, session.id)
    left = {name: getattr(session, name) for name in ("token_hash", "study", "link_kind", "number")}
    conn.execute(insert(tombstones).values(session=session.id, withdrawn_ms=at_ms, **left))


def delete_content(conn: Connection, session_id: str) -> None:
    """Rows first that point to the session, then the session itself. Whose personal link it was is
    forgotten as well.
    """
    conn.execute(update(links).where(links.c.used_by == session_id).values(label=""))
    reviewed = select(review_answers.c.id).where(review_answers.c.session == session_id)
    conn.execute(delete(review_keys).where(review_keys.c.answer.in_(reviewed)))
    for table in OF_SESSION:
        conn.execute(delete(table).where(table.c.session == session_id))
    forget_session(conn, session_id)
    conn.execute(delete(sessions).where(sessions.c.id == session_id))
    conn.info[ERASED] = True
