"""The hot path: all waiting batches of all sessions, merged into a few statements.

`(session, seq)` is the key, so sending again is harmless. The answer to a batch is the highest event up to which nothing
is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from believable.core import chain
from believable.core.errors import (
    BelievableError,
    Conflict,
    InvalidInput,
    NotFound,
    Refused,
    TakenOver,
    Withdrawn,
)
from believable.store import alarms
from believable.store.tables import events, sessions, strays, tombstones

#: How far ahead of the last gap-free event a number may be. The browser sends in order, so more is a mistake.
SEQ_WINDOW = 20_000
#: Values in one IN list: databases limit them.
MAX_PARAMETERS = 5_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Checked events of one session, from one tab (`epoch`)."""

    token_hash: str
    epoch: int
    events: tuple[tuple[int, str], ...]


@dataclass(slots=True)
class _Open:
    """A session while batches are merged into it."""

    id: str
    study: str
    state: str
    epoch: int
    head_seq: int
    head_hash: str
    top_seq: int
    reservation_ms: int
    stored: dict[int, str] = field(
        default_factory=dict
    )  # bodies at hand: duplicates, beyond a gap, and new ones
    new: dict[int, str] = field(default_factory=dict)
    strays: dict[tuple[int, int], str] = field(default_factory=dict)
    conflicts: set[int] = field(default_factory=set)


_COLUMNS = (
    sessions.c.token_hash,
    sessions.c.id,
    sessions.c.study,
    sessions.c.state,
    sessions.c.epoch,
    sessions.c.head_seq,
    sessions.c.head_hash,
    sessions.c.top_seq,
    sessions.c.reservation_ms,
)
# Locked in one order, so that processes appending to the same sessions never wait for each other in a circle.
_SELECT = (
    select(*_COLUMNS)
    .where(sessions.c.token_hash.in_(bindparam("tokens", expanding=True)))
    .order_by(sessions.c.id)
    .with_for_update()
)
# Plain SQL for the two statements that run thousands of times a second: compiling parameters would be a third of the work.
# A plain INSERT, on purpose: what is new was found out under the lock, and a clash must fail and not be passed over.
_INSERT = "INSERT INTO events (session, seq, body, received_ms) VALUES (?, ?, ?, ?)"
_UPDATE = "UPDATE sessions SET head_seq = ?, head_hash = ?, top_seq = ?, seen_ms = ?, reserved_until_ms = ? WHERE id = ?"


def apply(conn: Connection, batches: Sequence[Batch], now_ms: int) -> list[int | BelievableError]:
    """Store the batches; per batch the acknowledgement, or the error to answer with (what it brought is kept all the same)."""
    tokens = list({batch.token_hash for batch in batches})
    opened = {row[0]: _Open(*row[1:]) for row in conn.execute(_SELECT, {"tokens": tokens})}
    gone = _withdrawn(conn, [token for token in tokens if token not in opened])
    _fetch_stored(conn, batches, opened)
    answers: list[int | BelievableError] = []
    for batch in batches:
        session = opened.get(batch.token_hash)
        answers.append(_missing(batch, gone) if session is None else _take(session, batch))
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
        conn.execute(select(tombstones.c.token_hash).where(tombstones.c.token_hash.in_(tokens))).scalars()
    )


def _missing(batch: Batch, gone: set[str]) -> BelievableError:
    if batch.token_hash in gone:
        return Withdrawn("this session was withdrawn and everything of it deleted.")
    return NotFound("there is no session with this address. Open the link you were given again.")


def _fetch_stored(conn: Connection, batches: Sequence[Batch], opened: Mapping[str, _Open]) -> None:
    """Bodies needed for comparing (sent again) and for closing gaps. Nothing to do in the ordinary case."""
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
            session.stored |= _bodies(conn, session.id, events.c.seq > session.head_seq)
        known = sorted(
            seq for seq in seqs if seq not in session.stored and (seq <= session.head_seq or not beyond_gap)
        )
        for start in range(0, len(known), MAX_PARAMETERS):
            chosen = known[start : start + MAX_PARAMETERS]
            session.stored |= _bodies(conn, session.id, events.c.seq.in_(chosen))


