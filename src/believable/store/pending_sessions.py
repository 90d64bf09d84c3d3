"""Sessions with answers that the queue of free texts does not contain yet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from believable.store.event_checks import parse_event
from believable.store.monitor import link_kinds
from believable.store.tables.collected import events, sessions, trials
from believable.store.tables.review import review_sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSession:
    """A session of which something is not in the queue yet: all after trial `closed` and event
    `seq`.
    """

    id: str
    number: int
    definition: str
    language: str
    run: int
    position: int
    state: str
    session_ms: int | None
    closed: int
    seq: int
    begun_again: bool


def _unread(study: str, pool: str) -> ColumnElement[bool]:
    mark = review_sessions.c
    return and_(
        sessions.c.study == study,
        sessions.c.link_kind.in_(link_kinds(pool)),
        or_(
            mark.session.is_(None),
            mark.run != sessions.c.run,
            mark.position != sessions.c.position,
            mark.state != sessions.c.state,
        ),
    )


def n_pending(conn: Connection, study: str, pool: str) -> int:
    query = select(func.count()).select_from(sessions)
    query = query.outerjoin(review_sessions, review_sessions.c.session == sessions.c.id).where(
        _unread(study, pool)
    )
    return conn.execute(query).scalar_one()


def pending(
    conn: Connection, study: str, pool: str, limit: int, *, after: int = 0
) -> tuple[PendingSession, ...]:
    """The first of them in the order of their numbers, after a number, so that those read before
    are not looked at again.
    """
    mark = review_sessions.c
    query = (
        select(
            sessions.c.id,
            sessions.c.number,
            sessions.c.definition,
            sessions.c.language,
            sessions.c.run,
            sessions.c.position,
            sessions.c.state,
            sessions.c.finished_ms - sessions.c.started_ms,
            mark.run,
            mark.closed,
            mark.seq,
        )
        .outerjoin(review_sessions, mark.session == sessions.c.id)
        .where(_unread(study, pool), sessions.c.number > after)
        .order_by(sessions.c.number)
        .limit(limit)
    )
    return tuple(
        PendingSession(
            id=row[0],
            number=row[1],
            definition=row[2],
            language=row[3],
            run=row[4],
            position=row[5],
            state=row[6],
            session_ms=row[7],
            closed=row[9] if row[8] == row[4] else -1,
            seq=row[10] if row[8] == row[4] else 0,
            begun_again=row[8] is not None and row[8] != row[4],
        )
        for row in conn.execute(query)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTrial:
    """A closed trial that is not in the queue yet."""

    session: str
    position: int
    key: str
    status: str
    answers: Mapping[str, Any]
    took_ms: int | None
    submit_seq: int | None


def new_trials(conn: Connection, unread: Sequence[PendingSession]) -> tuple[NewTrial, ...]:
    """What these sessions have closed since, in order."""
    rows: list[NewTrial] = []
    for session in unread:
        query = (
            select(
                trials.c.session,
                trials.c.position,
                trials.c.key,
                trials.c.status,
                trials.c.answers,
                trials.c.closed_ms - trials.c.opened_ms,
                trials.c.submit_seq,
            )
            .where(
                trials.c.session == session.id,
                trials.c.run == session.run,
                trials.c.position > session.closed,
            )
            .order_by(trials.c.position)
        )
        rows += [
            NewTrial(
                session=row[0],
                position=row[1],
                key=row[2],
                status=row[3],
                answers=json.loads(row[4]),
                took_ms=row[5],
                submit_seq=row[6],
            )
            for row in conn.execute(query)
        ]
    return tuple(rows)


def pasted_characters(conn: Connection, unread: PendingSession) -> dict[tuple[int, str], int]:
    """Characters pasted since, by (position of the trial, question)."""
    query = select(events.c.seq, events.c.body, events.c.received_ms).where(
        events.c.session == unread.id,
        events.c.seq > unread.seq,
        events.c.body.like('%"text.paste"%'),
    )
    lengths: dict[tuple[int, str], int] = {}
    for seq, body, received_ms in conn.execute(query):
        event = parse_event(seq, body, received_ms)
        length = event.data.get("length")
        if event.kind == "text.paste" and event.trial is not None and isinstance(length, int):
            place = (event.trial, str(event.data.get("question")))
            lengths[place] = lengths.get(place, 0) + length
    return lengths
