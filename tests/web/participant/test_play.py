"""The live connection: who may open it, what it takes, and how a round runs, pauses and goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.errors import InvalidInput
from believable.simulate.asgi import AppClient, Socket, SocketClosed, open_socket, running
from believable.simulate.client import Participant
from believable.simulate.pace import RealPace
from believable.web.app import Settings, create_app
from believable.web.participant.round_course import SILENCE_S
from believable.worlds.live_round import inputs_in, step_in
from believable.worlds.maze.game import INPUTS

STUDY = """\
believable: 1
title: Maze
seed: 3
timeline:
  - play: {id: game, opponent: calm, duration_s: 5, countdown_s: 0}
  - finish: {}
"""
STILL = [0, 0, 0, 0, 0]


class Page:
    """A page's side of the wire."""

    def __init__(self, http: AppClient, token: str, epoch: int) -> None:
        self.http, self.token, self.epoch = http, token, epoch

    @asynccontextmanager
    async def connected(self, **hello: Any) -> AsyncIterator[Socket]:
        async with open_socket(self.http, f"/s/{self.token}/play") as socket:
            await socket.send({"hello": {"epoch": self.epoch, "position": 0, **hello}})
            yield socket


async def until(socket: Socket, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while not wanted(message := await socket.receive()):
            pass
        return message


def state(name: str) -> Callable[[dict[str, Any]], bool]:
    return lambda message: message.get("st") == name


@pytest.fixture
def with_page(tmp_path: Path) -> Callable[..., None]:
    """`with_page(work)` runs `work(page)` against an app of its own; `kind` is the kind of link."""

    def run(work: Callable[[Page], Awaitable[None]], kind: str = "open") -> None:
        folder = tmp_path / "maze"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY)
        app = create_app(Settings(data_dir=tmp_path / "data", study_folders=(folder,)))

        async def main() -> None:
            async with running(app) as http:
                assert isinstance(http, AppClient)
                browser = Participant(http, RealPace(WallClock()))
                link = app.state.published[0].links[kind].rsplit("/", 1)[-1]
                await browser.join(link, desktop="yes")
                await browser.claim()
                await work(Page(http, browser.token, browser.epoch))

        asyncio.run(main())

    return run


