"""What the console watches, counted from real rows, and what it costs."""

from __future__ import annotations

import itertools
import json
import sqlite3
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, event, insert

from believable.core.errors import InvalidInput
from believable.store import monitor
from believable.store.tables import collected as collected_tables
from believable.store.tables.metadata import metadata

NOW = 1_750_000_000_000
MINUTE = 60_000
_number = itertools.count(1)


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


def session_row(**values: Any) -> dict[str, Any]:
    number = next(_number)
    return {
        "id": f"id{number:06d}",
        "token_hash": f"t{number}",
        "code_hash": f"c{number}",
        "study": "s",
        "definition": "d",
        "link_kind": "open",
        "number": number,
        "language": "en",
        "arms": "{}",
        "rows": "{}",
        "seed": 1,
        "recruiter_extra": "{}",
        "state": "active",
        "outcome": None,
        "position": 0,
        "opened_ms": NOW,
        "head_seq": 0,
        "top_seq": 0,
        "head_hash": "",
        "started_ms": NOW - 10 * MINUTE,
        "seen_ms": NOW - 1_000,
        "reserved_until_ms": NOW + 120 * MINUTE,
        "reservation_ms": 120 * MINUTE,
        "finished_ms": None,
        "rejected": False,
        **values,
    }


def put(conn: Connection, **values: Any) -> str:
    row = session_row(**values)
    conn.execute(insert(collected_tables.sessions).values(row))
    return str(row["id"])


def put_events(
    conn: Connection, session: str, arrivals: list[tuple[int, str]], first: int = 1
) -> None:
    rows = [
        {
            "session": session,
            "seq": first + i,
            "body": json.dumps({"kind": kind}),
            "received_ms": at_ms,
        }
        for i, (at_ms, kind) in enumerate(arrivals)
    ]
    conn.execute(insert(collected_tables.events), rows)


def finished(outcome: str, **values: Any) -> dict[str, Any]:
    return {"state": "finished", "outcome": outcome, "finished_ms": NOW, **values}


def counted(conn: Connection, pool: str = "real") -> monitor.Counts:
    return monitor.counts(
        monitor.groups(conn, "s", pool, now_ms=NOW), monitor.withdrawn(conn, "s", pool)
    )


def test_an_empty_study_counts_nothing(conn: Connection) -> None:
    assert counted(conn) == monitor.Counts(**dict.fromkeys(monitor.Counts.__slots__, 0))
    assert monitor.median_duration_ms(conn, "s", "real") is None
    assert monitor.silent(conn, "s", "real", now_ms=NOW) == ((), 0)


def test_every_started_session_is_in_one_place(conn: Connection) -> None:
    put(conn)
    put(conn, seen_ms=NOW - 2 * MINUTE)
    put(conn, seen_ms=NOW - 300 * MINUTE, reserved_until_ms=NOW - 1)
    put(conn, **finished("complete"))
    put(conn, **finished("complete", rejected=True))
    put(conn, **finished("screened_out"))
    put(conn, **finished("failed_checks"))
    put(conn, **finished("declined"))
    conn.execute(
        insert(collected_tables.tombstones).values(
            session="gone", token_hash="g", study="s", link_kind="open", number=99, withdrawn_ms=NOW
        )
    )
    found = counted(conn)
    assert (found.active, found.quiet, found.dropped_out) == (1, 1, 1)
    assert (found.complete, found.screened_out, found.failed_checks, found.declined) == (2, 1, 1, 1)
    assert (found.withdrawn, found.rejected) == (1, 1)
    assert found.started == 9


def test_pools_are_never_added_up(conn: Connection) -> None:
    for kind, times in {"open": 1, "personal": 2, "simulated": 4, "preview": 8}.items():
        for _ in range(times):
            put(conn, link_kind=kind)
    assert [counted(conn, pool).started for pool in ("real", "simulated", "preview")] == [3, 4, 8]
    with pytest.raises(InvalidInput, match="Did you mean 'simulated'"):
        monitor.groups(conn, "s", "simulatd", now_ms=NOW)


def test_other_studies_do_not_show(conn: Connection) -> None:
    conn.execute(
        insert(collected_tables.studies).values(
            id="o", title="O", state="open", definition="d", created_ms=NOW
        )
    )
    put(conn, study="o")
    assert counted(conn).started == 0


def test_the_funnel_follows_people_through_the_trials(conn: Connection) -> None:
    put(conn, position=0)
    put(conn, position=2)
    put(conn, position=2, seen_ms=NOW - 300 * MINUTE, reserved_until_ms=NOW - 1)
    out = put(conn, **finished("screened_out", position=3))
    for position, status in ((0, "done"), (1, "failed")):
        conn.execute(
            insert(collected_tables.trials).values(
                session=out, position=position, key="k", status=status, answers="{}", closed_ms=NOW
            )
        )
    put(conn, **finished("complete", position=3))
    put(conn, **finished("complete", position=4))
    put(conn, definition="d", link_kind="simulated", position=3)
    ended = monitor.ended_early(conn, "s", "real")
    assert ended == (monitor.EndedEarly("d", 1, 1),)
    steps = monitor.funnel(monitor.groups(conn, "s", "real", now_ms=NOW), ended, "d", 4)
    assert [step.reached for step in steps] == [6, 5, 4, 2]
    assert [step.present for step in steps] == [1, 0, 1, 0]
    assert [step.left for step in steps] == [0, 1, 1, 0]
    assert [step.reached for step in monitor.funnel((), (), "d", 2)] == [0, 0]


