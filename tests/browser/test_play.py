"""Rounds of the maze in a real browser, with real keys: played, watched again, annotated, and made again from what is stored."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from believable.agents.maze_live import record_round
from believable.agents.maze_setup import RoundSetup
from believable.replay import file
from believable.replay.records import Replay
from believable.study import protocols

pytestmark = pytest.mark.timeout(400)

WALK = ("KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight")
STUDY = """\
believable: 1
title: Maze
seed: 4
conditions: [calm, frustrated]
timeline:
  - play: {{id: game, opponent: frustrated, duration_s: {seconds}, countdown_s: 1, on_loss: {on_loss}, maze: 5}}
  - watch:
      id: again
      stimulus: {{round: game}}
      practice: false
      controls: {{speeds: [8], speed: 8}}
      annotate: {{ranktrace: {{}}}}
  - finish: {{}}
"""
#: Where the blue figure is, in tiles: the mean place of its pixels.
FIGURE = """() => {
  const canvas = document.querySelector(".field canvas");
  const { width, height } = canvas;
  const copy = (window.copied ??= new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true }));
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let n = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== 0x2f || data[i + 1] !== 0x66 || data[i + 2] !== 0x90) continue;
    n += 1;
    x += (i / 4) % width;
    y += Math.floor(i / 4 / width);
  }
  return n ? [(x / n) * 21 / width, (y / n) * 21 / height] : null;
}"""

#: Keys go down and up by themselves; the page stands still for good when its n-th message with inputs is on its way (0: never).
TYPES_AND_FREEZES = """n => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    send.call(this, text);
    if (text.includes('"i":[[') && !(n -= 1)) for (;;);
  };
  let typed = 0;
  const code = () => ["KeyW", "KeyD", "KeyS", "KeyA"][(typed >> 1) % 4];
  setInterval(() => {
    document.dispatchEvent(new KeyboardEvent(typed % 2 ? "keyup" : "keydown", { code: code() }));
    typed += 1;
  }, 45);
}"""


def delayed_line() -> Any:
    spec = importlib.util.spec_from_file_location("delayed", Path(__file__).parent / "delayed.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.DelayedLine


@dataclass
class Line:
    """A server and the line that leads to it."""

    server: Any
    proxy: Any

    def link(self) -> str:
        return str(self.server.link()).replace(f":{self.server.port}/", f":{self.proxy.port}/")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.server.settings.data_dir / "believable.db") as conn:
            found = conn.execute(query).fetchall()
        conn.close()
        return found


@pytest.fixture
def line(serve: Callable[[Path], Any]) -> Iterator[Callable[..., Line]]:
    """`line(folder, delay_s=…)`: a server reached through a line of its own."""
    proxies: list[Any] = []

    def start(folder: Path, delay_s: float = 0.0) -> Line:
        server = serve(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        proxies.append(delayed_line()(port, server.port, delay_s))
        return Line(server, proxies[-1])

    yield start
    for proxy in proxies:
        proxy.close()


@pytest.fixture
def shaky(watched_context: tuple[BrowserContext, Any]) -> Iterator[Page]:
    """A page whose server goes away: that a connection cannot be made is no fault of the page."""
    context, watcher = watched_context
    yield context.new_page()
    watcher.complaints[:] = [one for one in watcher.complaints if "WebSocket connection to" not in one]


def short_study(tmp_path: Path, *, seconds: int = 8, on_loss: str = "resume") -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(seconds=seconds, on_loss=on_loss))
    return folder


class Player:
    """A scripted person with real fingers: walks about, looks around with the mouse, shoots, throws bombs."""

    def __init__(self, page: Page, seed: int = 1) -> None:
        self.page = page
        self._rng = random.Random(seed)

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.page.get_by_role("button", name="Start", exact=True).click()

    def start(self) -> None:
        self.page.locator("button.go").click()
        expect(self.page.locator('.game[data-state="run"]')).to_be_visible()

    def play(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Press and release keys for so long, as long as the round runs."""
        end_s = time.monotonic() + seconds
        box = self.page.locator(".field canvas").bounding_box()
        assert box is not None
        while time.monotonic() < end_s and self.state() != "over" and not until():
            key = self._rng.choice(WALK)
            self.page.keyboard.down(key)
            if self._rng.random() < 0.5:
                at = box["x"] + self._rng.random() * box["width"], box["y"] + self._rng.random() * box["height"]
                self.page.mouse.move(*at)
            if self._rng.random() < 0.4:
                self.page.keyboard.press("Space")
            if self._rng.random() < 0.1:
                self.page.keyboard.press("KeyB")
            time.sleep(self._rng.uniform(0.1, 0.4))
            self.page.keyboard.up(key)

    def state(self) -> str:
        return self.page.locator(".game").get_attribute("data-state") or ""

    def over(self, within_s: float = 30) -> None:
        expect(self.page.locator('.game[data-state="over"]')).to_be_visible(timeout=within_s * 1000)

    def saved(self) -> None:
        expect(self.page.locator("#status")).to_have_text("Saved")

    def next(self) -> None:
        self.page.locator("button.next").click()

    def annotate(self, seconds: float) -> None:
        """Play the recording and say something about it now and then."""
        self.page.get_by_role("button", name="Play").click()
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s and not self.page.locator(".after").is_visible():
            self.page.keyboard.press(self._rng.choice(("ArrowUp", "ArrowDown")))
            time.sleep(0.4)
        expect(self.page.locator(".after")).to_be_visible(timeout=30_000)

    def finish(self) -> str:
        code = self.page.get_by_label("Your completion code")
        expect(code).to_be_visible()
        return code.input_value()


