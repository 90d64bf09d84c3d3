"""Bringing a database to this version of the tables, safely while several processes start at
once.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect

from believable.core.errors import Refused
from believable.store.database import ADVISORY_KEY, Database
from believable.store.tables.accounts import APPEND_ONLY
from believable.store.tables.metadata import metadata

#: The newest revision under `migrations/versions`.
REVISION = "0010"
MIGRATIONS = Path(__file__).parent / "migrations"
#: The table in which Alembic keeps the revision, as Alembic makes it.
_MARK = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc"
    " PRIMARY KEY (version_num))"
)


def revision(conn: Connection) -> str | None:
    """The version stated in the database; None for an empty one."""
    if not inspect(conn).has_table("alembic_version"):
        return None
    return conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def migrate(database: Database) -> None:
    """Make a new database's tables, or run the migrations that an older one misses, in a
    transaction that others wait for.
    """
    with database.reader.connect() as conn, conn.begin():
        if revision(conn) == REVISION:
            return
    with database.writer.connect() as conn, conn.begin():
        if database.dialect == "postgresql":
            conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_KEY})")
        current = revision(conn)
        if current != REVISION:
            run_migrations(conn, current)


def known_revisions() -> frozenset[str]:
    """All revisions this version can upgrade from: the files under `migrations/versions` begin with
    theirs.
    """
    return frozenset(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("*_*.py"))


def unknown_revision(revision: str) -> Refused:
    return Refused(
        f"the database is at revision {revision!r}, which this version of believable does not know"
        f" (it knows {', '.join(sorted(known_revisions()))}). Install the believable that made it,"
        " or restore another backup."
    )


def run_migrations(conn: Connection, current: str | None) -> None:
    if current is None:
        metadata.create_all(conn, checkfirst=False)
        for statement in APPEND_ONLY[conn.dialect.name]:
            conn.exec_driver_sql(statement)
        conn.exec_driver_sql(_MARK)
        conn.exec_driver_sql(f"INSERT INTO alembic_version (version_num) VALUES ('{REVISION}')")
        return
    if current not in known_revisions():
        raise unknown_revision(current)
    # Alembic takes a quarter of a second to import, and a new or current database does not need it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    command.upgrade(config, "head")
