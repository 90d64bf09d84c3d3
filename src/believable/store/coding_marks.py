"""The labels of coders, and the decisions about them.

A coder's browser sends numbered operations in a chain, acknowledged when they are durable, like a
participant's events. Each carries a text's whole mark, so that the latest one holds and sending
again is harmless. Operations that cannot be understood are kept and sound an alarm; nothing that
was acknowledged is ever lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from believable.coding.coded_bundle import CoderVerdict, DecidedMark, FinalMark, final_marks
from believable.coding.labels import Mark, as_json, conflicts, from_json, problems
from believable.core import event_chain
from believable.core.errors import BelievableError, Conflict, InvalidInput, NotFound, TakenOver
from believable.store import alarms
from believable.store.coding_projects import CodingProject, books, get_project, text
from believable.store.event_log import SEQ_WINDOW, keep_new
from believable.store.tables.coding import (
    coding_logs,
    coding_marks,
    coding_operations,
    coding_outcomes,
    coding_rounds,
    coding_strays,
    coding_tasks,
)
from believable.store.tables.coding import coding_texts as texts_table

#: A task with the text it is about.
OF_ITS_TEXT = and_(
    texts_table.c.project == coding_tasks.c.project, texts_table.c.number == coding_tasks.c.number
)


#: The largest round, number, version and time that a database keeps.
_MOST = (2**31 - 1, 2**31 - 1, 2**31 - 1, 2**53)


@dataclass(frozen=True, slots=True)
class ClaimedDesk:
    """`log` is the name of the chain, `ack` and `head` are its current state."""

    log: str
    epoch: int
    ack: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkOperation:
    """A mark that a coder made."""

    round: int
    number: int
    mark: Mark
    version: int
    suggested: bool
    at_ms: int


def claim_desk(conn: Connection, project: str, coder: str, *, new_id: str) -> ClaimedDesk:
    """The tab that claims last is the one that writes."""
    row = _log(conn, project, coder)
    if row is None:
        head = event_chain.origin(new_id)
        conn.execute(
            insert(coding_logs).values(
                id=new_id, project=project, coder=coder, epoch=1, head_hash=head
            )
        )
        return ClaimedDesk(new_id, 1, 0, head)
    conn.execute(update(coding_logs).where(coding_logs.c.id == row.id).values(epoch=row.epoch + 1))
    return ClaimedDesk(row.id, row.epoch + 1, row.head_seq, row.head_hash)


def _log(conn: Connection, project: str, coder: str) -> Row[Any] | None:
    query = select(coding_logs).where(
        coding_logs.c.project == project, coding_logs.c.coder == coder
    )
    return conn.execute(query.with_for_update()).one_or_none()


def append_operations(
    conn: Connection,
    project: str,
    coder: str,
    epoch: int,
    sent: Sequence[tuple[int, str]],
    *,
    at_ms: int,
) -> int | BelievableError:
    """Store new operations and apply them; returns the number up to which nothing is missing. An
    error is returned, so the operations sent with it are stored all the same.
    """
    log = _log(conn, project, coder)
    if log is None:
        return NotFound("this desk was never opened. Reload the page.")
    if epoch > log.epoch:
        return Conflict(
            f"epoch {epoch} was never given out (the latest is {log.epoch}). Reload the page."
        )
    stored = _fetch_stored(conn, log.id, coding_operations.c.seq.in_([seq for seq, _ in sent]))
    fresh = {seq: body for seq, body in sent if stored.get(seq) != body}
    if epoch < log.epoch:
        keep_new(conn, coding_strays, _rows(conn, project, log.id, fresh, at_ms, epoch=epoch))
        return TakenOver(
            "the desk is open in another tab or on another device. Reload here to take it back."
        )
    if fresh and max(fresh) > log.head_seq + SEQ_WINDOW:
        return InvalidInput(
            f"operation {max(fresh)} is far ahead of the last complete one ({log.head_seq}). Send"
            " in order."
        )
    differing = [seq for seq in fresh if seq in stored]
    if differing:
        keep_new(conn, coding_strays, _rows(conn, project, log.id, fresh, at_ms, epoch=epoch))
        message = (
            f"coder {coder} in {project}: operation {differing[0]} was sent twice with different"
            " content"
        )
        alarms.sound(
            conn,
            kind="chain_conflict",
            message=message,
            study=get_project(conn, project).study,
            at_ms=at_ms,
        )
        return Conflict(
            f"operation {differing[0]} is stored with other content. What was sent now is kept"
            " beside it."
        )
    if fresh:
        conn.execute(insert(coding_operations), _rows(conn, project, log.id, fresh, at_ms))
    return _extend(conn, project, coder, log, fresh, at_ms)


def _fetch_stored(conn: Connection, log: str, which: ColumnElement[bool]) -> dict[int, str]:
    query = select(coding_operations.c.seq, coding_operations.c.body).where(
        coding_operations.c.log == log, which
    )
    return {row.seq: row.body for row in conn.execute(query)}


def _rows(
    conn: Connection, project: str, log: str, fresh: Mapping[int, str], at_ms: int, **epoch: int
) -> list[dict[str, Any]]:
    """Operations as they are kept, with whose text each is about."""
    return [
        {
            "log": log,
            "seq": seq,
            "session": _session(conn, project, body),
            "body": body,
            "received_ms": at_ms,
            **epoch,
        }
        for seq, body in sorted(fresh.items())
    ]


def _extend(
    conn: Connection, project: str, coder: str, log: Row[Any], fresh: dict[int, str], at_ms: int
) -> int:
    top = max([log.top_seq, *fresh])
    waiting = dict(fresh)
    if log.top_seq > log.head_seq:
        waiting |= _fetch_stored(conn, log.id, coding_operations.c.seq > log.head_seq)
    head_seq, head_hash = int(log.head_seq), str(log.head_hash)
    while (body := waiting.get(head_seq + 1)) is not None:
        head_seq, head_hash = head_seq + 1, event_chain.extend(head_hash, [body])
        _apply(conn, project, coder, head_seq, body, at_ms)
    values = {"head_seq": head_seq, "head_hash": head_hash, "top_seq": top}
    conn.execute(update(coding_logs).where(coding_logs.c.id == log.id).values(**values))
    return head_seq


def parse_operation(body: str) -> MarkOperation:
    """What an operation says. Raises InvalidInput on anything else."""
    try:
        data = json.loads(body)
    except ValueError:
        raise InvalidInput(f"operation: expected JSON, got {body[:40]!r}.") from None
    if not isinstance(data, dict) or data.get("kind") != "mark":
        raise InvalidInput(f"operation: expected a mark, got {body[:60]!r}.")
    numbers = [data.get(name) for name in ("round", "number", "version", "at_ms")]
    if not all(
        type(number) is int and 0 <= number <= most
        for number, most in zip(numbers, _MOST, strict=True)
    ):
        raise InvalidInput(
            "operation: expected whole numbers for round, number, version and time, got"
            f" {body[:80]!r}."
        )
    return MarkOperation(
        round=data["round"],
        number=data["number"],
        mark=from_json(data.get("mark")),
        version=data["version"],
        suggested=data.get("suggested") is True,
        at_ms=data["at_ms"],
    )


def _session(conn: Connection, project: str, body: str) -> str | None:
    """Whose text an operation is about, so that it goes when they withdraw."""
    try:
        number = parse_operation(body).number
    except InvalidInput:
        return None
    return session_of(conn, project, number)


def session_of(conn: Connection, project: str, number: int) -> str | None:
    query = select(texts_table.c.session)
    return conn.execute(
        query.where(texts_table.c.project == project, texts_table.c.number == number)
    ).scalar()


def _apply(conn: Connection, project: str, coder: str, seq: int, body: str, at_ms: int) -> None:
    try:
        operation = parse_operation(body)
        session = _assigned_sample(conn, project, coder, operation)
        check_mark(conn, project, operation)
    except (InvalidInput, NotFound) as error:
        message = f"coder {coder} in {project}: operation {seq} was kept but not applied: {error}"
        alarms.sound(
            conn,
            kind="coding_operation",
            message=message,
            study=get_project(conn, project).study,
            at_ms=at_ms,
        )
        return
    put_mark(conn, project, coder, operation, session)


def _assigned_sample(
    conn: Connection, project: str, coder: str, operation: MarkOperation
) -> str | None:
    query = (
        select(texts_table.c.session)
        .select_from(coding_tasks)
        .join(texts_table, OF_ITS_TEXT)
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
            f"text {operation.number} of round {operation.round} is not on this coder's list"
            " (withdrawn?)"
        )
    session: str | None = row.session
    return session


def check_mark(conn: Connection, project: str, operation: MarkOperation) -> None:
    """Refuse a mark in a closed round, or one that does not fit its codebook and its text. For
    every way into the database. Codes that contradict each other stay: the resolve page is for
    them.
    """
    rounds = select(coding_rounds.c.state).where(
        coding_rounds.c.project == project, coding_rounds.c.number == operation.round
    )
    if conn.execute(rounds).scalar() != "open":
        raise InvalidInput(
            f"round {operation.round} is closed. Open it again before anything in it is changed."
        )
    written_under = next(
        (one for one in books(conn, project) if one.version == operation.version), None
    )
    if written_under is None:
        raise InvalidInput(
            f"there is no version {operation.version} of the codebook of {project!r}. Reload the"
            " desk."
        )
    coded_text = text(conn, project, operation.number)
    found = problems(
        written_under.book, operation.mark, "" if coded_text is None else coded_text.response.text
    )
    contradictions = {
        conflict.words for conflict in conflicts(written_under.book, operation.mark.labels)
    }
    wrong = [line for line in found if line not in contradictions]
    if wrong:
        raise InvalidInput(f"text {operation.number}: {'; '.join(wrong)}")


def put_mark(
    conn: Connection, project: str, coder: str, operation: MarkOperation, session: str | None
) -> None:
    key = {"project": project, "round": operation.round, "coder": coder, "number": operation.number}
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


# ----------------------------------------------------------------------------------------------
# marks and decisions


NOTE_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMark:
    """One coder's current mark."""

    round: int
    coder: str
    number: int
    mark: Mark
    version: int
    suggested: bool
    review: bool
    at_ms: int