def rounds_of(line: Line) -> list[tuple[RoundSetup, list[list[int]], Replay, dict[str, Any]]]:
    """Every finished round: its setup, the inputs that were applied, the stored recording, and its row."""
    found = []
    names = ("session", "position", "run", "attempt", "setup", "tick", "losses", "score")
    query = f"SELECT {', '.join(names)} FROM rounds WHERE state = 'over' ORDER BY position"
    for values in line.rows(query):
        row = dict(zip(names, values, strict=True))
        where = f"position = {row['position']} AND run = {row['run']} AND attempt = {row['attempt']}"
        pieces = line.rows(f"SELECT inputs FROM round_inputs WHERE {where} ORDER BY tick")
        name = f"round-{row['position']}-{row['run']}-{row['attempt']}.replay.json.gz"
        ((body,),) = line.rows(f"SELECT body FROM blobs WHERE name = '{name}'")
        changes = [change for (piece,) in pieces for change in json.loads(piece)]
        setup = RoundSetup.from_json(row["setup"])
        found.append((setup, changes, file.from_bytes(body, source=name), row))
    return found


def same_again(line: Line) -> list[dict[str, Any]]:
    """Each stored round, made again from seed and inputs, is the same frame by frame; the page logged each of those inputs."""
    bodies = [json.loads(body) for (body,) in line.rows("SELECT body FROM events ORDER BY seq")]
    rows = []
    for setup, changes, stored, row in rounds_of(line):
        made = record_round(setup, changes, setup.ticks)
        assert made.timing == stored.timing
        for again, before in zip(made.tracks, stored.tracks, strict=True):
            assert (again.actor, again.x, again.y, again.heading) == (before.actor, before.x, before.y, before.heading)
        assert made == stored
        assert row["tick"] == setup.ticks == stored.timing.frames
        inputs = [
            one
            for event in bodies
            if event["kind"] == "play.input" and event["trial"] == row["position"]
            for one in event["data"]["inputs"]
        ]
        logged = {one[0]: one[2:] for one in inputs}
        assert len(logged) == len(inputs), "an input was logged twice"
        assert changes, "nothing was pressed"
        assert {number for _, number, *_ in changes} - {0} <= logged.keys()
        walked = [change for change in changes if change[2:4] != [0, 0]]
        assert all(logged[number][:2] == keys[:2] for _, number, *keys in walked)
        rows.append(row)
    return rows


