"""Restoring a verified backup, without restoring data that people have withdrawn since.

The deletion list is the union of the tombstones in the backup, in the live database that is
replaced, and in any newer backup named.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import DBAPIError

from believable.core.errors import Refused
from believable.store import migration
from believable.store.backups import (
    Progress,
    Verified,
    copy_rows,
    no_progress,
    remove_database,
    sync,
    verify_file,
)
from believable.store.database import Database, owner_only, read_only
from believable.store.sessions import delete_content
from believable.store.tables.accounts import attempts, logins, one_time_links
from believable.store.tables.collected import sessions, tombstones, writers
from believable.store.tables.metadata import metadata
from believable.store.trouble import cures_in, driver_words, troubles_told

#: Tables that are not restored: users log in again.
FLEETING = (logins, one_time_links, attempts, writers)

Tombstone = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Restored:
    """`n_erased` sessions of the backup were withdrawn after it was made. `aside` is the file that
    was live before.
    """

    verified: Verified
    n_erased: int
    aside: Path | None


def restore(
    backup: Path,
    url: str,
    *,
    newer: Sequence[Path] = (),
    live_lost: bool = False,
    progress: Progress = no_progress,
) -> Restored:
    """Replace the database at `url` by a backup.

    `newer` are later backups, looked through for withdrawals only. `live_lost` says that there is
    no live database to take the withdrawals since the backup from; without it, a missing or
    unreadable one is refused.
    """
    verify_file(backup)
    for path in newer:
        verify_file(path)
    database = Database(url, readers=1)
    restoring = f"the backup {backup} cannot be restored into the database {database.name}"
    folder = backup.parent if database.path is None else database.path.parent
    try:
        with troubles_told(restoring, file_cures=cures_in(folder)):
            known = [stone for path in newer for stone in _stones_of_file(path)]
            if database.path is not None:
                return _into_sqlite(backup, database, known, live_lost=live_lost)
            return _into_postgres(backup, database, known, live_lost=live_lost, progress=progress)
    finally:
        database.dispose()


def tombstones_of(conn: Connection) -> list[Tombstone]:
    if migration.revision(conn) is None:
        return []
    return [dict(row._mapping) for row in conn.execute(select(tombstones))]


def _stones_of_file(path: Path) -> list[Tombstone]:
    with read_only(path).connect() as conn:
        return tombstones_of(conn)


def _no_live(why: str) -> Refused:
    return Refused(
        f"the live database {why}, so that it is not known who has withdrawn since the backup."
        " Bring it back, or name a newer backup (--newer) and say that it is lost (--live-lost)."
    )


# ----------------------------------------------------------------------------------------------
# SQLite


def _into_sqlite(
    backup: Path, database: Database, known: list[Tombstone], *, live_lost: bool
) -> Restored:
    path = database.path
    assert path is not None
    exists = path.is_file()
    unreadable = _claim_alone(path) if exists else "does not exist"
    if unreadable is None:
        known = known + _live_stones(path)
    elif not live_lost:
        raise _no_live(unreadable)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        n_erased = _prepare(backup, draft, known)
        verified = verify_file(draft)
        sync(draft)
        aside = _put_aside(path) if exists else None
        draft.rename(path)
        sync(path.parent)
    finally:
        remove_database(draft)
    return Restored(verified, n_erased, aside)


def _claim_alone(path: Path) -> str | None:
    """Leaving WAL mode works only while no other process has the file open; it also folds the log
    into the file.

    Says why the file cannot be read, if so.
    """
    try:
        with closing(sqlite3.connect(path, timeout=1.0)) as raw:
            mode = raw.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
            raw.execute("SELECT count(*) FROM tombstones")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise Refused("the live database is in use. Stop the server, then restore.") from None
        if error.sqlite_errorname.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            raise  # nothing is lost: this account lacks the right
        return f"cannot be read ({error})"
    except sqlite3.DatabaseError as error:
        return f"cannot be read ({error})"
    return None if mode == "delete" else "cannot be taken over"


def _live_stones(path: Path) -> list[Tombstone]:
    try:
        return _stones_of_file(path)
    except DBAPIError as error:
        raise _no_live(f"cannot be read ({driver_words(error)})") from error


def _prepare(backup: Path, draft: Path, known: list[Tombstone]) -> int:
    """A copy of the backup, of this version, without withdrawn sessions."""
    owner_only(draft)
    shutil.copyfile(backup, draft)
    copy = Database(f"sqlite:///{draft}", readers=1)
    try:
        migration.migrate(copy)
        with copy.writer.connect() as conn:
            with conn.begin():
                n_erased = apply_deletions(conn, known)
                for table in FLEETING:
                    conn.execute(delete(table))
            copy.driver_connection(conn).execute("VACUUM")
    finally:
        copy.dispose()
    with closing(sqlite3.connect(draft)) as raw:
        raw.execute("PRAGMA journal_mode=DELETE")
    return n_erased


def _put_aside(path: Path) -> Path:
    """The replaced database stays, under a name that was free."""
    number = 1
    while (aside := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        log = Path(f"{path}{suffix}")
        if log.exists():
            log.rename(f"{aside}{suffix}")
    return aside


# ----------------------------------------------------------------------------------------------
# PostgreSQL


def _into_postgres(
    backup: Path, database: Database, known: list[Tombstone], *, live_lost: bool, progress: Progress
) -> Restored:
    """In one transaction: users of the database see the old state or the new one."""
    with database.opening():
        with database.reader.connect() as conn, conn.begin():
            if migration.revision(conn) is None and not live_lost:
                raise _no_live("is empty")
        migration.migrate(database)
    with (
        tempfile.TemporaryDirectory(dir=backup.parent) as folder,
        database.writer.connect() as target,
    ):
        database.enter(target, exclusive=True)
        draft = Path(folder) / "draft.db"
        n_erased = _prepare(backup, draft, known + tombstones_of(target))
        verified = verify_file(draft)
        target.exec_driver_sql(
            "ALTER TABLE audit DISABLE TRIGGER audit_kept"
        )  # the whole log is replaced, here only
        for table in reversed(metadata.sorted_tables):
            target.execute(delete(table))
        target.exec_driver_sql("ALTER TABLE audit ENABLE TRIGGER audit_kept")
        with read_only(draft).connect() as source:
            copy_rows(source, target, progress)
        target.commit()
    return Restored(verified, n_erased, None)


def apply_deletions(conn: Connection, known: Sequence[Tombstone]) -> int:
    """Delete every session of the list that is still there, and carry the list on. How many were
    deleted.
    """
    known_there = set(conn.execute(select(tombstones.c.session)).scalars())
    alive = set(conn.execute(select(sessions.c.id)).scalars())
    listed = {stone["session"]: stone for stone in known}
    for session in sorted(alive & (listed.keys() | known_there)):
        delete_content(conn, session)
    missing = [stone for session, stone in sorted(listed.items()) if session not in known_there]
    if missing:
        conn.execute(insert(tombstones), missing)
    return len(alive & (listed.keys() | known_there))
