"""The decisions about sessions and answers, never overwritten, and the information available to
each decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, insert, select, update

from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.audit_log import AuditEntry
from believable.store.monitor import link_kinds
from believable.store.tables.accounts import audit
from believable.store.tables.collected import decisions, sessions, studies
from believable.store.tables.review import review_answers

#: The decisions about whole sessions, and their effects. Payment and analysis are two questions.
SESSION_DEEDS: Mapping[str, Mapping[str, bool]] = {
    "approve": {"approved": True, "rejected": False},
    "reject": {"rejected": True, "approved": False},
    "unreject": {"rejected": False},
    "exclude": {"excluded": True},
    "include": {"excluded": False},
}
#: How a session is called after each.
DEED_WORDS: Mapping[str, str] = {
    "approve": "approved",
    "reject": "rejected",
    "unreject": "not rejected",
    "exclude": "excluded",
    "include": "not excluded",
}
REASON_CHARACTERS = 1_000
KINDS = (*SESSION_DEEDS, "keep", "exclude_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`target` is '' for the whole session, else the trial key and question id."""

    id: int
    session: str
    kind: str
    target: str
    reason: str
    user: str
    at_ms: int


def _chunks(names: Sequence[str], size: int = 500) -> list[Sequence[str]]:
    """Databases bound how many values a statement may carry."""
    return [names[start : start + size] for start in range(0, len(names), size)]


def check_reason(kind: str, reason: str) -> None:
    if not reason.strip():
        raise InvalidInput(f"decision {kind!r}: expected a reason, got none. Say why.")
    if len(reason) > REASON_CHARACTERS:
        raise InvalidInput(
            f"reason: expected at most {REASON_CHARACTERS} characters, got {len(reason)}."
            " Shorten it."
        )


def add_decision(
    conn: Connection,
    *,
    session: str,
    kind: str,
    reason: str,
    user: str,
    at_ms: int,
    target: str = "",
) -> None:
    """A rejected or excluded session loses its place in the balance; taking that back gives it
    back.
    """
    if kind not in KINDS:
        raise InvalidInput(f"decision: unknown kind {kind!r}. {did_you_mean(kind, KINDS)}")
    check_reason(kind, reason)
    if conn.execute(select(sessions.c.id).where(sessions.c.id == session)).first() is None:
        raise NotFound(
            f"there is no session {session!r}; it may have been withdrawn. Reload the list."
        )
    conn.execute(
        insert(decisions).values(
            session=session, kind=kind, target=target, reason=reason, user=user, at_ms=at_ms
        )
    )
    if kind in SESSION_DEEDS:
        conn.execute(update(sessions).where(sessions.c.id == session).values(SESSION_DEEDS[kind]))


def decisions_of(conn: Connection, session: str) -> tuple[Decision, ...]:
    query = select(decisions).where(decisions.c.session == session).order_by(decisions.c.id)
    return tuple(Decision(**row._mapping) for row in conn.execute(query))


# ----------------------------------------------------------------------------------------------
# answers


def target(trial_key: str, question: str) -> str:
    """How a decision names one answer. The empty target is the whole session."""
    return f"{trial_key}/{question}"


def latest_of(conn: Connection, names: Sequence[str]) -> dict[tuple[str, str], str]:
    """The kind of the decision that holds for each (session, target) of these sessions: the last
    one made.
    """
    query = (
        select(decisions.c.session, decisions.c.target, decisions.c.kind)
        .where(decisions.c.session.in_(names), decisions.c.target != "")
        .order_by(decisions.c.id)
    )
    return {(row[0], row[1]): row[2] for row in conn.execute(query)}


def decision_about(conn: Connection, session: str, answer: str) -> Decision | None:
    """The decision that holds for one answer."""
    about = (decisions.c.session == session, decisions.c.target == answer)
    row = conn.execute(
        select(decisions).where(*about).order_by(decisions.c.id.desc()).limit(1)
    ).first()
    return None if row is None else Decision(**row._mapping)


def decide(
    conn: Connection, *, session: str, answer: str, kind: str, reason: str, user: str, at_ms: int
) -> None:
    """Keep or exclude one answer. A later decision replaces it without deleting it."""
    if kind not in ("keep", "exclude_text"):
        raise InvalidInput(
            f"decision: expected keep or exclude_text, got {kind[:40]!r}. Choose one of them."
        )
    if not answer:
        raise InvalidInput(
            "decision: expected the answer it is about, got nothing. Open the queue again."
        )
    add_decision(
        conn,
        session=session,
        kind=kind,
        target=answer,
        reason=reason.strip(),
        user=user,
        at_ms=at_ms,
    )
    conn.execute(
        update(review_answers)
        .where(review_answers.c.session == session)
        .where(review_answers.c.trial_key + "/" + review_answers.c.question == answer)
        .values(decision=kind)
    )