def marks(
    conn: Connection, project: str, *, round_number: int | None = None, coder: str | None = None
) -> tuple[StoredMark, ...]:
    """All marks of a project, or of one round or coder."""
    query = select(coding_marks).where(coding_marks.c.project == project)
    if round_number is not None:
        query = query.where(coding_marks.c.round == round_number)
    if coder is not None:
        query = query.where(coding_marks.c.coder == coder)
    order = (coding_marks.c.round, coding_marks.c.number, coding_marks.c.coder)
    return tuple(
        StoredMark(
            round=row.round,
            coder=row.coder,
            number=row.number,
            mark=from_json(json.loads(row.body)),
            version=row.version,
            suggested=bool(row.suggested),
            review=bool(row.review),
            at_ms=row.at_ms,
        )
        for row in conn.execute(query.order_by(*order))
    )


def marks_stamp(conn: Connection, project: str) -> tuple[int, int]:
    """Changes whenever a mark does: for pages that refresh themselves."""
    rows = conn.execute(
        select(coding_marks.c.at_ms, coding_marks.c.done).where(coding_marks.c.project == project)
    ).all()
    return len(rows), sum(row.at_ms + row.done for row in rows)


def decide(
    conn: Connection,
    project: str,
    *,
    round_number: int,
    number: int,
    how: Literal["adjudicated", "discussed"],
    mark: Mark,
    version: int,
    note: str,
    user: str,
    at_ms: int,
) -> None:
    """What holds where coders differ. A later decision replaces it without deleting it."""
    if len(note) > NOTE_CHARACTERS:
        raise InvalidInput(
            f"note: expected at most {NOTE_CHARACTERS} characters, got {len(note)}. Shorten it."
        )
    query = select(texts_table.c.session).where(
        texts_table.c.project == project, texts_table.c.number == number
    )
    row = conn.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"text {number} is not there any more; its session may have been withdrawn.")
    about = {
        "project": project,
        "round": round_number,
        "number": number,
        "session": row.session,
        "version": version,
    }
    decided = {
        "how": how,
        "body": json.dumps(as_json(mark)),
        "note": note.strip(),
        "user": user,
        "at_ms": at_ms,
    }
    conn.execute(insert(coding_outcomes).values(about | decided))


