"""What a reviewer reads and decides: free-text answers, pastes, and decisions that are never overwritten."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from believable.core.errors import Conflict, InvalidInput
from believable.store import decisions
from believable.store.decisions import Decision
from believable.store.events import parse
from believable.store.monitor import link_kinds
from believable.store.tables import decisions as decisions_table
from believable.store.tables import events, sessions, trials


def target(trial_key: str, question: str) -> str:
    """How a decision names one answer. The empty target is the whole session."""
    return f"{trial_key}/{question}"


@dataclass(frozen=True, slots=True)
class AnsweredTrial:
    """One closed trial of the latest run of a session, with its answers."""

    session: str
    number: int
    link_kind: str
    definition: str
    language: str
    position: int
    key: str
    answers: Mapping[str, Any]
    took_ms: int | None
    session_ms: int | None


def answered(conn: Connection, study: str, pool: str) -> tuple[AnsweredTrial, ...]:
    """Every closed trial with answers, in the order of session numbers."""
    query = (
        select(
            sessions.c.id,
            sessions.c.number,
            sessions.c.link_kind,
            sessions.c.definition,
            sessions.c.language,
            trials.c.position,
            trials.c.key,
            trials.c.answers,
            trials.c.closed_ms - trials.c.opened_ms,
            sessions.c.finished_ms - sessions.c.started_ms,
        )
        .join(trials, (trials.c.session == sessions.c.id) & (trials.c.run == sessions.c.run))
        .where(
            sessions.c.study == study,
            sessions.c.link_kind.in_(link_kinds(pool)),
            trials.c.status != "skipped",
            trials.c.answers != "{}",
        )
        .order_by(sessions.c.number, trials.c.position)
    )
    return tuple(
        AnsweredTrial(*row[:7], answers=json.loads(row[7]), took_ms=row[8], session_ms=row[9])
        for row in conn.execute(query)
    )


def pasted(conn: Connection, study: str, pool: str) -> dict[tuple[str, int, str], int]:
    """Characters pasted, by (session, position of the trial, question). Reads all events once: keep the result."""
    query = (
        select(events.c.session, events.c.seq, events.c.body, events.c.received_ms)
        .join(sessions, sessions.c.id == events.c.session)
        .where(
            sessions.c.study == study,
            sessions.c.link_kind.in_(link_kinds(pool)),
            events.c.body.like('%"text.paste"%'),
        )
    )
    found: dict[tuple[str, int, str], int] = {}
    for session, seq, body, received_ms in conn.execute(query):
        event = parse(seq, body, received_ms)
        length = event.data.get("length")
        if event.kind == "text.paste" and event.trial is not None and isinstance(length, int):
            place = (session, event.trial, str(event.data.get("question")))
            found[place] = found.get(place, 0) + length
    return found


def fingerprint(conn: Connection, study: str, pool: str) -> tuple[int, int, int]:
    """Changes whenever an answer was added or taken away: closed trials, the latest of them, and sessions."""
    where = (sessions.c.study == study, sessions.c.link_kind.in_(link_kinds(pool)))
    n_sessions = conn.execute(select(func.count()).select_from(sessions).where(*where)).scalar_one()
    query = select(func.count(), func.max(trials.c.closed_ms)).join(
        sessions, sessions.c.id == trials.c.session
    )
    row = conn.execute(query.where(*where)).one()
    return n_sessions, row[0], row[1] or 0


def latest(conn: Connection, study: str) -> dict[tuple[str, str], Decision]:
    """The decision that holds for each (session, target): the last one made."""
    query = (
        select(decisions_table)
        .join(sessions, sessions.c.id == decisions_table.c.session)
        .where(sessions.c.study == study)
        .order_by(decisions_table.c.id)
    )
    rows = (Decision(**row._mapping) for row in conn.execute(query))
    return {(row.session, row.target): row for row in rows}


def decide(
    conn: Connection, *, session: str, answer: str, kind: str, reason: str, user: str, at_ms: int
) -> None:
    """Keep or exclude one answer. A later decision replaces it without deleting it."""
    if kind not in ("keep", "exclude_text"):
        raise InvalidInput(f"decision: expected keep or exclude_text, got {kind[:40]!r}. Choose one of them.")
    if not answer:
        raise InvalidInput("decision: expected the answer it is about, got nothing. Open the queue again.")
    decisions.add(
        conn, session=session, kind=kind, target=answer, reason=reason.strip(), user=user, at_ms=at_ms
    )


def set_rejected(
    conn: Connection, *, session: str, rejected: bool, reason: str, user: str, at_ms: int
) -> None:
    """Rejecting frees the session's place in the balance; un-rejecting takes it again."""
    now = conn.execute(select(sessions.c.rejected).where(sessions.c.id == session)).scalar()
    if now is not None and bool(now) == rejected:
        word = "rejected" if rejected else "not rejected"
        raise Conflict(f"the session is {word} already; somebody was faster. Reload its page.")
    kind = "reject" if rejected else "unreject"
    decisions.add(conn, session=session, kind=kind, reason=reason.strip(), user=user, at_ms=at_ms)