def judge(conn: Connection, *, session: str, deed: str, reason: str, user: str, at_ms: int) -> None:
    """Decide about one whole session; an error if that is so already."""
    if not judge_all(conn, [session], deed=deed, reason=reason, user=user, at_ms=at_ms):
        raise Conflict(
            f"the session is {DEED_WORDS[deed]} already by another reviewer. Reload its page."
        )


def judge_all(
    conn: Connection, names: Sequence[str], *, deed: str, reason: str, user: str, at_ms: int
) -> tuple[int, ...]:
    """Decide about many sessions at once: the numbers of those that it changes. One that is gone
    stops all.
    """
    if deed not in SESSION_DEEDS:
        raise InvalidInput(
            f"decision: unknown kind {deed[:40]!r}. {did_you_mean(deed, SESSION_DEEDS)}"
        )
    check_reason(deed, reason)
    change = SESSION_DEEDS[deed]
    as_wanted = and_(*(sessions.c[column].is_(value) for column, value in change.items()))
    rows = [
        row
        for chunk in _chunks(names)
        for row in conn.execute(
            select(sessions.c.id, sessions.c.number, as_wanted).where(sessions.c.id.in_(chunk))
        )
    ]
    if len(rows) < len(set(names)):
        raise NotFound(
            "a session is not there any more; it may have been withdrawn. Reload the list."
        )
    todo = {str(row[0]): int(row[1]) for row in rows if not row[2]}
    if todo:
        about = {"kind": deed, "target": "", "reason": reason.strip(), "user": user, "at_ms": at_ms}
        conn.execute(insert(decisions), [{"session": name, **about} for name in todo])
        for chunk in _chunks(list(todo)):
            conn.execute(update(sessions).where(sessions.c.id.in_(chunk)).values(change))
    return tuple(sorted(todo.values()))


# ----------------------------------------------------------------------------------------------
# live results


def results_fingerprint(conn: Connection, study: str, pool: str) -> str:
    """Another text whenever results could differ: a session finished, was deleted or judged, or the
    study changed.
    """
    kinds = link_kinds(pool)
    mine = (sessions.c.study == study, sessions.c.link_kind.in_(kinds))
    done = conn.execute(
        select(func.count(), func.max(sessions.c.finished_ms)).where(
            *mine, sessions.c.state == "finished"
        )
    ).one()
    started = conn.execute(select(func.count()).select_from(sessions).where(*mine)).scalar_one()
    judged = conn.execute(
        select(func.max(decisions.c.id))
        .join(sessions, sessions.c.id == decisions.c.session)
        .where(*mine)
    ).scalar_one()
    definition = conn.execute(
        select(studies.c.definition).where(studies.c.id == study)
    ).scalar_one()
    return f"{definition[:12]}-{started}-{done[0]}-{done[1] or 0}-{judged or 0}"


def looking(pool: str, number: int) -> str:
    """The line of the audit log about a request for the conditions of one session."""
    return f"looked at the conditions of {pool} session {number}"


def searching(pool: str) -> str:
    """The line of the audit log about a request to list sessions by their arms."""
    return f"searched the {pool} sessions by arm"


def unblinding(pool: str) -> str:
    """How the audit log says it."""
    return f"unblinded the results of the {pool} sessions"


def reading(pool: str) -> str:
    """The line of the audit log about an analysis of the data outside the console, with the
    conditions' names.
    """
    return f"read the results of the {pool} sessions unblinded"


def first_unblinding(conn: Connection, study: str, pool: str) -> AuditEntry | None:
    """The first user who saw the results with the conditions' names, and when; None until then."""
    query = (
        select(audit)
        .where(audit.c.study == study, audit.c.what == unblinding(pool))
        .order_by(audit.c.id)
        .limit(1)
    )
    row = conn.execute(query).first()
    return None if row is None else AuditEntry(**row._mapping)


@dataclass(frozen=True, slots=True)
class Looks:
    """Since when who has done what shows conditions, as the audit log says it."""

    pool: str
    since_ms: Mapping[tuple[str, str], int]

    def before(self, user: str, number: int, at_ms: int) -> bool:
        """Whether this person could know the session's conditions then."""
        deeds = (
            looking(self.pool, number),
            unblinding(self.pool),
            reading(self.pool),
            searching(self.pool),
        )
        return any(self.since_ms.get((user, deed), at_ms + 1) <= at_ms for deed in deeds)


def looks(conn: Connection, study: str, pool: str) -> Looks:
    """From the audit log: the first time of each."""
    seen = audit.c.what.like("looked at the conditions of %") | audit.c.what.in_(
        (unblinding(pool), reading(pool), searching(pool))
    )
    query = (
        select(audit.c.user, audit.c.what, func.min(audit.c.at_ms))
        .where(audit.c.study == study, seen)
        .group_by(audit.c.user, audit.c.what)
    )
    return Looks(pool, {(row[0], row[1]): row[2] for row in conn.execute(query)})
