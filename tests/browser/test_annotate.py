"""Annotating while watching, with real wheel and key events on a real video."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

import believable

#: How far a recorded moment may lie from the one on screen, at normal speed.
TOLERANCE_MS = 40
SECONDS, FRAME_RATE = 12, 30
STUDY = """\
believable: 1
title: What do you see?
seed: 3
stimuli: [{{id: walk, file: stimuli/walk.mp4}}]
timeline:
  - watch:
      stimulus: walk
      practice: {practice}
      controls: {{seek: true, speeds: [0.5, 1], speed: 1, must_finish: false}}
      annotate: {{prompt: How lifelike is it?, {kind}: {{}}}}
  - finish: {{}}
"""
#: Notes every input with the position of the video when it arrived, apart from the code under test.
WITNESS = """\
window.inputs = [];
let frame_ms = 0;
const onFrame = (_, frame) => { frame_ms = frame.mediaTime * 1000; frame_of.requestVideoFrameCallback(onFrame); };
let frame_of = null;
for (const name of ["wheel", "keydown", "pointerdown"]) {
  addEventListener(name, (event) => {
    const video = document.querySelector("video");
    if (!video) return;
    if (frame_of !== video) { frame_of = video; frame_ms = video.currentTime * 1000; video.requestVideoFrameCallback(onFrame); }
    inputs.push({ name, key: event.key, media_ms: video.currentTime * 1000, frame_ms, mono_ms: event.timeStamp });
  }, { capture: true, passive: true });
}
"""


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A video of twelve seconds, thirty pictures a second."""
    path = tmp_path_factory.mktemp("annotate") / "walk.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("h264", rate=FRAME_RATE)
        stream.width, stream.height, stream.pix_fmt = 320, 180, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": "15"}
        for number in range(SECONDS * FRAME_RATE):
            picture = np.full((180, 320, 3), 40, dtype=np.uint8)
            picture[60:120, number % 280 : number % 280 + 40] = 220
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


class Watching:
    """A person at a page that shows the video with an instrument below."""

    def __init__(self, page: Page, server: Any, stored: Callable[[Any], Any]) -> None:
        self.page = page
        self._server = server
        self._stored = stored

    def open(self) -> None:
        self.page.goto(self._server.link())
        self.page.get_by_role("button", name="Start", exact=True).click()
        expect(self.page.locator(".trace")).to_be_visible()

    def play(self) -> None:
        self.page.get_by_role("button", name="Play").click()
        expect(self.page.locator('.trace[data-running="true"]')).to_be_visible()

    def until(self, media_ms: float) -> None:
        self.page.wait_for_function(
            "ms => document.querySelector('video').currentTime * 1000 >= ms", arg=media_ms
        )

    def turn(self, *pixels: float) -> None:
        for distance in pixels:
            self.page.mouse.wheel(0, distance)
            self.page.wait_for_timeout(60)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(60)

    def inputs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate("inputs")
        return found

    def events(self, kind: str = "trace.") -> list[dict[str, Any]]:
        """What the server holds, once everything is there."""
        expect(self.page.locator("#status")).to_have_text("Saved")
        return [event for event in self._stored(self._server).events if event["kind"].startswith(kind)]

    def samples(self) -> list[dict[str, Any]]:
        """Samples that somebody made."""
        return [event for event in self.events() if event["data"]["input"] != "heartbeat"]


@pytest.fixture
def watching(
    context: BrowserContext, serve: Callable[[Path], Any], stored: Any, tmp_path: Path, walk: Path
) -> Callable[..., Watching]:
    """`watching(kind)` is at the page, before playing."""

    def start(kind: str, *, practice: str = "false") -> Watching:
        folder = tmp_path / kind
        (folder / "stimuli").mkdir(parents=True)
        (folder / "stimuli" / "walk.mp4").write_bytes(walk.read_bytes())
        (folder / "study.yaml").write_text(STUDY.format(kind=kind, practice=practice))
        page = context.new_page()
        page.add_init_script(WITNESS)
        watcher = Watching(page, serve(folder), stored)
        if practice == "false":
            watcher.open()
            page.mouse.move(640, 500)
        return watcher

    return start


def values(events: list[dict[str, Any]], key: str = "value") -> list[float]:
    return [event["data"][key] for event in events]


def assert_on_time(
    events: list[dict[str, Any]], inputs: list[dict[str, Any]], tolerance_ms: float = TOLERANCE_MS
) -> None:
    """Each event tells the moment of the video, and the moment, at which its input arrived."""
    assert len(events) == len(inputs)
    for event, seen in zip(events, inputs, strict=True):
        # The picture on screen is a little behind the video's clock; the truth lies between the two.
        media_ms = event["data"]["media_ms"]
        off_ms = min(abs(media_ms - seen["media_ms"]), abs(media_ms - seen["frame_ms"]))
        assert off_ms <= tolerance_ms, (event, seen)
        assert abs(event["mono_ms"] - seen["mono_ms"]) < 1000 / 60, (event, seen)
        assert isinstance(event["data"]["frame"], int)


