"""Stripped copies play in a real browser, every picture of them."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright

from believable.stimuli.prepare import strip_metadata
from tests.films import films

pytest.importorskip("av", reason="needs the video extra")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

PLAY = """
async file => {
  const video = document.getElementById("video");
  video.playbackRate = 4;
  video.src = file;
  return await new Promise(done => {
    video.onended = () => {
      const sound = video.webkitAudioDecodedByteCount > 0;
      done({ended: true, seconds: video.duration, width: video.videoWidth, sound});
    };
    video.onerror = () => done({error: video.error.message});
    video.play().catch(error => done({error: String(error)}));
  });
}
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt install chromium")
def test_copies_play_to_the_end_in_chromium(tmp_path: Path, playwright: Playwright) -> None:
    made = films(tmp_path / "made", ["human", "scripted"], duration_s=4.0)
    for path in made:
        strip_metadata(path, tmp_path / path.name)
    (tmp_path / "page.html").write_text("<!doctype html><video id=video muted></video>")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = [
        "--autoplay-policy=no-user-gesture-required",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    try:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/page.html")
        seen = [page.evaluate(PLAY, path.name) for path in made]
        browser.close()
    finally:
        server.shutdown()
        server.server_close()
    assert seen == [{"ended": True, "seconds": 4, "width": 640, "sound": True}] * 2
