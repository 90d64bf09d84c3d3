"""The database goes away and comes back while people answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.core.seeds import generator
from believable.simulate.server import Server

pytestmark = [pytest.mark.faults, pytest.mark.postgres, pytest.mark.timeout(300)]


async def trouble_with(postgres: Any) -> None:
    """Twice shut down by its administrator, twice as if the power had gone."""
    rng = generator(31, "postgresql")
    for end in (postgres.stop, postgres.crash, postgres.stop, postgres.crash):
        await asyncio.sleep(rng.uniform(0.5, 1.5))
        await asyncio.to_thread(end)
        await asyncio.sleep(rng.uniform(0, 0.5))
        await asyncio.to_thread(postgres.start)


def test_nothing_is_lost_when_postgresql_is_restarted(
    study: Path,
    tmp_path: Path,
    drill: type[Any],
    link_in: Callable[[str, Path], str],
    postgres: Any,
) -> None:
    url = postgres.new_database()
    people = drill(study, people=15, seed=31, longest_pause_s=0.6, late_s=4.0)

    async def main(server: Server) -> list[Any]:
        trouble = asyncio.ensure_future(trouble_with(postgres))
        visits: list[Any] = await people.run(server.url, link_in(url, study), trouble)
        return visits

    with Server([study], data_dir=tmp_path / "data", database=url) as server:
        visits = asyncio.run(main(server))
    people.check(url, visits)
