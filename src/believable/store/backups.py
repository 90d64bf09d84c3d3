"""Backups, made while the server runs.

A backup is always one SQLite file, whatever the database: SQLite's own online backup of a snapshot,
or all rows of PostgreSQL read in one snapshot. So it needs no tool of the right version (pg_dump
refuses a newer server), it is checked by the same code as the live data, and it can be restored
into either kind of database (which also moves a study from one to the other). It is verified before
it gets its name.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.schema import Table

from believable.core import event_chain
from believable.core.errors import Conflict, InvalidInput, NotFound, Unavailable
from believable.store import event_log, migration
from believable.store.database import Database, owner_folder, owner_only, read_only
from believable.store.tables.collected import sessions
from believable.store.tables.metadata import metadata
from believable.store.trouble import RESTORE, cures_in, driver_words, troubles_told

#: Rows per statement. Events of a million characters are rare, so that this stays within some
#: megabytes.
CHUNK = 500

Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """For callers who do not watch."""


def count_rows(conn: Connection) -> dict[str, int]:
    return {
        table.name: conn.execute(select(func.count()).select_from(table)).scalar() or 0
        for table in metadata.sorted_tables
    }


def copy_rows(source: Connection, target: Connection, progress: Progress = no_progress) -> None:
    """Every row of every table, parents first. The target's tables are empty."""
    total, done = sum(count_rows(source).values()), 0
    for table in metadata.sorted_tables:
        query = (
            select(table).order_by(*table.primary_key.columns).execution_options(yield_per=CHUNK)
        )
        with source.execute(query) as rows:
            for part in rows.partitions():
                target.execute(insert(table), [dict(row._mapping) for row in part])
                done += len(part)
                progress(done, total)
        _continue_numbers(target, table)


def _continue_numbers(conn: Connection, table: Table) -> None:
    """PostgreSQL counts on where the copied rows end (SQLite does so by itself)."""
    if conn.dialect.name != "postgresql" or table.autoincrement_column is None:
        return
    column = table.autoincrement_column.name
    highest = conn.execute(select(func.max(table.c[column]))).scalar()
    if highest is not None:
        sequence = func.pg_get_serial_sequence(table.name, column)
        conn.execute(select(func.setval(sequence, highest)))


# ----------------------------------------------------------------------------------------------
# whether a database is whole


#: The number of problems that are listed.
TOLD = 20


@dataclass(frozen=True, slots=True)
class Verified:
    """The content of a whole database. The numbers are None for the tables of an older version,
    which are checked after upgrading.
    """

    revision: str
    n_sessions: int | None
    n_events: int | None
    n_tombstones: int | None


def verify_file(
    path: Path, *, called: str | None = None, cure: str = "Use another backup."
) -> Verified:
    """Check a SQLite file, such as a backup. Raises `InvalidInput` with the problem. `called`: the
    name of its origin.
    """
    if not path.is_file():
        raise NotFound(
            f"there is no file {str(path)!r}. Name a backup made with `believable backup`."
        )
    try:
        verdict = list(_damage_of_file(path)) or _verify_copy(path)
    except DBAPIError as error:  # sound pages, but tables or values that are none of ours
        verdict = [driver_words(error)]
    if isinstance(verdict, Verified):
        return verdict
    listed = "\n".join(f"  {line}" for line in verdict[:TOLD])
    raise InvalidInput(
        f"{called or path.name} is damaged ({len(verdict)} problems). {cure}\n{listed}"
    )


def _verify_copy(path: Path) -> Verified | list[str]:
    """Return its content, or its problems."""
    with read_only(path).connect() as conn:
        revision = migration.revision(conn)
        if revision is None:
            raise InvalidInput(
                f"{path.name}: expected a backup of believable, got another SQLite file. Name the"
                " right file."
            )
        if revision not in migration.known_revisions():
            raise migration.unknown_revision(revision)
        if revision != migration.REVISION:
            return Verified(revision, None, None, None)
        damage = list(broken_chains(conn))
        counts = count_rows(conn)
    return damage or Verified(revision, counts["sessions"], counts["events"], counts["tombstones"])


