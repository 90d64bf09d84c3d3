"""The maze: how fast the rules run without a picture, and how many rounds one server holds at
thirty steps a second.

    python bench/maze.py             50 rounds of a minute
    python bench/maze.py --quick     a few rounds of some seconds

The rounds are played through `believable serve` (one process, SQLite, durable inputs) by clients in
a second process on the same machine, each over a WebSocket of its own, pressing keys like a person.
A frame's interval is counted at the client, from one picture to the next. Printed beside: how fast
the machine is, the server's share of a core, and how late the clients were. Exit code 1: fewer than
20,000 steps per second, or a 99th percentile of the intervals of 40 ms or more.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import httpx
import uvloop

from believable.core.clock import WallClock
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.worlds.maze.opponents import FrustratedOpponent
from believable.worlds.maze.rules import MazeEvent, PlayerInput, new_round
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.maze.temper import preset
from calibration import calibration_ms, cpu_s

LEAST_STEPS_PER_S = 20_000
LONGEST_P99_MS = 40.0
#: Kinds of frames of a WebSocket.
TEXT, PING, PONG = 1, 9, 10
STUDY = """\
believable: 1
title: Maze benchmark
seed: 1
timeline:
  - play: {{id: round, opponent: frustrated, duration_s: {seconds}, countdown_s: 0}}
  - finish: {{}}
"""


def headless(rounds: int) -> tuple[float, float]:
    """Steps per second of processor time: with inputs that are given, and with a scripted player
    who decides them.
    """
    inputs = [
        PlayerInput(
            dx=(n // 9) % 3 - 1,
            dy=(n // 21) % 3 - 1,
            aim_deg=n % 360,
            shoot=n % 11 == 0,
            bomb=n % 90 == 0,
        )
        for n in range(1800)
    ]
    given = scripted = 0.0
    steps = 0
    for seed in range(rounds):
        game, opponent = new_round(seed), FrustratedOpponent(preset("frustrated"), seed)
        events: list[MazeEvent] = []
        started_s = time.process_time()
        while not game.over:
            events = game.step(inputs[game.tick], opponent.decide(game, events))
        given += time.process_time() - started_s
        steps += game.tick
        game, opponent, player = (
            new_round(seed),
            FrustratedOpponent(preset("frustrated"), seed),
            ScriptedPlayer(seed),
        )
        events = []
        started_s = time.process_time()
        while not game.over:
            events = game.step(player.decide(game, events), opponent.decide(game, events))
        scripted += time.process_time() - started_s
    return steps / given, steps / scripted


# ---------------------------------------------------------------------------------------------- the
# clients


@dataclass(slots=True)
class Seen:
    """What the clients saw: intervals between pictures, how late they themselves were, and how many
    rounds ended.
    """

    intervals_ms: list[float]
    late_ms: list[float]
    over: int


class Page(asyncio.Protocol):
    """One page: presses keys, sends signs of life, counts pictures. A bare WebSocket, so that fifty
    of them leave the machine to the server; a picture's time is taken when its bytes arrive.
    """

    def __init__(self, path: str, epoch: int, number: int, seen: Seen) -> None:
        self._path, self._epoch, self._number, self._seen = path, epoch, number, seen
        self._rng = random.Random(number)
        self._bytes = b""
        self._last_s: float | None = None
        loop = asyncio.get_running_loop()
        self.welcome: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(bytes(16)).decode()
        upgrade = (
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key:"
            f" {key}\r\nSec-WebSocket-Version: 13"
        )
        self._transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: bench\r\n{upgrade}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        now_s = time.perf_counter()
        self._bytes += data
        if self._bytes.startswith(b"HTTP/1.1 "):
            head, found, rest = self._bytes.partition(b"\r\n\r\n")
            if not found:
                return
            assert head.startswith(b"HTTP/1.1 101 "), head
            self._bytes = rest
            self.send({"hello": {"epoch": self._epoch, "position": 0}})
        while (message := self._next()) is not None:
            self._hear(message, now_s)

    def _next(self) -> bytes | None:
        """The next whole message: a server's frames are neither masked nor in parts here."""
        start, size = 2, self._bytes[1] if len(self._bytes) > 1 else 0
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(self._bytes[2:start])
        if len(self._bytes) < start or len(self._bytes) < start + size:
            return None
        opcode, message = self._bytes[0] & 15, self._bytes[start : start + size]
        self._bytes = self._bytes[start + size :]
        if opcode == PING:
            self._write(PONG, message)
            return b""
        return message

    def _hear(self, message: bytes, now_s: float) -> None:
        if message.startswith(b'{"welcome"'):
            self.welcome.set_result(None)
        elif message.startswith(b'{"over"'):
            self._seen.over += 1
            self._transport.close()
        elif b'"st":"run"' in message:
            if self._last_s is not None:
                self._seen.intervals_ms.append(1000 * (now_s - self._last_s))
            self._last_s = now_s

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set_result(None)

    def send(self, message: object) -> None:
        self._write(TEXT, json.dumps(message, separators=(",", ":")).encode())

    def _write(self, opcode: int, body: bytes) -> None:
        """Masked with zeros, which is a mask like any other."""
        assert len(body) < 126
        self._transport.write(bytes([0x80 | opcode, 0x80 | len(body), 0, 0, 0, 0]) + body)

    async def play(self) -> None:
        """A change of keys or a sign of life ten times a second, as a page does."""
        await asyncio.sleep(self._number / 50 / 30)
        self.send({"go": True})
        rng, number = self._rng, 0
        while not self.ended.done():
            due_s, number = time.perf_counter() + 0.1, number + 1
            keys = [
                rng.randint(-1, 1),
                rng.randint(-1, 1),
                rng.randrange(360),
                rng.randrange(2),
                int(rng.random() < 0.05),
            ]
            self.send({"i": [[number, 0, *keys]], "q": 1})
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            self._seen.late_ms.append(1000 * (time.perf_counter() - due_s))


