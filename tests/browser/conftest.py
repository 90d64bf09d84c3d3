"""A real Chromium and a real server process, for every test that looks at pages."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import shutil
import signal
import socket
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import av
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, expect

from believable.app.settings import PublishedFolder, Settings
from believable.web.app import prepare
from believable.web.app import serve as serve_app
from believable.web.gallery import serve as gallery_app
from tests.waiting import wait_until

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
#: Of the first researcher.
PASSWORD = "three unrelated words"
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)


#: On a busy machine a page may take its time; what never comes is told all the same.
PATIENCE_MS = 90_000
expect.set_options(timeout=PATIENCE_MS)

#: Servers are forked from a process that has the application loaded: most of a start is reading
#: code.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["believable.web.app"])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt install chromium")
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    driver: Playwright = request.getfixturevalue("playwright")
    running = driver.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *sandbox])
    yield running
    running.close()


class Server:
    """The app in a process of its own, which can be stopped, killed and started again on the same
    data.
    """

    def __init__(self, settings: Settings, port: int) -> None:
        self.settings = settings
        self.port = port
        self.published: tuple[PublishedFolder, ...] = ()
        self.researcher_link: str | None = None
        #: Sessions of earlier tests, if a module shares the server.
        self.earlier: frozenset[str] = frozenset()
        self._process: ForkServerProcess | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def link(self, kind: str = "open") -> str:
        """The participant's link."""
        return self.published[0].links[kind]

    def enter(self, page: Page) -> None:
        """The first researcher, through the one-time link, by keyboard."""
        assert self.researcher_link is not None
        page.goto(self.researcher_link)
        expect(page.get_by_label("Password")).to_be_focused()
        for key in ("Tab", "Enter"):
            page.keyboard.type(PASSWORD)
            page.keyboard.press(key)
        expect(page.get_by_role("heading", name="Studies")).to_be_visible()

    def publish(self) -> None:
        published, self.researcher_link = prepare(self.settings)
        self.published = tuple(published)

    def start(self) -> None:
        # Not a daemon: those may have no children, and the server lets others compute results.
        self._process = FORKS.Process(
            target=serve_app, args=(self.settings,), kwargs={"port": self.port}
        )
        self._process.start()
        wait_for(self.url)

    def begin_test(self) -> None:
        """Runs, and has no session yet as far as `stored` tells."""
        if self._process is None:
            self.start()
        with closing(self.connect()) as conn:
            self.earlier = frozenset(id_ for (id_,) in conn.execute("SELECT id FROM sessions"))

    def connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.settings.data_dir / "believable.db")

    def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            assert self._process.pid is not None
            os.kill(self._process.pid, how)
            self._process.join(30)
            self._process = None


def wait_for(url: str) -> None:
    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=30):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    wait_until(answers, "the server did not start")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_server(folder: Path, data: Path) -> Server:
    port = free_port()
    settings = Settings(data_dir=data, study_folders=(folder,), base_url=f"http://127.0.0.1:{port}")
    server = Server(settings, port)
    server.publish()
    server.start()
    return server


@pytest.fixture
def serve(
    tmp_path: Path, with_tables: Callable[[Path], Path]
) -> Iterator[Callable[[Path], Server]]:
    """`serve(study_folder)` starts a server that ends with the test."""
    running: list[Server] = []

    def start(folder: Path) -> Server:
        data = tmp_path / f"data{len(running)}"
        if not (data / "believable.db").exists():
            with_tables(data)
        running.append(start_server(folder, data))
        return running[-1]

    yield start
    for server in running:
        server.stop()


@pytest.fixture(scope="module")
def gallery() -> Iterator[str]:
    """The address of a running gallery."""
    port = free_port()
    process = FORKS.Process(target=gallery_app, args=("127.0.0.1", port))
    process.start()
    url = f"http://127.0.0.1:{port}"
    wait_for(url)
    yield url
    process.terminate()
    process.join(30)


