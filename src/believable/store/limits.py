"""How often somebody tried something. `who` is a keyed hash; rows are gone after an hour."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select

from believable.core.errors import TooManyTries
from believable.store.tables import attempts

LIFE_MS = 3_600_000


def check(conn: Connection, *, what: str, who: str, limit: int, window_ms: int, now_ms: int) -> None:
    """Refuses when there were `limit` failed tries in the window."""
    mine = (attempts.c.what == what) & (attempts.c.who == who) & (attempts.c.at_ms > now_ms - window_ms)
    if (conn.execute(select(func.count()).select_from(attempts).where(mine)).scalar() or 0) >= limit:
        raise TooManyTries(
            f"{limit} failed tries within {window_ms // 60_000} minutes. Wait a few minutes, then try again."
        )


def failed(conn: Connection, *, what: str, who: str, now_ms: int) -> None:
    """Note a failed try, and forget old ones."""
    conn.execute(delete(attempts).where(attempts.c.what == what, attempts.c.at_ms <= now_ms - LIFE_MS))
    conn.execute(insert(attempts).values(what=what, who=who, at_ms=now_ms))
