"""What operators are told when a database cannot be opened or copied: one line with place, reason
and cure, never a traceback.
"""

from __future__ import annotations

import errno
import os
import resource
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError, ProgrammingError

from believable.core.errors import BelievableError, InvalidInput, StorageFull, Unavailable
from believable.store import audit_log, sessions
from believable.store.backups import backup, verify_file
from believable.store.database import Database
from believable.store.engine import Store
from believable.store.restoration import restore
from believable.store.sessions import Session
from believable.store.trouble import driver_words, troubles_told

NOBODY_THERE = "postgresql://anna:geheim@127.0.0.1:1/z"


@pytest.fixture
def live(tmp_path: Path, make_session: Callable[..., Session]) -> Path:
    """A database of half a megabyte, closed."""
    file = tmp_path / "data" / "b.db"
    with Store.open(f"sqlite:///{file}") as store:
        make_session(store)
        for _ in range(200):
            store.write(lambda conn: audit_log.note_audit(conn, user="u", what="x" * 2000, at_ms=0))
    return file


@pytest.fixture
def kept(live: Path, tmp_path: Path) -> Path:
    return backup(f"sqlite:///{live}", tmp_path / "kept.backup").path


@contextmanager
def files_no_longer_than(n_bytes: int) -> Iterator[None]:
    """As a quota would: no file of this process grows beyond it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def told(error: BelievableError) -> str:
    """The message, which is one line and ends like a sentence."""
    message = str(error)
    assert "\n" not in message
    assert "\t" not in message
    assert "?." not in message
    assert message.endswith(".")
    return message


@pytest.mark.parametrize("act", ["open", "backup", "restore"])
def test_a_server_that_does_not_answer_is_told_alike_by_whoever_needs_it(
    act: str, tmp_path: Path, kept: Path
) -> None:
    target = tmp_path / "new.backup"
    acts: dict[str, Callable[[], object]] = {
        "open": lambda: Store.open(NOBODY_THERE),
        "backup": lambda: backup(NOBODY_THERE, target),
        "restore": lambda: restore(kept, NOBODY_THERE, live_lost=True),
    }
    with pytest.raises(Unavailable) as caught:
        acts[act]()
    message = told(caught.value)
    assert message.startswith("the database postgresql://anna:***@127.0.0.1:1/z cannot be opened: ")
    assert message.endswith("Connection refused. Check its address, and that it runs.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "kept.backup"]


def test_an_address_is_shown_as_it_was_given_without_its_passwords() -> None:
    shown = Database(
        "postgresql://anna@host/z?password=geheim&sslpassword=auch&sslmode=require"
    ).name
    assert shown == "postgresql://anna@host/z?password=hidden&sslmode=require&sslpassword=hidden"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            'failed: FATAL:  password authentication failed for user "eve"',
            (
                'x: failed: FATAL: password authentication failed for user "eve". Check user and'
                " password in its address."
            ),
        ),
        (
            'FATAL:  role "eve" does not exist',
            'x: FATAL: role "eve" does not exist. Check user and password in its address.',
        ),
        (
            'FATAL:  database "z" does not exist',
            (
                'x: FATAL: database "z" does not exist. Make it (createdb NAME), or correct its'
                " name in the address."
            ),
        ),
        (
            "FATAL:  sorry, too many clients already",
            (
                "x: FATAL: sorry, too many clients already. Close other connections, or raise"
                " max_connections of its server."
            ),
        ),
        (
            (
                "server closed the connection unexpectedly\n\tThis probably means the server"
                " terminated abnormally\n\tbefore."
            ),
            "x: server closed the connection unexpectedly. Check its address, and that it runs.",
        ),
    ],
)
def test_what_a_server_refuses_has_its_own_cure(said: str, message: str) -> None:
    with pytest.raises(Unavailable) as caught, troubles_told("x"):
        raise OperationalError("SELECT", None, Exception(said))
    assert str(caught.value) == message


def test_an_account_without_rights_is_not_told_to_restore() -> None:
    class DeniedError(Exception):
        sqlstate = "42501"

    with pytest.raises(Unavailable) as caught, troubles_told("x"):
        raise ProgrammingError(
            "CREATE",
            None,
            DeniedError("permission denied for schema public\nLINE 2: CREATE TABLE\n   ^"),
        )
    assert (
        str(caught.value)
        == "x: permission denied for schema public. Name an account in its address that owns the"
        " tables, and a server that may be written."
    )


def test_a_full_disk_of_files_is_full_whoever_says_it() -> None:
    with (
        pytest.raises(
            StorageFull, match=r"^x: No space left on device\. Free space on its disk\.$"
        ),
        troubles_told("x"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere")
    assert driver_words(sqlite3.OperationalError("database is locked")) == "database is locked"


def test_a_backup_that_finds_no_space_says_where_and_leaves_nothing(
    live: Path, tmp_path: Path
) -> None:
    target = tmp_path / "backups" / "b.backup"
    with files_no_longer_than(100_000), pytest.raises(StorageFull) as caught:
        backup(f"sqlite:///{live}", target)
    message = told(caught.value)
    assert message.startswith(f"the database {live} cannot be copied to {target}: ")
    assert message.endswith(f"Free space on the disk of {target.parent}, or name another place.")
    assert list(target.parent.iterdir()) == []


def test_restoring_without_space_leaves_what_was_live(live: Path, kept: Path) -> None:
    with files_no_longer_than(100_000), pytest.raises(StorageFull) as caught:
        restore(kept, f"sqlite:///{live}")
    message = told(caught.value)
    assert message.startswith(f"the backup {kept} cannot be restored into the database {live}: ")
    assert message.endswith(f"Free space on the disk of {live.parent}, or name another place.")
    assert sorted(path.name for path in live.parent.iterdir()) == ["b.db", "b.db-turn"]
    assert verify_file(live).n_sessions == 1


def test_a_damaged_database_is_not_called_a_backup(live: Path, tmp_path: Path) -> None:
    content = bytearray(live.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = bytes(4096)
    live.write_bytes(content)
    with pytest.raises(InvalidInput) as caught:
        backup(f"sqlite:///{live}", tmp_path / "b.backup")
    first = str(caught.value).splitlines()[0]
    assert first.startswith(f"the database {live} is damaged (")
    assert "Restore a backup: believable restore BACKUP" in first
    live.write_bytes(b"no database" * 999)
    with pytest.raises(
        Unavailable, match=r"cannot be opened: file is not a database\. Restore a backup"
    ):
        backup(f"sqlite:///{live}", tmp_path / "b.backup")
    assert not (tmp_path / "b.backup").exists()


def test_names_with_marks_of_addresses_are_names(kept: Path) -> None:
    assert verify_file(kept.rename(kept.with_name("50% of? it#1.backup"))).n_sessions == 1


# ----------------------------------------------------------------------------------------------
# rights


@contextmanager
def as_nobody() -> Iterator[None]:
    """As any account but root: what files do not allow, this process may not do."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def foreign(live: Path, kept: Path) -> Iterator[Path]:
    """A folder with a database and a backup, which everybody may read and list, and nobody may
    write.
    """
    with tempfile.TemporaryDirectory() as name:  # the folders of pytest let nobody else in
        folder = Path(name)
        shutil.copy(live, folder / "b.db")
        shutil.copy(kept, folder / "b.backup")
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_rights_that_are_missing_are_named_and_nothing_is_called_lost(foreign: Path) -> None:
    url, kept = f"sqlite:///{foreign / 'b.db'}", foreign / "b.backup"
    rights = "Give this account the right to write the file and its folder."
    names = sorted(path.name for path in foreign.iterdir())
    with as_nobody():
        with pytest.raises(Unavailable) as caught:
            Store.open(url)
        assert told(caught.value).endswith(rights)
        with pytest.raises(Unavailable) as caught:
            backup(url, foreign / "new.backup")
        assert str(foreign) in told(caught.value)
        for live_lost in (False, True):
            with pytest.raises(Unavailable) as caught:
                restore(kept, url, live_lost=live_lost)
            assert "--live-lost" not in told(caught.value)
            assert f"Give this account the right to write {foreign}" in told(caught.value)
        assert verify_file(kept).n_sessions == 1
    kept.chmod(0o000)
    with (
        as_nobody(),
        pytest.raises(
            Unavailable,
            match=r"b\.backup cannot be opened\. Give this account the right to read it\.",
        ),
    ):
        verify_file(kept)
    assert sorted(path.name for path in foreign.iterdir()) == names


