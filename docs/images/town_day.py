"""Makes the pictures of days in the town: a real server, a real browser.

Examples:
  python docs/images/town_day.py path/to/generative_agents                       the public run of Generative Agents
  python docs/images/town_day.py --person dario generative=RUN neurosymbolic=RUN   a character's two days under both minds
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from believable.core.clock import WallClock
from believable.protocols.replay.stimuli import condense_day
from believable.recordings.file import write
from believable.recordings.importers.generative_agents import import_run
from believable.recordings.recording import Recording
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.worlds.town.inspection.page import write_page
from believable.worlds.town.run_folder import read_town

HERE = Path(__file__).parent
STUDY = """\
believable: 1
title: A day in town
seed: 3
conditions: [planner]
stimuli: [{id: d1, file: stimuli/day.replay.json.gz, condition: planner, scenario: monday}]
timeline:
  - watch:
      stimulus: any
      title: A day in town
      text: "Follow people through their day. Mark everything that does not fit."
      controls: {pause: true, seek: true, speeds: [1, 8, 60, 600], speed: 60, zoom: true, must_finish: false}
      overlay: {plan: true, log: true}
      annotate: {flags: {}}
  - finish: {}
"""
NEAR = (("zoom: true", "zoom: true, follow: true"),)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=sandbox)
        yield browser
        browser.close()


def watched(
    recording: Recording, look: Callable[[Browser, str], None], *changes: tuple[str, str]
) -> None:
    """Serves a study of one recording; `look` gets a browser and the participant's link."""
    text = STUDY
    for before, after in changes:
        text = text.replace(before, after)
    with tempfile.TemporaryDirectory() as scratch:
        study, data = Path(scratch) / "town", Path(scratch) / "data"
        (study / "stimuli").mkdir(parents=True)
        write(recording, study / "stimuli/day.replay.json.gz")
        (study / "study.yaml").write_text(text)
        with Server([study], data_dir=data) as server, chromium() as browser:
            with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
                link = f"{server.url}/join/{link_token(store, 'town', 'open')}"
            look(browser, link)


def public_run(browser: Browser, link: str) -> None:
    for scheme in ("light", "dark"):
        suffix = "" if scheme == "light" else "-dark"
        page = browser.new_context(
            viewport={"width": 1600, "height": 900}, color_scheme=scheme
        ).new_page()
        opened(page, link)
        page.locator(".log-line", has_text="conversing about").first.click()
        page.keyboard.press("f")
        page.wait_for_timeout(500)
        save(page, f"town-day{suffix}.png")
        page.get_by_label("Character to follow").select_option(index=1)
        page.wait_for_timeout(500)
        save(page, f"town-day-near{suffix}.png")


def both_days(browser: Browser, link: str, mind: str) -> None:
    """Something that is said on the first day, and on the last, with plan and log."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    opened(page, link)
    spoken = page.locator(".log-line", has_text="“")
    for day, number in ((1, spoken.count() // 3), (2, spoken.count() - 2)):
        spoken.nth(number).click()
        page.wait_for_timeout(1000)
        save(page, f"town-{mind}-day-{day}.png")


def opened(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Plans").click()
    page.get_by_role("button", name="Log of actions").click()


def minds_page(run: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        shutil.copytree(run, Path(scratch) / "run")
        page = browser.new_page(viewport={"width": 1366, "height": 860})
        page.goto(write_page(Path(scratch) / "run").as_uri())
        page.locator("#prompt").select_option("reaction")
        page.locator("#list > *").first.click()
        page.wait_for_timeout(300)
        save(page, "town-inspect.png")


def save(page: Page, name: str) -> None:
    """Few colours: the pages have no photographs, and small files stay readable in a repository."""
    path = HERE / name
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(200)
    page.screenshot(path=path)
    few = (
        Image.open(path)
        .convert("RGB")
        .quantize(256, Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)
    )
    few.save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--person", help="who is followed, in runs of both minds")
    chosen = parser.parse_args()
    if chosen.person is None:
        watched(import_run(Path(chosen.runs[0])).replay, public_run)
        return
    for mind, _, run in (named.partition("=") for named in chosen.runs):
        days = condense_day(read_town(Path(run)), chosen.person)
        watched(days, lambda browser, link, mind=mind: both_days(browser, link, mind), *NEAR)
        if mind == "generative":
            minds_page(Path(run))


if __name__ == "__main__":
    main()