def _bodies(conn: Connection, session: str, which: ColumnElement[bool]) -> dict[int, str]:
    query = select(events.c.seq, events.c.body).where(events.c.session == session, which)
    return {row.seq: row.body for row in conn.execute(query)}


def _take(session: _Open, batch: Batch) -> int | BelievableError:
    fresh = [(seq, body) for seq, body in batch.events if session.stored.get(seq) != body]
    if session.state == "finished":
        return _outside(
            session, batch, fresh, Refused("this session is finished. What came later is kept outside of it.")
        )
    if batch.epoch < session.epoch:
        message = "this session continues in another tab or on another device. Reload here to take it back."
        return _outside(session, batch, fresh, TakenOver(message), always=True)
    if batch.epoch > session.epoch:
        return Conflict(
            f"epoch {batch.epoch} was never given out (the latest is {session.epoch}). Claim the session first."
        )
    furthest = max((seq for seq, _ in fresh), default=0)
    if furthest > session.head_seq + SEQ_WINDOW:
        return InvalidInput(
            f"event {furthest} is more than {SEQ_WINDOW} ahead of the last complete one ({session.head_seq}). Send in order."
        )
    differing = [seq for seq, _ in fresh if seq in session.stored]
    if differing:
        session.conflicts.update(differing)
        message = f"event {differing[0]} is stored with other content. The stored one stays; what was sent now is kept beside it."
        return _outside(session, batch, fresh, Conflict(message))
    session.stored.update(fresh)
    session.new.update(fresh)
    return session.head_seq


def _outside(
    session: _Open,
    batch: Batch,
    fresh: Iterable[tuple[int, str]],
    error: BelievableError,
    *,
    always: bool = False,
) -> int | BelievableError:
    """Keep what is not in the chain as strays; an error unless there was nothing to keep."""
    kept = {(batch.epoch, seq): body for seq, body in fresh}
    session.strays.update({key: body for key, body in kept.items() if key not in session.strays})
    return error if kept or always else session.head_seq


def _extend(opened: Iterable[_Open]) -> None:
    for session in opened:
        if not session.new:
            continue
        seq, bodies = session.head_seq + 1, []
        while (body := session.stored.get(seq)) is not None:
            bodies.append(body)
            seq += 1
        session.head_seq, session.head_hash = seq - 1, chain.extend(session.head_hash, bodies)
        session.top_seq = max(session.top_seq, max(session.new))


def _write(conn: Connection, opened: Iterable[_Open], now_ms: int) -> None:
    fresh: list[tuple[str, int, str, int]] = []
    heads: list[tuple[int, str, int, int, int, str]] = []
    outside: list[dict[str, Any]] = []
    for session in opened:
        fresh += [(session.id, seq, body, now_ms) for seq, body in session.new.items()]
        for (epoch, seq), body in session.strays.items():
            row = {"session": session.id, "epoch": epoch, "seq": seq, "body": body, "received_ms": now_ms}
            outside.append(row)
        if session.state == "active":
            until_ms = now_ms + session.reservation_ms
            heads.append((session.head_seq, session.head_hash, session.top_seq, now_ms, until_ms, session.id))
        for seq in sorted(session.conflicts):
            message = f"session {session.id}: event {seq} was sent twice with different content"
            alarms.sound(conn, kind="chain_conflict", message=message, study=session.study, at_ms=now_ms)
    _many(conn, _INSERT, fresh)
    _many(conn, _UPDATE, heads)
    if outside:
        build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
        conn.execute(build(strays).on_conflict_do_nothing(), outside)


def _many(conn: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        placeholder = "?" if conn.dialect.name == "sqlite" else "%s"
        conn.exec_driver_sql(statement.replace("?", placeholder), list(rows))
