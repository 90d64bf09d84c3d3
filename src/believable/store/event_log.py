"""Events: immutable, numbered, kept to the letter. They are stored here and read back.

Storing is the hot path: all waiting batches of all sessions, merged into a few statements.
`(session, seq)` is the key, so sending again is harmless. The answer to a batch is the highest
event up to which nothing is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from believable.core import event_chain
from believable.core.errors import (
    BelievableError,
    Conflict,
    InvalidInput,
    NotFound,
    Refused,
    TakenOver,
    TooLarge,
    TooManyTries,
    Withdrawn,
)
from believable.store import alarms
from believable.store.event_checks import Event, EventBatch, parse_event
from believable.store.fixed_statements import FixedStatement, run_many
from believable.store.tables.collected import events, sessions, strays, tombstones

#: Events read at once.
PAGE = 1_000


#: How far ahead of the last gap-free event a number may be. The browser sends in order, so more is
#: a mistake.
SEQ_WINDOW = 20_000
#: Characters that one session may store, altogether and within a minute. The longest of three
#: simulated sessions of each protocol stored 216,500 (`qa`; `replay` 105,926, `trace` 85,685,
#: `clips` 37,653, `hntt` 30,957), counted as here.
SESSION_CHARS = 64_000_000
MINUTE_CHARS = 16_000_000
MINUTE_MS = 60_000
#: The overhead of an event in addition to its text.
EVENT_CHARS = 100
#: Values in one IN list: databases limit them.
MAX_PARAMETERS = 5_000


@dataclass(slots=True, kw_only=True)
class _OpenSession:
    """A session while batches are merged into it."""

    id: str
    study: str
    state: str
    epoch: int
    head_seq: int
    head_hash: str
    top_seq: int
    reservation_ms: int
    stored_chars: int
    minute_ms: int
    minute_chars: int
    stored: dict[int, str] = field(
        default_factory=dict
    )  # bodies at hand: duplicates, beyond a gap, and new ones
    new: dict[int, str] = field(default_factory=dict)
    strays: dict[tuple[int, int], str] = field(default_factory=dict)
    conflicts: set[int] = field(default_factory=set)
    flooded: set[str] = field(default_factory=set)


_COLUMNS = (
    "token_hash",
    "id",
    "study",
    "state",
    "epoch",
    "head_seq",
    "head_hash",
    "top_seq",
    "reservation_ms",
)
_COUNTS = ("stored_chars", "minute_ms", "minute_chars")
# Locked in one order, so that processes appending to the same sessions never wait for each other in
# a circle.
_SELECT = (
    select(*(sessions.c[name] for name in (*_COLUMNS, *_COUNTS)))
    .where(sessions.c.token_hash.in_(bindparam("tokens", expanding=True)))
    .order_by(sessions.c.id)
    .with_for_update()
)
_SELECT_ONE = FixedStatement(
    select(*(sessions.c[name] for name in (*_COLUMNS, *_COUNTS)))
    .where(sessions.c.token_hash == bindparam("token"))
    .with_for_update()
)
# Plain SQL for the two statements that run thousands of times a second: compiling parameters would
# be a third of the work. A plain INSERT, on purpose: new events were found under the lock, and a
# clash must fail and not be passed over.
_INSERT = "INSERT INTO events (session, seq, body, received_ms) VALUES (?, ?, ?, ?)"
_UPDATE = (
    "UPDATE sessions SET head_seq = ?, head_hash = ?, top_seq = ?, seen_ms = ?, reserved_until_ms ="
    " ?, stored_chars = ?, minute_ms = ?, minute_chars = ? WHERE id = ?"
)
_UPDATE_COUNTS = (
    "UPDATE sessions SET stored_chars = ?, minute_ms = ?, minute_chars = ? WHERE id = ?"
)


def _open_session(row: Any) -> _OpenSession:
    return _OpenSession(
        id=row[1],
        study=row[2],
        state=row[3],
        epoch=row[4],
        head_seq=row[5],
        head_hash=row[6],
        top_seq=row[7],
        reservation_ms=row[8],
        stored_chars=row[9],
        minute_ms=row[10],
        minute_chars=row[11],
    )


def apply(
    conn: Connection, batches: Sequence[EventBatch], now_ms: int
) -> list[int | BelievableError]:
    """Store the batches; per batch the acknowledgement, or the error to answer with (its events
    are kept all the same).
    """
    tokens = list({batch.token_hash for batch in batches})
    if len(tokens) == 1:
        rows: Iterable[Any] = _SELECT_ONE.run(conn, {"token": tokens[0]})
    else:
        rows = conn.execute(_SELECT, {"tokens": tokens})
    opened = {row[0]: _open_session(row) for row in rows}
    gone = _withdrawn(conn, [token for token in tokens if token not in opened])
    _fetch_stored(conn, batches, opened)
    answers: list[int | BelievableError] = []
    for batch in batches:
        session = opened.get(batch.token_hash)
        answers.append(_missing(batch, gone) if session is None else _take(session, batch, now_ms))
    _extend(opened.values())
    _write(conn, opened.values(), now_ms)
    return [
        opened[batch.token_hash].head_seq if isinstance(reply, int) else reply
        for batch, reply in zip(batches, answers, strict=True)
    ]


def _withdrawn(conn: Connection, tokens: Sequence[str]) -> set[str]:
    if not tokens:
        return set()
    return set(
        conn.execute(
            select(tombstones.c.token_hash).where(tombstones.c.token_hash.in_(tokens))
        ).scalars()
    )


def _missing(batch: EventBatch, gone: set[str]) -> BelievableError:
    if batch.token_hash in gone:
        return Withdrawn("this session was withdrawn and everything of it deleted.")
    return NotFound("there is no session with this address. Open the link you were given again.")


def _fetch_stored(
    conn: Connection, batches: Sequence[EventBatch], opened: Mapping[str, _OpenSession]
) -> None:
    """Bodies needed for comparing (sent again) and for closing gaps. Nothing to do in the ordinary
    case.
    """
    again: dict[str, set[int]] = {}
    for batch in batches:
        session = opened.get(batch.token_hash)
        if session is not None:
            seqs = {seq for seq, _ in batch.events if seq <= session.top_seq}
            again.setdefault(batch.token_hash, set()).update(seqs)
    for token, seqs in again.items():
        session = opened[token]
        beyond_gap = session.top_seq > session.head_seq
        if beyond_gap:
            session.stored |= _stored_bodies(conn, session.id, events.c.seq > session.head_seq)
        known = sorted(
            seq
            for seq in seqs
            if seq not in session.stored and (seq <= session.head_seq or not beyond_gap)
        )
        for start in range(0, len(known), MAX_PARAMETERS):
            chosen = known[start : start + MAX_PARAMETERS]
            session.stored |= _stored_bodies(conn, session.id, events.c.seq.in_(chosen))


def _stored_bodies(conn: Connection, session: str, which: ColumnElement[bool]) -> dict[int, str]:
    query = select(events.c.seq, events.c.body).where(events.c.session == session, which)
    return {row.seq: row.body for row in conn.execute(query)}


def _take(session: _OpenSession, batch: EventBatch, now_ms: int) -> int | BelievableError:
    fresh = [(seq, body) for seq, body in batch.events if session.stored.get(seq) != body]
    too_much = _count(session, fresh, now_ms)
    if too_much is not None:
        return too_much
    if session.state == "finished":
        return _outside(
            session,
            batch,
            fresh,
            Refused("this session is finished. What came later is kept outside of it."),
        )
    if batch.epoch < session.epoch:
        message = (
            "this session continues in another tab or on another device. Reload here to take it"
            " back."
        )
        return _outside(session, batch, fresh, TakenOver(message), always=True)
    if batch.epoch > session.epoch:
        return Conflict(
            f"epoch {batch.epoch} was never given out (the latest is {session.epoch}). Claim the"
            " session first."
        )
    furthest = max((seq for seq, _ in fresh), default=0)
    if furthest > session.head_seq + SEQ_WINDOW:
        return InvalidInput(
            f"event {furthest} is more than {SEQ_WINDOW} ahead of the last complete one"
            f" ({session.head_seq}). Send in order."
        )
    differing = [seq for seq, _ in fresh if seq in session.stored]
    if differing:
        session.conflicts.update(differing)
        message = (
            f"event {differing[0]} is stored with other content. The stored one stays; what was"
            " sent now is kept beside it."
        )
        return _outside(session, batch, fresh, Conflict(message))
    session.stored.update(fresh)
    session.new.update(fresh)
    return session.head_seq


def _count(
    session: _OpenSession, fresh: Sequence[tuple[int, str]], now_ms: int
) -> BelievableError | None:
    """Count new events, or report why they are refused: one session may not fill the disk of all. A
    browser keeps refused events for a minute and sends them again.
    """
    n_chars = sum(len(body) + EVENT_CHARS for _, body in fresh)
    minute_ms, minute_chars = session.minute_ms, session.minute_chars
    if not minute_ms <= now_ms < minute_ms + MINUTE_MS:
        minute_ms, minute_chars = now_ms, 0
    if session.stored_chars + n_chars > SESSION_CHARS:
        session.flooded.add(f"more than {SESSION_CHARS} characters")
        return TooLarge(
            f"this session has stored {session.stored_chars} characters, and at most"
            f" {SESSION_CHARS} are taken."
        )
    if minute_chars + n_chars > MINUTE_CHARS:
        session.flooded.add(f"more than {MINUTE_CHARS} characters in a minute")
        return TooManyTries(
            f"this session has sent more than {MINUTE_CHARS} characters in a minute. Send the rest"
            " in a minute."
        )
    session.stored_chars += n_chars
    session.minute_ms, session.minute_chars = minute_ms, minute_chars + n_chars
    return None


def _outside(
    session: _OpenSession,
    batch: EventBatch,
    fresh: Iterable[tuple[int, str]],
    error: BelievableError,
    *,
    always: bool = False,
) -> int | BelievableError:
    """Keep events outside the chain as strays; an error unless there was nothing to keep."""
    kept = {(batch.epoch, seq): body for seq, body in fresh}
    session.strays.update({key: body for key, body in kept.items() if key not in session.strays})
    return error if kept or always else session.head_seq


def _extend(opened: Iterable[_OpenSession]) -> None:
    for session in opened:
        if not session.new:
            continue
        seq, bodies = session.head_seq + 1, []
        while (body := session.stored.get(seq)) is not None:
            bodies.append(body)
            seq += 1
        session.head_seq, session.head_hash = seq - 1, event_chain.extend(session.head_hash, bodies)
        session.top_seq = max(session.top_seq, max(session.new))


def _write(conn: Connection, opened: Iterable[_OpenSession], now_ms: int) -> None:
    fresh: list[tuple[str, int, str, int]] = []
    heads: list[tuple[int, str, int, int, int, int, int, int, str]] = []
    counts: list[tuple[int, int, int, str]] = []
    outside: list[dict[str, Any]] = []
    for session in opened:
        fresh += [(session.id, seq, body, now_ms) for seq, body in session.new.items()]
        for (epoch, seq), body in session.strays.items():
            row = {
                "session": session.id,
                "epoch": epoch,
                "seq": seq,
                "body": body,
                "received_ms": now_ms,
            }
            outside.append(row)
        if session.state == "active":
            until_ms = now_ms + session.reservation_ms
            head = (session.head_seq, session.head_hash, session.top_seq, now_ms, until_ms)
            heads.append(
                (*head, session.stored_chars, session.minute_ms, session.minute_chars, session.id)
            )
        elif session.strays:
            counts.append(
                (session.stored_chars, session.minute_ms, session.minute_chars, session.id)
            )
        for how_much in session.flooded:
            message = f"session {session.id}: {how_much} were sent and refused"
            alarms.sound(
                conn, kind="session_flood", message=message, study=session.study, at_ms=now_ms
            )
        for seq in sorted(session.conflicts):
            message = f"session {session.id}: event {seq} was sent twice with different content"
            alarms.sound(
                conn, kind="chain_conflict", message=message, study=session.study, at_ms=now_ms
            )
    if fresh:
        run_many(conn, _INSERT, fresh)
    if heads:
        run_many(conn, _UPDATE, heads)
    if counts:
        run_many(conn, _UPDATE_COUNTS, counts)
    keep_new(conn, strays, outside)


def keep_new(conn: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows whose key is not there yet."""
    if rows:
        build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
        conn.execute(build(table).on_conflict_do_nothing(), rows)


