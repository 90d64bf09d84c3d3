"""Durability settings, a full disk, a database that goes away."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput, StorageFull, Unavailable
from believable.store import alarms, audit_log, event_checks, event_log, sessions
from believable.store.engine import Store
from believable.store.sessions import Session
from tests.waiting import wait_until

pytestmark = pytest.mark.both_databases

MakeSession = Callable[..., Session]
Body = Callable[..., str]


def note(conn: Connection) -> None:
    audit_log.note_audit(conn, user="u", what="x", at_ms=0)


def pragma(conn: Connection, name: str) -> Any:
    return conn.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_sqlite_is_durable_and_strict(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'deep' / 'b.db'}") as store:
        for run in (store.write, store.read):
            found = run(
                lambda conn: [
                    pragma(conn, p)
                    for p in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
                ]
            )
            assert found == ["wal", 2, 1, 1]


def test_only_who_asks_for_it_is_answered_before_the_disk_has_it(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'b.db'}", synchronous="NORMAL") as store:
        assert store.write(lambda conn: pragma(conn, "synchronous")) == 1
        with Store.open(f"sqlite:///{tmp_path / 'b.db'}") as other:
            assert other.write(lambda conn: pragma(conn, "synchronous")) == 2, (
                "another process is as careful as ever"
            )


@pytest.mark.postgres
def test_postgres_is_durable(postgres: Any) -> None:
    with Store.open(postgres.new_database()) as store:
        assert (
            store.write(lambda conn: conn.exec_driver_sql("SHOW synchronous_commit").scalar())
            == "on"
        )
        assert (
            store.read(lambda conn: conn.exec_driver_sql("SHOW transaction_isolation").scalar())
            == "repeatable read"
        )


@pytest.mark.parametrize(
    "url", ["sqlite://", "sqlite:///:memory:", "mysql://x/y", "believable.db", ""]
)
def test_other_addresses_are_refused_with_the_right_form(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"expected sqlite:///path/to/file\.db or postgresql://"):
        Store.open(url)


def test_a_password_is_not_repeated_in_the_error() -> None:
    with pytest.raises(InvalidInput) as caught:
        Store.open("mysql://me:hunter2@host/y")
    assert "hunter2" not in str(caught.value)


def test_an_unreachable_server_is_told(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be opened"):
        Store.open(f"postgresql:///x?host={tmp_path}")


def test_limits_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELIEVABLE_SQLITE_MAX_PAGES", "500")
    with Store.open(f"sqlite:///{tmp_path / 'b.db'}") as store:
        assert store.write(lambda conn: pragma(conn, "max_page_count")) == 500
    monkeypatch.setenv("BELIEVABLE_GROUP_LIMIT", "many")
    with pytest.raises(
        InvalidInput, match=r"BELIEVABLE_GROUP_LIMIT: expected a whole number above 0, got 'many'"
    ):
        Store.open(f"sqlite:///{tmp_path / 'b.db'}")


def fill(store: Store, session: Session, body: Body) -> int:
    """Send until the disk is full; how many events were acknowledged."""
    seq = 0
    while True:
        batch = event_checks.check_batch(
            "token-1", 1, [(seq + 1, body(seq + 1, text="x" * 20_000))]
        )
        try:
            seq = store.append(batch)
        except StorageFull:
            return seq


def test_a_full_disk_is_never_acknowledged_and_recovers_by_itself(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    clock = VirtualClock()
    with Store.open(f"sqlite:///{tmp_path / 'b.db'}", clock=clock) as store:
        session = make_session(store)
        store.limit_pages(store.read(lambda conn: pragma(conn, "page_count")) + 30)
        acknowledged = fill(store, session, body)
        assert acknowledged > 0
        (alarm,) = store.alarms()
        assert alarm.kind == "storage_full"
        kept = store.read(
            lambda conn: [seq for seq, _, _ in event_log.event_bodies(conn, session.id)]
        )
        assert kept == list(range(1, acknowledged + 1))
        clock.advance(60_000)
        store.limit_pages(None)
        batch = event_checks.check_batch(
            "token-1", 1, [(acknowledged + 1, body(acknowledged + 1, text="x" * 20_000))]
        )
        assert store.append(batch) == acknowledged + 1
        store.write(note)
        assert store.alarms() == ()
        (written,) = store.read(alarms.recent)
        assert written.kind == "storage_full"
        assert written.cleared_ms == clock.now_ms()
        assert written.raised_ms == clock.now_ms() - 60_000


def test_on_a_full_disk_what_still_fits_is_stored(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'b.db'}") as store:
        make_session(store, 1)
        make_session(store, 2)
        store.limit_pages(store.read(lambda conn: pragma(conn, "page_count")) + 10)
        release = threading.Event()
        store._writer.submit(lambda conn: release.wait(20))
        large = store._writer.submit(
            event_checks.check_batch("token-1", 1, [(1, body(1, text="x" * 1_000_000))])
        )
        small = store._writer.submit(event_checks.check_batch("token-2", 1, [(1, body(1))]))
        release.set()
        assert small.result(20) == 1
        with pytest.raises(StorageFull):
            large.result(20)
        assert store.read(lambda conn: sessions.by_id(conn, "session-1")).head_seq == 0  # type: ignore[union-attr]


def test_an_alarm_that_cannot_be_written_is_shown_from_memory(
    tmp_path: Path, make_session: MakeSession, body: Body
) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'b.db'}", clock=VirtualClock()) as store:
        session = make_session(store)
        # Fill the alarms' page as well: small rows are written until none fits.
        store.limit_pages(store.read(lambda conn: pragma(conn, "page_count")))
        filler = alarms.Alarm(
            id=None, study=None, kind="filler", message="x" * 40, raised_ms=0, cleared_ms=0
        )
        with contextlib.suppress(StorageFull):
            for _ in range(10_000):
                store.write(lambda conn: alarms.write(conn, filler))
        fill(store, session, body)
        (alarm,) = store.alarms()
        assert (alarm.kind, alarm.id) == ("storage_full", None)


@pytest.mark.postgres
@pytest.mark.parametrize("how", ["stop", "crash"])
def test_postgres_restarted_in_the_middle_loses_and_doubles_nothing(
    postgres: Any, how: str, make_session: MakeSession, body: Body
) -> None:
    url = postgres.new_database()
    with Store.open(url, clock=VirtualClock(), patience_s=120) as store:
        session = make_session(store)
        acknowledged: list[int] = []
        done = threading.Event()

        def send() -> None:
            seq = 0
            while not done.is_set() or seq < 50:
                seq = store.append(
                    event_checks.check_batch("token-1", 1, [(seq + 1, body(seq + 1))])
                )
                acknowledged.append(seq)
                store.write(note)

        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(2):
            stored = len(acknowledged)
            wait_until(lambda least=stored: len(acknowledged) > least + 5, "nothing is stored")
            getattr(postgres, how)()
            postgres.start()
        stored = len(acknowledged)
        wait_until(lambda: len(acknowledged) > stored + 5, "nothing is stored after the restart")
        done.set()
        sender.join(200)
        assert not sender.is_alive()
        kept = store.read(
            lambda conn: [seq for seq, _, _ in event_log.event_bodies(conn, session.id)]
        )
        assert kept == acknowledged == list(range(1, len(kept) + 1))
        notes = store.read(lambda conn: len(audit_log.recent_audit(conn, limit=1_000_000)))
        assert notes == len(acknowledged), (
            "a change without a key of its own is stored exactly once"
        )
        told = (*store.alarms(), *store.read(alarms.recent))
        assert "database_lost" in {alarm.kind for alarm in told}


@pytest.mark.postgres
def test_a_full_server_is_a_full_disk(postgres: Any) -> None:
    full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
    with Store.open(postgres.new_database(), clock=VirtualClock()) as store:
        with pytest.raises(StorageFull, match="not stored"):
            store.write(lambda conn: conn.exec_driver_sql(full) and None)
        store.write(note)
        assert [alarm.kind for alarm in store.alarms()] == ["storage_full"]


@pytest.mark.postgres
@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_without_an_answer_is_looked_up(postgres: Any, committed: bool) -> None:
    """The line breaks exactly at COMMIT: PostgreSQL is asked whether it took place; nothing is lost
    or doubled.
    """
    url = postgres.new_database()
    with Store.open(url) as store:
        broken: list[bool] = []

        def cut(conn: Connection) -> None:
            if broken:
                return
            broken.append(True)
            raw = store.database.driver_connection(conn)
            if committed:
                raw.commit()
            postgres.execute(f"SELECT pg_terminate_backend({raw.info.backend_pid})")

        event.listen(store.database.writer, "commit", cut)
        store.write(note)
        assert broken
        assert store.read(lambda conn: len(audit_log.recent_audit(conn))) == 1


@pytest.mark.postgres
def test_a_server_that_stays_away_is_told_and_nothing_is_acknowledged(postgres: Any) -> None:
    url = postgres.new_database()
    with Store.open(url, patience_s=0.5) as store:
        postgres.stop()
        try:
            with pytest.raises(Unavailable, match="Nothing was acknowledged"):
                store.write(note)
            with pytest.raises(Unavailable, match="cannot be read now"):
                store.read(audit_log.recent_audit)
        finally:
            postgres.start()
        store.write(note)
        assert store.read(lambda conn: len(audit_log.recent_audit(conn))) == 1


def test_errors_of_a_statement_are_not_mistaken_for_trouble(store: Store) -> None:
    with pytest.raises(DBAPIError):
        store.read(lambda conn: conn.exec_driver_sql("SELECT nothing FROM nowhere"))