async def clients(address: str, link: str, rounds: int) -> Seen:
    seen = Seen([], [], 0)
    pages = []
    async with httpx.AsyncClient(base_url=address, timeout=60) as http:
        for _ in range(rounds):
            browser = Participant(http, RealPace(WallClock()))
            await browser.join(link, desktop="yes")
            await browser.claim()
            pages.append(Page(f"/s/{browser.token}/play", browser.epoch, len(pages), seen))
    to = urlsplit(address)
    for page in pages:
        await asyncio.get_running_loop().create_connection(
            lambda page=page: page, to.hostname, to.port
        )  # type: ignore[misc]
    await asyncio.gather(*(page.welcome for page in pages))
    await asyncio.gather(*(page.play() for page in pages))
    return seen


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def served(rounds: int, seconds: int) -> tuple[Seen, float]:
    """What the clients saw, and the server's share of one core while the rounds ran."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "maze"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY.format(seconds=seconds))
        with Server(
            [folder], data_dir=Path(place) / "data", options=("--joins-per-minute", "0")
        ) as server:
            with Store.open(
                f"sqlite:///{Path(place) / 'data' / 'believable.db'}", clock=WallClock()
            ) as store:
                link = link_token(store, "maze", "open")
            command = [sys.executable, __file__, "--clients", server.url, link, str(rounds)]
            before_s, started_s = cpu_s(server.pid), time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            share = (cpu_s(server.pid) - before_s) / (time.monotonic() - started_s)
            return Seen(**json.loads(done.stdout)), share


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument(
        "--clients", nargs=3, metavar=("URL", "LINK", "ROUNDS"), help=argparse.SUPPRESS
    )
    given = parser.parse_args()
    if given.clients:
        url, link, rounds = given.clients
        seen = uvloop.run(clients(url, link, int(rounds)))
        sys.stdout.write(json.dumps(asdict(seen)))
        return 0
    rounds, seconds = (5, 6) if given.quick else (given.rounds, given.seconds)
    out = sys.stdout.write
    out(f"calibration loop {calibration_ms():.0f} ms\n")
    inputs, scripted = headless(3 if given.quick else 20)
    out(f"headless, inputs given      {inputs:10,.0f} steps/s/core\n")
    out(f"headless, scripted player   {scripted:10,.0f} steps/s/core\n")
    seen, share = served(rounds, seconds)
    p99 = percentile(seen.intervals_ms, 0.99)
    out(
        f"{rounds} rounds of {seconds} s at 30 Hz, {seen.over} ended, {len(seen.intervals_ms)}"
        " intervals\n"
    )
    out(
        f"interval: median {statistics.median(seen.intervals_ms):.1f} ms, p95"
        f" {percentile(seen.intervals_ms, 0.95):.1f}, p99 {p99:.1f}, longest"
        f" {max(seen.intervals_ms):.0f}\n"
    )
    out(
        f"server: {share:.2f} of a core; the clients' own lateness p99"
        f" {percentile(seen.late_ms, 0.99):.1f} ms\n"
    )
    fine = inputs >= LEAST_STEPS_PER_S and p99 < LONGEST_P99_MS and seen.over == rounds
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
