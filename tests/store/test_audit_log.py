"""The audit log: only added to, whoever has a connection; and nothing of people who withdrew."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import DBAPIError

from believable.store import audit_log, sessions
from believable.store.audit_log import FORGOTTEN, SAME_LOOK_MS, AuditFilter
from believable.store.engine import Store
from believable.store.sessions import Session
from believable.store.tables.accounts import audit

pytestmark = pytest.mark.both_databases

NOW = 1_750_000_000_000


def test_lines_are_neither_changed_nor_deleted(store: Store) -> None:
    store.write(
        lambda conn: audit_log.note_audit(
            conn, user="ada", what="exported", at_ms=NOW, study="s", session="x"
        )
    )
    changes = (
        delete(audit),
        update(audit).values(what="nothing"),
        update(audit).values(user="bob", session=None),
        update(audit).values(at_ms=NOW - 1, session=None),
        update(audit).values(kind="view", session=None),
        update(audit).values(study=None, session=None),
    )
    for change in changes:
        with pytest.raises(DBAPIError, match="only added to"):
            store.write(lambda conn, change=change: conn.execute(change) and None)
    assert [line.what for line in store.read(audit_log.recent_audit)] == ["exported"]


def test_withdrawing_takes_the_words_and_leaves_who_and_when(
    store: Store, make_session: Callable[..., Session]
) -> None:
    session = make_session(store)
    what = "rejected real session 1: wrote 'my name is CANARY'"
    store.write(
        lambda conn: audit_log.note_audit(
            conn, user="ada", what=what, at_ms=NOW, session=session.id
        )
    )
    store.write(
        lambda conn: audit_log.note_audit(conn, user="ada", what="paused the study", at_ms=NOW)
    )
    store.write(lambda conn: sessions.withdraw(conn, session, NOW))
    later, first = store.read(audit_log.recent_audit)
    assert later.what == "paused the study"
    assert (first.user, first.at_ms, first.what, first.session) == ("ada", NOW, FORGOTTEN, None)


def test_one_look_is_one_line(store: Store) -> None:
    for at_ms in (NOW, NOW + 1, NOW + SAME_LOOK_MS - 1, NOW + SAME_LOOK_MS):
        store.write(
            lambda conn, at_ms=at_ms: audit_log.note_view(
                conn, user="ada", what="looked", at_ms=at_ms, study="s"
            )
        )
    store.write(
        lambda conn: audit_log.note_view(conn, user="bob", what="looked", at_ms=NOW, study="s")
    )
    times = [
        line.at_ms
        for line in store.read(
            lambda conn: audit_log.recent_audit(conn, 9, AuditFilter(user="ada"))
        )
    ]
    assert times == [NOW + SAME_LOOK_MS, NOW]


def test_reading_it_by_study_kind_and_person(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "CHUNK", 2)
    for number in range(5):
        store.write(
            lambda conn, number=number: audit_log.note_audit(
                conn,
                user="ada",
                what=f"deed {number}",
                at_ms=NOW,
                study="ab"[number % 2],
                kind="export",
            )
        )
    whole = store.read(
        lambda conn: [line.what for line in audit_log.whole_audit(conn, AuditFilter("a", "export"))]
    )
    assert whole == ["deed 0", "deed 2", "deed 4"]
    newest = store.read(lambda conn: audit_log.recent_audit(conn, 2))
    older = store.read(lambda conn: audit_log.recent_audit(conn, 2, before=newest[-1].id))
    assert [line.what for line in (*newest, *older)] == ["deed 4", "deed 3", "deed 2", "deed 1"]
    assert not store.read(lambda conn: audit_log.recent_audit(conn, 2, AuditFilter(kind="view")))