def outcomes(conn: Connection, project: str) -> dict[int, tuple[DecidedMark, ...]]:
    """The decisions about each text, in order."""
    query = (
        select(coding_outcomes)
        .where(coding_outcomes.c.project == project)
        .order_by(coding_outcomes.c.id)
    )
    decided: dict[int, list[DecidedMark]] = {}
    for row in conn.execute(query):
        outcome = DecidedMark(
            round=row.round,
            how=row.how,
            user=row.user,
            version=row.version,
            mark=from_json(json.loads(row.body)),
            note=row.note,
        )
        decided.setdefault(row.number, []).append(outcome)
    return {number: tuple(of_text) for number, of_text in decided.items()}


def coded_texts(stored: tuple[StoredMark, ...]) -> Mapping[int, tuple[CoderVerdict, ...]]:
    verdicts: dict[int, list[CoderVerdict]] = {}
    for mark in stored:
        verdicts.setdefault(mark.number, []).append(
            CoderVerdict(mark.round, mark.coder, mark.version, mark.mark)
        )
    return {number: tuple(of_text) for number, of_text in verdicts.items()}


def final_labels(conn: Connection, project: CodingProject) -> tuple[FinalMark, ...]:
    """What holds, text by text, by the project's rule."""
    rule: Literal["none", "random_coder"] = (
        "random_coder" if project.rule == "random_coder" else "none"
    )
    verdicts = coded_texts(marks(conn, project.id))
    return final_marks(verdicts, outcomes(conn, project.id), rule=rule, seed=project.seed)
