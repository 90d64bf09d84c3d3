"""A database that revision 0007 wrote, with sessions in it, opens in this version, and nothing in
it has changed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Boolean, Integer, MetaData, create_engine, insert, select
from sqlalchemy.exc import DBAPIError

from believable.contracts.inputs import InputChange
from believable.core import event_chain
from believable.store import audit_log, event_checks, migration, overview, rounds, view_checks
from believable.store.collected import collected_sessions
from believable.store.engine import Store

pytestmark = pytest.mark.both_databases

WRITTEN = Path(__file__).parents[1] / "data" / "revision_0007"
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def old_rows() -> Rows:
    """Every row of the old database, by table."""
    with sqlite3.connect(":memory:") as database:
        database.row_factory = sqlite3.Row
        database.executescript((WRITTEN / "sqlite.sql").read_text("utf-8"))
        tables = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            table: [dict(row) for row in database.execute(f'SELECT * FROM "{table}"')]
            for table in tables
        }


@pytest.fixture
def old_database_url(empty_database_url: str, old_rows: Rows) -> str:
    """The old database in a file, or with the tables that 0007 makes on PostgreSQL and the same
    rows.
    """
    if empty_database_url.startswith("sqlite"):
        with sqlite3.connect(empty_database_url.removeprefix("sqlite:///")) as database:
            database.executescript((WRITTEN / "sqlite.sql").read_text("utf-8"))
        database.close()
        return empty_database_url
    engine = create_engine(empty_database_url)
    with engine.begin() as conn:
        for statement in (WRITTEN / "postgresql.sql").read_text("utf-8").split("\n--\n"):
            conn.exec_driver_sql(statement)
        tables = MetaData()
        tables.reflect(conn)
        for table in tables.sorted_tables:
            if rows := old_rows[table.name]:
                booleans = [column.name for column in table.c if isinstance(column.type, Boolean)]
                conn.execute(
                    insert(table),
                    [row | {name: bool(row[name]) for name in booleans} for row in rows],
                )
                for column in table.primary_key:
                    if isinstance(column.type, Integer) and column.server_default is not None:
                        last = max(row[column.name] for row in rows)
                        conn.exec_driver_sql(
                            f"SELECT setval(pg_get_serial_sequence('{table.name}',"
                            f" '{column.name}'), {last})"
                        )
    engine.dispose()
    return empty_database_url


def stored_rows(store: Store, like: Rows) -> Rows:
    """The same tables and columns as they are now."""

    def read(conn: Any) -> Rows:
        tables = MetaData()
        tables.reflect(conn)
        found = {}
        for name, rows in like.items():
            columns = [
                tables.tables[name].c[column]
                for column in (rows[0] if rows else tables.tables[name].c.keys())
            ]
            found[name] = [dict(row._mapping) for row in conn.execute(select(*columns))]
        return found

    return store.read(read)


def ordered(rows: Rows) -> dict[str, list[str]]:
    return {
        table: sorted(str(sorted(row.items())) for row in found)
        for table, found in rows.items()
        if table != "alembic_version"
    }


def test_nothing_that_was_stored_changes(old_database_url: str, old_rows: Rows) -> None:
    assert old_rows["alembic_version"] == [{"version_num": "0007"}]
    assert len(old_rows["sessions"]) == 3
    with Store.open(old_database_url) as store:
        assert store.read(migration.revision) == migration.REVISION != "0007"
        assert ordered(as_numbers(stored_rows(store, old_rows))) == ordered(as_numbers(old_rows))


def as_numbers(rows: Rows) -> Rows:
    """PostgreSQL has truth values, SQLite 0 and 1 for them."""
    return {
        table: [
            {name: int(value) if isinstance(value, bool) else value for name, value in row.items()}
            for row in found
        ]
        for table, found in rows.items()
    }


def test_old_sessions_are_whole_and_new_columns_say_nothing_of_them(old_database_url: str) -> None:
    with Store.open(old_database_url) as store:
        sessions = store.read(lambda conn: list(collected_sessions(conn, "faces", simulated=True)))
        assert [one.session.outcome for one in sessions] == ["complete"] * 3
        for one in sessions:
            head = event_chain.extend(
                event_chain.origin(one.session.id), [body for _, body, _ in one.events]
            )
            assert head == one.session.head_hash, "the chain of its events holds"
            assert [trial.status for trial in one.trials] == ["done"] * 3
            assert one.view_checks == ()
        lines, total = store.read(
            lambda conn: overview.session_lines(
                conn,
                "faces",
                overview.SessionFilter(pool="simulated"),
                now_ms=0,
                offset=0,
                limit=10,
            )
        )
        assert (total, [line.n_impossible for line in lines]) == (3, [0, 0, 0])
        assert (
            store.read(lambda conn: view_checks.count_impossible(conn, "faces", ("simulated",)))
            == 0
        )


def test_old_sessions_go_on_and_the_audit_log_refuses_more(
    old_database_url: str, old_rows: Rows
) -> None:
    with Store.open(old_database_url) as store:
        store.write(
            _run(
                "UPDATE sessions SET state = 'active', outcome = NULL, finished_ms = NULL WHERE"
                " number = 1"
            )
        )
        session = store.read(lambda conn: overview.session_by_number(conn, "faces", "simulated", 1))
        token_hash = next(
            row["token_hash"] for row in old_rows["sessions"] if row["id"] == session.id
        )
        event = json.dumps({"kind": "page.open", "trial": 0, "at_ms": 1, "mono_ms": 1, "data": {}})
        batch = event_checks.EventBatch(token_hash, session.epoch, ((session.head_seq + 1, event),))
        assert store.append(batch) == session.head_seq + 1
        store.write(lambda conn: audit_log.note_audit(conn, user="u", what="later", at_ms=1))
        for statement in ("UPDATE audit SET what = 'nothing', session = NULL", "DELETE FROM audit"):
            with pytest.raises(DBAPIError):
                store.write(_run(statement))
        assert "later" in {entry.what for entry in store.read(audit_log.recent_audit)}


def test_inputs_of_old_rounds_belong_to_the_first_seat(
    old_database_url: str, old_rows: Rows
) -> None:
    session = old_rows["sessions"][0]["id"]
    engine = create_engine(old_database_url)
    with engine.begin() as conn:
        conn.exec_driver_sql(
            "INSERT INTO rounds (session, position, run, attempt, setup, state, tick, holder,"
            f" losses, started_ms) VALUES ('{session}', 1, 0, 1, '{{}}', 'live', 20, 'h', 0, 5)"
        )
        for tick, written in ((10, "[[0,1,1,0]]"), (20, "[[12,2,0,-1],[15,3,0,0]]")):
            conn.exec_driver_sql(
                f"INSERT INTO round_inputs VALUES ('{session}', 1, 0, 1, {tick}, '{written}')"
            )
    engine.dispose()
    key = rounds.RoundKey(session, 1, 0, 1)
    with Store.open(old_database_url) as store:
        assert store.read(lambda conn: rounds.changes_of(conn, key)) == [
            InputChange(0, 1, (1, 0), seat=0),
            InputChange(12, 2, (0, -1), seat=0),
            InputChange(15, 3, (0, 0), seat=0),
        ]
        later = rounds.Piece(key, "h", 25, [InputChange(22, 1, (90, 1), seat=1)])
        assert store.write(lambda conn: rounds.append(conn, [later])) == [None]
        assert store.read(lambda conn: rounds.changes_of(conn, key))[-1].seat == 1


def _run(statement: str) -> Callable[[Any], None]:
    return lambda conn: conn.exec_driver_sql(statement) and None
