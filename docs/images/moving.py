"""Takes the moving pictures of README and the documentation in a real browser (needs Chromium):

    python docs/images/moving.py                 all four
    python docs/images/moving.py pair console    only these

`pair` is a page of `hntt`, `trace` a trace while it is drawn, `town` a day of `replay`, and
`console` the monitor while simulated participants arrive.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from PIL import Image
from playwright.sync_api import Locator, Page, ViewportSize, sync_playwright

from believable.core.clock import WallClock
from believable.protocols import READY_STUDIES
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.study.load import load

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
WIDTH_PX, MOST_BYTES = 800, 1_500_000
PREAMBLE = "believable: 1\ntitle: A picture\nseed: 4\n"


class Reel:
    """Pictures of a page, one after another."""

    def __init__(self, part: Page | Locator) -> None:
        self._part = part
        self._frames: list[Image.Image] = []

    def take(self) -> None:
        shot = Image.open(io.BytesIO(self._part.screenshot())).convert("RGB")
        height = round(shot.height * WIDTH_PX / shot.width)
        self._frames.append(shot.resize((WIDTH_PX, height), Image.Resampling.LANCZOS))

    def save(self, name: str, frame_ms: int) -> None:
        """As an animated WebP, as good as its size allows."""
        target = HERE / f"{name}.webp"
        first, *others = self._frames
        for quality in (75, 60, 45, 30, 20):
            first.save(
                target,
                save_all=True,
                append_images=others,
                duration=[frame_ms] * len(others) + [2000],
                loop=0,
                quality=quality,
                method=4,
            )
            if target.stat().st_size <= MOST_BYTES:
                break
        assert target.stat().st_size <= MOST_BYTES, f"{name}: too large"
        click.echo(f"{target.name}: {len(self._frames)} frames, {target.stat().st_size} bytes")


@contextmanager
def served(folder: Path, size: ViewportSize) -> Iterator[tuple[Page, Server]]:
    """A page on the first trial of a study."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    data = folder.parent / "data"
    with Server([folder], data_dir=data) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--disable-gpu", *sandbox]
        )
        page = browser.new_page(viewport=size)
        yield page, server
        browser.close()


def begin(page: Page, server: Server, folder: Path) -> None:
    database = f"sqlite:///{folder.parent / 'data' / 'believable.db'}"
    with Store.open(database, clock=WallClock()) as store:
        page.goto(f"{server.url}/join/{link_token(store, folder.name, 'open')}")
    page.get_by_role("button", name="Start", exact=True).click()


def pair(root: Path) -> None:
    """Two clips of a pair, in step."""
    ready, folder = READY_STUDIES["hntt"], root / "hntt"
    ready.copy(folder)
    ready.write_stimuli(load(folder).study, folder, 7)
    text = (folder / "study.yaml").read_text("utf-8")
    head = text[text.index("conditions:") : text.index("timeline:")]
    trials = text[text.index("  - block:\n      id: trials") : text.index("  - finish:")]
    (folder / "study.yaml").write_text(
        f"{PREAMBLE}{head}timeline:\n{trials}  - finish: {{}}\n".replace("random", "fixed"), "utf-8"
    )
    with served(folder, {"width": 1280, "height": 620}) as (page, server):
        begin(page, server, folder)
        films = page.locator("video")
        films.nth(1).wait_for()
        page.wait_for_function(
            "[...document.querySelectorAll('video')].every((film) => film.readyState >= 2)"
        )
        reel = Reel(page)
        for number in range(36):
            page.evaluate(
                """(at) => Promise.all([...document.querySelectorAll('video')].map((film) =>
                new Promise((seen) => {
                  film.addEventListener('seeked', seen, { once: true });
                  film.currentTime = at;
                })))""",
                0.2 + number * 0.25,
            )
            reel.take()
        reel.save("moving-pair", 250)


