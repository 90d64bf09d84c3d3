"""Copying all rows from one database to another, of the same or of the other kind."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.sql.schema import Table

from believable.store.tables import metadata

#: Rows per statement. Events of a million characters are rare, so that this stays within some megabytes.
CHUNK = 500

Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """For callers who do not watch."""


def count_rows(conn: Connection) -> dict[str, int]:
    return {
        table.name: conn.execute(select(func.count()).select_from(table)).scalar() or 0
        for table in metadata.sorted_tables
    }


def copy_rows(source: Connection, target: Connection, progress: Progress = no_progress) -> None:
    """Every row of every table, parents first. The target's tables are empty."""
    total, done = sum(count_rows(source).values()), 0
    for table in metadata.sorted_tables:
        query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=CHUNK)
        with source.execute(query) as rows:
            for part in rows.partitions():
                target.execute(insert(table), [dict(row._mapping) for row in part])
                done += len(part)
                progress(done, total)
        _continue_numbers(target, table)


def _continue_numbers(conn: Connection, table: Table) -> None:
    """PostgreSQL counts on where the copied rows end (SQLite does so by itself)."""
    if conn.dialect.name != "postgresql" or table.autoincrement_column is None:
        return
    column = table.autoincrement_column.name
    highest = conn.execute(select(func.max(table.c[column]))).scalar()
    if highest is not None:
        sequence = func.pg_get_serial_sequence(table.name, column)
        conn.execute(select(func.setval(sequence, highest)))
