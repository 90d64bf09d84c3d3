"""A person behind each proxy of deploy/: pages, a clip that the proxy sends, and a round over its
WebSocket.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from believable.core.clock import WallClock
from believable.core.seeds import generator
from believable.simulate.client import PATIENT
from believable.simulate.crowd import link_token
from believable.simulate.pace import HastyPace
from believable.simulate.person import Person, Traits
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.study.load import load
from validation.damaged_inputs import small_recording
from validation.local_servers import balanced, through_caddy
from validation.plain_line import PlainLine
from validation.three_servers import RECORDING, DrillBrowser, Troubles

pytestmark = pytest.mark.timeout(300)
STUDY = f"""\
believable: 1
title: Behind a proxy
seed: 2
conditions: [human]
stimuli: [{{id: clip, file: {RECORDING}, condition: human}}]
timeline:
  - watch: {{id: seen, stimulus: clip, ask: [{{id: humanness, prompt: How human?, likert: {{points: 7}}}}]}}
  - play: {{id: game, opponent: frustrated, duration_s: 5, countdown_s: 0, size: 15}}
  - finish: {{}}
"""

Proxy = Callable[[Server, Path], AbstractContextManager[str]]
PROXIES: dict[str, Proxy] = {
    "nginx": lambda server, folder: balanced([server.port], folder, server.data_dir / "media"),
    "caddy": lambda server, folder: through_caddy(server.port, folder),
}


@pytest.fixture(params=PROXIES)
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Server, str]]:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    study = tmp_path / "proxied"
    study.mkdir()
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    small_recording(study / RECORDING)
    options = [
        "--trusted-proxy",
        "127.0.0.1",
        *(["--sendfile", "/believable-media"] if name == "nginx" else []),
    ]
    with (
        Server([study], data_dir=tmp_path / "data", options=options) as server,
        PROXIES[name](server, tmp_path / "proxy") as address,
    ):
        yield study, server, address


def test_a_whole_session_with_clip_and_round(served: tuple[Path, Server, str]) -> None:
    study, server, address = served
    with Store.open(f"sqlite:///{server.data_dir / 'believable.db'}", clock=WallClock()) as store:
        link = link_token(store, study.name)
    definition = load(study)
    troubles = Troubles()

    async def visit() -> tuple[str, DrillBrowser]:
        pace = HastyPace(WallClock().now_ms())
        async with httpx.AsyncClient(base_url=address, timeout=60) as http:
            line = PlainLine(address)
            browser = DrillBrowser(http, line, pace, PATIENT, troubles)
            person = Person(
                browser, pace, generator(1, "proxied"), Traits(1.0, 1.0, None), definition.study
            )
            outcome = (await person.take_part(link)).outcome
            line.close()
            return outcome, browser

    outcome, browser = asyncio.run(visit())
    assert outcome == "complete"
    assert not troubles.seen
    assert not troubles.hidden
    (name, content), *_ = browser.clips.items()
    clip = f"{address}/s/{browser.token}/media/{name}"
    part = httpx.get(clip, headers={"Range": "bytes=2-9"}, timeout=30)
    assert (part.status_code, part.content) == (206, content[2:10])
    assert part.headers["content-type"] == "application/octet-stream"
    told = {header.lower() for header in part.headers} & {
        "etag",
        "last-modified",
        "x-accel-redirect",
    }
    assert not told, "the same for everybody, or of the file"
    assert httpx.get(f"{address}/believable-media/x", timeout=30).status_code == 404, (
        "nobody gets past the server"
    )