def test_the_whole_trace_protocol_with_full_rounds(page: Page, line: Callable[..., Line], tmp_path: Path) -> None:
    """Learn, play a minute, watch and annotate, once more, survey, code."""
    folder = tmp_path / "trace"
    protocols.copy("trace", folder)
    text = (folder / "study.yaml").read_text()
    # The recordings run eight times as fast, and the annotation is not practised: both have tests of their own.
    faster = text.replace("must_finish: true}", "must_finish: true, speeds: [8]}\n            practice: false")
    (folder / "study.yaml").write_text(faster)
    served = line(folder)
    player = Player(page)
    player.join(served.link())
    for box in page.locator("input[data-consent]").all():
        box.check()
    player.next()
    expect(page.get_by_role("heading", name="What this is about")).to_be_visible()
    player.next()
    player.start()
    player.play(3)
    page.get_by_role("button", name="I am ready").click()
    for number in (1, 2):
        expect(page.get_by_role("button", name="Start the round")).to_be_visible()
        began_s = time.monotonic()
        player.start()
        player.play(120)
        player.over()
        assert 60 <= time.monotonic() - began_s < 120, f"round {number} took another time than a minute"
        player.next()
        player.annotate(30)
        player.next()
    page.get_by_label("In the first game").check()
    page.get_by_label("How old are you?").fill("30")
    page.get_by_label("I would rather not say").check()
    page.get_by_label("A few times a week").check()
    player.next()
    assert player.finish()
    rows = same_again(served)
    assert len(rows) == 2
    assert [row["losses"] for row in rows] == [0, 0]
    setups = [setup for setup, *_ in rounds_of(served)]
    assert {setup.opponent for setup in setups} == {"calm", "frustrated"}
    assert setups[0].maze_seed != setups[1].maze_seed


def test_with_a_slow_line_the_own_figure_still_moves_at_once(
    page: Page, line: Callable[..., Line], tmp_path: Path
) -> None:
    """150 ms each way."""
    served = line(short_study(tmp_path, seconds=10), delay_s=0.15)
    player = Player(page)
    player.join(served.link())
    player.start()
    page.wait_for_function(f"() => ({FIGURE})() !== null")
    moved: list[float] = []
    for key in ("KeyD", "KeyA", "KeyS", "KeyW", "KeyD", "KeyA"):
        took_ms = moved_after_ms(page, key)
        moved += [] if took_ms is None else [took_ms]
        if len(moved) == 3:
            break
    assert len(moved) == 3, "walls on all sides"
    assert sorted(moved)[1] < 200, f"the figure moved {moved} ms after the key; there and back takes 300"
    player.play(30)
    player.over()
    player.next()
    player.annotate(12)
    player.next()
    assert player.finish()
    (row,) = same_again(served)
    assert row["losses"] == 0


def moved_after_ms(page: Page, key: str) -> float | None:
    """How long after a key went down the figure is drawn elsewhere; None where a wall is in the way."""
    page.evaluate(
        f"""() => {{
          window.moved = null;
          const place = {FIGURE};
          const from = place();
          addEventListener("keydown", ({{ timeStamp }}) => {{
            const look = () => {{
              const now = place();
              if (now && Math.hypot(now[0] - from[0], now[1] - from[1]) > 0.04) window.moved = performance.now() - timeStamp;
              else if (performance.now() - timeStamp < 600) requestAnimationFrame(look);
              else window.moved = -1;
            }};
            requestAnimationFrame(look);
          }}, {{ once: true, capture: true }});
        }}"""
    )
    page.keyboard.down(key)
    page.wait_for_function("() => window.moved !== null")
    page.keyboard.up(key)
    took: float = page.evaluate("() => window.moved")
    page.wait_for_function(  # until it stands still
        f"""() => {{
          const now = ({FIGURE})() ?? [0, 0], last = window.stood ?? [NaN, NaN];
          const still = Math.hypot(now[0] - last[0], now[1] - last[1]) < 0.01;
          window.stood = still ? undefined : now;
          return still;
        }}""",
        polling=150,
    )
    return None if took < 0 else took


def test_a_lost_connection_pauses_the_round_and_it_goes_on(
    shaky: Page, line: Callable[..., Line], tmp_path: Path
) -> None:
    """Nothing passes for three seconds."""
    served = line(short_study(tmp_path))
    player = Player(shaky)
    player.join(served.link())
    player.start()
    player.play(3)
    served.proxy.die()
    died_s = time.monotonic()
    expect(shaky.locator(".veil-title")).to_have_text(re.compile("Connection lost"))
    time.sleep(max(0.0, died_s + 3 - time.monotonic()))
    ((stood,),) = served.rows("SELECT tick FROM rounds")
    served.proxy.live()
    expect(shaky.locator('.game[data-state="count"]')).to_be_visible()
    expect(shaky.locator('.game[data-state="run"]')).to_be_visible()
    ((went_on,),) = served.rows("SELECT tick FROM rounds")
    assert stood <= went_on < 8 * 30
    player.play(30)
    player.over()
    player.next()
    player.annotate(12)
    player.next()
    assert player.finish()
    (row,) = same_again(served)
    assert row["losses"] >= 1
    assert row["attempt"] == 1


