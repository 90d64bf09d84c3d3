"""Rounds of games: their setups, and the applied inputs, up to the last durable tick.

One connection holds a round at a time. A later connection takes it over; the former holder's inputs
are then refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, bindparam, insert, select, update
from sqlalchemy.sql.schema import Table

from believable.contracts.inputs import InputChange
from believable.core.errors import TakenOver
from believable.store import sessions
from believable.store.tables.collected import round_inputs, rounds


@dataclass(frozen=True, slots=True)
class RoundKey:
    """`attempt` counts from 1: a round that begins again keeps the inputs of earlier attempts."""

    session: str
    position: int
    run: int
    attempt: int

    @property
    def recording_name(self) -> str:
        """The name of its recording among the session's files."""
        return f"round-{self.position}-{self.run}-{self.attempt}.replay.json.gz"


@dataclass(frozen=True, slots=True)
class Piece:
    """Inputs are known before `tick`; `changes` are those since the piece before."""

    key: RoundKey
    holder: str
    tick: int
    changes: Sequence[InputChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRound:
    """`tick`: inputs are durable before it. `setup` is JSON."""

    key: RoundKey
    setup: str
    state: str
    tick: int
    holder: str
    losses: int
    score: int | None
    started_ms: int
    ended_ms: int | None


_ELSEWHERE = "this round continues in another connection. Open it again to take it back."
_GO_ON = (
    update(rounds)
    .where(*(rounds.c[name] == bindparam(f"at_{name}") for name in RoundKey.__slots__))
    .values(tick=bindparam("to_tick"))
)


def create(conn: Connection, key: RoundKey, *, setup: str, holder: str, at_ms: int) -> StoredRound:
    stored = StoredRound(
        key=key,
        setup=setup,
        state="live",
        tick=0,
        holder=holder,
        losses=0,
        score=None,
        started_ms=at_ms,
        ended_ms=None,
    )
    values = asdict(stored)
    conn.execute(insert(rounds).values(**values.pop("key"), **values))
    return stored


def latest(
    conn: Connection, session: str, position: int, run: int, *, lock: bool = False
) -> StoredRound | None:
    """The latest attempt at the round of a trial."""
    query = select(rounds).where(
        rounds.c.session == session, rounds.c.position == position, rounds.c.run == run
    )
    query = query.order_by(rounds.c.attempt.desc()).limit(1)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _record(row._mapping)


def of_session(conn: Connection, session: str) -> list[StoredRound]:
    """All rounds of a session, in the order they were played."""
    query = select(rounds).where(rounds.c.session == session)
    order = (rounds.c.run, rounds.c.position, rounds.c.attempt)
    return [_record(row._mapping) for row in conn.execute(query.order_by(*order)).all()]


def take(conn: Connection, key: RoundKey, holder: str, *, lost: bool) -> None:
    """`holder` continues it from now on."""
    values: dict[str, Any] = {"holder": holder}
    if lost:
        values["losses"] = rounds.c.losses + 1
    conn.execute(update(rounds).where(_is(rounds, key)).values(**values))


def append(conn: Connection, pieces: Sequence[Piece]) -> list[TakenOver | None]:
    """Pieces of different rounds, in a few statements whatever their number. A piece of a round
    that another connection holds by now, or that is no longer live, is refused; the others are not
    touched by that.
    """
    query = select(
        rounds.c.session, rounds.c.position, rounds.c.run, rounds.c.attempt, rounds.c.holder
    ).where(
        rounds.c.session.in_([piece.key.session for piece in pieces]),
        rounds.c.holder.in_([piece.holder for piece in pieces]),
        rounds.c.state == "live",
    )
    held = {
        (RoundKey(*key), holder) for *key, holder in conn.execute(query.with_for_update()).all()
    }
    mine = [piece for piece in pieces if (piece.key, piece.holder) in held]
    if mine:
        conn.execute(_GO_ON, [_place(piece, "at_") | {"to_tick": piece.tick} for piece in mine])
        conn.execute(insert(round_inputs), [row for piece in mine for row in _input_rows(piece)])
    return [
        None if (piece.key, piece.holder) in held else TakenOver(_ELSEWHERE) for piece in pieces
    ]


def _input_rows(piece: Piece) -> Iterator[dict[str, Any]]:
    """One row for each seat with changes. The first seat always has one."""
    for seat in sorted({0} | {change.seat for change in piece.changes}):
        changes = [
            [change.tick, change.number, *change.pressed]
            for change in piece.changes
            if change.seat == seat
        ]
        written = json.dumps(changes, separators=(",", ":"))
        yield _place(piece) | {"tick": piece.tick, "seat": seat, "inputs": written}


def _place(piece: Piece, prefix: str = "") -> dict[str, Any]:
    return {prefix + name: value for name, value in asdict(piece.key).items()}


def changes_of(conn: Connection, key: RoundKey) -> list[InputChange]:
    """All changes that were applied, in the order of their ticks and seats."""
    query = (
        select(round_inputs.c.seat, round_inputs.c.inputs)
        .where(_is(round_inputs, key))
        .order_by(round_inputs.c.tick, round_inputs.c.seat)
    )
    changes = (
        InputChange(tick, number, tuple(pressed), seat)
        for seat, piece in conn.execute(query).all()
        for tick, number, *pressed in json.loads(piece)
    )
    return sorted(changes, key=lambda change: (change.tick, change.seat))


def close(conn: Connection, key: RoundKey, *, state: str, score: int | None, at_ms: int) -> None:
    """The round is `over`, or was `left`. Nothing is appended any more."""
    conn.execute(
        update(rounds).where(_is(rounds, key)).values(state=state, score=score, ended_ms=at_ms)
    )


def recordings(conn: Connection) -> list[bytes]:
    """The recordings of all rounds that were played to their end, in the order they ended."""
    ended = conn.execute(select(rounds).where(rounds.c.state == "over").order_by(rounds.c.ended_ms))
    keys = [_record(row._mapping).key for row in ended.all()]
    bodies = [sessions.get_file(conn, key.session, key.recording_name) for key in keys]
    return [body for body in bodies if body is not None]


def _is(table: Table, key: RoundKey) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in asdict(key).items()))


def _record(row: Any) -> StoredRound:
    values = dict(row)
    key = RoundKey(*(values.pop(name) for name in RoundKey.__slots__))
    return StoredRound(key=key, **values)
