"""Lists for the console: studies, versions, personal links, sessions."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, insert

from believable.core.errors import InvalidInput, NotFound
from believable.store import links, overview, tables

NOW = 1_750_000_000_000
HOUR = 3_600_000


@pytest.fixture
def conn(scratch: Connection) -> Connection:
    for name in ("s", "empty"):
        row = {"id": name, "title": name, "state": "open", "definition": "d", "created_ms": NOW}
        scratch.execute(insert(tables.studies).values(row))
    for version, at_ms in (("d", NOW), ("e", NOW + 1)):
        scratch.execute(
            insert(tables.definitions).values(hash=version, study="s", body="{}", created_ms=at_ms)
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
        "state": "active",
        "opened_ms": NOW,
        "head_hash": "",
        "head_seq": 7,
        "top_seq": 9,
        "started_ms": NOW - HOUR,
        "seen_ms": NOW,
        "reserved_until_ms": NOW + HOUR,
        "reservation_ms": HOUR,
        **values,
    }
    conn.execute(insert(tables.sessions).values(row))
    return name


def numbers(conn: Connection, place: str, pool: str = "real", offset: int = 0, limit: int = 50) -> list[int]:
    lines, _ = overview.session_lines(conn, "s", pool, place, now_ms=NOW, offset=offset, limit=limit)
    return [line.number for line in lines]


def fill(conn: Connection) -> None:
    put(conn, 1)
    put(conn, 2, "personal", seen_ms=NOW - 3 * HOUR, reserved_until_ms=NOW - HOUR)
    put(conn, 3, state="finished", outcome="complete", finished_ms=NOW)
    put(conn, 4, state="finished", outcome="complete", finished_ms=NOW, rejected=True)
    put(conn, 5, state="finished", outcome="screened_out", finished_ms=NOW, definition="e")
    put(conn, 1, "simulated")


def test_studies_with_the_numbers_of_each_pool(conn: Connection) -> None:
    fill(conn)
    lines = {line.study.id: line.pools for line in overview.study_lines(conn, now_ms=NOW)}
    assert lines["s"]["real"] == overview.PoolNumbers(started=5, active=1, complete=1)
    assert lines["s"]["simulated"] == overview.PoolNumbers(started=1, active=1, complete=0)
    assert lines["empty"]["real"] == overview.PoolNumbers(0, 0, 0)


def test_versions_newest_first_with_their_sessions(conn: Connection) -> None:
    fill(conn)
    assert [(one.hash, one.n_sessions) for one in overview.versions(conn, "s")] == [("e", 1), ("d", 5)]


def test_sessions_by_place(conn: Connection) -> None:
    fill(conn)
    found = {place: numbers(conn, place) for place in overview.PLACES}
    assert found == {
        "all": [5, 4, 3, 2, 1],
        "running": [1],
        "dropped_out": [2],
        "complete": [4, 3],
        "ended_early": [5],
        "rejected": [4],
    }
    assert numbers(conn, "all", "simulated") == [1]
    with pytest.raises(InvalidInput, match="Did you mean 'running'"):
        numbers(conn, "runing")


def test_sessions_by_page(conn: Connection) -> None:
    fill(conn)
    assert numbers(conn, "all", offset=2, limit=2) == [3, 2]
    lines, total = overview.session_lines(conn, "s", "real", "all", now_ms=NOW, offset=0, limit=1)
    assert total == 5
    assert (lines[0].n_events, lines[0].missing) == (7, 2)


def test_personal_links_know_who_used_them(conn: Connection) -> None:
    fill(conn)
    links.create(conn, token="a", study="s", kind="personal", label="Anna", at_ms=NOW)
    links.create(conn, token="b", study="s", kind="personal", label="Bea", at_ms=NOW)
    links.create(conn, token="c", study="s", kind="personal", label="Cleo", at_ms=NOW)
    links.create(conn, token="o", study="s", kind="open", at_ms=NOW)
    links.use(conn, "a", "personal2")
    links.use(conn, "c", "withdrawn meanwhile")
    found = overview.personal_links(conn, "s")
    assert [(one.label, one.used, one.number) for one in found] == [
        ("Anna", True, 2),
        ("Bea", False, None),
        ("Cleo", True, None),
    ]


def test_a_session_by_its_number_stays_in_its_pool(conn: Connection) -> None:
    fill(conn)
    assert overview.session_by_number(conn, "s", "real", 2).id == "personal2"
    assert overview.session_by_number(conn, "s", "simulated", 1).id == "simulated1"
    with pytest.raises(NotFound, match="no preview session 1"):
        overview.session_by_number(conn, "s", "preview", 1)
