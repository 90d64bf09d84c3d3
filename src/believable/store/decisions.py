"""What researchers decided about sessions and answers. Decisions are added, never overwritten."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.tables import decisions, sessions

KINDS = ("reject", "unreject", "keep", "exclude_text")


@dataclass(frozen=True, slots=True)
class Decision:
    """`target` is '' for the whole session, else the trial key and question id."""

    id: int
    session: str
    kind: str
    target: str
    reason: str
    user: str
    at_ms: int


def add(
    conn: Connection, *, session: str, kind: str, reason: str, user: str, at_ms: int, target: str = ""
) -> None:
    """A rejected session loses its place in the balance; un-rejecting gives it back."""
    if kind not in KINDS:
        raise InvalidInput(f"decision: unknown kind {kind!r}. {did_you_mean(kind, KINDS)}")
    if not reason.strip():
        raise InvalidInput(f"decision {kind!r} on session {session}: expected a reason, got none. Say why.")
    if conn.execute(select(sessions.c.id).where(sessions.c.id == session)).first() is None:
        raise NotFound(f"there is no session {session!r}; it may have been withdrawn. Reload the list.")
    conn.execute(
        insert(decisions).values(
            session=session, kind=kind, target=target, reason=reason, user=user, at_ms=at_ms
        )
    )
    if kind in ("reject", "unreject"):
        conn.execute(update(sessions).where(sessions.c.id == session).values(rejected=kind == "reject"))


def of_session(conn: Connection, session: str) -> tuple[Decision, ...]:
    query = select(decisions).where(decisions.c.session == session).order_by(decisions.c.id)
    return tuple(Decision(**row._mapping) for row in conn.execute(query))