def test_a_lost_connection_begins_the_round_again_where_the_study_wants_it(
    shaky: Page, line: Callable[..., Line], tmp_path: Path
) -> None:
    served = line(short_study(tmp_path, seconds=6, on_loss="restart"))
    player = Player(shaky)
    player.join(served.link())
    player.start()
    player.play(30, until=lambda: served.rows("SELECT tick FROM rounds")[0][0] > 20)
    served.proxy.die()
    expect(shaky.locator(".veil-text")).to_have_text(re.compile("begins again"))
    served.proxy.live()
    player.start()
    player.play(30)
    player.over()
    player.saved()
    assert served.rows("SELECT attempt, state FROM rounds ORDER BY attempt") == [(1, "left"), (2, "over")]
    (row,) = same_again(served)
    assert row["attempt"] == 2


def test_a_killed_server_loses_nothing_that_was_durable(
    shaky: Page, line: Callable[..., Line], tmp_path: Path
) -> None:
    """SIGKILL in the middle of a round; another process goes on from the last durable tick, paused."""
    served = line(short_study(tmp_path))
    player = Player(shaky)
    player.join(served.link())
    player.start()
    player.play(30, until=lambda: served.rows("SELECT tick FROM rounds")[0][0] > 60)
    served.server.stop()
    ((durable,),) = served.rows("SELECT tick FROM rounds")
    before = [change for (piece,) in served.rows("SELECT inputs FROM round_inputs ORDER BY tick") for change in json.loads(piece)]
    assert durable > 60
    expect(shaky.locator(".veil-title")).to_have_text(re.compile("Connection lost"))
    served.server.start()
    expect(shaky.locator('.game[data-state="run"]')).to_be_visible()
    player.play(30)
    player.over()
    ((_, changes, _, row),) = rounds_of(served)
    assert changes[: len(before)] == before, "what was durable has changed"
    assert row["losses"] >= 1
    player.next()
    player.annotate(12)
    player.next()
    assert player.finish()
    same_again(served)


