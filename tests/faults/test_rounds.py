"""The server dies in the middle of rounds, again and again: what it called durable is there, and
the rounds go on.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from believable.core.clock import WallClock
from believable.core.seeds import generator
from believable.recordings import file
from believable.simulate.client import Participant, Patience
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store import rounds, sessions
from believable.store.engine import Connection, Store
from believable.worlds.live_round import record_round
from believable.worlds.maze import MAZE

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

PLAYERS = 6
SECONDS = 8
KILLS = 3
STUDY = f"""\
believable: 1
title: Rounds
seed: 2
timeline:
  - play: {{id: game, opponent: frustrated, duration_s: {SECONDS}, countdown_s: 0, size: 15}}
  - finish: {{}}
"""


@dataclass
class Page:
    """A page that plays: presses keys, and comes back whenever the line breaks. `durable` is the
    most it was ever promised.
    """

    url: str
    browser: Participant
    rng: random.Random
    durable: int = 0
    number: int = 0
    losses: int = 0

    async def play(self) -> int:
        while True:
            try:
                return await self._connected()
            except (OSError, WebSocketException, ConnectionClosed):
                self.losses += 1
                await asyncio.sleep(0.2)

    async def _connected(self) -> int:
        address = f"{self.url.replace('http', 'ws', 1)}/s/{self.browser.token}/play"
        async with connect(address, compression=None) as socket:
            await socket.send(json.dumps({"hello": {"epoch": self.browser.epoch, "position": 0}}))
            async for text in socket:
                message: dict[str, Any] = json.loads(text)
                if "over" in message:
                    return int(message["over"]["score"])
                if "welcome" in message:
                    self.number = max(self.number, message["welcome"]["received"])
                    continue
                if "wait" in message:
                    continue  # the round is being made again
                assert message["t"] >= self.durable, "a round went back behind what was durable"
                self.durable = max(self.durable, message["d"])
                await self._answer(socket, message)
        raise ConnectionResetError

    async def _answer(self, socket: Any, picture: dict[str, Any]) -> None:
        if picture["st"] in ("ready", "pause"):
            await socket.send('{"go":true}')
        elif picture["t"] % 3 == 0:
            self.number += 1
            keys = [
                self.rng.randint(-1, 1),
                self.rng.randint(-1, 1),
                self.rng.randrange(360),
                self.rng.randrange(2),
                0,
            ]
            await socket.send(json.dumps({"i": [[self.number, picture["t"] + 2, *keys]]}))


async def played(server: Server, link: str, seed: int) -> list[Page]:
    """Everybody's rounds, to the end, while the server is killed."""
    pages = []
    async with httpx.AsyncClient(base_url=server.url, timeout=10) as http:
        for number in range(PLAYERS):
            browser = Participant(
                http,
                RealPace(WallClock()),
                Patience(first_ms=30, longest_ms=300, give_up_ms=60_000),
            )
            await browser.join(link, desktop="yes")
            await browser.claim()
            pages.append(Page(server.url, browser, generator(seed, "page", number)))
        rng = generator(seed, "kills")
        async with asyncio.TaskGroup() as group:
            for page in pages:
                group.create_task(page.play())
            for _ in range(KILLS):
                await asyncio.sleep(rng.uniform(1.0, 2.2))
                server.kill()
                await asyncio.to_thread(server.start)
    return pages


def drilled(tmp_path: Path, url: str | None, workers: int) -> None:
    folder = tmp_path / "rounds"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    server = Server([folder], data_dir=tmp_path / "data", database=url, workers=workers)
    stored_in = url or f"sqlite:///{tmp_path / 'data' / 'believable.db'}"
    try:
        server.start()
        with Store.open(stored_in, clock=WallClock()) as store:
            link = link_token(store, "rounds", "open")
        pages = asyncio.run(played(server, link, seed=4))
    finally:
        server.kill()
    assert sum(page.losses for page in pages) >= PLAYERS, (
        "the kills were not felt; the drill proves nothing"
    )
    with Store.open(stored_in, clock=WallClock()) as store:
        found = store.read(_all_rounds)
    assert len(found) == PLAYERS
    for row, changes, recording in found:
        assert (row.state, row.tick, row.key.attempt) == ("over", SECONDS * 30, 1)
        assert row.losses >= 1
        assert [change.tick for change in changes] == sorted({change.tick for change in changes}), (
            "a tick was stored twice"
        )
        again, score = record_round(MAZE.game, MAZE.game.load_setup(row.setup), changes, row.tick)
        assert again == file.from_bytes(recording, source=row.key.recording_name)
        assert row.score == score == again.telemetry["score"][-1]
        assert len(changes) > 20


def test_rounds_survive_a_server_that_is_killed_again_and_again(tmp_path: Path) -> None:
    drilled(tmp_path, None, workers=1)


@pytest.mark.postgres
def test_any_worker_goes_on_with_a_round_on_postgresql(tmp_path: Path, postgres: Any) -> None:
    drilled(tmp_path, postgres.new_database(), workers=2)


def _all_rounds(conn: Connection) -> list[tuple[rounds.StoredRound, list[list[int]], bytes]]:
    found = []
    for session in conn.exec_driver_sql("SELECT id FROM sessions").scalars().all():
        for row in rounds.of_session(conn, session):
            body = sessions.get_file(conn, session, row.key.recording_name)
            assert body is not None
            found.append((row, rounds.changes_of(conn, row.key), body))
    return found