# ---------------------------------------------------------------------------------------------- a
# server that goes away


@pytest.fixture
def filled(postgres: Any, kept: Path) -> Iterator[str]:
    """The address of a database with what the backup holds, on a server that runs again
    afterwards.
    """
    url = postgres.new_database()
    restore(kept, url, live_lost=True)
    yield url
    postgres.start()


@pytest.mark.postgres
def test_a_server_that_goes_away_while_it_is_copied_is_told(
    postgres: Any, filled: str, tmp_path: Path
) -> None:
    target = tmp_path / "backups" / "pg.backup"
    with pytest.raises(Unavailable) as caught:
        backup(filled, target, progress=lambda done, total: postgres.crash())
    message = told(caught.value)
    assert f"cannot be copied to {target}: " in message
    assert message.endswith("Check its address, and that it runs.")
    assert list(target.parent.iterdir()) == []


@pytest.mark.postgres
def test_a_server_that_goes_away_while_it_is_restored_has_what_it_had(
    postgres: Any, filled: str, live: Path, kept: Path
) -> None:
    with Store.open(filled) as store:
        store.write(
            lambda conn: audit_log.note_audit(conn, user="late", what="after the backup", at_ms=1)
        )
    with pytest.raises(Unavailable) as caught:
        restore(kept, filled, progress=lambda done, total: postgres.crash())
    message = told(caught.value)
    assert message.startswith(
        f"the backup {kept} cannot be restored into the database postgresql://"
    )
    assert message.endswith("Check its address, and that it runs.")
    assert [path.name for path in kept.parent.iterdir() if path.is_dir()] == ["data"], (
        "no draft stays behind"
    )
    postgres.start()
    with Store.open(filled) as store:
        assert "late" in {
            entry.user for entry in store.read(lambda conn: audit_log.recent_audit(conn, limit=500))
        }
        assert store.read(lambda conn: sessions.by_id(conn, "session-1")) is not None


@pytest.mark.postgres
def test_restoring_into_a_server_names_the_folder_that_is_full(filled: str, kept: Path) -> None:
    with files_no_longer_than(100_000), pytest.raises(StorageFull) as caught:
        restore(kept, filled)
    assert told(caught.value).endswith(
        f"Free space on the disk of {kept.parent}, or name another place."
    )
