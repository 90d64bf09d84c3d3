"""What live results need of the store: whether anything changed since they were computed, and who looked behind the letters."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from believable.store.audit import Entry
from believable.store.monitor import link_kinds
from believable.store.tables import audit, decisions, sessions, studies


def fingerprint(conn: Connection, study: str, pool: str) -> str:
    """Another text whenever results could differ: a session finished, was deleted or judged, or the study changed."""
    kinds = link_kinds(pool)
    mine = (sessions.c.study == study, sessions.c.link_kind.in_(kinds))
    done = conn.execute(
        select(func.count(), func.max(sessions.c.finished_ms)).where(*mine, sessions.c.state == "finished")
    ).one()
    started = conn.execute(select(func.count()).select_from(sessions).where(*mine)).scalar_one()
    judged = conn.execute(
        select(func.max(decisions.c.id)).join(sessions, sessions.c.id == decisions.c.session).where(*mine)
    ).scalar_one()
    definition = conn.execute(select(studies.c.definition).where(studies.c.id == study)).scalar_one()
    return f"{definition[:12]}-{started}-{done[0]}-{done[1] or 0}-{judged or 0}"


def unblinding(pool: str) -> str:
    """How the audit log says it."""
    return f"unblinded the results of the {pool} sessions"


def reading(pool: str) -> str:
    """How the audit log says that somebody has analysed the data outside the console, with the conditions' names."""
    return f"read the results of the {pool} sessions unblinded"


def unblinded(conn: Connection, study: str, pool: str) -> Entry | None:
    """Who first looked at the results with the conditions' names, and when; None as long as nobody has."""
    query = (
        select(audit)
        .where(audit.c.study == study, audit.c.what == unblinding(pool))
        .order_by(audit.c.id)
        .limit(1)
    )
    row = conn.execute(query).first()
    return None if row is None else Entry(**row._mapping)