class Watcher:
    """Everything a page complains about: console errors, exceptions, broken policies."""

    def __init__(self, context: BrowserContext) -> None:
        self.complaints: list[str] = []
        self._context = context
        self._over = False
        context.on("page", self.watch)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self._complain(f"exception: {error}"))
        page.on("console", lambda message: self._heard(message.type, message.text))

    def stop(self) -> None:
        """Hear what was said until now, and nothing more: servers go down next, and pages may still
        be loading parts.
        """
        for page in self._context.pages:
            with suppress(Error):
                page.evaluate("0")
        self._over = True

    def _complain(self, words: str) -> None:
        if not self._over:
            self.complaints.append(words)

    def _heard(self, kind: str, text: str) -> None:
        # A server that is down, or says no on purpose, is not the page's fault.
        if kind in ("error", "warning") and "Failed to load resource" not in text:
            self._complain(f"{kind}: {text}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Before any fixture is taken down."""
    watched = getattr(item, "funcargs", {}).get("watched_context")
    if watched is not None:
        watched[1].stop()


@pytest.fixture
def motion() -> Literal["reduce", "no-preference"]:
    """A dot that pulses keeps a third of a core busy for as long as its page is open."""
    return "reduce"


@pytest.fixture
def watched_context(
    browser: Browser, motion: Literal["reduce", "no-preference"]
) -> Iterator[tuple[BrowserContext, Watcher]]:
    """A fresh browser profile at 1280×720. The test fails if any of its pages complained."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 720}, locale="en-GB", reduced_motion=motion
    )
    context.set_default_timeout(PATIENCE_MS)
    watcher = Watcher(context)
    yield context, watcher
    context.close()
    assert watcher.complaints == []


@pytest.fixture
def context(watched_context: tuple[BrowserContext, Watcher]) -> BrowserContext:
    return watched_context[0]


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


# ---------------------------------------------------------------------------------------------- a
# study with everything

STUDY = """\
believable: 1
title: Who walks like a human?
seed: 7
conditions: [{human}, {scripted}]
stimuli:
  - {{id: {first}, file: stimuli/{file}1.mp4, condition: {human}, scenario: {scenario}}}
  - {{id: {second}, file: stimuli/{file}2.mp4, condition: {scripted}, scenario: {scenario}}}
arms:
  {arm}: [{level}]
timeline:
  - consent: {{text: "# About this study\\n\\nYou will watch **two** short videos.", require: [adult, agree]}}
  - text: {{text: "# Before you start\\n\\nPlease sit comfortably."}}
  - form:
      id: form
      title: About you
      questions:
        - {{id: often, prompt: How often do you play?, likert: {{points: 3, labels: [never, sometimes, daily]}}}}
        - {{id: device, prompt: Which device?, choice: {{options: [computer, console, phone]}}}}
        - {{id: genres, prompt: Which games?, choices: {{options: [puzzle, action, sports]}}}}
        - {{id: age, prompt: How old are you?, number: {{min: 18, max: 120}}}}
        - {{id: tired, prompt: How tired are you?, slider: {{low: not at all, high: very}}}}
        - {{id: mood, prompt: How do you feel?, matrix: {{rows: [calm, bored], points: 3}}}}
        - {{id: job, prompt: What do you do?, required: false, text: {{}}}}
        - {{id: why, prompt: Why do you take part?, required: false, long_text: {{}}}}
  - check:
      id: check
      question: {{prompt: Please choose blue., choice: {{options: [red, blue]}}}}
      correct: blue
      attempts: 2
      on_fail: screen_out
  - block:
      id: videos
      order: latin_square
      over: condition
      each:
        - watch:
            stimulus: any
            ask: [{{id: seemed, prompt: How human did it seem?, likert: {{points: 5, labels: [machine, person]}}}}]
  - break: {{at_least_s: 1}}
  - rate: {{questions: [{{id: hard, prompt: How hard was it?, slider: {{show_value: true}}}}]}}
  - finish: {{}}
"""
NAMES = {
    "human": "human",
    "scripted": "scripted",
    "first": "h01",
    "second": "s01",
    "file": "clip",
    "scenario": "atrium",
    "arm": "tool",
    "level": "alpha",
}
#: Positions of the trials of this study, by what they are.
CONSENT, TEXT, FORM, CHECK, WATCH_1, WATCH_2, BREAK, RATE = range(8)


def make_video(path: Path, *, seconds: float = 1.5, shade: int = 60, rate: int = 24) -> None:
    """A small real H.264 video of a square that moves."""
    frames, width, height = int(seconds * rate), 320, 180
    with av.open(str(path), "w") as container:
        stream = container.add_stream("h264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": "15"}
        for number in range(frames):
            picture = np.full((height, width, 3), shade, dtype=np.uint8)
            left = int((width - 40) * number / frames)
            picture[70:110, left : left + 40] = 230
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("clips")
    paths = (folder / "1.mp4", folder / "2.mp4")
    for number, path in enumerate(paths):
        make_video(path, shade=50 + 60 * number)
    return paths


def write_study(folder: Path, clips: tuple[Path, Path], text: str = STUDY, **names: str) -> Path:
    given = {**NAMES, **names}
    (folder / "stimuli").mkdir(parents=True)
    for number, clip in enumerate(clips, start=1):
        shutil.copy(clip, folder / "stimuli" / f"{given['file']}{number}.mp4")
    (folder / "study.yaml").write_text(text.format(**given))
    return folder


@pytest.fixture
def make_study(tmp_path: Path, clips: tuple[Path, Path]) -> Callable[..., Path]:
    """`make_study(text=…, **names)` writes the study above, or another text, with its two videos,
    and returns its folder.
    """
    return partial(write_study, tmp_path / "study", clips)


@pytest.fixture(scope="module")
def shared_server(
    tmp_path_factory: pytest.TempPathFactory, clips: tuple[Path, Path]
) -> Iterator[Server]:
    room = tmp_path_factory.mktemp("served")
    server = start_server(write_study(room / "study", clips), room / "data")
    yield server
    server.stop()


@pytest.fixture
def server(shared_server: Server) -> Server:
    """A server with the study above, which the tests of a module share."""
    shared_server.begin_test()
    return shared_server


class Visitor:
    """What a person does on the participant's pages."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.page.get_by_role("button", name="Start").click()
        self.at(CONSENT)

    def at(self, position: int) -> None:
        """Waits until the trial at this position can be used."""
        expect(self.page.locator(f'#trial[data-position="{position}"]')).to_be_visible()
        expect(self.page.locator("button.next")).not_to_be_disabled()

    def next(self) -> None:
        self.page.locator("button.next").click()

    def saved(self) -> None:
        expect(self.page.locator("#status")).to_have_text("Saved")

    def consent(self) -> None:
        for box in self.page.locator("input[data-consent]").all():
            box.check()
        self.next()
        self.at(TEXT)

    def read(self) -> None:
        self.next()
        self.at(FORM)

    def fill_form(self, *, slider: bool = True) -> None:
        page = self.page
        page.get_by_role("radio", name="sometimes").check()
        page.get_by_role("radio", name="console").check()
        page.get_by_role("checkbox", name="puzzle").check()
        page.get_by_label("How old are you?").fill("30")
        if slider:
            page.get_by_label("How tired are you?").focus()
            page.keyboard.press("ArrowRight")
        for row in ("calm", "bored"):
            page.locator(f'[data-row="{row}"] input[value="2"]').check()

    def form(self) -> None:
        self.fill_form()
        self.next()
        self.at(CHECK)

    def check(self) -> None:
        self.page.get_by_role("radio", name="blue").check()
        self.next()
        self.at(WATCH_1)

    def watch(self) -> None:
        self.page.get_by_role("button", name="Play").click()
        expect(self.page.locator(".after")).to_be_visible()

    def judge(self, position: int) -> None:
        self.watch()
        self.page.locator("#q-seemed-question input[value='4']").check()
        self.next()
        self.at(position + 1)

    def rest(self) -> None:
        self.next()
        self.at(RATE)

    def rate(self) -> None:
        self.page.get_by_label("How hard was it?").focus()
        self.page.keyboard.press("ArrowLeft")
        self.next()

    def until(self, position: int, link: str) -> None:
        """From the link to the trial at this position."""
        self.join(link)
        steps = [
            self.consent,
            self.read,
            self.form,
            self.check,
            lambda: self.judge(WATCH_1),
            lambda: self.judge(WATCH_2),
            self.rest,
        ]
        for step in steps[:position]:
            step()

    def finished(self) -> str:
        """The completion code."""
        code = self.page.get_by_label("Your completion code")
        expect(code).to_be_visible()
        return code.input_value()


@pytest.fixture
def visitor(page: Page) -> Visitor:
    return Visitor(page)


@pytest.fixture
def visitor_on() -> Callable[[Page], Visitor]:
    """For tests that make pages of their own."""
    return Visitor


@dataclass(frozen=True)
class Stored:
    """What a server holds, read from its database file."""

    events: list[dict[str, Any]]
    answers: dict[str, dict[str, Any]]
    states: list[tuple[str, str | None]]
    n_sessions: int

    def kinds(self, prefix: str = "") -> list[str]:
        return [event["kind"] for event in self.events if event["kind"].startswith(prefix)]


@pytest.fixture
def stored() -> Callable[[Server], Stored]:
    """`stored(server)`: events in order, answers by trial key, and the state of every session."""

    def look(server: Server) -> Stored:
        earlier = tuple(server.earlier)
        own = f"NOT IN ({', '.join('?' * len(earlier))})"
        with closing(server.connect()) as conn:

            def rows(query: str) -> list[Any]:
                return conn.execute(query.format(own=own), earlier).fetchall()

            bodies = rows("SELECT body FROM events WHERE session {own} ORDER BY session, seq")
            trials = rows("SELECT key, answers FROM trials WHERE session {own}")
            states = rows("SELECT state, outcome FROM sessions WHERE id {own}")
        return Stored(
            events=[json.loads(body) for (body,) in bodies],
            answers={key: json.loads(answers) for key, answers in trials},
            states=states,
            n_sessions=len(states),
        )

    return look


def _beside(name: str) -> ModuleType:
    """A module that lies beside this file."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def recordings() -> ModuleType:
    """Small recordings and studies around them."""
    return _beside("recordings")


@pytest.fixture(scope="session")
def witness() -> ModuleType:
    """What an input met, told by the page itself."""
    return _beside("witness")


#: How far the first player has come, as a share of what it plays.
SHARE = (
    "() => { const line = document.querySelector('.seek'); return Number(line.value) /"
    " Number(line.max); }"
)


@pytest.fixture
def goes_on() -> Callable[..., None]:
    """Waits until the player has gone on from where it is, by more than a share of what it
    plays.
    """

    def wait(page: Page, by: float = 0) -> None:
        page.wait_for_function(f"(least) => ({SHARE})() > least", arg=page.evaluate(SHARE) + by)

    return wait


@pytest.fixture
def drawn() -> Callable[[Page], None]:
    """Waits until what was asked for is on the canvas: players draw in the next picture of the
    page.
    """
    return lambda page: page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>"
        " requestAnimationFrame(done))))"
    )


@pytest.fixture(scope="session")
def walking() -> ModuleType:
    """A person who walks whole studies and looks at every page."""
    return _beside("walking")


@pytest.fixture(scope="session")
def rounds() -> ModuleType:
    """A person who plays rounds, and what is stored of them."""
    return _beside("rounds")


@pytest.fixture
def line(serve: Callable[[Path], Server], rounds: ModuleType) -> Iterator[Callable[..., Any]]:
    """`line(folder, delay_s=…)`: a server reached through a line of its own."""
    proxies: list[Any] = []

    def start(folder: Path, delay_s: float = 0.0) -> Any:
        server = serve(folder)
        proxies.append(_beside("delayed").DelayedLine(free_port(), server.port, delay_s))
        return rounds.Line(server, proxies[-1])

    yield start
    for proxy in proxies:
        proxy.close()


@pytest.fixture
def shaky(watched_context: tuple[BrowserContext, Watcher]) -> Iterator[Page]:
    """A page whose server goes away: that a connection cannot be made is no fault of the page."""
    context, watcher = watched_context
    yield context.new_page()
    watcher.complaints[:] = [
        complaint for complaint in watcher.complaints if "WebSocket connection to" not in complaint
    ]


@pytest.fixture(scope="session")
def long_video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minute of the square that moves."""
    path = tmp_path_factory.mktemp("long") / "clip.mp4"
    make_video(path, seconds=60)
    return path


@pytest.fixture(scope="session")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve seconds of it, thirty pictures a second."""
    path = tmp_path_factory.mktemp("thirty") / "clip.mp4"
    make_video(path, seconds=12, rate=30)
    return path


@pytest.fixture(params=["replay", "video"])
def watched_study(
    request: pytest.FixtureRequest, tmp_path: Path, recordings: ModuleType
) -> Callable[[str], Path]:
    """`watched_study(watch)`: a study with a recording, and one with a real video and its action
    log.
    """

    def make(watch: str) -> Path:
        folder = tmp_path / "study"
        if request.param == "replay":
            return recordings.study(folder, watch)  # type: ignore[no-any-return]
        (folder / "stimuli").mkdir(parents=True)
        (folder / "stimuli/clip.mp4").write_bytes(
            request.getfixturevalue("long_video").read_bytes()
        )
        recordings.action_log(folder / "stimuli/clip.actions.json", seconds=60)
        return recordings.study(folder, watch, file="stimuli/clip.mp4")  # type: ignore[no-any-return]

    return make