def test_a_reload_goes_on_with_the_round_and_a_hidden_tab_pauses_it(
    page: Page, context: BrowserContext, line: Callable[..., Line], tmp_path: Path
) -> None:
    served = line(short_study(tmp_path, seconds=8))
    player = Player(page)
    player.join(served.link())
    player.start()
    player.play(1)
    page.evaluate(
        """() => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    page.evaluate("() => { delete document.hidden; }")
    player.start()
    player.play(1)
    page.reload()
    expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    page.get_by_role("button", name="Continue", exact=True).click()
    player.play(30)
    player.over()
    player.saved()
    (row,) = same_again(served)
    assert row["attempt"] == 1


def test_a_page_that_dies_in_the_moment_it_sends_an_input_has_logged_it(
    context: BrowserContext, browser: Browser, line: Callable[..., Line], tmp_path: Path
) -> None:
    """Not one line of its script runs after the input has left; then its process is killed. The last time it is reloaded."""
    served = line(short_study(tmp_path, seconds=6))
    page = context.new_page()
    player = Player(page)
    player.join(served.link())
    address = page.url
    rng = random.Random(7)
    for death in range(4):
        player.start()
        page.evaluate(TYPES_AND_FREEZES, [1, 2, 9, 0][death])
        if death < 3:
            stands_still(served)
            kill_pages(browser)
            page.close()
            page = context.new_page()
            player = Player(page, seed=death)
            page.goto(address)
        else:
            time.sleep(rng.uniform(0.2, 0.6))
            page.reload()
        expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    player.start()
    player.play(30)
    player.over()
    player.saved()
    (row,) = same_again(served)
    assert (row["attempt"], row["losses"]) == (1, 4)
    assert served.rows("SELECT COUNT(*) FROM strays") == [(0,)]


def stands_still(served: Line) -> None:
    """The server has heard nothing from the page for a while, and has stored what it heard before."""
    seen: list[int] = []
    while len(seen) < 3 or seen[-1] == 0 or len(set(seen[-3:])) > 1:
        assert len(seen) < 60, "the round goes on without its page"
        time.sleep(0.4)
        seen.append(served.rows("SELECT tick FROM rounds")[0][0])


def kill_pages(browser: Browser) -> None:
    """SIGKILL to every process of this browser that runs pages, and to the one it keeps ready: it notices before this returns."""
    session = browser.new_browser_cdp_session()

    def running() -> set[int]:
        told = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return {process["id"] for process in told if process["type"] == "renderer"}

    killed = running()
    for process in killed:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    for _ in range(200):
        if not killed & running():
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the browser takes them for living")
    session.detach()


def test_whoever_still_shoots_when_the_round_ends_stays_on_its_page(
    page: Page, line: Callable[..., Line], tmp_path: Path
) -> None:
    """The button that leads on has the focus only after the keys have rested."""
    served = line(short_study(tmp_path, seconds=5))
    player = Player(page)
    player.join(served.link())
    player.start()
    player.play(2)
    page.keyboard.down("Space")
    player.over()
    expect(page.locator("button.next")).to_be_visible()
    page.wait_for_timeout(1000)
    expect(page.locator("button.next")).not_to_be_focused()
    page.keyboard.up("Space")
    player.over()
    expect(page.locator("button.next")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_page_never_learns_the_opponents_inside(page: Page, line: Callable[..., Line], tmp_path: Path) -> None:
    """Neither over the live connection nor in the recording that is annotated."""
    served = line(short_study(tmp_path, seconds=5))
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda text: frames.append(str(text))))
    player = Player(page)
    player.join(served.link())
    player.start()
    player.play(30)
    player.over()
    with page.expect_response(lambda answer: "/media/" in answer.url) as media:
        player.next()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert len(frames) > 100
    ((_, _, replay, _),) = rounds_of(served)
    assert {"intent", "frustration"} <= {state.key for track in replay.tracks for state in track.states}
    tree = json.loads(gzip.decompress(media.value.body()))
    assert tree["replay"].keys() == {"format", "actors", "timing", "tracks", "actions", "plans"}
    assert not any(tree["replay"]["actions"].values())
    assert {state[1] for track in tree["replay"]["tracks"] for state in track["states"]} == {"health"}
    told = " ".join(frames) + json.dumps(tree)
    for secret in ("frustrat", "intent", "chase", "search", "calm", "seed", "temper"):
        assert secret not in told


def test_a_lab_records_rounds_of_its_own(page: Page, tmp_path: Path) -> None:
    """`believable record maze` serves a page, and the round is in the folder as soon as it is over."""
    folder = tmp_path / "stimuli"
    options = ["--opponent", "frustrated", "--seconds", "5", "--size", "15", "--no-browser"]
    command = [sys.executable, "-u", "-m", "believable", "record", "maze", str(folder), *options]
    recording = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert recording.stdout is not None
        address = recording.stdout.readline().removeprefix("Play here: ").strip()
        player = Player(page)
        player.join(address)
        page.get_by_role("button", name="I am ready").click()
        expect(page.get_by_role("button", name="Start the round")).to_be_visible()
        player.start()
        player.play(30)
        player.over()
        player.next()
        expect(page.get_by_role("heading", name="Recorded")).to_be_visible()
        assert recording.wait(20) == 0
    finally:
        recording.kill()
        recording.communicate()
    replay = file.read(folder / "maze-frustrated-01.replay.json.gz")
    assert replay.timing.frames == 150
    assert replay.agent == "frustrated"
    assert any(replay.telemetry["move_x"])


def test_a_round_may_be_shown_as_a_video(page: Page, line: Callable[..., Line], tmp_path: Path) -> None:
    folder = short_study(tmp_path, seconds=5)
    text = (folder / "study.yaml").read_text().replace("maze: 5}", "maze: 5, render: video}")
    (folder / "study.yaml").write_text(text)
    served = line(folder)
    player = Player(page)
    player.join(served.link())
    player.start()
    player.play(30)
    player.over(within_s=120)
    player.next()
    player.annotate(12)
    assert page.locator("video").evaluate("video => [video.videoWidth, video.videoHeight]") == [720, 720]
    length_s = page.locator("video").evaluate("video => video.duration")
    assert length_s == pytest.approx(150 * 0.033, abs=0.05)
    player.next()
    assert player.finish()
