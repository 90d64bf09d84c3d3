"""Takes the pictures of README and the documentation in a real browser (needs Chromium):

    python docs/pictures.py                 every picture of console, play and reports
    python docs/pictures.py console play    only these

The pictures of 3D rounds and of the town need their extras and recordings: see the scripts
`docs/images/rounds_3d.py` and `docs/images/town_day.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from believable.core.clock import WallClock
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store

IMAGES = Path(__file__).resolve().parent / "images"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
SIZE: ViewportSize = {"width": 1280, "height": 720}
TALL: ViewportSize = {"width": 1280, "height": 900}
#: Simulated participants who have finished before the picture is taken.
FINISHED = "24"


def believable(*words: str) -> None:
    """Run a command as a reader would."""
    command = [sys.executable, "-m", "believable", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def take(page: Page, name: str) -> None:
    """The screen as a small PNG."""
    shot = Image.open(io.BytesIO(page.screenshot()))
    small = shot.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(IMAGES / f"{name}.png", optimize=True)
    click.echo(f"{name}.png")


@contextmanager
def chromium() -> Iterator[Browser]:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--disable-gpu", *sandbox]
        )
        yield browser
        browser.close()


def log_in(page: Page, server: Server) -> None:
    """Use the one-time link that the server printed."""
    found = re.search(r"the first time\s+(\S+)", server.last_words(20_000))
    assert found is not None, "the server prints a one-time link"
    page.goto(found[1])
    for field in page.locator('input[type="password"]').all():
        field.fill("pictures of the console")
    page.get_by_role("button", name="Set password and log in").click()
    page.locator("a[href='/console/studies']").first.wait_for()


def console() -> None:
    """Monitor and blinded results of a study with live simulated participants; the coder's desk."""
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        root = Path(place)
        believable("new", str(root / "trace"), "--protocol", "trace")
        believable("new", str(root / "hntt"), "--protocol", "hntt")
        data = str(root / "data")
        for study in ("trace", "hntt"):
            believable(
                "simulate", str(root / study), "--participants", FINISHED, "--seed", "1",
                "--data", data,
            )  # fmt: skip
        believable("code", "simulate", str(root / "hntt"), "--data", data)
        with Server([root / "trace", root / "hntt"], data_dir=root / "data") as server:
            page = browser.new_page(viewport=SIZE)
            log_in(page, server)
            with live_participants(server, root):
                page.goto(f"{server.url}/console/studies/trace/monitor?pool=simulated")
                page.locator("text=active now").first.wait_for()
                page.wait_for_timeout(45_000)  # until several are on their way
                take(page, "monitor")
            page.set_viewport_size(TALL)
            page.goto(f"{server.url}/console/studies/trace/results?pool=simulated")
            page.get_by_role("heading", name="At a glance").wait_for(timeout=120_000)
            take(page, "results")
            coding(page, server)


def coding(page: Page, server: Server) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{server.url}/console/coding")
    project = page.locator("a[href^='/console/coding/']").first.get_attribute("href")
    assert project is not None
    page.goto(f"{server.url}{project}")
    agreement = page.locator("a[href*='/rounds/']").first.get_attribute("href")
    assert agreement is not None
    page.goto(f"{server.url}{agreement}")
    page.locator("table").first.wait_for()
    take(page, "agreement")


@contextmanager
def live_participants(server: Server, root: Path) -> Iterator[None]:
    """Simulated participants arrive and answer in real time."""
    database = f"sqlite:///{root / 'data' / 'believable.db'}"
    with Store.open(database, clock=WallClock()) as store:
        link = f"{server.url}/join/{link_token(store, 'trace', 'simulated')}"
    crowd = subprocess.Popen(
        [
            sys.executable, "-m", "believable", "simulate", str(root / "trace"), "--http", link,
            "--realtime", "--participants", "100", "--gap", "6",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        crowd.terminate()
        crowd.wait(timeout=20)


def play() -> None:
    run_script("play")


def reports() -> None:
    """The five reports, each of sixty simulated participants."""
    with tempfile.TemporaryDirectory() as place:
        for protocol in ("trace", "replay", "clips", "hntt", "qa"):
            folder = str(Path(place) / protocol)
            believable("new", folder, "--protocol", protocol)
            believable("simulate", folder, "--participants", "60", "--seed", "1")
            believable("report", folder, "--out", f"{folder}-report", "--formats", "svg")
        sys.argv = ["reports.py", place]
        run_script("reports")


def run_script(name: str) -> None:
    spec = importlib.util.spec_from_file_location(name, IMAGES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()


GROUPS: dict[str, Callable[[], None]] = {"console": console, "play": play, "reports": reports}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("groups", nargs="*", default=list(GROUPS))
    for group in options.parse_args().groups:
        began = time.monotonic()
        GROUPS[group]()
        click.echo(f"{group}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
