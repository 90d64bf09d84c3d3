"""Answers to review, pastes, and decisions, on a real database."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.store import audit_log, review, sessions
from believable.store.tables import collected as collected_tables

NOW = 1_750_000_000_000


@pytest.fixture
def conn(scratch: Connection) -> Connection:
    scratch.execute(
        insert(collected_tables.studies).values(
            id="s", title="S", state="open", definition="d", created_ms=NOW
        )
    )
    scratch.execute(
        insert(collected_tables.definitions).values(hash="d", study="s", body="{}", created_ms=NOW)
    )
    return scratch


def put(conn: Connection, number: int, kind: str = "open", **values: Any) -> str:
    name = f"{kind}{number}"
    row = {
        "id": name,
        "token_hash": f"t{name}",
        "code_hash": f"c{name}",
        "study": "s",
        "definition": "d",
        "link_kind": kind,
        "number": number,
        "language": "en",
        "arms": "{}",
        "rows": "{}",
        "seed": 1,
        "recruiter_extra": "{}",
        "state": "finished",
        "outcome": "complete",
        "opened_ms": NOW,
        "head_hash": "",
        "started_ms": NOW,
        "seen_ms": NOW,
        "reserved_until_ms": NOW,
        "reservation_ms": 1,
        "finished_ms": NOW + 90_000,
        **values,
    }
    conn.execute(insert(collected_tables.sessions).values(row))
    return name


def test_the_last_decision_holds_and_the_first_stays_on_record(conn: Connection) -> None:
    one = put(conn, 1)
    answer = review.target("pairs.1.watch", "why")
    for kind, reason in (("exclude_text", " copied "), ("keep", "it was a quotation")):
        review.decide(
            conn, session=one, answer=answer, kind=kind, reason=reason, user="ada", at_ms=NOW
        )
    assert review.latest_of(conn, [one]) == {(one, answer): "keep"}
    held = review.decision_about(conn, one, answer)
    assert held is not None
    assert held.reason == "it was a quotation"
    assert [(row.kind, row.reason) for row in review.decisions_of(conn, one)] == [
        ("exclude_text", "copied"),
        ("keep", "it was a quotation"),
    ]


@pytest.mark.parametrize(
    ("kind", "reason"), [("keep", ""), ("exclude_text", "  "), ("reject", "no"), ("", "x")]
)
def test_a_decision_needs_a_kind_and_a_reason(conn: Connection, kind: str, reason: str) -> None:
    one = put(conn, 1)
    with pytest.raises(InvalidInput):
        review.decide(
            conn, session=one, answer="k/q", kind=kind, reason=reason, user="ada", at_ms=NOW
        )
    assert conn.execute(select(collected_tables.decisions)).all() == []


def test_rejecting_frees_the_place_and_unrejecting_takes_it_again(conn: Connection) -> None:
    one = put(conn, 1)

    def places() -> int:
        return sum(
            row.n_sessions
            for row in sessions.count_filled(conn, "s", ("open", "personal"), NOW + 1)
        )

    assert places() == 1
    review.judge(conn, session=one, deed="reject", reason="nonsense", user="ada", at_ms=NOW)
    assert places() == 0
    with pytest.raises(Conflict, match="rejected already"):
        review.judge(conn, session=one, deed="reject", reason="again", user="bob", at_ms=NOW)
    review.judge(conn, session=one, deed="unreject", reason="my mistake", user="ada", at_ms=NOW)
    assert places() == 1
    assert [row.kind for row in review.decisions_of(conn, one)] == ["reject", "unreject"]


def test_a_withdrawn_session_cannot_be_judged(conn: Connection) -> None:
    with pytest.raises(NotFound, match="withdrawn"):
        review.judge(conn, session="gone", deed="reject", reason="x", user="ada", at_ms=NOW)


def test_excluding_frees_the_place_too_but_leaves_the_payment_alone(conn: Connection) -> None:
    name = put(conn, 1)
    for deed in ("approve", "exclude"):
        review.judge(
            conn, session=name, deed=deed, reason="looked away all the time", user="ada", at_ms=NOW
        )
    row = sessions.by_id(conn, name)
    assert row is not None
    assert (row.approved, row.rejected, row.excluded) == (True, False, True)
    assert not sessions.count_filled(conn, "s", ("open", "personal"), NOW + 1)
    review.judge(conn, session=name, deed="include", reason="mistaken", user="ada", at_ms=NOW)
    assert sessions.count_filled(conn, "s", ("open", "personal"), NOW + 1)
    review.judge(conn, session=name, deed="reject", reason="a bot", user="ada", at_ms=NOW)
    row = sessions.by_id(conn, name)
    assert row is not None
    assert (row.approved, row.rejected) == (False, True), "nobody is both"


def test_many_at_once_change_those_that_are_not_so_yet_and_all_or_none(conn: Connection) -> None:
    names = [put(conn, number) for number in range(1, 1_203)]
    review.judge(conn, session=names[0], deed="approve", reason="fine", user="ada", at_ms=NOW)
    changed = review.judge_all(
        conn, names, deed="approve", reason=" all fine ", user="bob", at_ms=NOW + 1
    )
    assert changed == tuple(range(2, 1_203))
    assert [row.reason for row in review.decisions_of(conn, names[700])] == ["all fine"]
    assert (
        review.judge_all(conn, names, deed="approve", reason="again", user="bob", at_ms=NOW + 2)
        == ()
    )
    with pytest.raises(NotFound, match="withdrawn"):
        review.judge_all(
            conn, [names[0], "gone"], deed="exclude", reason="x", user="bob", at_ms=NOW
        )
    with pytest.raises(InvalidInput, match="expected a reason"):
        review.judge_all(conn, names, deed="exclude", reason=" ", user="bob", at_ms=NOW)
    with pytest.raises(InvalidInput, match="Did you mean 'exclude'"):
        review.judge_all(conn, names, deed="exclud", reason="x", user="bob", at_ms=NOW)
    assert len(review.decisions_of(conn, names[0])) == 1


def test_who_looked_at_conditions_is_not_blind_from_then_on(conn: Connection) -> None:
    def note(user: str, what: str, at_ms: int) -> None:
        audit_log.note_audit(conn, user=user, what=what, at_ms=at_ms, study="s")

    note("ada", review.looking("real", 3), NOW)
    note("bea", review.unblinding("real"), NOW)
    note("cleo", review.unblinding("simulated"), NOW)
    note("dora", review.searching("real"), NOW)
    looks = review.looks(conn, "s", "real")
    assert looks.before("ada", 3, NOW + 1)
    assert not looks.before("ada", 3, NOW - 1)
    assert not looks.before("ada", 4, NOW + 1)
    assert looks.before("bea", 4, NOW + 1)
    assert looks.before("dora", 4, NOW + 1)
    assert not looks.before("cleo", 4, NOW + 1)