# ----------------------------------------------------------------------------------------------
# checking and reading


_ONE = FixedStatement(
    select(events.c.body, events.c.received_ms).where(
        events.c.session == bindparam("key"), events.c.seq == bindparam("number")
    )
)
_FOLLOWING = FixedStatement(
    select(events.c.seq, events.c.body, events.c.received_ms)
    .where(events.c.session == bindparam("key"), events.c.seq > bindparam("number"))
    .order_by(events.c.seq)
    .limit(PAGE)
)


def get_event(conn: Connection, session: str, seq: int) -> Event | None:
    rows = _ONE.run(conn, {"key": session, "number": seq})
    return parse_event(seq, *rows[0]) if rows else None


def events_since(
    conn: Connection, session: str, after_seq: int, *, containing: str
) -> Iterator[Event]:
    """Events above a number whose text contains `containing` (a kind, say), in order, parsed."""
    for seq, body, received_ms in event_bodies(conn, session, after_seq):
        if containing in body:
            yield parse_event(seq, body, received_ms)


def event_bodies(
    conn: Connection, session: str, after_seq: int = 0
) -> Iterator[tuple[int, str, int]]:
    """(seq, body, received_ms) above a number, in order, a page at a time."""
    while True:
        page = _FOLLOWING.run(conn, {"key": session, "number": after_seq})
        yield from page
        if len(page) < PAGE:
            return
        after_seq = page[-1][0]


def strays_of(conn: Connection, session: str) -> tuple[tuple[int, int, str, int], ...]:
    """(epoch, seq, body, received_ms) of what came from tabs that had been taken over."""
    query = (
        select(strays.c.epoch, strays.c.seq, strays.c.body, strays.c.received_ms)
        .where(strays.c.session == session)
        .order_by(strays.c.epoch, strays.c.seq)
    )
    return tuple((row.epoch, row.seq, row.body, row.received_ms) for row in conn.execute(query))
