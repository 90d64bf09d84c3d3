"""The whole app in this process, with its own database, a clock that the test moves, and the
browser's protocol.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from believable.core.clock import VirtualClock
from believable.web.app import Settings, create_app

STUDY = """\
believable: 1
title: {en: A study, de: Eine Studie}
seed: 1
languages: [en, de]
timeline:
  - consent: {id: consent, text: {en: Please agree., de: Bitte zustimmen.}}
  - form:
      id: about
      questions:
        - {id: age, prompt: {en: Age?, de: Alter?}, number: {min: 18}}
        - id: colour
          prompt: {en: Colour?, de: Farbe?}
          choice: {shuffle: true, options: [{value: r, label: {en: Red, de: Rot}}, {value: b, label: {en: Blue, de: Blau}}]}
        - id: other
          prompt: {en: Which?, de: Welche?}
          show_if: {answer: about.colour, is: r}
          text: {}
  - break: {id: rest, at_least_s: 5}
  - finish: {id: end}
"""


class Web:
    """Requests to the app. `app.state.collect` is there as in a running server."""

    def __init__(self, portal: BlockingPortal, settings: Settings, clock: VirtualClock) -> None:
        self.clock = clock
        self.app = create_app(settings, clock=clock)
        self._portal = portal
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self._http = httpx.AsyncClient(transport=transport, base_url=settings.base_url)

    def __enter__(self) -> Web:
        self._life = self._portal.wrap_async_context_manager(
            self.app.router.lifespan_context(self.app)
        )
        self._life.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._portal.call(self._http.aclose)
        self._life.__exit__(*error)

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        return self._portal.call(partial(self._http.request, method, url, **options))

    def get(self, url: str, **options: Any) -> httpx.Response:
        return self.request("GET", url, **options)

    def post(self, url: str, **options: Any) -> httpx.Response:
        return self.request("POST", url, **options)

    def link(self, kind: str = "open") -> str:
        return (
            self.app.state.published[0].links[kind].removeprefix(self.app.state.settings.base_url)
        )


@dataclass
class Session:
    """One participant's browser, down to the numbers and hashes."""

    web: Web
    token: str
    epoch: int = 0
    seq: int = 0
    head: str = ""

    def url(self, path: str = "") -> str:
        return f"/s/{self.token}{'/' + path if path else ''}"

    def claim(self) -> None:
        claimed = self.web.post(self.url("claim"), json={}).json()
        self.epoch, self.seq, self.head = claimed["epoch"], claimed["ack"], claimed["head"]

    def trial(self) -> dict[str, Any]:
        found: dict[str, Any] = self.web.get(self.url("trial")).json()
        return found

    def record(self, kind: str, data: dict[str, Any], trial: int | None = None) -> int:
        position = self.trial()["position"] if trial is None else trial
        body = json.dumps({"kind": kind, "trial": position, "at_ms": 1, "mono_ms": 1, "data": data})
        self.seq += 1
        self.head = hashlib.sha256(f"{self.head}\n{body}".encode()).hexdigest()
        reply = self.web.post(
            self.url("events"), json={"epoch": self.epoch, "events": [[self.seq, body]]}
        )
        assert reply.json() == {"ack": self.seq}
        return self.seq

    def submit(self, answers: dict[str, Any]) -> dict[str, Any]:
        position = self.trial()["position"]
        seq = self.record("trial.submit", {"answers": answers}, position)
        payload = {"epoch": self.epoch, "position": position, "seq": seq}
        reply: dict[str, Any] = self.web.post(self.url("advance"), json=payload).json()
        return reply

    def finish(self) -> httpx.Response:
        return self.web.post(
            self.url("finish"), json={"epoch": self.epoch, "seq": self.seq, "head": self.head}
        )


@pytest.fixture
def run_study(tmp_path: Path, with_tables: Callable[[Path], Path]) -> Iterator[Callable[..., Web]]:
    """`run_study(text)` serves a study; more arguments are settings."""
    opened: list[Web] = []
    with start_blocking_portal() as portal:

        def start(text: str = STUDY, **more: Any) -> Web:
            folder = tmp_path / f"study{len(opened)}"
            folder.mkdir()
            (folder / "study.yaml").write_text(text)
            settings = Settings(data_dir=folder / "data", study_folders=(folder,), **more)
            with_tables(settings.data_dir)
            web = Web(portal, settings, VirtualClock())
            opened.append(web)
            return web.__enter__()

        yield start
        for web in opened:
            web.__exit__(None, None, None)


@pytest.fixture
def web(run_study: Callable[..., Web]) -> Web:
    return run_study()


@pytest.fixture
def join() -> Callable[..., Session]:
    """`join(web, query="?…", language="de")` starts a session and claims it."""

    def enter(web: Web, query: str = "", kind: str = "open", **form: str) -> Session:
        reply = web.post(web.link(kind) + query, data={"desktop": "yes", **form})
        assert reply.status_code == 303, reply.text
        session = Session(web, reply.headers["location"].rsplit("/", 1)[-1])
        session.claim()
        return session

    return enter


@pytest.fixture
def session(web: Web, join: Callable[..., Session]) -> Session:
    return join(web)