def test_the_funnel_holds_one_definition(conn: Connection) -> None:
    conn.execute(
        insert(collected_tables.definitions).values(hash="e", study="s", body="{}", created_ms=NOW)
    )
    put(conn, definition="e")
    put(conn, definition="d")
    found = monitor.groups(conn, "s", "real", now_ms=NOW)
    assert [step.reached for step in monitor.funnel(found, (), "e", 1)] == [1]


@pytest.mark.parametrize(
    ("minutes", "expected"), [([3], 3), ([1, 3], 2), ([9, 1, 2], 2), ([1, 2, 4, 9], 3)]
)
def test_median_duration(conn: Connection, minutes: list[int], expected: int) -> None:
    for lasted in minutes:
        put(conn, **finished("complete", started_ms=NOW - lasted * MINUTE))
    put(conn, **finished("screened_out", started_ms=NOW - 1))
    put(conn, **finished("complete", started_ms=NOW - 1, link_kind="simulated"))
    assert monitor.median_duration_ms(conn, "s", "real") == expected * MINUTE


def test_the_pulse_counts_what_arrived_and_what_stalled(conn: Connection) -> None:
    one = put(conn, top_seq=5, head_seq=5)
    old, lately = NOW - 10 * MINUTE, NOW - 9_000
    put_events(
        conn,
        one,
        [(old, "clock"), (old, "media.stall")]
        + [(lately, "clock")] * 2
        + [(NOW - 3_000, "media.stall")],
    )
    two = put(conn, top_seq=1, head_seq=1, link_kind="simulated")
    put_events(conn, two, [(lately, "clock")])
    found = monitor.pulse(conn, "s", "real", now_ms=NOW, window_ms=20_000)
    assert found.exact
    assert len(found.beats) == 10
    assert {beat.at_ms: beat.n_events for beat in found.beats if beat.n_events} == {
        NOW - 10_000: 2.0,
        NOW - 4_000: 1.0,
    }
    assert sum(beat.n_media_stalls for beat in found.beats) == 1


def test_a_participant_cannot_fake_a_stall_with_words(conn: Connection) -> None:
    one = put(conn, top_seq=1, head_seq=1)
    body = json.dumps({"kind": "answer.change", "data": {"value": 'I typed "media.stall" here'}})
    conn.execute(
        insert(collected_tables.events).values(
            session=one, seq=1, body=body, received_ms=NOW - 5_000
        )
    )
    found = monitor.pulse(conn, "s", "real", now_ms=NOW)
    assert sum(beat.n_events for beat in found.beats) == 1
    assert sum(beat.n_media_stalls for beat in found.beats) == 0


def test_the_pulse_of_many_sessions_is_an_estimate_and_says_so(conn: Connection) -> None:
    for _ in range(monitor.PULSE_SESSIONS * 2):
        put_events(conn, put(conn, top_seq=2, head_seq=2), [(NOW - 5_000, "clock")] * 2)
    found = monitor.pulse(conn, "s", "real", now_ms=NOW)
    assert not found.exact
    assert sum(beat.n_events for beat in found.beats) == monitor.PULSE_SESSIONS * 4


def test_silent_sessions_come_longest_first(conn: Connection) -> None:
    put(conn, number=7_001)
    put(conn, number=7_002, seen_ms=NOW - 5 * MINUTE, position=3)
    put(conn, number=7_003, seen_ms=NOW - 9 * MINUTE)
    put(conn, number=7_004, top_seq=12, head_seq=8)
    put(conn, number=7_005, seen_ms=NOW - 500 * MINUTE, reserved_until_ms=NOW - 1)
    put(conn, number=7_006, **finished("complete", seen_ms=NOW - 5 * MINUTE))
    rows, total = monitor.silent(conn, "s", "real", now_ms=NOW, limit=2)
    assert [row.number for row in rows] == [7_003, 7_002]
    assert total == 3
    rows, _ = monitor.silent(conn, "s", "real", now_ms=NOW)
    assert rows[1].silent_ms == 5 * MINUTE
    assert rows[1].position == 3
    assert rows[2].missing == 4


# ----------------------------------------------------------------------------------------------
# cost


def watched(conn: Connection) -> None:
    monitor.snapshot(conn, "s", "real", now_ms=NOW, window_ms=10_000)


def cost(n_sessions: int, n_events: int) -> tuple[int, int]:
    """SQLite's own count of its work (thousands of virtual machine steps) and the number of
    statements.
    """
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.begin() as conn:
        rows = [
            session_row(top_seq=n_events, head_seq=n_events, position=i % 9)
            for i in range(n_sessions)
        ]
        conn.execute(insert(collected_tables.sessions), rows)
        conn.exec_driver_sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT"
            ' INTO events SELECT id, i, \'{"kind":"clock"}\', ? - (? - i) * 100 FROM sessions, n'
            " ORDER BY id, i",
            (n_events, NOW, n_events),
        )
        conn.exec_driver_sql("ANALYZE")
        raw = conn.connection.dbapi_connection
        assert isinstance(raw, sqlite3.Connection)
        steps = statements = 0

        def step() -> int:
            nonlocal steps
            steps += 1
            return 0

        def statement(*_: object) -> None:
            nonlocal statements
            statements += 1

        event.listen(engine, "before_cursor_execute", statement)
        raw.set_progress_handler(step, 1_000)
        watched(conn)
        raw.set_progress_handler(None, 0)
    engine.dispose()
    return steps, statements


def test_the_cost_grows_with_sessions_not_with_events() -> None:
    base, statements = cost(200, 400)
    more_events, _ = cost(200, 1_600)
    more_sessions, same_statements = cost(800, 400)
    assert statements == same_statements <= 12
    assert more_events < 1.1 * base
    assert more_sessions < 4.4 * base
