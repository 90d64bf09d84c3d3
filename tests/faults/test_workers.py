"""Two worker processes on one database: no state lives only in one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.simulate.server import Server

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]


def children(pid: int) -> set[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in found}


def drilled(server: Server, study: Path, database_url: str, drill: type[Any], link: str) -> None:
    people = drill(study, people=20, seed=21, longest_pause_s=0.1)
    visits = asyncio.run(people.run(server.url, link))
    people.check(database_url, visits)


def test_two_workers_share_a_sqlite_file(
    study: Path, tmp_path: Path, drill: type[Any], link_in: Callable[[str, Path], str]
) -> None:
    url = f"sqlite:///{tmp_path / 'data' / 'believable.db'}"
    with Server([study], data_dir=tmp_path / "data", workers=2) as server:
        assert len(children(server.pid)) >= 2
        drilled(server, study, url, drill, link_in(url, study))


@pytest.mark.postgres
def test_two_workers_share_a_postgresql_database(
    study: Path,
    tmp_path: Path,
    drill: type[Any],
    link_in: Callable[[str, Path], str],
    postgres: Any,
) -> None:
    url = postgres.new_database()
    with Server([study], data_dir=tmp_path / "data", database=url, workers=2) as server:
        drilled(server, study, url, drill, link_in(url, study))
