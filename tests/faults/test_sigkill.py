"""The server dies without a goodbye, again and again, while people answer."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from believable.core.seeds import generator
from believable.simulate.server import Server

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

SESSIONS = 30
KILLS = 15


async def kill_and_restart(server: Server, seed: int) -> None:
    """At random moments; each time the server stays away for a random while."""
    rng = generator(seed, "kills")
    for _ in range(KILLS):
        await asyncio.sleep(rng.uniform(0.2, 1.2))
        server.kill()
        await asyncio.sleep(rng.uniform(0, 0.4))
        await asyncio.to_thread(server.start)


def test_nothing_is_lost_when_the_server_is_killed_fifteen_times(
    server: Server,
    study: Path,
    sqlite_url: str,
    drill: type[Any],
    link_in: Callable[[str, Path], str],
    tmp_path: Path,
) -> None:
    server.start()
    link = link_in(sqlite_url, study)
    people = drill(study, people=SESSIONS, seed=11, longest_pause_s=1.2, late_s=15.0)

    async def main() -> list[Any]:
        trouble = asyncio.ensure_future(kill_and_restart(server, seed=11))
        visits: list[Any] = await people.run(server.url, link, trouble)
        return visits

    visits = asyncio.run(main())
    server.stop()
    assert sum(visit.resent for visit in visits) > KILLS, (
        "the kills were not felt; the drill proves nothing"
    )
    people.check(sqlite_url, visits)
    assert exported(study, server.data_dir, tmp_path / "bundle") == logs(people.browsers)


def exported(study: Path, data_dir: Path, target: Path) -> list[list[tuple[int, str]]]:
    """The events of the exported dataset, session by session."""
    command = [sys.executable, "-m", "believable", "export", str(study), "--data", str(data_dir)]
    subprocess.run([*command, "--out", str(target), "--simulated"], check=True, capture_output=True)
    sessions: dict[str, list[tuple[int, str]]] = {}
    (file,) = target.rglob("events.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            sessions.setdefault(row["session"], []).append((row["seq"], row["body"]))
    return sorted(sessions.values())


def logs(browsers: list[Any]) -> list[list[tuple[int, str]]]:
    return sorted(list(enumerate(browser.log, start=1)) for browser in browsers)
