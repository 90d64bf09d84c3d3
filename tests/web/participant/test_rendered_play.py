"""The live connection to worlds that draw themselves: pictures, a full server, nonsense, floods,
and games that break.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from believable.core.clock import WallClock
from believable.simulate.asgi import AppClient, SocketClosed, running
from believable.simulate.client import Participant
from believable.simulate.pace import RealPace
from believable.web.app import Settings, create_app
from believable.web.participant import round_course
from believable.web.participant.round_course import MOST_TROUBLES

pytest.importorskip("vizdoom", reason="needs the extra doom")
pytest.importorskip("av", reason="needs the extra video")

STUDY = """\
believable: 1
title: A game
seed: 3
timeline:
  - play: {id: game, world: doom, opponent: nobody, picture: 160x120, duration_s: 5, countdown_s: 0}
  - finish: {}
"""
STILL = [0] * 9


class PicturesPage:
    """A page's side of the wire. `images` are the pictures that came: whole or not, and the
    tick.
    """

    def __init__(self) -> None:
        self.to_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.from_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.images: list[tuple[int, int]] = []

    async def send(self, message: Any) -> None:
        await self.raw(text=json.dumps(message))

    async def raw(self, **content: Any) -> None:
        await self.to_app.put({"type": "websocket.receive", **content})

    async def receive(self) -> dict[str, Any]:
        while True:
            heard = await self.from_app.get()
            if heard["type"] == "websocket.close":
                raise SocketClosed(heard.get("code", 1000), heard.get("reason") or "")
            if heard.get("bytes") is not None:
                head = heard["bytes"]
                self.images.append((head[0], int.from_bytes(head[1:5], "big")))
            elif "text" in heard:
                message: dict[str, Any] = json.loads(heard["text"])
                return message

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        async with asyncio.timeout(60):
            while not wanted(message := await self.receive()):
                pass
            return message

    async def closed(self) -> SocketClosed:
        with pytest.raises(SocketClosed) as ended:
            await self.until(lambda message: False)
        return ended.value


class Site:
    """A server with the study, and people who come to it."""

    def __init__(self, http: AppClient, link: str) -> None:
        self._http, self._link = http, link

    async def person(self) -> Participant:
        browser = Participant(self._http, RealPace(WallClock()))
        await browser.join(self._link, desktop="yes")
        await browser.claim()
        return browser

    @asynccontextmanager
    async def page(
        self, browser: Participant | None = None, **hello: Any
    ) -> AsyncIterator[PicturesPage]:
        person = browser or await self.person()
        page = PicturesPage()
        path = f"/s/{person.token}/play"
        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"host", b"simulated")],
            "client": None,
            "server": None,
            "subprotocols": [],
            "state": {},
        }
        task = asyncio.ensure_future(self._http.app(scope, page.to_app.get, page.from_app.put))
        await page.to_app.put({"type": "websocket.connect"})
        assert (await page.from_app.get())["type"] == "websocket.accept"
        await page.send(
            {"hello": {"epoch": person.epoch, "position": 0, "pictures": "jpeg", **hello}}
        )
        try:
            yield page
        finally:
            await page.to_app.put({"type": "websocket.disconnect", "code": 1001})
            await asyncio.wait_for(task, 60)


@pytest.fixture
def with_site(tmp_path: Path) -> Callable[..., None]:
    def run(work: Callable[[Site], Awaitable[None]], **settings: Any) -> None:
        folder = tmp_path / "game"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY)
        app = create_app(Settings(data_dir=tmp_path / "data", study_folders=(folder,), **settings))

        async def main() -> None:
            async with running(app) as http:
                assert isinstance(http, AppClient)
                await work(Site(http, app.state.published[0].links["open"].rsplit("/", 1)[-1]))

        asyncio.run(main())

    return run


def welcomed(message: dict[str, Any]) -> bool:
    return "welcome" in message


def test_pictures_come_with_the_words_and_wait_for_a_page_that_is_behind(
    with_site: Callable[..., None],
) -> None:
    async def work(site: Site) -> None:
        async with site.page() as page:
            welcome = (await page.until(welcomed))["welcome"]
            assert (welcome["width_px"], welcome["height_px"]) == (160, 120)
            assert welcome["controls"]["keys"]["KeyW"] == [0, 1]
            assert welcome.keys().isdisjoint({"map", "goal", "known", "seed", "task"})
            assert welcome["mini_map"].keys() == {"walls", "left", "top", "tile", "goal"}
            await page.until(lambda message: message.get("st") == "ready")
            await page.send({"go": True})
            message = await page.until(lambda message: message.get("st") == "run")
            while message["t"] < 100:  # it says that it lives, and nothing of what it has seen
                await page.send({"i": [[message["t"] + 1, 0, *STILL]]})
                message = await page.receive()
            ticks = [tick for _, tick in page.images]
            assert ticks[0] == 0
            assert max(ticks) < 50, "pictures went on to a page that sees none"
            await page.send({"seen": max(ticks)})
            while len(page.images) == len(ticks):
                await page.send({})
                message = await page.receive()
            assert page.images[-1][1] > 99

    with_site(work)


def test_a_full_server_says_so_and_lets_the_next_one_in(with_site: Callable[..., None]) -> None:
    async def work(site: Site) -> None:
        async with AsyncExitStack() as first:
            page = await first.enter_async_context(site.page())
            await page.until(welcomed)
            async with site.page() as second, AsyncExitStack() as third:
                assert (await second.receive())["wait"] == {"place": 1}
                third_page = await third.enter_async_context(site.page())
                assert (await third_page.receive())["wait"] == {"place": 2}
                await third.aclose()
                await first.aclose()
                await second.until(welcomed)

    with_site(work, most_rounds=1)


def test_who_leaves_a_round_lying_makes_room_for_those_who_wait(
    with_site: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_course, "MAKES_ROOM_S", 0.5)

    async def work(site: Site) -> None:
        async with site.page() as idle:
            await idle.until(welcomed)
            async with site.page() as second:
                assert (await idle.closed()).code == 1013
                await second.until(welcomed)

    with_site(work, most_rounds=1)


NONSENSE: tuple[tuple[dict[str, Any], str], ...] = (
    ({"text": "{"}, "not JSON"),
    ({"bytes": b"\x00\x01"}, "no text"),
    (
        {"text": json.dumps({"i": [[1, 1, 0, 0, 0, 5000, 0, 0, 0, 0, 0]]})},
        "expected forward -1 to 1",
    ),
    ({"text": '{"x": "' + "a" * 40_000 + '"}'}, "no text of at most 32768 characters"),
)


def test_nonsense_ends_a_connection_with_words_and_the_round_stays(
    with_site: Callable[..., None],
) -> None:
    async def work(site: Site) -> None:
        person = await site.person()
        for nonsense, words in NONSENSE:
            async with site.page(person) as page:
                await page.until(welcomed)
                await page.send({"go": True})
                await page.raw(**nonsense)
                closed = await page.closed()
                assert closed.code == 4400
                assert words in str(closed)

    with_site(work)


def test_ten_thousand_inputs_a_second_are_refused_and_others_play_on(
    with_site: Callable[..., None],
) -> None:
    async def work(site: Site) -> None:
        async with site.page() as other, site.page() as page:
            for player in (other, page):
                await player.until(welcomed)
                await player.send({"go": True})
                await player.until(lambda message: message.get("st") == "run")
            for number in range(1, 10_001):
                await page.raw(
                    text=f'{{"i": [[{number}, 0, 1, 0, 0, {number % 7}, 0, 0, 0, 0, 0]]}}'
                )
            closed = await page.closed()
            assert closed.code == 4400
            assert "too much at once" in str(closed)
            message = await other.receive()
            reached = message["t"] + 20
            while message.get("t", 0) < reached:
                await other.send({"go": True, "seen": message["t"]})
                message = await other.receive()

    with_site(work)


def test_a_game_that_breaks_is_taken_up_again_but_not_for_ever(
    with_site: Callable[..., None],
) -> None:
    """Its process is killed each time."""

    async def work(site: Site) -> None:
        person = await site.person()
        for number in range(1, MOST_TROUBLES + 1):
            async with site.page(person) as page:
                await page.until(welcomed)
                (process,) = _processes()
                os.kill(process, signal.SIGKILL)
                await page.send({"go": True})
                closed = await page.closed()
                assert closed.code == (1013 if number < MOST_TROUBLES else 4500)
        async with site.page(person) as page:
            await page.until(welcomed)

    with_site(work)


def _processes() -> list[int]:
    """Those of rounds: children of the process that this one starts them from, with an engine
    each.
    """
    engines = [
        Path(f"/proc/{pid}") for pid in os.listdir("/proc") if pid.isdecimal() and _is_engine(pid)
    ]
    parents = [
        int((engine / "stat").read_text().rpartition(")")[2].split()[1]) for engine in engines
    ]
    return [parent for parent in parents if _grandparent(parent) == os.getpid()]


def _is_engine(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").resolve().name == "vizdoom"
    except OSError:
        return False


def _grandparent(pid: int) -> int:
    for _ in range(2):
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid
