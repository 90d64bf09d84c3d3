"""A running application with one study, people who take it, and a browser that keeps cookies."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI

from believable.collect.desk import Collect
from believable.core import processes
from believable.core.clock import VirtualClock
from believable.simulate.asgi import running
from believable.store import accounts, overview, rights, studies
from believable.store.engine import Store
from believable.store.sessions import Session
from believable.web.app import Settings, create_app
from tests.programs import ROOT, search_path

BASE = "http://127.0.0.1:8000"
PASSWORD = "three unrelated words"

STUDY = """\
believable: 1
title: Who plays <like> a human?
seed: 7
conditions: [CANARYhuman, CANARYscripted]
arms:
  tool: [CANARYslow, CANARYfast]
timeline:
  - consent: {id: consent, text: "Do you want to take part?", require: [agree]}
  - check:
      id: attention
      question: {id: sky, prompt: "What colour is the sky?", choice: {options: [blue, red]}}
      correct: blue
      on_fail: screen_out
  - block:
      id: pairs
      order: latin_square
      over: condition
      each:
        - form:
            id: judge
            questions:
              - {id: why, prompt: "Why do you think so?", required: false, long_text: {max_length: 1500000}}
  - finish: {id: finish}
"""


@dataclass
class Person:
    """One participant, through the real steps of a session."""

    collect: Collect
    clock: VirtualClock
    token: str

    def __post_init__(self) -> None:
        self.epoch = self.collect.claim(self.token).now().epoch
        self.seq = self.collect.claim(self.token).now().ack
        self.epoch = self.collect.claim(self.token).now().epoch

    @property
    def session(self) -> Session:
        return self.collect.view(self.token).now().session

    def send(self, kind: str, trial: int | None = None, **data: Any) -> int:
        self.seq += 1
        position = self.session.position if trial is None else trial
        now = self.clock.now_ms()
        body = json.dumps(
            {"kind": kind, "trial": position, "at_ms": now, "mono_ms": now % 10**6, "data": data}
        )
        self.collect.append(self.token, self.epoch, [(self.seq, body)]).now()
        return self.seq

    def submit(self, took_ms: int = 30_000, **answers: Any) -> str:
        position = self.session.position
        self.clock.advance(took_ms)
        seq = self.send("trial.submit", answers=answers)
        return self.collect.advance(self.token, self.epoch, position, seq).now().status

    def finish(self) -> None:
        session = self.session
        self.collect.finish(self.token, self.epoch, session.head_seq, session.head_hash).now()

    def run(self, *texts: str, took_ms: int = 30_000) -> Session:
        """The whole study with these texts."""
        self.submit(agree=True)
        self.submit(sky="blue")
        for text in texts:
            self.submit(took_ms, why=text)
        self.finish()
        return self.session


@dataclass
class World:
    """The application, its clock, and ways in."""

    app: FastAPI
    clock: VirtualClock
    loop: asyncio.AbstractEventLoop

    @property
    def store(self) -> Store:
        store: Store = self.app.state.store
        return store

    @property
    def collect(self) -> Collect:
        collect: Collect = self.app.state.collect
        return collect

    def person(self, kind: str = "open") -> Person:
        link = self.store.read(lambda conn: studies.links_of(conn, "study", (kind,)))[0]
        return Person(
            self.collect, self.clock, self.collect.join(link.token, {}, "en", True).now().token
        )

    def session(self, number: int, pool: str = "real") -> Session:
        return self.store.read(lambda conn: overview.session_by_number(conn, "study", pool, number))

    # ------------------------------------------------------------------------------------------
    # researchers

    def account(self, name: str, role: str, study: str = "study") -> None:
        """A user with the test password, without the wait for a slow hash; as `administrator`, or
        with a role in the study.
        """
        now_ms = self.clock.now_ms()
        hashed = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
        administrator = role == "administrator"
        self.store.write(
            lambda conn: accounts.add(conn, name, now_ms=now_ms, administrator=administrator)
        )
        if not administrator:
            self.store.write(lambda conn: rights.grant(conn, name, study, role, now_ms=now_ms))
        self.store.write(lambda conn: accounts.set_password(conn, name, hashed))

    def browser(self, peer: str = "192.0.2.1") -> Browser:
        transport = httpx.ASGITransport(app=self.app, client=(peer, 1))
        return Browser(httpx.AsyncClient(transport=transport, base_url=BASE), self.loop)

    def log_in(
        self, name: str = "ada", role: str = "administrator", study: str = "study"
    ) -> Browser:
        self.account(name, role, study)
        browser = self.browser()
        assert (
            browser.post(
                "/console/login", page="/console/login", name=name, password=PASSWORD
            ).status_code
            == 303
        )
        return browser


class Browser:
    """Keeps cookies, and fetches the page of a form before it sends it, as people do."""

    def __init__(self, client: httpx.AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self.client = client
        self._loop = loop

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        asked = self.client.request(method, path, **kwargs)
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result()

    def get(self, path: str) -> httpx.Response:
        return self.request("GET", path)

    def csrf(self, page: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(page).text)
        assert found is not None, f"{page} has no form"
        return found[1]

    def post(self, path: str, *, page: str = "/console/account", **fields: str) -> httpx.Response:
        data = {"csrf": self.csrf(page), **fields}
        return self.request("POST", path, data=data, headers={"origin": BASE})


@pytest.fixture(scope="session")
def _warm_forks() -> BaseContext:
    """Forks of a process that has loaded what the console lets others do: most of such a process is
    reading code. `tests/core/test_work.py` and the browser tests have fresh ones.

    Nothing that draws figures is forked: the renderer's threads may wait for each other there.
    """
    context = multiprocessing.get_context("forkserver")
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    context.set_forkserver_preload(["tests.web.console.workers"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", search_path(ROOT))
        forkserver.ensure_running()
    return context


@pytest.fixture(scope="module")
def forked_children(_warm_forks: BaseContext) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "fresh_context", lambda: _warm_forks)
        yield


@contextmanager
def turning() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop that runs in a thread of its own."""
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever, daemon=True)
    thread.start()
    yield made
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with turning() as made:
        yield made


@contextmanager
def living(settings: Settings, loop: asyncio.AbstractEventLoop) -> Iterator[World]:
    """The application running on the loop, on a virtual clock."""
    clock = VirtualClock()
    app = create_app(settings, clock=clock)
    started, over = threading.Event(), asyncio.Event()

    async def run() -> None:
        async with running(app):
            started.set()
            await over.wait()

    ending = asyncio.run_coroutine_threadsafe(run(), loop)
    assert started.wait(240) or ending.result(1) is None
    yield World(app, clock, loop)
    loop.call_soon_threadsafe(over.set)
    ending.result()


@pytest.fixture
def world(
    tmp_path: Path, loop: asyncio.AbstractEventLoop, with_tables: Callable[[Path], Path]
) -> Iterator[World]:
    folder = tmp_path / "study"
    folder.mkdir()
    with_tables(tmp_path / "data")
    (folder / "study.yaml").write_text(STUDY)
    with living(
        Settings(data_dir=tmp_path / "data", study_folders=(folder,), base_url=BASE), loop
    ) as made:
        yield made


@pytest.fixture
def owner(world: World) -> Browser:
    return world.log_in()
