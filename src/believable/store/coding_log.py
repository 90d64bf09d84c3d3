"""What a coder's browser sends: numbered operations in a chain, acknowledged when they are durable, like a participant's events.

Each operation carries a text's whole mark, so that the latest one holds and sending again is harmless. Operations that cannot be
understood are kept and sound an alarm; nothing that was acknowledged is ever lost.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from believable.coding.labels import Mark, as_json, from_json
from believable.core import chain
from believable.core.errors import BelievableError, Conflict, InvalidInput, NotFound, TakenOver
from believable.store import alarms
from believable.store.append import SEQ_WINDOW
from believable.store.tables import coding_logs, coding_marks, coding_operations, coding_strays, coding_tasks
from believable.store.tables import coding_texts as texts_table


@dataclass(frozen=True, slots=True)
class Claimed:
    """`log` is the name of the chain, `ack` and `head` are where it stands."""

    log: str
    epoch: int
    ack: int
    head: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A mark that a coder made."""

    round: int
    number: int
    mark: Mark
    version: int
    suggested: bool
    at_ms: int


def claim(conn: Connection, project: str, coder: str, *, new_id: str) -> Claimed:
    """The tab that claims last is the one that writes."""
    row = _log(conn, project, coder)
    if row is None:
        conn.execute(
            insert(coding_logs).values(
                id=new_id, project=project, coder=coder, epoch=1, head_hash=chain.origin(new_id)
            )
        )
        return Claimed(new_id, 1, 0, chain.origin(new_id))
    conn.execute(update(coding_logs).where(coding_logs.c.id == row.id).values(epoch=row.epoch + 1))
    return Claimed(row.id, row.epoch + 1, row.head_seq, row.head_hash)


def _log(conn: Connection, project: str, coder: str) -> Row[Any] | None:
    query = select(coding_logs).where(coding_logs.c.project == project, coding_logs.c.coder == coder)
    return conn.execute(query.with_for_update()).one_or_none()


def append(
    conn: Connection, project: str, coder: str, epoch: int, sent: Sequence[tuple[int, str]], *, at_ms: int
) -> int | BelievableError:
    """Stores what is new and applies it; the number up to which nothing is missing. An error is returned, so that what came
    with it is stored all the same."""
    log = _log(conn, project, coder)
    if log is None:
        return NotFound("this desk was never opened. Reload the page.")
    if epoch > log.epoch:
        return Conflict(f"epoch {epoch} was never given out (the latest is {log.epoch}). Reload the page.")
    stored = _stored(conn, log.id, [seq for seq, _ in sent])
    fresh = {seq: body for seq, body in sent if stored.get(seq) != body}
    if epoch < log.epoch:
        _keep_strays(conn, project, log.id, epoch, fresh, at_ms)
        return TakenOver("the desk is open in another tab or on another device. Reload here to take it back.")
    if fresh and max(fresh) > log.head_seq + SEQ_WINDOW:
        return InvalidInput(
            f"operation {max(fresh)} is far ahead of the last complete one ({log.head_seq}). Send in order."
        )
    differing = [seq for seq in fresh if seq in stored]
    if differing:
        _keep_strays(conn, project, log.id, epoch, fresh, at_ms)
        message = (
            f"coder {coder} in {project}: operation {differing[0]} was sent twice with different content"
        )
        alarms.sound(conn, kind="chain_conflict", message=message, study=None, at_ms=at_ms)
        return Conflict(
            f"operation {differing[0]} is stored with other content. What was sent now is kept beside it."
        )
    if fresh:
        conn.execute(
            insert(coding_operations),
            [
                {"log": log.id, "seq": seq, "session": _session(conn, project, body), "body": body, "received_ms": at_ms}
                for seq, body in sorted(fresh.items())
            ],
        )  # fmt: skip
    return _extend(conn, project, coder, log, fresh, at_ms)


def _stored(conn: Connection, log: str, seqs: Sequence[int]) -> dict[int, str]:
    query = select(coding_operations.c.seq, coding_operations.c.body)
    query = query.where(coding_operations.c.log == log, coding_operations.c.seq.in_(seqs))
    return {row.seq: row.body for row in conn.execute(query)}


