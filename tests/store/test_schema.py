"""The tables of a database: made by migrations, equal to the declared ones, never older or newer than the code."""

from __future__ import annotations

import subprocess
import sys

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from believable.core.errors import Refused
from believable.store import schema
from believable.store.engine import Store
from believable.store.tables import metadata

OPEN = "import sys; from believable.store.engine import Store; Store.open(sys.argv[1]).close()"


def test_migrations_lead_to_the_declared_tables(empty_database_url: str) -> None:
    def differences(conn: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(conn, opts={"compare_type": True}), metadata))

    with Store.open(empty_database_url) as store:
        assert store.read(differences) == []
        names = store.read(lambda conn: set(inspect(conn).get_table_names()))
    assert names == {*metadata.tables, "alembic_version"}


def test_events_have_no_hidden_row_number(store: Store) -> None:
    if store.database.dialect == "sqlite":
        query = "SELECT sql FROM sqlite_master WHERE name = 'events'"
        assert "WITHOUT ROWID" in store.read(lambda conn: str(conn.exec_driver_sql(query).scalar()))


def test_the_newest_migration_is_the_one_the_code_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == schema.REVISION


def test_opening_again_changes_nothing(database_url: str) -> None:
    for _ in range(2):
        with Store.open(database_url) as store:
            assert store.read(schema.revision) == schema.REVISION


def test_processes_that_start_together_make_the_tables_once(empty_database_url: str) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", OPEN, empty_database_url], stderr=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in started:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    with Store.open(empty_database_url) as store:
        assert store.read(schema.revision) == schema.REVISION


def test_a_database_from_the_future_is_refused(empty_database_url: str) -> None:
    with Store.open(empty_database_url) as store:
        store.write(
            lambda conn: conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'") and None
        )
    with pytest.raises(Refused, match=r"revision '9999'.*Install the newer believable"):
        Store.open(empty_database_url)
