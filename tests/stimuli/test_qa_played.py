"""Both quality tests in a real browser: the colours it shows, the sound it makes."""

from __future__ import annotations

import csv
import functools
import http.server
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Playwright

from believable.stimuli import qa

pytest.importorskip("av", reason="needs the video extra")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

PLAY = """
async ({file, at_s}) => {
  const video = document.createElement("video");
  document.body.replaceChildren(video);
  const wait = name => new Promise((done, fail) => {
    video.addEventListener(name, done, {once: true});
    video.addEventListener("error", () => fail(new Error(video.error.message)), {once: true});
  });
  video.src = URL.createObjectURL(await (await fetch(file)).blob());  // seeking needs all of it
  await wait("loadeddata");
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  const pen = canvas.getContext("2d");
  const greens = [];
  for (const at of at_s) {
    const painted = new Promise((done) => video.requestVideoFrameCallback(done));
    const seeked = wait("seeked");
    video.currentTime = at;
    await seeked;
    await painted;
    pen.drawImage(video, 0, 0, 8, 8);
    greens.push([...pen.getImageData(4, 4, 1, 1).data].slice(0, 3));
  }
  const again = wait("seeked");
  video.currentTime = 0;
  await again;
  const context = new AudioContext();
  const ear = new AnalyserNode(context, {fftSize: 32768});
  context.createMediaElementSource(video).connect(ear);
  const ended = wait("ended");
  let loudest = 0;
  const wave = new Float32Array(ear.fftSize);
  const listen = setInterval(() => {
    ear.getFloatTimeDomainData(wave);
    for (const x of wave) loudest = Math.max(loudest, Math.abs(x));
  }, 300);
  video.playbackRate = 2;
  await video.play();
  await ended;
  clearInterval(listen);
  return {seconds: video.duration, greens, loudest};
}
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt install chromium")
def test_chromium_shows_and_sounds_both(tmp_path: Path, playwright: Playwright) -> None:
    both = {test: qa.make(tmp_path, test, seed=5, duration_s=10) for test in qa.TESTS}
    (tmp_path / "page.html").write_text("<!doctype html><title>t</title>")
    handler = functools.partial(Quiet, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    flags = [
        "--autoplay-policy=no-user-gesture-required",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    at_s = [0.5, 1.5, 3.0, 4.5, 6.0, 8.0]
    try:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/page.html")
        seen = {
            test: page.evaluate(PLAY, {"file": one.film.name, "at_s": at_s})
            for test, one in both.items()
        }
        browser.close()
    finally:
        server.shutdown()
        server.server_close()
    assert {round(one["seconds"]) for one in seen.values()} == {10}
    with both["visual"].truth.open(newline="") as file:
        greens = [float(row["green"]) for row in csv.DictReader(file)]
    for at, colour in zip(at_s, seen["visual"]["greens"], strict=True):
        frame = round(at * qa.FRAMES_PER_S)
        near = greens[frame - 2 : frame + 3]
        assert min(abs(colour[1] - green) for green in near) <= 3, (at, colour, near)
    assert seen["auditory"]["loudest"] > 0.2
    assert seen["visual"]["loudest"] < 0.01