def test_ranktrace_records_what_wheel_and_keys_did(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(500)
    person.turn(-100, -100, -100)
    person.press("ArrowUp", "ArrowDown", "ArrowDown")
    person.until(3000)
    person.turn(100, 100, 100, 100, -100)
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 4, 3, 2, 1, 0, -1, -2, -1]
    assert values(samples, "input") == ["wheel"] * 3 + ["key"] * 3 + ["wheel"] * 5
    assert_on_time(samples, [one for one in person.inputs() if one["name"] != "pointerdown"])
    expect(person.page.get_by_role("spinbutton", name="Your trace")).to_have_attribute("aria-valuenow", "-1")


def test_heartbeats_come_every_second_and_stop_with_the_video(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(3300)
    person.press("k")
    expect(person.page.get_by_text("Paused: nothing is recorded.")).to_be_visible()
    beats = person.events()
    assert set(values(beats, "input")) == {"heartbeat"}
    assert 3 <= len(beats) <= 5
    gaps = np.diff([beat["data"]["media_ms"] for beat in beats])
    assert ((gaps > 950) & (gaps < 1150)).all()
    person.turn(-100, -100)
    person.press("ArrowUp", "ArrowUp")
    time.sleep(1.5)
    assert person.events() == beats
    person.press("k")
    person.until(4000)
    person.press("ArrowUp")
    assert values(person.samples()) == [1]


def test_half_speed_and_a_jump(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.page.locator("select.speed").select_option("0.5")
    person.play()
    person.until(600)
    person.turn(-100, -100)
    person.page.keyboard.press("ArrowRight")
    person.until(6000)
    expect(person.page.locator('.trace[data-running="true"]')).to_be_visible()
    person.turn(-100, 100, 100)
    samples, inputs = person.samples(), [one for one in person.inputs() if one["name"] == "wheel"]
    assert values(samples) == [1, 2, 3, 2, 1]
    assert_on_time(samples, inputs)
    media = values(samples, "media_ms")
    assert media[1] < 2500
    assert media[2] > 5500
    seconds = (samples[-1]["mono_ms"] - samples[2]["mono_ms"]) / 1000
    assert (media[-1] - media[2]) / 1000 == pytest.approx(seconds / 2, abs=0.05)


def test_a_trackpad_adds_up_to_notches(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.play()
    for pixels in [-10] * 25 + [-7.5] * 20 + [12] * 9:
        person.page.mouse.wheel(0, pixels)
    person.page.wait_for_timeout(200)
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 4, 3]
    assert set(values(samples, "input")) == {"trackpad"}


def test_btrace_leaves_marks(watching: Callable[..., Watching]) -> None:
    person = watching("btrace")
    person.play()
    person.until(400)
    person.press("ArrowUp", "ArrowDown", "ArrowDown")
    person.page.get_by_role("button", name="Not believable").click()
    person.page.get_by_role("button", name="Believable", exact=True).click()
    person.turn(-100)
    person.press("-")
    marks = person.events()
    assert [event["kind"] for event in marks] == ["trace.mark"] * 6
    assert values(marks, "sign") == [1, -1, -1, -1, 1, -1]
    assert values(marks, "input") == ["key", "key", "key", "pointer", "pointer", "key"]
    # The first pointer input was the click on Play.
    made = [one for one in person.inputs() if one["name"] != "wheel"]
    assert_on_time(marks, made[made.index(next(one for one in made if one["name"] == "keydown")) :])
    person.press("k")
    person.press("ArrowUp")
    assert len(person.events()) == 6


def test_gtrace_stays_between_its_ends(watching: Callable[..., Watching]) -> None:
    person = watching("gtrace")
    person.play()
    person.press("ArrowUp")
    person.turn(*[100] * 13)
    box = person.page.locator(".trace-area canvas").bounding_box()
    assert box is not None
    person.page.mouse.move(box["x"] + 200, box["y"] + 14 + (box["height"] - 36) / 4)
    person.page.mouse.down()
    person.page.mouse.up()
    found = person.samples()
    assert values(found)[:11] == [0.1, 0, -0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7, -0.8, -0.9]
    assert values(found)[11:-1] == [-1]
    assert values(found)[-1] == pytest.approx(0.5, abs=0.02)
    assert found[-1]["data"]["input"] == "pointer"


def test_a_reload_in_the_middle_keeps_the_trace(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(700)
    person.turn(-100, -100, -100)
    person.page.wait_for_timeout(600)
    before = person.samples()
    person.page.reload()
    slot = person.page.get_by_role("spinbutton", name="Your trace")
    expect(slot).to_have_attribute("aria-valuenow", "3")
    person.play()
    person.press("ArrowDown")
    expect(slot).to_have_attribute("aria-valuenow", "2")
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 2]
    assert samples[-1]["data"]["media_ms"] >= before[-1]["data"]["media_ms"]


def follow_the_disc(person: Watching, up: str, down: str) -> None:
    for wait_s, key in ((2.2, up), (5.0, down), (5.0, up), (4.0, down)):
        person.page.wait_for_timeout(wait_s * 1000)
        person.press(key, key)


@pytest.mark.parametrize("kind", ["ranktrace", "btrace"])
def test_practice_says_what_was_understood_and_can_be_repeated(
    watching: Callable[..., Watching], kind: str
) -> None:
    person = watching(kind, practice="true")
    page = person.page
    page.goto(person._server.link())
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Start the practice").press("Enter")
    follow_the_disc(person, "ArrowDown", "ArrowUp")
    expect(page.get_by_text("Not quite yet. Please try once more.")).to_be_visible(timeout=30_000)
    expect(page.locator("li.wrong")).to_have_count(4)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Try again").press("Enter")
    follow_the_disc(person, "ArrowUp", "ArrowDown")
    expect(page.get_by_text("Well done")).to_be_visible(timeout=30_000)
    expect(page.locator("li.right")).to_have_count(4)
    results = person.events("practice.result")
    assert [event["data"]["passed"] for event in results] == [False, True]
    assert [move["direction"] for move in results[1]["data"]["moves"]] == [1, -1, 1, -1]
    page.get_by_role("button", name="Continue", exact=True).press("Enter")
    expect(page.locator("video")).to_be_visible()


# ---------------------------------------------------------------------------------------------- a video that stalls

HARNESS = """\
<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Stall</title>
<div id="player"></div><div id="trace"></div>
<script type="module">
import { create } from "/players/video/player.js";
import { mount } from "/instruments/ranktrace/widget.js";
const texts = new Proxy({}, { get: (_, key) => String(key) });
const policy = { pause: true, seek: false, replay: false, max_views: null, must_finish: true,
  volume: false, speeds: [1], speed: 1 };
window.events = [];
const record = (kind, data) => events.push([kind, data]);
const seen = { views: 0, position_ms: 0 };
const player = create(document.getElementById("player"), { src: "/slow.mp4", policy, texts, record, seen });
window.player = player;
player.video.addEventListener("loadedmetadata", () => {
  mount(document.getElementById("trace"), { player, params: {}, texts, record, saved: [] });
});
</script>
"""


class HalfServed:
    """A server that sends half of a video, and the rest only when told to."""

    def __init__(self, video: bytes) -> None:
        self.go_on = threading.Event()
        root = Path(believable.__file__).parent
        types = {".js": "text/javascript", ".css": "text/css"}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = root / self.path.lstrip("/")
                if self.path == "/slow.mp4":
                    self._head("video/mp4", len(video))
                    self.wfile.write(video[: len(video) // 2])
                    self.wfile.flush()
                    outer.go_on.wait(60)
                    self.wfile.write(video[len(video) // 2 :])
                elif self.path == "/":
                    self._body("text/html", HARNESS.encode())
                else:
                    self._body(types[path.suffix], path.read_bytes())

            def _head(self, kind: str, length: int) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(length))
                self.end_headers()

            def _body(self, kind: str, body: bytes) -> None:
                self._head(kind, len(body))
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def half_served(tmp_path: Path) -> Iterator[HalfServed]:
    path, rng = tmp_path / "noise.mp4", np.random.default_rng(1)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("h264", rate=FRAME_RATE)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 320, 180, "yuv420p", 6_000_000
        stream.options = {"preset": "ultrafast", "g": "15"}
        for _ in range(8 * FRAME_RATE):
            picture = rng.integers(0, 255, (180, 320, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    server = HalfServed(path.read_bytes())
    yield server
    server.stop()


def test_nothing_is_recorded_while_the_video_stalls(page: Page, half_served: HalfServed) -> None:
    page.goto(half_served.url)
    page.locator(".trace").wait_for()
    page.locator("button.play").click()
    page.wait_for_function("window.player.time_ms > 500")
    page.keyboard.press("ArrowUp")
    page.wait_for_function("events.some(([kind]) => kind === 'media.stall')")
    before = page.evaluate("events.filter(([kind]) => kind === 'trace.sample')")
    page.mouse.wheel(0, -100)
    page.keyboard.press("ArrowUp")
    page.wait_for_timeout(1500)
    assert page.evaluate("events.filter(([kind]) => kind === 'trace.sample')") == before
    half_served.go_on.set()
    page.wait_for_function("events.some(([kind]) => kind === 'media.resume')")
    page.wait_for_function("window.player.running")
    page.keyboard.press("ArrowUp")
    samples = page.evaluate(
        "events.filter(([kind, data]) => kind === 'trace.sample' && data.input === 'key')"
    )
    assert [data["value"] for _, data in samples] == [1, 2]
    stalled_at = page.evaluate("events.find(([kind]) => kind === 'media.stall')[1].media_ms")
    assert samples[1][1]["media_ms"] >= stalled_at - TOLERANCE_MS
