"""Withdrawing: everything of a session is deleted, and a counted tombstone says that it was there.

On SQLite deleted bytes are overwritten (`secure_delete`) and the write-ahead log is emptied right after. PostgreSQL frees
the rows at once and reuses their space after its next vacuum. No hash of the recruiter's id remains, so the same person
may start again: whoever forbids that would have to remember them.
"""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, update

from believable.store.sessions import Session
from believable.store.tables import (
    blobs,
    coding_marks,
    coding_operations,
    coding_outcomes,
    coding_strays,
    coding_texts,
    decisions,
    events,
    links,
    round_inputs,
    rounds,
    sessions,
    strays,
    tombstones,
    trials,
)
from believable.store.writer import ERASED

#: What was coded of a session's texts.
OF_CODING = (coding_marks, coding_operations, coding_outcomes, coding_strays, coding_texts)
#: Every table that holds something of a session.
OF_SESSION = (events, strays, trials, decisions, blobs, round_inputs, rounds, *OF_CODING)


def withdraw(conn: Connection, session: Session, at_ms: int) -> None:
    delete_content(conn, session.id)
    conn.execute(
        insert(tombstones).values(
            session=session.id,
            token_hash=session.token_hash,
            study=session.study,
            link_kind=session.link_kind,
            number=session.number,
            withdrawn_ms=at_ms,
        )
    )


def delete_content(conn: Connection, session_id: str) -> None:
    """Rows first that point to the session, then the session itself. Whose personal link it was is forgotten as well."""
    conn.execute(update(links).where(links.c.used_by == session_id).values(label=""))
    for table in OF_SESSION:
        conn.execute(delete(table).where(table.c.session == session_id))
    conn.execute(delete(sessions).where(sessions.c.id == session_id))
    conn.info[ERASED] = True
