"""Answers to review, pastes, and decisions, on a real database."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import Connection, insert, select

from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.store import decisions, review, sessions, tables

NOW = 1_750_000_000_000


@pytest.fixture
def conn(scratch: Connection) -> Connection:
    scratch.execute(
        insert(tables.studies).values(id="s", title="S", state="open", definition="d", created_ms=NOW)
    )
    scratch.execute(insert(tables.definitions).values(hash="d", study="s", body="{}", created_ms=NOW))
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
    conn.execute(insert(tables.sessions).values(row))
    return name


def put_trial(conn: Connection, session: str, position: int, answers: dict[str, Any], **values: Any) -> None:
    row = {
        "session": session,
        "position": position,
        "key": f"pairs.{position}.watch",
        "status": "done",
        "answers": json.dumps(answers),
        "opened_ms": NOW,
        "closed_ms": NOW + 7_000,
        **values,
    }
    conn.execute(insert(tables.trials).values(row))


def put_paste(
    conn: Connection,
    session: str,
    seq: int,
    trial: int | None,
    data: dict[str, Any],
    kind: str = "text.paste",
) -> None:
    body = json.dumps({"kind": kind, "trial": trial, "at_ms": 1, "mono_ms": 1, "data": data})
    conn.execute(insert(tables.events).values(session=session, seq=seq, body=body, received_ms=NOW))


def test_answers_come_from_the_latest_run_without_skipped_trials(conn: Connection) -> None:
    one = put(conn, 1, run=1)
    put_trial(conn, one, 0, {"why": "old"}, run=0)
    put_trial(conn, one, 0, {"why": "new"}, run=1)
    put_trial(conn, one, 1, {}, run=1)
    put_trial(conn, one, 2, {"why": "x"}, run=1, status="skipped")
    put_trial(conn, put(conn, 1, "simulated"), 0, {"why": "simulated"})
    found = review.answered(conn, "s", "real")
    assert [(row.number, row.position, row.answers["why"]) for row in found] == [(1, 0, "new")]
    assert found[0].took_ms == 7_000
    assert found[0].session_ms == 90_000
    assert [row.answers["why"] for row in review.answered(conn, "s", "simulated")] == ["simulated"]


def test_pastes_are_summed_by_question(conn: Connection) -> None:
    one = put(conn, 1)
    put_paste(conn, one, 1, 3, {"question": "why", "length": 40})
    put_paste(conn, one, 2, 3, {"question": "why", "length": 2})
    put_paste(conn, one, 3, 4, {"question": "why", "length": 9})
    put_paste(conn, one, 4, 3, {"question": "why", "value": '{"kind":"text.paste"}'}, kind="answer.change")
    put_paste(conn, one, 5, 3, {"question": "why", "length": "many"})
    put_paste(conn, put(conn, 1, "preview"), 1, 3, {"question": "why", "length": 5})
    assert review.pasted(conn, "s", "real") == {(one, 3, "why"): 42, (one, 4, "why"): 9}


def test_the_fingerprint_follows_answers(conn: Connection) -> None:
    seen = {review.fingerprint(conn, "s", "real")}
    one = put(conn, 1)
    seen.add(review.fingerprint(conn, "s", "real"))
    put_trial(conn, one, 0, {"why": "x"})
    seen.add(review.fingerprint(conn, "s", "real"))
    put_trial(conn, put(conn, 1, "simulated"), 0, {"why": "x"})
    seen.add(review.fingerprint(conn, "s", "real"))
    assert len(seen) == 3


def test_the_last_decision_holds_and_the_first_stays_on_record(conn: Connection) -> None:
    one = put(conn, 1)
    answer = review.target("pairs.1.watch", "why")
    for kind, reason in (("exclude_text", " copied "), ("keep", "it was a quotation")):
        review.decide(conn, session=one, answer=answer, kind=kind, reason=reason, user="ada", at_ms=NOW)
    assert review.latest(conn, "s")[one, answer].kind == "keep"
    assert [(row.kind, row.reason) for row in decisions.of_session(conn, one)] == [
        ("exclude_text", "copied"),
        ("keep", "it was a quotation"),
    ]


@pytest.mark.parametrize(
    ("kind", "reason"), [("keep", ""), ("exclude_text", "  "), ("reject", "no"), ("", "x")]
)
def test_a_decision_needs_a_kind_and_a_reason(conn: Connection, kind: str, reason: str) -> None:
    one = put(conn, 1)
    with pytest.raises(InvalidInput):
        review.decide(conn, session=one, answer="k/q", kind=kind, reason=reason, user="ada", at_ms=NOW)
    assert conn.execute(select(tables.decisions)).all() == []


def test_rejecting_frees_the_place_and_unrejecting_takes_it_again(conn: Connection) -> None:
    one = put(conn, 1)

    def places() -> int:
        return sum(row.n_sessions for row in sessions.filled(conn, "s", ("open", "personal"), NOW + 1))

    assert places() == 1
    review.set_rejected(conn, session=one, rejected=True, reason="nonsense", user="ada", at_ms=NOW)
    assert places() == 0
    with pytest.raises(Conflict, match="rejected already"):
        review.set_rejected(conn, session=one, rejected=True, reason="again", user="bob", at_ms=NOW)
    review.set_rejected(conn, session=one, rejected=False, reason="my mistake", user="ada", at_ms=NOW)
    assert places() == 1
    assert [row.kind for row in decisions.of_session(conn, one)] == ["reject", "unreject"]


def test_a_withdrawn_session_cannot_be_judged(conn: Connection) -> None:
    with pytest.raises(NotFound, match="withdrawn"):
        review.set_rejected(conn, session="gone", rejected=True, reason="x", user="ada", at_ms=NOW)