def trace(root: Path) -> None:
    """A round is played, and annotated."""
    folder = root / "trace"
    folder.mkdir()
    (folder / "study.yaml").write_text(
        PREAMBLE
        + """timeline:
  - play: {id: round, opponent: calm, duration_s: 20, maze: 12, countdown_s: 0}
  - watch:
      id: annotate
      stimulus: {round: round}
      controls: {pause: true, seek: false, must_finish: true}
      practice: false
      annotate: {prompt: How believable is the opponent right now?, ranktrace: {}}
  - finish: {}
"""
    )
    with served(folder, {"width": 1280, "height": 720}) as (page, server):
        begin(page, server, folder)
        page.get_by_role("button", name="Start the round").click()
        page.locator('.game[data-state="run"]').wait_for()
        for number in range(40):
            if page.locator(".game").get_attribute("data-state") != "run":
                break
            key = ("KeyD", "KeyS", "KeyA", "KeyW")[number // 2 % 4]
            page.keyboard.down(key)
            page.wait_for_timeout(500)
            page.keyboard.up(key)
        page.locator('.game[data-state="over"]').wait_for(timeout=120_000)
        page.locator("button.next").click()
        page.get_by_role("button", name="Play", exact=True).click()
        reel = Reel(page)
        pushes = (1, 1, 1, 0, -1, 1, 1, 0, 1, 0, -1, -1, -1, 0, -1, -1, 0, 1, 1, 0, 1, 1, 0, -1)
        for push in (*pushes, *pushes):
            if page.locator(".after").is_visible():
                break
            if push:
                page.keyboard.press("ArrowUp" if push > 0 else "ArrowDown")
            page.wait_for_timeout(150)
            reel.take()
        reel.save("moving-trace", 300)


def town(root: Path) -> None:
    """A morning of a character."""
    ready, folder = READY_STUDIES["replay"], root / "day"
    (folder / "stimuli").mkdir(parents=True)
    made = root / "replay"
    ready.copy(made)
    study = load(made).study
    ready.write_stimuli(study, made, 7)
    day = next(stimulus for stimulus in study.stimuli if stimulus.condition == "generative")
    shutil.copyfile(made / day.file, folder / "stimuli" / "day.replay.json.gz")
    (folder / "study.yaml").write_text(
        PREAMBLE
        + "stimuli:\n  - {id: day, file: stimuli/day.replay.json.gz}\n"
        + """timeline:
  - watch:
      id: day
      stimulus: day
      controls: {pause: true, seek: true, speeds: [25, 50], speed: 50, zoom: true, follow: true}
      overlay: {plan: true, log: true}
  - finish: {}
"""
    )
    with served(folder, {"width": 1280, "height": 720}) as (page, server):
        begin(page, server, folder)
        page.get_by_role("button", name="Log of actions").click()
        page.get_by_role("button", name="Play", exact=True).click()
        reel = Reel(page)
        for _ in range(40):
            page.wait_for_timeout(500)
            reel.take()
        reel.save("moving-town", 300)


def console(root: Path) -> None:
    """The monitor of a study while simulated participants arrive."""
    folder = root / "trace"
    READY_STUDIES["trace"].copy(folder)
    with served(folder, {"width": 1280, "height": 720}) as (page, server):
        found = re.search(r"the first time\s+(\S+)", server.last_words(20_000))
        assert found is not None, "the server prints a one-time link"
        page.goto(found[1])
        for field in page.locator('input[type="password"]').all():
            field.fill("pictures of the console")
        page.get_by_role("button", name="Set password and log in").click()
        page.locator("a[href='/console/studies']").first.wait_for()
        database = f"sqlite:///{root / 'data' / 'believable.db'}"
        with Store.open(database, clock=WallClock()) as store:
            link = f"{server.url}/join/{link_token(store, 'trace', 'simulated')}"
        words = ("simulate", str(folder), "--http", link, "--realtime", "--participants", "40")
        crowd = subprocess.Popen(
            [sys.executable, "-m", "believable", *words, "--gap", "4"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            page.goto(f"{server.url}/console/studies/trace/monitor?pool=simulated")
            reel = Reel(page)
            for _ in range(24):
                page.wait_for_timeout(3_000)
                reel.take()
        finally:
            crowd.terminate()
            crowd.wait(timeout=20)
        reel.save("moving-console", 400)


PICTURES: dict[str, Callable[[Path], None]] = {
    "pair": pair,
    "trace": trace,
    "town": town,
    "console": console,
}


def main() -> None:
    for name in sys.argv[1:] or PICTURES:
        with tempfile.TemporaryDirectory() as place:
            PICTURES[name](Path(place))


if __name__ == "__main__":
    main()
