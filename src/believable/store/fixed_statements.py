"""Statements that run for every page and every batch, put together once.

The SQL toolkit takes five to ten times as long to run a small statement as SQLite does. These few
are compiled once per kind of database; on SQLite they go straight to the driver's connection,
inside the transaction that is open there, and its errors are raised as the toolkit's. On
PostgreSQL, where a broken connection has to be noticed, they go through the toolkit as text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Boolean, Connection, Select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.expression import Executable

_DIALECTS = {
    "sqlite": sqlite.dialect(paramstyle="qmark"),
    "postgresql": postgresql.dialect(paramstyle="format"),  # type: ignore[no-untyped-call]
}


def run_text(conn: Connection, text: str, values: Sequence[Any] = ()) -> list[Any]:
    """Rows of a statement in the words of the database."""
    if conn.dialect.name != "sqlite":
        result = conn.exec_driver_sql(text, tuple(values) or None)
        return list(result) if result.returns_rows else []
    try:
        rows: list[Any] = driver(conn).execute(text, values).fetchall()
        return rows
    except sqlite3.Error as error:
        raise toolkit_error(error, text) from error


def run_many(conn: Connection, text: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """The same statement for each row. Placeholders are question marks."""
    if conn.dialect.name != "sqlite":
        conn.exec_driver_sql(text.replace("?", "%s"), list(rows))
        return
    try:
        driver(conn).executemany(text, rows)
    except sqlite3.Error as error:
        raise toolkit_error(error, text) from error


def driver(conn: Connection) -> Any:
    return conn.connection.driver_connection


def toolkit_error(error: sqlite3.Error, text: str) -> BaseException:
    """A driver's error as the toolkit raises it."""
    return DBAPIError.instance(text, None, error, sqlite3.Error)


@dataclass(frozen=True, slots=True)
class CompiledText:
    """A statement in the words of one kind of database, the names of its parameters in order, and
    those that are settled.
    """

    text: str
    order: tuple[str, ...]
    constants: Mapping[str, Any]


class FixedStatement:
    """A statement with named parameters; rows are plain tuples in the order of its columns."""

    def __init__(self, clause: Executable) -> None:
        self._clause = clause
        self._compiled: dict[str, CompiledText] = {}
        columns = tuple(clause.selected_columns) if isinstance(clause, Select) else ()
        self.names = tuple(str(column.key) for column in columns)
        #: SQLite knows no truth values.
        self._truths = tuple(
            place for place, column in enumerate(columns) if isinstance(column.type, Boolean)
        )

    def run(self, conn: Connection, values: Mapping[str, Any]) -> list[Any]:
        name = conn.dialect.name
        compiled = self._compiled.get(name) or self._compile(name)
        named = {**compiled.constants, **values} if compiled.constants else values
        rows = run_text(conn, compiled.text, [named[name] for name in compiled.order])
        return [self._with_truths(row) for row in rows] if self._truths and rows else rows

    def _compile(self, dialect: str) -> CompiledText:
        compiled = self._clause.compile(dialect=_DIALECTS[dialect])  # type: ignore[attr-defined]
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        text = CompiledText(str(compiled), tuple(compiled.positiontup or ()), constants)
        return self._compiled.setdefault(dialect, text)

    def first(self, conn: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row by the names of its columns, if there is one."""
        rows = self.run(conn, values)
        return dict(zip(self.names, rows[0], strict=True)) if rows else None

    def _with_truths(self, row: Sequence[Any]) -> list[Any]:
        cells = list(row)
        for place in self._truths:
            cells[place] = bool(cells[place])
        return cells
