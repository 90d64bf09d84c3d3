"""Pages as the built wheel serves them, with bundled scripts: few requests, and everything works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from believable.app.settings import Settings
from tests.js.test_bundles import build_wheel

from .conftest import Server, free_port, wait_for

WATCH_1, RATE = 4, 7
MOST_REQUESTS = 3
BUNDLES = "/static/bundles/"
SERVE = """
import sys
import believable
from believable.web.app import serve
from believable.app.settings import Settings
assert believable.__file__.startswith(sys.argv[1]), believable.__file__
serve(Settings.from_json(sys.argv[2]), port=int(sys.argv[3]))
"""


class WheelServer(Server):
    """The server of the built wheel. The test's own package prepares its database."""

    wheel: Path
    running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        settings = self.settings.to_json()
        command = [sys.executable, "-c", SERVE, str(self.wheel), settings, str(self.port)]
        environment = {**os.environ, "PYTHONPATH": str(self.wheel)}
        self.running = subprocess.Popen(command, env=environment, cwd=self.settings.data_dir)
        wait_for(self.url)

    def stop(self, *_: object) -> None:
        if self.running is not None:
            self.running.kill()
            self.running.wait(30)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel")).parent


@pytest.fixture
def serve_wheel(
    tmp_path: Path, wheel: Path, with_tables: Callable[[Path], Path]
) -> Iterator[Callable[[Path], WheelServer]]:
    running: list[WheelServer] = []

    def start(folder: Path) -> WheelServer:
        port, data = free_port(), tmp_path / "data"
        with_tables(data)
        settings = Settings(
            data_dir=data, study_folders=(folder,), base_url=f"http://127.0.0.1:{port}"
        )
        server = WheelServer(settings, port)
        server.wheel = wheel
        running.append(server)
        server.publish()
        server.start()
        return server

    yield start
    for server in running:
        server.stop()


def scripts_of(page: Page) -> list[str]:
    """Paths of scripts that the page asks for from now on."""
    asked: list[str] = []
    page.on(
        "request",
        lambda request: (
            request.resource_type == "script" and asked.append(urlsplit(request.url).path)
        ),
    )
    return asked


def names(asked: list[str]) -> list[str]:
    """The bundles; every request must be for one."""
    assert [path for path in asked if not path.startswith(BUNDLES)] == []
    return [path.removeprefix(BUNDLES).rpartition("-")[0] for path in asked]


def test_a_whole_study_from_the_wheel(
    page: Page,
    visitor: Any,
    make_study: Callable[..., Path],
    serve_wheel: Callable[[Path], WheelServer],
    stored: Any,
) -> None:
    server = serve_wheel(make_study())
    asked = scripts_of(page)
    visitor.until(RATE, server.link())
    visitor.rate()
    assert visitor.finished()
    assert stored(server).states == [("finished", "complete")]
    assert sorted(set(names(asked))) == ["participant-landing", "session", "video"]


def test_a_reload_asks_for_at_most_three_scripts(
    page: Page, visitor: Any, make_study: Callable[..., Path], serve_wheel: Any
) -> None:
    visitor.until(WATCH_1, serve_wheel(make_study()).link())
    visitor.saved()
    asked = scripts_of(page)
    page.reload()
    visitor.at(WATCH_1)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert 0 < len(set(names(asked))) <= MOST_REQUESTS


def test_a_round_and_its_annotation_from_the_wheel(
    page: Page, tmp_path: Path, rounds: ModuleType, serve_wheel: Callable[[Path], WheelServer]
) -> None:
    """A game, then the recording of it below a trace."""
    server = serve_wheel(rounds.short_study(tmp_path, seconds=5))
    asked = scripts_of(page)
    player = rounds.Player(page)
    player.join(server.link())
    player.start()
    player.play(10)
    player.over()
    assert sorted(set(names(asked))) == ["game", "participant-landing", "session"]
    player.saved()
    player.next()
    expect(page.locator(".trace-area")).to_be_visible()
    asked.clear()
    page.reload()
    expect(page.locator(".trace-area")).to_be_visible()
    assert set(names(asked)) == {"recording", "session", "tracing"}
    player.annotate(12)
    player.next()
    assert player.finish()


def test_a_bundle_that_does_not_arrive_is_reported_and_the_page_reloads(
    page: Page, visitor: Any, make_study: Callable[..., Path], serve_wheel: Any
) -> None:
    address = f"**{BUNDLES}session-*"
    page.route(address, lambda route: route.abort())
    page.goto(serve_wheel(make_study()).link())
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#missing")).to_be_visible()
    page.unroute(address)
    visitor.at(0)
    expect(page.locator("#missing")).to_be_hidden()
