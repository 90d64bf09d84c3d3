"""The tables of a database: as they were laid down for their revision, never older or newer than the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from believable.core.errors import Refused
from believable.store import coding_projects, migration, rights
from believable.store.database import Database
from believable.store.database_tables import metadata
from believable.store.engine import Store
from believable.store.rights import Rights

OPEN = "import sys; from believable.store.engine import Store; Store.open(sys.argv[1]).close()"


def _lines(conn: Connection) -> list[str]:
    """Tables, columns, keys and indexes, as far as the database tells them."""
    look, lines = inspect(conn), []
    for table in sorted(look.get_table_names()):
        for column in look.get_columns(table):
            null = "" if column["nullable"] else " NOT NULL"
            default = "" if column["default"] is None else f" DEFAULT {column['default']}"
            lines.append(f"{table}.{column['name']} {column['type']}{null}{default}")
        key = look.get_pk_constraint(table)
        lines.append(f"{table} {key['name']} {key['constrained_columns']}")
        for foreign in sorted(look.get_foreign_keys(table), key=lambda key: str(key["name"])):
            referred = f"{foreign['referred_table']} {foreign['referred_columns']}"
            lines.append(f"{table} {foreign['name']} {foreign['constrained_columns']} -> {referred}")
        for unique in sorted(look.get_unique_constraints(table), key=lambda unique: str(unique["name"])):
            lines.append(f"{table} {unique['name']} {unique['column_names']}")
        for index in sorted(look.get_indexes(table), key=lambda index: str(index["name"])):
            lines.append(f"{table} {index['name']} {index['column_names']}")
    return lines


def test_an_older_database_becomes_what_a_new_one_is(empty_database_url: str) -> None:
    """The first revision that may be out there lies beside this test, as statements; migrations lead from there to here."""
    database = Database(empty_database_url, readers=1)
    statements = Path(__file__).with_name(f"revision_0003_{database.dialect}.sql").read_text("utf-8").split(";\n")
    with database.writer.connect() as conn, conn.begin():
        for statement in filter(str.strip, statements):
            conn.exec_driver_sql(statement)
    migration.migrate(database)
    with database.reader.connect() as conn:
        older = _lines(conn)
        assert compare_metadata(MigrationContext.configure(conn, opts={"compare_type": True}), metadata) == []
    with database.writer.connect() as conn, conn.begin():
        metadata.drop_all(conn)
        conn.exec_driver_sql("DROP TABLE alembic_version")
    migration.migrate(database)
    with database.reader.connect() as conn:
        assert sorted(_lines(conn)) == sorted(older), "columns that came later stand last, which is all that may differ"
        assert migration.revision(conn) == migration.REVISION
    database.dispose()


def test_people_keep_what_they_had(empty_database_url: str) -> None:
    """One role for the whole server became one in each study; owners administer."""
    database = Database(empty_database_url, readers=1)
    statements = Path(__file__).with_name(f"revision_0003_{database.dialect}.sql").read_text("utf-8").split(";\n")
    with database.writer.connect() as conn, conn.begin():
        for statement in filter(str.strip, statements):
            conn.exec_driver_sql(statement)
        for name in ("faces", "maze"):
            conn.exec_driver_sql(f"INSERT INTO studies VALUES ('{name}', 'T', 'open', 'd', {len(name)})")
        for name, role in (("ada", "owner"), ("bob", "researcher"), ("cora", "coordinator"), ("kim", "coder")):
            conn.exec_driver_sql(f"INSERT INTO users (name, role, created_ms) VALUES ('{name}', '{role}', 1)")
        conn.exec_driver_sql(
            "INSERT INTO coding_projects (id, study, pool, title, sources, seed, created_ms) "
            "VALUES ('loose', NULL, 'imported', 'Loose', '[]', 1, 1)"
        )
    migration.migrate(database)
    with database.reader.connect() as conn:
        held = {name: rights.rights_of(conn, name) for name in ("ada", "bob", "cora", "kim")}
        assert held["ada"] == Rights(True, {})
        for name, role in (("bob", "researcher"), ("cora", "coordinator"), ("kim", "coder")):
            assert held[name] == Rights(False, {"faces": role, "maze": role})
        loose = coding_projects.get_project(conn, "loose")
        assert loose.study == "maze", "the oldest study"
        assert rights.role_in_project(conn, held["cora"], "cora", loose) == "coordinator"
    database.dispose()


def test_events_have_no_hidden_row_number(store: Store) -> None:
    if store.database.dialect == "sqlite":
        query = "SELECT sql FROM sqlite_master WHERE name = 'events'"
        assert "WITHOUT ROWID" in store.read(lambda conn: str(conn.exec_driver_sql(query).scalar()))


def test_the_newest_migration_is_the_one_the_code_knows() -> None:
    config = Config()
    config.set_main_option("script_location", str(migration.MIGRATIONS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_current_head() == migration.REVISION


def test_opening_again_changes_nothing(database_url: str) -> None:
    for _ in range(2):
        with Store.open(database_url) as store:
            assert store.read(migration.revision) == migration.REVISION


def test_processes_that_start_together_make_the_tables_once(empty_database_url: str) -> None:
    started = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", OPEN, empty_database_url], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in started:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()
    with Store.open(empty_database_url) as store:
        assert store.read(migration.revision) == migration.REVISION


def test_a_database_from_the_future_is_refused(empty_database_url: str) -> None:
    with Store.open(empty_database_url) as store:
        store.write(lambda conn: conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'") and None)
    with pytest.raises(Refused, match=r"revision '9999'.*Install the believable that made it"):
        Store.open(empty_database_url)
