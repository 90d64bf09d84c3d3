"""Backups of a database in use, and restoring them without bringing back what was withdrawn."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select, update

from believable.core.clock import VirtualClock
from believable.core.errors import Conflict, InvalidInput, NotFound, Refused
from believable.store import audit_log, event_checks, sessions
from believable.store.backups import backup, count_rows, verify_file
from believable.store.engine import Store
from believable.store.restoration import restore
from believable.store.sessions import Session
from believable.store.tables.collected import blobs, tombstones
from believable.store.tables.collected import events as events_table

MakeSession = Callable[..., Session]
Body = Callable[..., str]


@pytest.fixture
def filled(store: Store, make_session: MakeSession, body: Body) -> Store:
    """Three sessions with five events each, one of them with a gap, a blob, and an audit entry."""
    for number in (1, 2, 3):
        session = make_session(store, number)
        seqs = (1, 2, 3, 4, 6) if number == 3 else (1, 2, 3, 4, 5)
        store.append(
            event_checks.check_batch(
                f"token-{number}",
                1,
                [(seq, body(seq, text=f"secret words {number}")) for seq in seqs],
            )
        )
        blob = {
            "session": session.id,
            "name": "r",
            "media_type": "video/mp4",
            "body": b"\x00\xff" * 10,
        }
        store.write(lambda conn, blob=blob: conn.execute(insert(blobs).values(**blob)) and None)
    store.write(lambda conn: audit_log.note_audit(conn, user="u", what="x", at_ms=1))
    return store


def everything(store: Store, n: int = 1) -> dict[str, Any]:
    """What must come back (the marks of writing processes are of the moment)."""
    rows = store.read(
        lambda conn: conn.execute(select(events_table).order_by("session", "seq")).all()
    )
    return {
        "counts": {name: n for name, n in store.read(count_rows).items() if name != "writers"},
        "events": [tuple(row) for row in rows],
        "row": store.read(lambda c: sessions.by_id(c, f"session-{n}")),
    }


def test_a_backup_is_one_verified_file_and_restores_to_the_same(
    filled: Store, database_url: str, tmp_path: Path
) -> None:
    before = everything(filled)
    seen: list[tuple[int, int]] = []
    made = backup(
        database_url,
        tmp_path / "b" / "one.backup",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert (made.verified.n_sessions, made.verified.n_events) == (3, 15)
    assert seen[-1][0] == seen[-1][1] > 0
    assert [file.name for file in made.path.parent.iterdir()] == ["one.backup"], (
        "no log or draft beside it"
    )
    filled.write(lambda conn: conn.execute(update(events_table).values(body="damaged")) and None)
    filled.close()
    restored = restore(made.path, database_url)
    assert restored.n_erased == 0
    with Store.open(database_url) as again:
        assert everything(again) == before
        again.write(lambda conn: audit_log.note_audit(conn, user="u", what="y", at_ms=2))
        assert [entry.id for entry in again.read(audit_log.recent_audit)] == [2, 1], (
            "numbers go on after the restored ones"
        )


def test_what_was_withdrawn_after_the_backup_does_not_come_back(
    filled: Store, database_url: str, tmp_path: Path
) -> None:
    made = backup(database_url, tmp_path / "old.backup")
    gone = filled.read(lambda conn: sessions.by_id(conn, "session-2"))
    assert gone is not None
    filled.write(lambda conn: sessions.withdraw(conn, gone, 77))
    filled.close()
    assert b"secret words 2" in made.path.read_bytes()
    restored = restore(made.path, database_url)
    assert (restored.n_erased, restored.verified.n_sessions, restored.verified.n_tombstones) == (
        1,
        2,
        1,
    )
    with Store.open(database_url) as again:
        assert again.read(lambda conn: sessions.by_id(conn, "session-2")) is None
        stones = again.read(lambda conn: conn.execute(select(tombstones)).all())
        assert [(stone.session, stone.withdrawn_ms) for stone in stones] == [("session-2", 77)]
        assert len(everything(again)["events"]) == 10
        path = again.database.path
    if path is not None:
        assert b"secret words 2" not in path.read_bytes()
        assert b"secret words 1" in path.read_bytes()


def test_a_lost_live_database_must_be_said_and_newer_backups_tell_who_withdrew(
    filled: Store, database_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    old = backup(database_url, tmp_path / "old.backup")
    gone = filled.read(lambda conn: sessions.by_id(conn, "session-1"))
    assert gone is not None
    filled.write(lambda conn: sessions.withdraw(conn, gone, 1))
    newer = backup(database_url, tmp_path / "newer.backup")
    filled.close()
    if filled.database.path is not None:
        elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    else:
        elsewhere = request.getfixturevalue("postgres").new_database()
    with pytest.raises(Refused, match="not known who has withdrawn"):
        restore(old.path, elsewhere)
    restored = restore(old.path, elsewhere, newer=[newer.path], live_lost=True)
    assert restored.n_erased == 1
    with Store.open(elsewhere) as again:
        assert again.read(lambda conn: sessions.by_id(conn, "session-1")) is None
        assert again.read(lambda conn: sessions.by_id(conn, "session-2")) is not None


@pytest.mark.postgres
def test_a_backup_of_one_kind_restores_into_the_other(
    postgres: Any, tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    lite, server = f"sqlite:///{tmp_path / 'b.db'}", postgres.new_database()
    with Store.open(lite, clock=VirtualClock()) as store:
        make_session(store)
        store.append(event_checks.check_batch("token-1", 1, [(1, body(1, text="ü😀'\u2028"))]))
        store.write(lambda conn: audit_log.note_audit(conn, user="u", what="x", at_ms=1))
        before = everything(store)
    restore(backup(lite, tmp_path / "1.backup").path, server, live_lost=True)
    with Store.open(server) as store:
        assert everything(store) == before
        store.write(lambda conn: audit_log.note_audit(conn, user="u", what="y", at_ms=2))
    restore(backup(server, tmp_path / "2.backup").path, lite)
    with Store.open(lite) as store:
        assert everything(store)["events"] == before["events"]


def test_the_replaced_file_is_put_aside(tmp_path: Path, make_session: MakeSession) -> None:
    url = f"sqlite:///{tmp_path / 'b.db'}"
    with Store.open(url) as store:
        make_session(store)
    made = backup(url, tmp_path / "1.backup")
    for number in (1, 2):
        assert restore(made.path, url).aside == tmp_path / f"b.db.before-restore-{number}"


def test_restoring_over_a_running_server_is_refused(
    tmp_path: Path, make_session: MakeSession
) -> None:
    url = f"sqlite:///{tmp_path / 'b.db'}"
    with Store.open(url) as store:
        make_session(store)
        made = backup(url, tmp_path / "1.backup")
        with pytest.raises(Refused, match="Stop the server"):
            restore(made.path, url)
        assert store.read(lambda conn: sessions.by_id(conn, "session-1")) is not None


def test_an_unreadable_live_file_must_be_said_to_be_lost(
    tmp_path: Path, make_session: MakeSession
) -> None:
    url = f"sqlite:///{tmp_path / 'b.db'}"
    with Store.open(url) as store:
        make_session(store)
    made = backup(url, tmp_path / "1.backup")
    (tmp_path / "b.db").write_bytes(b"torn" * 1000)
    with pytest.raises(Refused, match="cannot be read"):
        restore(made.path, url)
    assert restore(made.path, url, live_lost=True).aside is not None
    with Store.open(url) as store:
        assert store.read(lambda conn: sessions.by_id(conn, "session-1")) is not None


def test_a_backup_while_events_pour_in_is_one_moment(
    store: Store, database_url: str, tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    make_session(store)
    done = threading.Event()

    def pour() -> None:
        seq = 0
        while not done.is_set():
            seq = store.append(
                event_checks.check_batch(
                    "token-1", 1, [(seq + n, body(seq + n, text="x" * 3000)) for n in range(1, 20)]
                )
            )

    thread = threading.Thread(target=pour)
    thread.start()
    try:
        sizes = [backup(database_url, tmp_path / f"{n}.backup").verified.n_events for n in range(3)]
    finally:
        done.set()
        thread.join()
    assert sizes == sorted(sizes)  # type: ignore[type-var]
    assert sizes[-1] > 0  # type: ignore[operator]


def test_damage_is_found(tmp_path: Path, make_session: MakeSession, body: Body) -> None:
    url = f"sqlite:///{tmp_path / 'b.db'}"
    with Store.open(url) as store:
        make_session(store)
        store.append(
            event_checks.check_batch(
                "token-1", 1, [(n, body(n, text="y" * 500)) for n in range(1, 200)]
            )
        )
    whole = backup(url, tmp_path / "whole.backup").path
    assert verify_file(whole).n_events == 199

    changed = tmp_path / "changed.backup"
    changed.write_bytes(whole.read_bytes())
    with sqlite3.connect(changed) as raw:
        raw.execute("UPDATE events SET body = replace(body, 'y', 'z') WHERE seq = 7")
    raw.close()
    with pytest.raises(InvalidInput, match="session session-1: the chain ends at event 199 of 199"):
        verify_file(changed)

    shorter = tmp_path / "shorter.backup"
    shorter.write_bytes(whole.read_bytes())
    with sqlite3.connect(shorter) as raw:
        raw.execute("DELETE FROM events WHERE seq = 100")
    raw.close()
    with pytest.raises(InvalidInput, match="ends at event 99 of 199, not at 199 of 199"):
        restore(shorter, url)

    torn = tmp_path / "torn.backup"
    torn.write_bytes(whole.read_bytes()[:20_000])
    with pytest.raises(InvalidInput, match="damaged"):
        verify_file(torn)

    other = tmp_path / "other.db"
    with sqlite3.connect(other) as raw:
        raw.execute("CREATE TABLE x (y)")
    raw.close()
    with pytest.raises(InvalidInput, match="expected a backup of believable"):
        verify_file(other)
    text = tmp_path / "text.backup"
    text.write_text("hello, this is not a database at all")
    with pytest.raises(InvalidInput, match="not a readable SQLite file"):
        verify_file(text)


def test_a_backup_never_replaces_one_and_needs_a_database(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    with pytest.raises(Conflict, match="exists already"):
        backup(f"sqlite:///{tmp_path / 'b.db'}", tmp_path / "there")
    with pytest.raises(NotFound, match="no database"):
        backup(f"sqlite:///{tmp_path / 'b.db'}", tmp_path / "new")
    with pytest.raises(NotFound, match="Name a backup"):
        verify_file(tmp_path / "nowhere")
