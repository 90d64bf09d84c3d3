"""Statements compiled once do what the toolkit does, on both databases, and tell their errors as it
does.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, bindparam, insert, select
from sqlalchemy.exc import IntegrityError

from believable.store.engine import Store
from believable.store.fixed_statements import FixedStatement, run_many, run_text
from believable.store.tables.collected import sessions, studies
from believable.store.trouble import Trouble, trouble

pytestmark = pytest.mark.both_databases

_BY_NUMBER = select(sessions).where(sessions.c.number == bindparam("key"))


def test_a_row_is_the_toolkit_s_row(store: Store, make_session: Callable[..., object]) -> None:
    make_session(store, 7, rejected=True)

    def compare(conn: Connection) -> None:
        row = FixedStatement(_BY_NUMBER).first(conn, {"key": 7})
        assert row == dict(conn.execute(_BY_NUMBER, {"key": 7}).one()._mapping)
        assert row is not None
        assert (row["rejected"], row["approved"]) == (True, False)
        assert type(row["rejected"]) is bool
        assert FixedStatement(_BY_NUMBER).first(conn, {"key": 8}) is None

    store.read(compare)


def test_what_is_settled_in_the_statement_is_sent_along(
    store: Store, make_session: Callable[..., object]
) -> None:
    for number in (1, 2, 3):
        make_session(store, number)
    two = FixedStatement(
        select(sessions.c.number).where(sessions.c.number > bindparam("key")).limit(2)
    )
    rows = store.read(lambda conn: two.run(conn, {"key": 0}))
    assert [tuple(row) for row in rows] == [(1,), (2,)]


def test_errors_are_sorted_like_the_toolkit_s_and_undone_alone(store: Store) -> None:
    values = {"id": "twice", "title": "t", "state": "open", "definition": "d", "created_ms": 1}
    put = FixedStatement(insert(studies))
    store.write(lambda conn: put.run(conn, values))
    with pytest.raises(IntegrityError) as failed:
        store.write(lambda conn: put.run(conn, values))
    assert trouble(failed.value) is Trouble.OTHER
    many = "INSERT INTO studies (id, title, state, definition, created_ms) VALUES (?, ?, ?, ?, ?)"
    rows = [("new", "t", "open", "d", 1), ("twice", "t", "open", "d", 1)]
    with pytest.raises(IntegrityError):
        store.write(lambda conn: run_many(conn, many, rows))
    known = store.read(lambda conn: run_text(conn, "SELECT id FROM studies ORDER BY id"))
    assert "new" not in [row[0] for row in known]
    store.write(lambda conn: run_many(conn, many, rows[:1]))  # the writing thread goes on
