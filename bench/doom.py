"""Doom: films against game time, a tic through our round against bare ViZDoom, two worker processes
against one; and live rounds.

    python bench/doom.py [live]

Ratios of one run on one machine; each figure is the best of three. The live part (`live`: only
that) has six people at a server, the clients beside it on the same machine, each turning and
walking at 640 × 360 for fifteen seconds; their pictures are counted as they come, not decoded.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import httpx
import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

import believable.environments  # noqa: F401  registers the ids
from believable.contracts.game import RoundContext
from believable.core.clock import WallClock
from believable.recordings.file import write
from believable.simulate.client import Participant
from believable.simulate.crowd import link_token
from believable.simulate.pace import RealPace
from believable.simulate.server import Server
from believable.stimuli.render import Look, render_file
from believable.store.engine import Store
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_engine import BUTTONS, TICS_PER_S, DoomEngine
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import DoomOptions, DoomSetup

TICS, DECISIONS = 700, 120
RUNNING = (1, 0, 0, 20, 0, 0, 0, 0, 0)


def setup(picture: str = "160x120") -> DoomSetup:
    options = DoomOptions(map="deathmatch", picture=picture)
    settled: DoomSetup = DOOM.game.trial.resolve(
        options, RoundContext(session_seed=7, trial_key="bench", opponent="nobody", duration_s=60)
    )
    return settled


def best(work: Callable[[], float]) -> float:
    return min(work() for _ in range(3))


def bare() -> float:
    engine = DoomEngine(setup().engine(objects=True))
    action = [50.0, 0.0, 2.0, *[0.0] * (len(BUTTONS) - 3)]
    begun = time.perf_counter()
    for _ in range(TICS):
        engine._game.set_action(action)
        engine._game.advance_action(1, True)
        engine._game.get_state()
    took = time.perf_counter() - begun
    engine.close()
    return took


def ours() -> float:
    game = DoomGame(setup())
    begun = time.perf_counter()
    for _ in range(TICS):
        game.step({"player": RUNNING})
    took = time.perf_counter() - begun
    game.close()
    return took


def film() -> float:
    game = DoomGame(setup(), recorded=True)
    for _ in range(TICS):
        game.step({"player": RUNNING})
    recording = game.record()
    game.close()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "a.replay.json.gz"
        write(recording, source)
        begun = time.perf_counter()
        render_file(
            source,
            Path(folder) / "a.mp4",
            Look(width_px=640, height_px=360, frames_per_s=TICS_PER_S),
        )
        return (TICS / TICS_PER_S) / (time.perf_counter() - begun)


def decisions_per_s(workers: int) -> float:
    envs = gymnasium.make_vec(
        "believable/DoomDeathmatch-v1", num_envs=workers, vectorization_mode="async"
    )
    envs.reset(seed=1)
    standing = np.tile([1, 1, 4, 0, 0], (workers, 1))
    begun = time.perf_counter()
    for _ in range(DECISIONS):
        envs.step(standing)
    took = time.perf_counter() - begun
    envs.close()
    return workers * DECISIONS / took


# ----------------------------------------------------------------------------------------------
# live


PEOPLE, LIVE_S = 6, 15
STUDY = """\
believable: 1
title: Live
seed: 1
timeline:
  - play: {id: game, world: doom, map: deathmatch, opponent: bot, picture: 640x360, duration_s: SECONDS, countdown_s: 0}
  - finish: {}
