"""Lists for the console: studies, versions, personal links, sessions."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, insert, update

from believable.core.errors import InvalidInput, NotFound
from believable.store import overview, studies
from believable.store.tables import collected as collected_tables

NOW = 1_750_000_000_000
HOUR = 3_600_000


@pytest.fixture
def conn(scratch: Connection) -> Connection:
    for name in ("s", "empty"):
        row = {"id": name, "title": name, "state": "open", "definition": "d", "created_ms": NOW}
        scratch.execute(insert(collected_tables.studies).values(row))
    for version, at_ms in (("d", NOW), ("e", NOW + 1)):
        scratch.execute(
            insert(collected_tables.definitions).values(
                hash=version, study="s", body="{}", created_ms=at_ms
            )
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
    conn.execute(insert(collected_tables.sessions).values(row))
    return name


def numbers(
    conn: Connection, place: str, pool: str = "real", offset: int = 0, limit: int = 50
) -> list[int]:
    wanted = overview.SessionFilter(pool=pool, place=place)
    lines, _ = overview.session_lines(conn, "s", wanted, now_ms=NOW, offset=offset, limit=limit)
    return [line.number for line in lines]


def chosen(conn: Connection, **wanted: Any) -> list[int]:
    """The numbers that a filter gives, in its order."""
    lines, total = overview.session_lines(
        conn, "s", overview.SessionFilter(**wanted), now_ms=NOW, offset=0, limit=50
    )
    assert total == len(lines)
    return [line.number for line in lines]


def search(conn: Connection, words: str, **hashes: Any) -> list[int]:
    return chosen(conn, search=overview.SessionSearch(words, **hashes))


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
    assert [(version.hash, version.n_sessions) for version in overview.versions(conn, "s")] == [
        ("e", 1),
        ("d", 5),
    ]


def test_a_definition_that_two_studies_have_is_listed_in_both_with_their_own_sessions(
    conn: Connection,
) -> None:
    """Stored once, under the study that had it first."""
    fill(conn)
    assert [(version.hash, version.n_sessions) for version in overview.versions(conn, "empty")] == [
        ("d", 0)
    ]
    put(conn, 90, study="empty", definition="e")
    assert [(version.hash, version.n_sessions) for version in overview.versions(conn, "empty")] == [
        ("e", 1),
        ("d", 0),
    ]
    assert [(version.hash, version.n_sessions) for version in overview.versions(conn, "s")] == [
        ("e", 1),
        ("d", 5),
    ]


def test_sessions_by_place(conn: Connection) -> None:
    fill(conn)
    found = {place: numbers(conn, place) for place in overview.PLACES}
    assert found == {
        "all": [5, 4, 3, 2, 1],
        "running": [1],
        "dropped_out": [2],
        "complete": [4, 3],
        "ended_early": [5],
        "undecided": [3],
        "impossible_views": [],
        "approved": [],
        "rejected": [4],
        "excluded": [],
    }
    assert numbers(conn, "all", "simulated") == [1]
    with pytest.raises(InvalidInput, match="Did you mean 'running'"):
        numbers(conn, "runing")


def test_sessions_by_page(conn: Connection) -> None:
    fill(conn)
    assert numbers(conn, "all", offset=2, limit=2) == [3, 2]
    lines, total = overview.session_lines(
        conn, "s", overview.SessionFilter(), now_ms=NOW, offset=0, limit=1
    )
    assert total == 5
    assert (lines[0].n_events, lines[0].missing) == (7, 2)


def test_sessions_are_found_by_number_id_code_recruiter_and_label(conn: Connection) -> None:
    fill(conn)
    put(
        conn,
        6,
        recruiter_hash="ab" * 32,
        recruiter_extra='{"SESSION_ID": "ef01"}',
        code_hash="cd" * 32,
    )
    studies.create_link(conn, token="a", study="s", kind="personal", label="Anna 100%", at_ms=NOW)
    studies.use_link(conn, "a", "personal2")
    assert search(conn, "3") == [3]
    assert search(conn, "2-4") == [4, 3, 2]
    assert search(conn, "personal") == [2]
    assert search(conn, "anna") == [2]
    assert search(conn, "%") == [2], "a percent sign means itself"
    assert search(conn, "_") == []
    assert search(conn, "screened out") == [5]
    assert search(conn, "5f-some-id", recruiter_hash="ab" * 32) == [6]
    assert search(conn, "5f-some-id", extra_hashes=("ef01",)) == [6]
    assert search(conn, "K7M2-Q", code_hash="cd" * 32) == [6]
    assert search(conn, "nobody") == []
    assert search(conn, "") == [6, 5, 4, 3, 2, 1]


def test_sessions_are_sorted_by_any_column_and_those_without_a_value_stand_last(
    conn: Connection,
) -> None:
    fill(conn)
    conn.execute(
        update(collected_tables.sessions)
        .where(collected_tables.sessions.c.number == 4)
        .values(started_ms=NOW - 2 * HOUR)
    )
    assert chosen(conn, order="number", descending=False) == [1, 2, 3, 4, 5]
    assert chosen(conn, order="took") == [4, 5, 3, 2, 1]
    assert chosen(conn, order="took", descending=False) == [5, 3, 4, 2, 1]
    assert chosen(conn, order="seen", descending=False)[0] == 2
    assert chosen(conn, order="link")[0] == 2
    for order in overview.ORDERS:
        assert sorted(chosen(conn, order=order)) == [1, 2, 3, 4, 5]
    with pytest.raises(InvalidInput, match="Did you mean 'number'"):
        chosen(conn, order="nmber")


def test_sessions_by_arm(conn: Connection) -> None:
    put(conn, 1, arms='{"tool": "slow", "side": "left"}')
    put(conn, 2, arms='{"tool": "slower", "side": "left"}')
    assert chosen(conn, arm=("tool", "slow")) == [1]
    assert chosen(conn, arm=("side", "left")) == [2, 1]


def test_everything_that_matches_has_a_limit(conn: Connection) -> None:
    fill(conn)
    everything = overview.SessionFilter()
    assert len(overview.chosen_sessions(conn, "s", everything, now_ms=NOW, limit=5)) == 5
    with pytest.raises(InvalidInput, match="at most 4 at once"):
        overview.chosen_sessions(conn, "s", everything, now_ms=NOW, limit=4)
    with pytest.raises(NotFound, match="withdrawn"):
        overview.sessions_by_number(conn, "s", "real", [1, 77])


def test_personal_links_know_who_used_them(conn: Connection) -> None:
    fill(conn)
    studies.create_link(conn, token="a", study="s", kind="personal", label="Anna", at_ms=NOW)
    studies.create_link(conn, token="b", study="s", kind="personal", label="Bea", at_ms=NOW)
    studies.create_link(conn, token="c", study="s", kind="personal", label="Cleo", at_ms=NOW)
    studies.create_link(conn, token="o", study="s", kind="open", at_ms=NOW)
    studies.use_link(conn, "a", "personal2")
    studies.use_link(conn, "c", "withdrawn meanwhile")
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
