"""The tables of a database: as they were laid down for their revision, never older or newer than
the code.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from believable.core.errors import Refused
from believable.store import migration, studies
from believable.store.engine import Store
from believable.store.tables.metadata import metadata

pytestmark = pytest.mark.both_databases

OPEN = "import sys; from believable.store.engine import Store; Store.open(sys.argv[1]).close()"


_NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "9000", "{before}"


def upgrade() -> None:
    op.add_column("studies", sa.Column("note", sa.Text, nullable=True))
"""


@contextmanager
def next_version(folder: Path) -> Iterator[None]:
    """The code of a version to come, which has one migration more."""
    migrations = folder / "migrations"
    shutil.copytree(migration.MIGRATIONS, migrations)
    (migrations / "versions" / "9000_note.py").write_text(
        _NEXT.format(before=migration.REVISION), encoding="utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migration, "MIGRATIONS", migrations)
        patch.setattr(migration, "REVISION", "9000")
        yield


def test_the_tables_are_those_that_are_declared(store: Store) -> None:
    with store.database.reader.connect() as conn:
        assert (
            compare_metadata(
                MigrationContext.configure(conn, opts={"compare_type": True}), metadata
            )
            == []
        )


def test_an_older_database_becomes_what_the_code_expects(
    empty_database_url: str, tmp_path: Path
) -> None:
    """Nothing that was in it is lost, and its revision is the code's."""
    with Store.open(empty_database_url) as store:
        store.write(
            lambda conn: studies.put(conn, "faces", title="F", definition="d", body="{}", at_ms=1)
        )
    with next_version(tmp_path), Store.open(empty_database_url) as store:
        assert store.read(migration.revision) == "9000"
        query = "SELECT id, title, note FROM studies"
        assert store.read(lambda conn: [tuple(row) for row in conn.exec_driver_sql(query)]) == [
            ("faces", "F", None)
        ]


def test_a_database_that_was_upgraded_is_refused_by_the_code_before(
    empty_database_url: str, tmp_path: Path
) -> None:
    """Whoever goes back to an older version goes back to a backup, too."""
    Store.open(empty_database_url).close()
    with next_version(tmp_path):
        Store.open(empty_database_url).close()
    with pytest.raises(Refused, match="revision '9000'"):
        Store.open(empty_database_url)


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


@pytest.mark.slow
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
        assert store.read(migration.revision) == migration.REVISION


def test_a_database_from_the_future_is_refused(empty_database_url: str) -> None:
    with Store.open(empty_database_url) as store:
        store.write(
            lambda conn: (
                conn.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'") and None
            )
        )
    with pytest.raises(Refused, match=r"revision '9999'.*Install the believable that made it"):
        Store.open(empty_database_url)
