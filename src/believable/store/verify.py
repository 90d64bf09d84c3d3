"""Whether a database is whole: its file, its references, and the hash chain of every session."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from believable.core import chain
from believable.core.errors import InvalidInput, NotFound
from believable.store import events, schema
from believable.store.copying import count_rows
from believable.store.database import read_only
from believable.store.tables import sessions

#: Of many problems this many are told.
TOLD = 20


@dataclass(frozen=True, slots=True)
class Verified:
    """What a whole database holds. The numbers are None for the tables of an older version, which are checked after upgrading."""

    revision: str
    n_sessions: int | None
    n_events: int | None
    n_tombstones: int | None


def verify_file(path: Path) -> Verified:
    """Check a SQLite file, such as a backup. Raises `InvalidInput` with what is wrong."""
    if not path.is_file():
        raise NotFound(f"there is no file {str(path)!r}. Name a backup made with `believable backup`.")
    damage = list(_damage_of_file(path))
    if damage:
        raise _not_whole(path, damage)
    with read_only(path).connect() as conn:
        found = schema.revision(conn)
        if found is None:
            raise InvalidInput(
                f"{path.name}: expected a backup of believable, got another SQLite file. Name the right file."
            )
        if found not in schema.known_revisions():
            raise schema.from_the_future(found)
        if found != schema.REVISION:
            return Verified(found, None, None, None)
        damage = list(broken_chains(conn))
        counts = count_rows(conn)
    if damage:
        raise _not_whole(path, damage)
    return Verified(found, counts["sessions"], counts["events"], counts["tombstones"])


def broken_chains(conn: Connection) -> Iterator[str]:
    """Recompute every session's chain from its stored events."""
    columns = (sessions.c.id, sessions.c.head_seq, sessions.c.head_hash, sessions.c.top_seq)
    for session, head_seq, head_hash, top_seq in conn.execute(select(*columns).order_by(sessions.c.id)).all():
        head, seq, top = chain.origin(session), 0, 0
        for number, body, _ in events.bodies(conn, session):
            top = number
            if number == seq + 1:
                seq, head = number, chain.extend(head, [body])
        if (seq, head, top) != (head_seq, head_hash, top_seq):
            acknowledged = f"not at {head_seq} of {top_seq} as it was acknowledged"
            yield f"session {session}: the chain ends at event {seq} of {top}, {acknowledged}"


def _damage_of_file(path: Path) -> Iterator[str]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as raw:
            for (line,) in raw.execute(f"PRAGMA integrity_check({TOLD})"):
                if line != "ok":
                    yield line
            for table, row, parent, _ in raw.execute("PRAGMA foreign_key_check"):
                yield f"row {row} of {table} refers to a row of {parent} that does not exist"
    except sqlite3.DatabaseError as error:
        yield f"not a readable SQLite file ({error})"


def _not_whole(path: Path, damage: list[str]) -> InvalidInput:
    told = "\n".join(f"  {line}" for line in damage[:TOLD])
    return InvalidInput(f"{path.name} is damaged ({len(damage)} problems). Use another backup.\n{told}")
