"""Backups, made while the server runs.

A backup is always one SQLite file, whatever the database: SQLite's own online backup of a snapshot, or all rows of
PostgreSQL read in one snapshot. So it needs no tool of the right version (pg_dump refuses a newer server), it is checked by
the same code as the live data, and it can be restored into either kind of database (which also moves a study from one to
the other). It is verified before it gets its name.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import Conflict, NotFound
from believable.store import schema
from believable.store.copying import Progress, copy_rows, no_progress
from believable.store.database import Database
from believable.store.verify import Verified, verify_file

#: Pages copied between two reports of progress.
STEP_PAGES = 2_048


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    n_bytes: int
    verified: Verified


def backup(url: str, target: Path, *, progress: Progress = no_progress) -> Backup:
    """Copy the database at `url` to a new file. Nobody who uses it has to wait."""
    if target.exists():
        raise Conflict(f"{str(target)!r} exists already. Choose another name: a backup never replaces one.")
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    database = Database(url, readers=1)
    try:
        if database.path is not None:
            _copy_sqlite(database.path, draft, progress)
        else:
            _copy_postgres(database, draft, progress)
        verified = verify_file(draft)
        sync(draft)
        draft.rename(target)
        sync(target.parent)
    finally:
        database.dispose()
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)
    return Backup(target, target.stat().st_size, verified)


def _copy_sqlite(path: Path, draft: Path, progress: Progress) -> None:
    if not path.is_file():
        raise NotFound(
            f"there is no database {str(path)!r}. Serve the study once, or name another data folder."
        )
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as source,
        closing(sqlite3.connect(draft)) as copy,
    ):
        # Inside a reading transaction the copy is one moment's, and does not start anew with every commit of others.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(copy, pages=STEP_PAGES, progress=lambda _, left, total: progress(total - left, total))
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it


def _copy_postgres(database: Database, draft: Path, progress: Progress) -> None:
    copy = Database(f"sqlite:///{draft}", readers=1)
    try:
        schema.migrate(database)
        schema.migrate(copy)
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


def sync(path: Path) -> None:
    """Make a file's content, or a folder's names, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
