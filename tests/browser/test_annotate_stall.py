"""Annotating and watching a video that halts because its data do not come."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import av
import numpy as np
import pytest
from playwright.sync_api import Page

import believable

pytestmark = pytest.mark.timing

SECONDS, FRAME_RATE = 8, 30
HARNESS = """\
<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Stall</title>
<div id="player"></div><div id="below"></div>
<script type="module">
import { create } from "/players/video/player.js";
const asked = new URLSearchParams(location.search);
const { mount } = await import(`/instruments/${asked.get("instrument")}/widget.js`);
const texts = new Proxy({}, { get: (_, key) => String(key) });
const policy = { pause: true, seek: true, replay: false, max_views: null, must_finish: true,
  volume: false, speeds: [1, 8], speed: Number(asked.get("speed")), zoom: false };
window.events = [];
const record = (kind, data, { mono_ms = performance.now() } = {}) => events.push({ kind, data, mono_ms });
const seen = { views: 0, position_ms: 0 };
window.player = create(document.getElementById("player"), { src: "/slow.mp4", policy, texts, record, seen });
player.video.addEventListener("loadedmetadata", () => {
  mount(document.getElementById("below"), { player, params: {}, texts, record, saved: [] });
  document.body.dataset.ready = "yes";
});
</script>
"""
#: Instrument, the key that makes one event of it, that event, and all inputs that make one.
WAYS = [
    ("ranktrace", "ArrowUp", "trace.sample", ("keydown", "wheel")),
    ("btrace", "ArrowUp", "trace.mark", ("keydown",)),
    ("flags", "f", "flag.add", ("keydown",)),
]


class Served:
    """A server that sends a part of a video, and more only when told to."""

    def __init__(self, video: bytes, *, parts: int) -> None:
        self.go_on = threading.Semaphore(0)
        self._closing = False
        root = Path(believable.__file__).parent
        types = {".js": "text/javascript", ".css": "text/css"}
        size = -(-len(video) // parts)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = root / self.path.lstrip("/").partition("?")[0]
                if self.path == "/slow.mp4":
                    self._head("video/mp4", len(video))
                    for start in range(0, len(video), size):
                        if start and not outer._closing:
                            outer.go_on.acquire()
                        self.wfile.write(video[start : start + size])
                        self.wfile.flush()
                elif path == root:
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
        self._closing = True
        self.go_on.release()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A video that no compression makes small."""
    path, rng = tmp_path_factory.mktemp("noise") / "noise.mp4", np.random.default_rng(1)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("h264", rate=FRAME_RATE)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = (
            320,
            180,
            "yuv420p",
            6_000_000,
        )
        stream.options = {"preset": "ultrafast", "g": "15"}
        for _ in range(SECONDS * FRAME_RATE):
            picture = rng.integers(0, 255, (180, 320, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path.read_bytes()


@pytest.fixture
def open_with(page: Page, noise: bytes, witness: ModuleType) -> Iterator[Any]:
    """`open_with("ranktrace", speed=1, parts=2)`: the page, playing, and the server that holds the
    rest back.
    """
    servers: list[Served] = []

    def start(instrument: str, *, speed: int, parts: int) -> Served:
        servers.append(Served(noise, parts=parts))
        witness.install(page)
        page.goto(f"{servers[0].url}?instrument={instrument}&speed={speed}")
        page.locator("body[data-ready]").wait_for()
        page.locator("button.play").click()
        return servers[0]

    yield start
    for server in servers:
        server.stop()


def events(page: Page, kind: str) -> list[dict[str, Any]]:
    return [one for one in page.evaluate("events") if one["kind"].startswith(kind)]


def rests(page: Page) -> int:
    """Waits for the stall that lasts, and returns how often it went on before: a slow machine halts
    for moments, too.
    """
    page.wait_for_function("""() => {
          const last = events.findLast(({ kind }) => ["media.stall", "media.resume"].includes(kind));
          return last?.kind === "media.stall" && performance.now() - last.mono_ms > 700;
        }""")
    return len(events(page, "media.resume"))


def goes_on(page: Page, after: int) -> None:
    page.wait_for_function(
        "n => events.filter(({ kind }) => kind === 'media.resume').length > n", arg=after
    )


@pytest.mark.parametrize(
    ("instrument", "key", "kind", "inputs"), WAYS, ids=[way[0] for way in WAYS]
)
def test_inputs_before_in_and_after_a_stall_are_taken_and_on_time(
    page: Page,
    open_with: Any,
    witness: ModuleType,
    instrument: str,
    key: str,
    kind: str,
    inputs: tuple[str, ...],
) -> None:
    server = open_with(instrument, speed=1, parts=2)
    page.wait_for_function("player.time_ms > 500")
    page.keyboard.press(key)
    page.keyboard.press(key)
    gone_on = rests(page)
    before = len(events(page, kind))
    handled = witness.count(page)
    page.mouse.wheel(0, -100)
    witness.arrived(page, handled + 1)
    page.keyboard.press(key)
    drawn = page.evaluate("pictures.length")
    page.wait_for_function("n => pictures.length > n + 75", arg=drawn)  # longer than a heartbeat
    made_in_it = len(events(page, kind)) - before
    assert made_in_it == len(inputs), "what somebody did, and no heartbeat"
    halted_ms = page.evaluate("player.video.currentTime") * 1000
    server.go_on.release()
    goes_on(page, gone_on)
    page.wait_for_function("player.running")
    page.keyboard.press(key)
    page.keyboard.press(key)
    made = [event for event in events(page, kind) if event["data"].get("input") != "heartbeat"]
    witness.assert_on_time(made, witness.inputs(page, *inputs))
    assert made[-1]["data"]["media_ms"] > halted_ms


def test_watched_intervals_at_eight_times_the_speed_touch_at_every_stall(
    page: Page, open_with: Any
) -> None:
    parts = 4
    server = open_with("ranktrace", speed=8, parts=parts)
    for _ in range(1, parts):
        gone_on = rests(page)
        server.go_on.release()
        goes_on(page, gone_on)
    page.wait_for_function("events.some(({ kind }) => kind === 'media.ended')")
    shown = [event["data"] for event in events(page, "media.interval")]
    assert len(shown) >= parts
    assert {one["rate"] for one in shown} == {8}
    assert shown[0]["from_ms"] == 0
    assert all(one["to_ms"] == two["from_ms"] for one, two in itertools.pairwise(shown)), shown
    assert shown[-1]["to_ms"] == events(page, "media.ended")[0]["data"]["media_ms"]
    ends = {one["to_ms"] for one in shown}
    for halt in (*events(page, "media.stall"), *events(page, "media.resume")):
        assert halt["data"]["media_ms"] in ends
