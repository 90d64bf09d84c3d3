"""Bringing a database to this version of the tables, safely while several processes start at once."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect

from believable.core.errors import Refused
from believable.store.database import ADVISORY_KEY, Database

#: The newest revision under `migrations/versions`.
REVISION = "0003"
MIGRATIONS = Path(__file__).parent / "migrations"


def revision(conn: Connection) -> str | None:
    """What the database says it is; None for an empty one."""
    if not inspect(conn).has_table("alembic_version"):
        return None
    return conn.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()


def migrate(database: Database) -> None:
    """Run what is missing, in one transaction that other processes wait for."""
    with database.reader.connect() as conn, conn.begin():
        if revision(conn) == REVISION:
            return
    with database.writer.connect() as conn, conn.begin():
        if database.dialect == "postgresql":
            conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_KEY})")
        found = revision(conn)
        if found != REVISION:
            _upgrade(conn, found)


def known_revisions() -> frozenset[str]:
    """All revisions this version can upgrade from: the files under `migrations/versions` begin with theirs."""
    return frozenset(path.name.split("_")[0] for path in (MIGRATIONS / "versions").glob("*_*.py"))


def from_the_future(found: str) -> Refused:
    return Refused(
        f"the database is at revision {found!r}, which this version of believable does not know "
        f"(it knows up to {REVISION!r}). Install the newer believable that made it, or restore an older backup."
    )


def _upgrade(conn: Connection, found: str | None) -> None:
    # Alembic takes a quarter of a second to import, and a current database does not need it.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    if found is not None and found not in known_revisions():
        raise from_the_future(found)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = conn
    command.upgrade(config, "head")