"""


class LivePage:
    """What a page would do: signs of life, an input every tenth of a second, and when the pictures
    came.
    """

    def __init__(self) -> None:
        self.came_s: list[float] = []
        self.bytes = 0
        self.waited_ms: list[float] = []

    async def play(self, url: str, link: str, rng: random.Random) -> None:
        async with httpx.AsyncClient(base_url=url) as http:
            person = Participant(http, RealPace(WallClock()))
            await person.join(link, desktop="yes")
            await person.claim()
            address = f"{url.replace('http', 'ws', 1)}/s/{person.token}/play"
            async with connect(address, compression=None, max_size=2**22) as socket:
                hello = {"epoch": person.epoch, "position": 0, "pictures": "h264"}
                await socket.send(json.dumps({"hello": hello}))
                while "welcome" not in json.loads(await socket.recv()):
                    pass
                await socket.send(json.dumps({"go": True}))
                await self._course(socket, rng)

    async def _course(self, socket: ClientConnection, rng: random.Random) -> None:
        number, sent_s, next_s, asked = 0, 0.0, 0.0, 0
        words: dict[str, Any] = {"st": "ready", "t": 0, "n": 0}
        async for message in socket:
            now_s = time.perf_counter()
            if isinstance(message, str):
                words = json.loads(message)
                if "over" in words:
                    return
                if now_s >= next_s:
                    number += 1
                    pressed = [
                        1,
                        rng.choice((-1, 0, 1)),
                        0,
                        rng.randint(-60, 60),
                        0,
                        int(rng.random() < 0.2),
                        0,
                        0,
                        0,
                    ]
                    await socket.send(
                        json.dumps({"i": [[number, 0, *pressed]], "seen": words["t"]})
                    )
                    if not asked:
                        asked, sent_s = number, time.perf_counter()
                    next_s = now_s + rng.uniform(0.05, 0.15)
            elif words["st"] == "run":
                self.came_s.append(now_s)
                self.bytes += len(message)
                if asked and words["n"] >= asked:
                    self.waited_ms.append(1000 * (now_s - sent_s))
                    asked = 0


async def people(url: str, link: str, count: int) -> list[LivePage]:
    pages = [LivePage() for _ in range(count)]
    await asyncio.gather(
        *(page.play(url, link, random.Random(number)) for number, page in enumerate(pages))
    )
    return pages


@contextlib.contextmanager
def served(seconds: int) -> Iterator[tuple[str, Store]]:
    """A server with rounds of this length."""
    with tempfile.TemporaryDirectory() as place:
        folder, data = Path(place) / "live", Path(place) / "data"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY.replace("SECONDS", str(seconds)))
        with (
            Server([folder], data_dir=data, options=("--joins-per-minute", "0")) as server,
            Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store,
        ):
            yield server.url, store


def live(count: int) -> None:
    with served(LIVE_S) as (url, store):
        pages = asyncio.run(people(url, link_token(store, "live", "open"), count))
    gaps_ms = [1000 * (b - a) for page in pages for a, b in itertools.pairwise(page.came_s)]
    seconds = [page.came_s[-1] - page.came_s[0] for page in pages]
    rates = [len(page.came_s) / s for page, s in zip(pages, seconds, strict=True)]
    megabits = [8 * page.bytes / 1e6 / s for page, s in zip(pages, seconds, strict=True)]
    waited = [ms for page in pages for ms in page.waited_ms]
    low, p99 = statistics.median(gaps_ms), float(np.percentile(gaps_ms, 99))
    print(
        f"{count} at once: {min(rates):.1f} to {max(rates):.1f} pictures/s, interval median"
        f" {low:.1f} ms, p99 {p99:.1f} ms"
    )
    print(
        f"  key to picture: median {statistics.median(waited):.0f} ms, p95"
        f" {float(np.percentile(waited, 95)):.0f} ms"
    )
    print(f"  {statistics.mean(megabits):.2f} Mbit/s per player")


async def resumed_s(url: str, link: str) -> list[float]:
    """A simulated person plays 59 s of a round faster than time; then a page takes it up, four
    times.
    """
    rng, times = random.Random(3), []
    async with httpx.AsyncClient(base_url=url) as http:
        person = Participant(http, RealPace(WallClock()))
        await person.join(link, desktop="yes")
        await person.claim()
        address = f"{url.replace('http', 'ws', 1)}/s/{person.token}/play"
        hello = {"epoch": person.epoch, "position": 0}
        async with connect(address, compression=None, max_size=2**22) as socket:
            await socket.send(json.dumps({"hello": {**hello, "stepped": True}}))
            while "welcome" not in json.loads(await socket.recv()):
                pass
            for number in range(1, 59 * TICS_PER_S // 5):
                pressed = [1, rng.choice((-1, 0, 1)), 0, rng.randint(-40, 40), 0, 0, 0, 0, 0]
                await socket.send(json.dumps({"step": [number, *pressed, 5]}))
                await socket.recv()
            await socket.send(json.dumps({"stop": True}))
            with contextlib.suppress(ConnectionClosed):
                await socket.recv()
        for _ in range(4):
            async with connect(address, compression=None, max_size=2**22) as socket:
                begun = time.perf_counter()
                await socket.send(json.dumps({"hello": {**hello, "pictures": "h264"}}))
                while "welcome" not in json.loads(await socket.recv()):
                    pass
                times.append(time.perf_counter() - begun)
    return times


def live_rounds() -> None:
    live(1)
    live(PEOPLE)
    with served(60) as (url, store):
        times = asyncio.run(resumed_s(url, link_token(store, "live", "simulated")))
    print(
        f"a round of 60 s is taken up after {statistics.median(times):.2f} s (wanted: less than"
        " 2 s)"
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["live"]:
        live_rounds()
        sys.exit()
    print(f"film at 640x360: {max(film() for _ in range(3)):.1f} x game time (wanted: 5 or more)")
    print(
        f"a tic through our round: {best(ours) / best(bare):.2f} x bare ViZDoom (wanted: 1.3 or"
        " less)"
    )
    # In turn, so that a slow moment of the machine meets both.
    alone, together = map(
        max, zip(*((decisions_per_s(1), decisions_per_s(2)) for _ in range(3)), strict=True)
    )
    print(
        f"two worker processes: {together / alone:.2f} x one, {alone:.0f} decisions/s (wanted: 1.6"
        " or more)"
    )
    live_rounds()
