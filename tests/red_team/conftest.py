"""What the attacks share. Every one of them is aimed at a server that the test itself starts, on
this machine.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from argon2 import PasswordHasher

from believable.core.clock import VirtualClock
from believable.simulate.server import free_port as find_free_port
from believable.store import accounts, rights
from believable.store.engine import Store
from believable.web.app import Settings, create_app

BASE_URL = "http://study.example"
PASSWORD = "three unrelated words"
#: The smallest study in which something is written.
STUDY = """\
believable: 1
title: A study
seed: 1
timeline:
  - form: {id: first, questions: [{id: why, prompt: Why?, text: {}}]}
  - finish: {id: end}
"""


@pytest.fixture
def free_port() -> int:
    return find_free_port()


class Target:
    """The whole application in this process, with a clock that the test moves. A browser is a set
    of cookies.
    """

    def __init__(self, portal: BlockingPortal, settings: Settings, clock: VirtualClock) -> None:
        self.app, self.clock = create_app(settings, clock=clock), clock
        self._portal = portal

    def __enter__(self) -> Target:
        self._life = self._portal.wrap_async_context_manager(
            self.app.router.lifespan_context(self.app)
        )
        self._life.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._life.__exit__(*error)

    def browser(self, address: str = "192.0.2.1") -> Browser:
        transport = httpx.ASGITransport(
            self.app, raise_app_exceptions=False, client=(address, 50_000)
        )
        return Browser(httpx.AsyncClient(transport=transport, base_url=BASE_URL), self._portal)

    def log_in(self, name: str, role: str = "administrator", study: str = "") -> Browser:
        """A browser that is logged in to the console, as administrator or with a role in a
        study.
        """
        now_ms, administrator = self.clock.now_ms(), role == "administrator"
        hashed = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
        store: Store = self.app.state.store
        store.write(
            lambda conn: (
                accounts.add(conn, name, now_ms=now_ms, administrator=administrator) and None
            )
        )
        store.write(lambda conn: accounts.set_password(conn, name, hashed))
        if not administrator:
            store.write(lambda conn: rights.grant(conn, name, study, role, now_ms=now_ms))
        browser = self.browser()
        assert browser.fill_in("/console/login", name=name, password=PASSWORD).status_code == 303
        return browser

    def link(self, kind: str = "open") -> str:
        link: str = self.app.state.published[0].links[kind]
        return link.removeprefix(BASE_URL)


@dataclass
class Browser:
    """Keeps cookies, follows no redirects."""

    http: httpx.AsyncClient
    portal: BlockingPortal

    def get(self, address: str, **options: Any) -> httpx.Response:
        return self.portal.call(partial(self.http.get, address, **options))

    def post(self, address: str, **options: Any) -> httpx.Response:
        return self.portal.call(partial(self.http.post, address, **options))

    def fill_in(self, address: str, *, page: str = "", **fields: str) -> httpx.Response:
        """Send a form of the console, with the mark that its page carries."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(page or address).text)
        assert found is not None, f"{page or address} has no form"
        return self.post(address, data={"csrf": found[1], **fields}, headers={"origin": BASE_URL})

    def join(self, link: str) -> Script:
        reply = self.post(link, data={})
        assert reply.status_code == 303, reply.text
        return Script(self, reply.headers["location"])


@dataclass
class Script:
    """A program that speaks the browser's protocol: numbers and hashes included."""

    browser: Browser
    address: str
    epoch: int = 0
    seq: int = 0
    head: str = ""

    def claim(self) -> dict[str, Any]:
        claimed: dict[str, Any] = self.browser.post(f"{self.address}/claim", json={}).json()
        self.epoch, self.seq, self.head = claimed["epoch"], claimed["ack"], claimed["head"]
        trial: dict[str, Any] = claimed["trial"]
        return trial

    def send(self, position: int, kind: str, data: dict[str, Any]) -> httpx.Response:
        body = json.dumps({"kind": kind, "trial": position, "at_ms": 1, "mono_ms": 1, "data": data})
        self.seq += 1
        self.head = hashlib.sha256(f"{self.head}\n{body}".encode()).hexdigest()
        return self.browser.post(
            f"{self.address}/events", json={"epoch": self.epoch, "events": [[self.seq, body]]}
        )

    def submit(self, position: int, answers: dict[str, Any]) -> dict[str, Any]:
        assert self.send(position, "trial.submit", {"answers": answers}).status_code == 200
        payload = {"epoch": self.epoch, "position": position, "seq": self.seq}
        reply: dict[str, Any] = self.browser.post(f"{self.address}/advance", json=payload).json()
        return reply

    def finish(self) -> httpx.Response:
        return self.browser.post(
            f"{self.address}/finish", json={"epoch": self.epoch, "seq": self.seq, "head": self.head}
        )


@pytest.fixture
def serve(tmp_path: Path, database_url: str) -> Iterator[Callable[..., Target]]:
    """`serve(study)` serves a study file, or folders of studies, from the database of the test;
    more arguments are settings.
    """
    opened: list[Target] = []
    with start_blocking_portal() as portal:

        def start(study: str | Path | tuple[Path, ...], **settings: Any) -> Target:
            if isinstance(study, str):
                folders: tuple[Path, ...] = (tmp_path / "study",)
                folders[0].mkdir()
                (folders[0] / "study.yaml").write_text(study, encoding="utf-8")
            else:
                folders = study if isinstance(study, tuple) else (study,)
            chosen = Settings(tmp_path / "data", database_url, folders, BASE_URL, **settings)
            opened.append(Target(portal, chosen, VirtualClock(1_800_000_000_000)).__enter__())
            return opened[-1]

        yield start
        for target in reversed(opened):
            target.__exit__(None, None, None)