def _extend(
    conn: Connection, project: str, coder: str, log: Row[Any], fresh: dict[int, str], at_ms: int
) -> int:
    top = max([log.top_seq, *fresh])
    waiting = dict(fresh)
    if log.top_seq > log.head_seq:
        query = select(coding_operations.c.seq, coding_operations.c.body)
        later = query.where(coding_operations.c.log == log.id, coding_operations.c.seq > log.head_seq)
        waiting |= {row.seq: row.body for row in conn.execute(later)}
    head_seq, head_hash = int(log.head_seq), str(log.head_hash)
    while (body := waiting.get(head_seq + 1)) is not None:
        head_seq, head_hash = head_seq + 1, chain.extend(head_hash, [body])
        _apply(conn, project, coder, head_seq, body, at_ms)
    values = {"head_seq": head_seq, "head_hash": head_hash, "top_seq": top}
    conn.execute(update(coding_logs).where(coding_logs.c.id == log.id).values(**values))
    return head_seq


def _keep_strays(
    conn: Connection, project: str, log: str, epoch: int, fresh: dict[int, str], at_ms: int
) -> None:
    rows = [
        {
            "log": log,
            "epoch": epoch,
            "seq": seq,
            "session": _session(conn, project, body),
            "body": body,
            "received_ms": at_ms,
        }
        for seq, body in fresh.items()
    ]
    if rows:
        build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
        conn.execute(build(coding_strays).on_conflict_do_nothing(), rows)


def parse(body: str) -> Operation:
    """What an operation says. Raises InvalidInput on anything else."""
    try:
        data = json.loads(body)
    except ValueError:
        raise InvalidInput(f"operation: expected JSON, got {body[:40]!r}.") from None
    if not isinstance(data, dict) or data.get("kind") != "mark":
        raise InvalidInput(f"operation: expected a mark, got {body[:60]!r}.")
    numbers = [data.get(name) for name in ("round", "number", "version", "at_ms")]
    if not all(type(one) is int for one in numbers):
        raise InvalidInput(
            f"operation: expected whole numbers for round, number, version and time, got {body[:80]!r}."
        )
    return Operation(
        data["round"], data["number"], from_json(data.get("mark")), data["version"], data.get("suggested") is True, data["at_ms"]
    )  # fmt: skip


def _session(conn: Connection, project: str, body: str) -> str | None:
    """Whose text an operation is about, so that it goes when they withdraw."""
    try:
        number = parse(body).number
    except InvalidInput:
        return None
    query = select(texts_table.c.session)
    return conn.execute(
        query.where(texts_table.c.project == project, texts_table.c.number == number)
    ).scalar()


def _apply(conn: Connection, project: str, coder: str, seq: int, body: str, at_ms: int) -> None:
    try:
        operation = parse(body)
        session = _assigned(conn, project, coder, operation)
    except (InvalidInput, NotFound) as error:
        message = f"coder {coder} in {project}: operation {seq} was kept but not applied: {error}"
        alarms.sound(conn, kind="coding_operation", message=message, study=None, at_ms=at_ms)
        return
    put_mark(conn, project, coder, operation, session)


def _assigned(conn: Connection, project: str, coder: str, operation: Operation) -> str | None:
    query = (
        select(texts_table.c.session)
        .select_from(coding_tasks)
        .join(
            texts_table,
            (texts_table.c.project == coding_tasks.c.project)
            & (texts_table.c.number == coding_tasks.c.number),
        )
        .where(
            coding_tasks.c.project == project,
            coding_tasks.c.round == operation.round,
            coding_tasks.c.coder == coder,
            coding_tasks.c.number == operation.number,
        )
    )
    row = conn.execute(query).one_or_none()
    if row is None:
        raise NotFound(
            f"text {operation.number} of round {operation.round} is not on this coder's list (withdrawn?)"
        )
    session: str | None = row.session
    return session


def put_mark(conn: Connection, project: str, coder: str, operation: Operation, session: str | None) -> None:
    key = {
        "project": project,
        "round": operation.round,
        "coder": coder,
        "number": operation.number,
    }
    values = {
        "session": session,
        "body": json.dumps(as_json(operation.mark)),
        "done": operation.mark.done,
        "version": operation.version,
        "suggested": operation.suggested,
        "review": False,
        "at_ms": operation.at_ms,
    }
    build = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    conn.execute(
        build(coding_marks)
        .values(**key, **values)
        .on_conflict_do_update(index_elements=list(key), set_=values)
    )