def broken_chains(conn: Connection) -> Iterator[str]:
    """Recompute every session's chain from its stored events."""
    columns = (sessions.c.id, sessions.c.head_seq, sessions.c.head_hash, sessions.c.top_seq)
    for session, head_seq, head_hash, top_seq in conn.execute(
        select(*columns).order_by(sessions.c.id)
    ).all():
        head, seq, top = event_chain.origin(session), 0, 0
        for number, body, _ in event_log.event_bodies(conn, session):
            top = number
            if number == seq + 1:
                seq, head = number, event_chain.extend(head, [body])
        if (seq, head, top) != (head_seq, head_hash, top_seq):
            acknowledged = f"not at {head_seq} of {top_seq} as it was acknowledged"
            yield f"session {session}: the chain ends at event {seq} of {top}, {acknowledged}"


def _damage_of_file(path: Path) -> Iterator[str]:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as raw:
            for (line,) in raw.execute(f"PRAGMA integrity_check({TOLD})"):
                if line != "ok":
                    yield line
            for table, row, parent, _ in raw.execute("PRAGMA foreign_key_check"):
                yield f"row {row} of {table} refers to a row of {parent} that does not exist"
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname.startswith("SQLITE_CANTOPEN"):
            raise Unavailable(
                f"{path} cannot be opened. Give this account the right to read it."
            ) from error
        yield f"not a readable SQLite file ({error})"
    except (
        sqlite3.DatabaseError,
        UnicodeDecodeError,
    ) as error:  # names of broken tables may be no text
        yield f"not a readable SQLite file ({error})"


# ----------------------------------------------------------------------------------------------
# backups


#: In the data folder: when the last backup was finished, in milliseconds, wherever it went.
BACKED_UP = "last-backup.txt"


def last_backup_ms(data_dir: Path) -> int | None:
    """When `believable backup` last finished a backup of this data folder; None: never."""
    try:
        return int((data_dir / BACKED_UP).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


#: Pages copied between two reports of progress.
STEP_PAGES = 2_048


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    n_bytes: int
    verified: Verified


def backup(url: str, target: Path, *, progress: Progress = no_progress) -> Backup:
    """Copy the database at `url` to a new file. No user of it has to wait."""
    if target.exists():
        raise Conflict(
            f"{str(target)!r} exists already. Choose another name: a backup never replaces one."
        )
    owner_folder(target.parent)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    database = Database(url, readers=1)
    copying = f"the database {database.name} cannot be copied to {target}"
    try:
        with troubles_told(copying, file_cures=cures_in(target.parent)):
            if database.path is not None:
                _copy_sqlite(database, database.path, draft, progress)
            else:
                _copy_postgres(database, draft, progress)
            verified = verify_file(draft, called=f"the database {database.name}", cure=RESTORE)
            sync(draft)
            draft.rename(target)
            sync(target.parent)
    finally:
        database.dispose()
        remove_database(draft)
    return Backup(target, target.stat().st_size, verified)


def _copy_sqlite(database: Database, path: Path, draft: Path, progress: Progress) -> None:
    if not path.is_file():
        raise NotFound(
            f"there is no database {str(path)!r}. Serve the study once, or name another data"
            " folder."
        )
    owner_only(draft)
    with ExitStack() as stack:
        with database.opening():
            source = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
            # Inside a reading transaction the copy is one moment's, and does not restart with every
            # commit of others.
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        copy = stack.enter_context(closing(sqlite3.connect(draft)))
        source.backup(
            copy, pages=STEP_PAGES, progress=lambda _, left, total: progress(total - left, total)
        )
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a separate log


def _copy_postgres(database: Database, draft: Path, progress: Progress) -> None:
    copy = Database(f"sqlite:///{draft}", readers=1)
    try:
        with database.opening():
            migration.migrate(database)
        migration.migrate(copy)
        with (
            database.reader.connect() as source,
            source.begin(),
            copy.writer.connect() as target,
            target.begin(),
        ):
            copy_rows(source, target, progress)
    finally:
        copy.dispose()
    with closing(sqlite3.connect(draft)) as raw:
        raw.execute("PRAGMA journal_mode=DELETE")


def remove_database(path: Path) -> None:
    """A SQLite file that was not finished, with its logs."""
    for leftover in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(
            OSError
        ):  # if nothing may be written nothing was, and the problem is reported already
            leftover.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make a file's content, or a folder's names, survive a power cut. Windows opens no folders,
    and syncs only files that are open for writing.
    """
    windows = sys.platform == "win32"
    if windows and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
