"""Files that others may not read, that are damaged, or that may not be written; and a writing
thread that never stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from believable.collect.context import load_key
from believable.core.errors import Unavailable
from believable.store import audit_log, writer
from believable.store.backups import backup
from believable.store.database import owner_only
from believable.store.engine import Store
from believable.store.trouble import Trouble, trouble


def note(conn: Connection) -> None:
    audit_log.note_audit(conn, user="u", what="x", at_ms=0)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with some pages, closed."""
    file = tmp_path / "data" / "b.db"
    with Store.open(url_of(file)) as store:
        for _ in range(200):
            store.write(lambda conn: audit_log.note_audit(conn, user="u", what="x" * 500, at_ms=0))
    return file


def test_only_the_owner_reads_database_logs_and_backups(path: Path, tmp_path: Path) -> None:
    path.chmod(0o644)  # as older versions left it
    with Store.open(url_of(path)) as store:
        store.write(note)
        for name in ("b.db", "b.db-wal", "b.db-shm"):
            assert mode(path.with_name(name)) & 0o077 == 0, name
        copy = backup(url_of(path), tmp_path / "backups" / "b.backup")
    assert mode(copy.path) == 0o600
    for folder in (path.parent, copy.path.parent):
        assert mode(folder) & 0o066 == 0, "neither listed nor changed by others"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files away"
)
def test_what_root_makes_belongs_to_whom_the_folder_belongs_to(tmp_path: Path) -> None:
    """Else a server under an account of its own could not go on after an administrator's
    `believable restore`.
    """
    data, backups = tmp_path / "data", tmp_path / "backups"
    for folder in (data, backups):
        folder.mkdir()
        os.chown(folder, 12345, -1)
    with Store.open(url_of(data / "b.db")) as store:
        store.write(note)
        load_key(data)
        backup(url_of(data / "b.db"), backups / "b.backup")
        owners = {
            file.name: file.stat().st_uid for folder in (data, backups) for file in folder.iterdir()
        }
    assert owners == dict.fromkeys(
        ["b.db", "b.db-wal", "b.db-shm", "b.db-turn", "secret.key", "b.backup"], 12345
    )


def test_a_file_that_cannot_be_opened_says_whose_right_is_missing(tmp_path: Path) -> None:
    (tmp_path / "b.db").mkdir()
    with pytest.raises(
        Unavailable, match=r"unable to open database file\. Give this account the right"
    ):
        Store.open(url_of(tmp_path / "b.db"))


def test_a_damaged_file_is_refused_at_the_start_with_the_cure(path: Path) -> None:
    with Store.open(url_of(path)) as store:
        store.examine()
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    path.write_bytes(content)
    with (
        Store.open(url_of(path)) as store,
        pytest.raises(Unavailable, match=r"is damaged\. Restore a backup: believable restore"),
    ):
        store.examine()


@pytest.mark.parametrize(
    "damage", [lambda content: b"\xa5" * 4096 + content[4096:], lambda content: b"no database" * 99]
)
def test_a_file_that_is_no_database_is_told_without_a_traceback(
    path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(Unavailable, match=r"cannot be opened: .*not a database.* Restore a backup"):
        Store.open(url_of(path))


def sqlite_error(name: str) -> OperationalError:
    class Original(Exception):
        sqlite_errorname = name

    return OperationalError("INSERT", None, Original("disk image is malformed"))


@pytest.mark.parametrize(
    ("name", "kind", "alarm"),
    [
        ("SQLITE_CORRUPT_INDEX", Trouble.DAMAGED, "database_damaged"),
        ("SQLITE_NOTADB", Trouble.DAMAGED, "database_damaged"),
        ("SQLITE_READONLY_DBMOVED", Trouble.READ_ONLY, "database_read_only"),
    ],
)
def test_damage_and_missing_rights_sound_an_alarm_and_harm_only_what_they_hit(
    path: Path, name: str, kind: Trouble, alarm: str
) -> None:
    assert trouble(sqlite_error(name)) is kind

    def hit(conn: Connection) -> None:
        raise sqlite_error(name)

    with Store.open(url_of(path)) as store:
        together = threading.Event()
        gate = store._writer.submit(lambda conn: together.wait(60) and None)
        unlucky, lucky = store._writer.submit(hit), store._writer.submit(note)
        together.set()
        gate.result()
        lucky.result()
        with pytest.raises(Unavailable, match="so this was not stored"):
            unlucky.result()
        assert alarm in {sounded.kind for sounded in store.alarms()}


def test_damage_found_by_reading_sounds_the_alarm(path: Path) -> None:
    def hit(conn: Connection) -> None:
        raise sqlite_error("SQLITE_CORRUPT")

    with Store.open(url_of(path)) as store:
        with pytest.raises(Unavailable, match="cannot be read"):
            store.read(hit)
        assert [alarm.kind for alarm in store.alarms()] == ["database_damaged"]
        assert asyncio.run(_troubles(store)) == {"integrity": "damaged"}


async def _troubles(store: Store) -> Any:
    return await store.atroubles()


def test_the_writing_thread_survives_what_it_did_not_expect(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing_sleep(seconds: float) -> None:
        raise MemoryError("provoked")

    with Store.open(url_of(path)) as store:
        with monkeypatch.context() as patch:
            patch.setattr(writer.time, "sleep", failing_sleep)
            with pytest.raises(Unavailable, match="Send it again"):
                store.write(note)
        store.write(note)
        assert "writer_failed" in {alarm.kind for alarm in store.alarms()}
        assert asyncio.run(_troubles(store)) == {}


def test_a_store_that_cannot_write_is_not_ready(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(url_of(path)) as store:
        assert asyncio.run(_troubles(store)) == {}
        with contextlib.suppress(Unavailable):
            store.limit_pages(1)
        monkeypatch.setattr("believable.store.engine.LEAST_FREE_BYTES", 2**62)
        assert "disk" in asyncio.run(_troubles(store))
        monkeypatch.setattr("believable.store.engine.STUCK_S", -1.0)
        monkeypatch.setattr(type(store._writer), "stuck_s", 5.0)
        assert asyncio.run(_troubles(store))["writer"] == "busy with one change for 5 s"


def test_giving_rights_to_a_file_keeps_the_locks_on_it(tmp_path: Path) -> None:
    """Closing any descriptor of a file lets go of all locks of the process: another one would write
    at the same time.
    """
    path = tmp_path / "believable.db"
    other = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("CREATE TABLE numbers (number INTEGER)")
        raw.execute("BEGIN IMMEDIATE")
        owner_only(path)
        tried = subprocess.run(
            [sys.executable, "-c", other], capture_output=True, text=True, check=False
        )
    assert "database is locked" in tried.stderr
