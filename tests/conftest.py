"""What all tests share: the --soak option, property tests that try the same examples every time,
and both databases.
"""

from __future__ import annotations

import functools
import gc
import lzma
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from believable.store.engine import Store
from tests import drawing_library
from validation.local_servers import ObjectServer, Postgres, postgres_folder

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", PATIENT, derandomize=True, max_examples=30)
settings.register_profile("soak", PATIENT, max_examples=1000)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--soak",
        action="store_true",
        help="also run the long runs; property tests try many new examples",
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("soak" if config.getoption("--soak") else "repeatable")
    folder = drawing_library.choose_file()
    if folder is not None:
        config.add_cleanup(lambda: shutil.rmtree(folder))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    drawing_library.fill()


@pytest.fixture(scope="session")
def public_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A folder of tests/data by name, with what is packed there unpacked. Each says in SOURCE.txt
    where it is from.
    """

    @functools.cache
    def folder(name: str) -> Path:
        target = tmp_path_factory.mktemp("data") / name
        shutil.copytree(Path(__file__).with_name("data") / name, target)
        for packed in target.rglob("*.xz"):
            packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        return target

    return folder


#: Folders of drills, planted truth and packaging.
SLOW_FOLDERS = ("faults", "e2e", "validation")


def is_slow(item: pytest.Item) -> bool:
    """Whether `make test` leaves a test to `make test-all`. PostgreSQL differs in locking, marks
    and migrations: tests of those (`both_databases`) use it always, others only there.
    """
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    params = getattr(item, "callspec", None) and item.callspec.params  # type: ignore[attr-defined]
    elsewhere = "postgresql" in (params or {}).values() and "both_databases" not in item.keywords
    return folder in SLOW_FOLDERS or elsewhere or bool({"timing", "soak"} & {*item.keywords})


def allowed_s(item: pytest.Item) -> float:
    """What a test asks for beyond the usual. Such tests begin first: at the end everybody would
    wait for them.
    """
    limit = item.get_closest_marker("timeout")
    return float(limit.args[0]) if limit else 0.0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=allowed_s, reverse=True)
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="a long run; ask for it with --soak")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look through it again
    and again.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres(postgres_folder())
    yield server
    server.end()


@pytest.fixture(scope="session")
def _object_server() -> Iterator[ObjectServer]:
    pytest.importorskip("moto", reason="moto, an S3 server for tests, is not installed")
    server = ObjectServer()
    yield server
    server.end()


@pytest.fixture
def s3(_object_server: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> ObjectServer:
    """S3-compatible storage, reached by the credentials of the environment as everywhere."""
    for name, value in _object_server.environment.items():
        monkeypatch.setenv(name, value)
    return _object_server


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
    """`with_tables(folder)` puts an SQLite file with empty tables there, in much less time than
    migrations take.
    """

    def put(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(_empty_tables, folder)
        return folder / _empty_tables.name

    return put


BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=BOTH)
def database_url(
    request: pytest.FixtureRequest, tmp_path: Path, with_tables: Callable[[Path], Path]
) -> str:
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