def test_a_round_runs_from_go_to_its_end(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        async with page.connected() as socket:
            welcome = (await until(socket, lambda message: "welcome" in message))["welcome"]
            assert welcome["ticks"] == 150
            assert len(welcome["walls"]) == 21
            assert (await socket.receive())["st"] == "ready"
            await socket.send({"go": True})
            first = await until(socket, state("run"))
            number = 0
            while "over" not in (message := await asyncio.wait_for(socket.receive(), 10)):
                number += 1
                await socket.send({"i": [[number, message["t"] + 2, 1, 0, 90, 0, 0]], "q": 12.5})
            assert message["over"]["score"] == 0
            assert first["t"] <= 2
        async with page.connected() as socket:
            assert "over" in await socket.receive()

    with_page(work)


def test_a_silent_page_pauses_the_round_and_go_continues_it(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        async with page.connected() as socket:
            begun_s = time.monotonic()
            await socket.send({"go": True})
            paused = await until(socket, state("pause"))
            assert time.monotonic() - begun_s > SILENCE_S, "a page may be silent for a while"
            assert 0 < paused["t"] < 45
            for _ in range(3):  # told again and again, at the same tick
                assert (await until(socket, state("pause")))["t"] == paused["t"]
            await socket.send({"go": True})
            assert (await until(socket, state("run")))["t"] == paused["t"] + 1
            await socket.send({"pause": True})
            await until(socket, state("pause"))

    with_page(work)


def test_another_connection_takes_the_round_over(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        async with page.connected() as first:
            await first.send({"go": True})
            reached = await until(first, lambda message: message.get("d", 0) >= 9)
            async with page.connected() as second:
                welcomed = await until(second, state("pause"))
                assert welcomed["t"] >= reached["d"]
                with pytest.raises(SocketClosed) as closed:
                    await until(first, lambda message: False)
                assert closed.value.code == 4409

    with_page(work)


def test_only_the_tab_that_claimed_last_may_play(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        await page.http.post(f"/s/{page.token}/claim", json={})
        async with page.connected() as socket:
            with pytest.raises(SocketClosed) as closed:
                await socket.receive()
            assert closed.value.code == 4409

    with_page(work)


def test_without_a_session_there_is_no_round(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        stranger = Page(page.http, "a" * 26, page.epoch)
        async with stranger.connected() as socket:
            with pytest.raises(SocketClosed) as closed:
                await socket.receive()
            assert closed.value.code == 4400

    with_page(work)


@pytest.mark.parametrize(
    "message",
    [
        {"i": [[1, 1, 5, 0, 0, 0, 0]]},
        {"i": [[1, 1, 0, 0, 360, 0, 0]]},
        {"i": [[1, -1, *STILL]]},
        {"i": "x"},
        {"i": [[1]]},
        [],
        5,
        {"i": [[1, 1, 0, 0, 0, True, 0]]},
        {"i": [[1, 1, *STILL]] * 200},
    ],
)
def test_what_is_no_input_ends_the_connection(with_page: Callable[..., None], message: Any) -> None:
    async def work(page: Page) -> None:
        async with page.connected() as socket:
            await socket.send({"go": True})
            await until(socket, state("run"))
            await socket.send(message)
            with pytest.raises(SocketClosed) as closed:
                await until(socket, lambda message: False)
            assert closed.value.code == 4400

    with_page(work)


@pytest.mark.parametrize(
    "hello", [{"position": 1}, {"position": -1}, {"epoch": "1"}, {"stepped": True}, {"epoch": 99}]
)
def test_a_wrong_greeting_is_refused(with_page: Callable[..., None], hello: dict[str, Any]) -> None:
    """Only simulated sessions may be stepped through faster than time."""

    async def work(page: Page) -> None:
        async with page.connected(**hello) as socket:
            with pytest.raises(SocketClosed) as closed:
                await socket.receive()
            assert closed.value.code == 4400

    with_page(work)


def test_a_page_of_another_site_is_refused(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        heard: list[Any] = []

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            heard.append(message)

        await page.http.app(_scope(page, b"https://elsewhere.example"), receive, send)
        assert [message["type"] for message in heard] == ["websocket.close"]

    with_page(work)


def test_a_page_that_vanishes_is_no_error_of_the_server(with_page: Callable[..., None]) -> None:
    """The network says so when something is sent: the connection is closed by then, and must not be
    closed once more.
    """

    async def work(page: Page) -> None:
        hello = f'{{"hello": {{"epoch": {page.epoch}, "position": 0}}}}'
        said = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": hello}]
        sent: list[str] = []

        async def receive() -> Any:
            return said.pop(0) if said else await asyncio.Future()

        async def send(message: Any) -> None:
            sent.append(message["type"])
            if message["type"] == "websocket.send":
                raise OSError("broken pipe")

        await asyncio.wait_for(
            page.http.app(_scope(page, b"https://study.example"), receive, send), 60
        )
        assert sent == ["websocket.accept", "websocket.send"]

    with_page(work)


def _scope(page: Page, origin: bytes) -> dict[str, Any]:
    return {
        "type": "websocket",
        "path": f"/s/{page.token}/play",
        "raw_path": b"",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"study.example"), (b"origin", origin)],
        "scheme": "ws",
        "subprotocols": [],
        "client": None,
        "server": None,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
    }


def test_a_simulated_participant_plays_as_fast_as_it_can(with_page: Callable[..., None]) -> None:
    async def work(page: Page) -> None:
        async with page.connected(stepped=True) as socket:
            await until(socket, lambda message: "welcome" in message)
            for tick in range(4, 156, 4):
                await socket.send({"step": [tick, 1, 0, tick % 360, 0, 0, 4]})
                assert (await socket.receive())["t"] == min(tick, 150)
            assert "over" in await socket.receive()
        reply: httpx.Response = await page.http.get(f"/s/{page.token}/trial")
        assert reply.json()["play"] == {
            "world": "maze",
            "practice": False,
            "on_loss": "resume",
            "duration_s": 5,
            "words": "play",
            "rendered": False,
            "script": "/static/worlds/maze/page.js",
        }

    with_page(work, kind="simulated")


def test_inputs_are_read_strictly() -> None:
    (one,) = inputs_in({"i": [[3, 7, -1, 1, 359, 1, 0]]}, INPUTS)
    assert (one.number, one.tick) == (3, 7)
    assert one.pressed == (-1, 1, 359, 1, 0)
    assert inputs_in({}, INPUTS) == []
    assert step_in({"stop": True}, INPUTS) is None
    assert step_in({"step": [4, 0, 1, 9, 0, 1, 3]}, INPUTS) == (4, (0, 1, 9, 0, 1), 3)
    with pytest.raises(InvalidInput, match="a step: expected"):
        step_in({"step": [1]}, INPUTS)
