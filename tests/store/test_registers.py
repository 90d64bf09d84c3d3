"""The small registers: studies, links, trials, decisions, alarms, audit, limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from believable.bundle.session_records import ClosedTrial
from believable.core.errors import InvalidInput, NotFound, TooManyTries
from believable.store import accounts, alarms, audit_log, review, sessions, studies
from believable.store.audit_log import AuditFilter
from believable.store.engine import Store
from believable.store.sessions import Session

MakeSession = Callable[..., Session]


def put(store: Store, study: str = "s", definition: str = "d1") -> None:
    store.write(
        lambda conn: studies.put(
            conn, study, title=study.upper(), definition=definition, body="{}", at_ms=1
        )
    )


def test_studies(store: Store) -> None:
    put(store)
    put(store, definition="d2")
    row = store.read(lambda conn: studies.get(conn, "s"))
    assert (row.title, row.state, row.definition, row.created_ms) == ("S", "open", "d2", 1)
    assert store.read(lambda conn: studies.definition_body(conn, "d1")) == "{}", (
        "older definitions stay"
    )
    store.write(lambda conn: studies.set_state(conn, "s", "closed"))
    assert [study.state for study in store.read(studies.every)] == ["closed"]
    with pytest.raises(InvalidInput, match=r"unknown state 'close'\. Did you mean 'closed'"):
        store.write(lambda conn: studies.set_state(conn, "s", "close"))
    with pytest.raises(NotFound, match="no study 'z' here"):
        store.read(lambda conn: studies.get(conn, "z"))
    with pytest.raises(NotFound, match="no definition"):
        store.read(lambda conn: studies.definition_body(conn, "d9"))


def test_links(store: Store) -> None:
    put(store)
    made = store.write(
        lambda conn: studies.create_link(
            conn, token="t", study="s", kind="personal", at_ms=1, label="Ada"
        )
    )
    assert store.read(lambda conn: studies.get_link(conn, "t")) == made
    store.write(lambda conn: studies.use_link(conn, "t", "session-1"))
    assert store.read(lambda conn: studies.get_link(conn, "t")).used_by == "session-1"
    assert len(store.read(lambda conn: studies.links_of(conn, "s"))) == 1
    assert store.read(lambda conn: studies.links_of(conn, "s", ("open",))) == ()
    with pytest.raises(InvalidInput, match=r"unknown kind 'opne'\. Did you mean 'open'"):
        store.write(
            lambda conn: studies.create_link(conn, token="u", study="s", kind="opne", at_ms=1)
        )
    with pytest.raises(NotFound, match="does not lead to a study"):
        store.read(lambda conn: studies.get_link(conn, "v"))


def test_closed_trials_come_back_by_run(store: Store, make_session: MakeSession) -> None:
    session = make_session(store)
    rows = [
        ClosedTrial(
            position=1,
            run=0,
            key="b",
            status="done",
            attempts=2,
            submit_seq=5,
            answers={"q": ["x", None, 1.5], "t": "ü\x00"},
            opened_ms=1,
            closed_ms=2,
        ),
        ClosedTrial(
            position=0,
            run=0,
            key="a",
            status="skipped",
            attempts=0,
            submit_seq=None,
            answers={},
            opened_ms=None,
            closed_ms=2,
        ),
        ClosedTrial(
            position=0,
            run=1,
            key="a",
            status="done",
            attempts=1,
            submit_seq=9,
            answers={"q": {"r": 1}},
            opened_ms=3,
            closed_ms=4,
        ),
    ]
    for row in rows:
        store.write(lambda conn, row=row: sessions.close_trial(conn, session.id, row))
    assert store.read(lambda conn: sessions.closed_trials(conn, session.id)) == (
        rows[1],
        rows[0],
        rows[2],
    )
    assert store.read(lambda conn: sessions.closed_trials(conn, session.id, 1)) == (rows[2],)


def test_decisions_are_added_and_move_the_flag(store: Store, make_session: MakeSession) -> None:
    session = make_session(store)

    def decide(kind: str, reason: str = "because", target: str = "") -> None:
        store.write(
            lambda conn: review.add_decision(
                conn, session=session.id, kind=kind, reason=reason, user="u", at_ms=1, target=target
            )
        )

    def rejected() -> bool:
        row = store.read(lambda conn: sessions.by_id(conn, session.id))
        assert row is not None
        return row.rejected

    decide("reject")
    assert rejected()
    decide("exclude_text", target="about/why")
    assert rejected()
    decide("unreject")
    assert not rejected()
    assert [one.kind for one in store.read(lambda conn: review.decisions_of(conn, session.id))] == [
        "reject",
        "exclude_text",
        "unreject",
    ]
    with pytest.raises(InvalidInput, match="expected a reason"):
        decide("reject", reason="  ")
    with pytest.raises(InvalidInput, match="unknown kind 'rejct'"):
        decide("rejct")
    with pytest.raises(NotFound, match="withdrawn"):
        store.write(
            lambda conn: review.add_decision(
                conn, session="x", kind="keep", reason="r", user="u", at_ms=1
            )
        )


def test_alarms_stand_until_cleared_and_are_not_repeated(store: Store) -> None:
    def sound(message: str, at_ms: int) -> None:
        store.write(
            lambda conn: alarms.sound(conn, kind="stall", message=message, study=None, at_ms=at_ms)
        )

    sound("a", 1)
    sound("a", 2)
    sound("b", 3)
    standing = store.alarms()
    assert [(alarm.message, alarm.raised_ms) for alarm in standing] == [("b", 3), ("a", 1)]
    first = standing[1].id
    assert first is not None
    store.write(lambda conn: alarms.clear(conn, first, 9))
    store.write(lambda conn: alarms.clear(conn, first, 10))
    assert [alarm.message for alarm in store.alarms()] == ["b"]
    assert [alarm.cleared_ms for alarm in store.read(alarms.recent)] == [None, 9]
    sound("a", 11)
    assert len(store.alarms()) == 2, "what comes back after clearing is told again"


def test_audit_is_newest_first(store: Store) -> None:
    for n in range(5):
        study = "s" if n % 2 else None
        store.write(
            lambda conn, n=n, study=study: audit_log.note_audit(
                conn, user="u", what=str(n), at_ms=n, study=study
            )
        )
    assert [entry.what for entry in store.read(lambda conn: audit_log.recent_audit(conn, 3))] == [
        "4",
        "3",
        "2",
    ]
    assert [
        entry.what
        for entry in store.read(lambda conn: audit_log.recent_audit(conn, wanted=AuditFilter("s")))
    ] == ["3", "1"]


def test_limits_count_failures_per_person_and_forget(store: Store) -> None:
    def check(who: str, now_ms: int) -> None:
        store.read(
            lambda conn: accounts.check_tries(
                conn, what="code", who=who, limit=2, window_ms=60_000, now_ms=now_ms
            )
        )

    for now_ms in (1, 2):
        check("a", now_ms)
        store.write(
            lambda conn, now_ms=now_ms: accounts.note_failed_try(
                conn, what="code", who="a", now_ms=now_ms
            )
        )
    with pytest.raises(TooManyTries, match="2 failed tries within 1 minutes"):
        check("a", 3)
    check("b", 3)
    check("a", 60_002)
    store.write(
        lambda conn: accounts.note_failed_try(
            conn, what="code", who="b", now_ms=accounts.TRY_LIFE_MS + 2
        )
    )
    left = store.read(lambda conn: conn.exec_driver_sql("SELECT count(*) FROM attempts").scalar())
    assert left == 1, "after an hour nothing is left of a try"
