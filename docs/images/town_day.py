"""Makes the pictures of the town day: a real server, a real browser, the public run of Generative Agents.

Example:
  python docs/images/town_day.py path/to/generative_agents
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from believable.core.clock import WallClock
from believable.recordings.file import write
from believable.recordings.importers.generative_agents import import_run
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store

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
      text: "Follow the three people through their day. Mark everything that does not fit."
      controls: {pause: true, seek: true, speeds: [1, 8, 60, 600], speed: 60, zoom: true, must_finish: false}
      overlay: {plan: true, log: true}
      annotate: {flags: {}}
  - finish: {}
"""


def main(run: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        study = Path(scratch) / "town"
        (study / "stimuli").mkdir(parents=True)
        write(import_run(run).replay, study / "stimuli/day.replay.json.gz")
        (study / "study.yaml").write_text(STUDY)
        data = Path(scratch) / "data"
        with Server([study], data_dir=data) as server, sync_playwright() as playwright:
            with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
                link = f"{server.url}/join/{link_token(store, 'town', 'open')}"
            sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=sandbox)
            for scheme in ("light", "dark"):
                context = browser.new_context(viewport={"width": 1600, "height": 900}, color_scheme=scheme)
                _pictures(context.new_page(), link, "" if scheme == "light" else "-dark")
            browser.close()


def _pictures(page: Page, link: str, suffix: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Plans").click()
    page.get_by_role("button", name="Log of actions").click()
    page.locator(".log-line", has_text="conversing about").first.click()
    page.keyboard.press("f")
    page.wait_for_timeout(500)
    _save(page, f"town-day{suffix}.png")
    page.get_by_label("Whom to follow").select_option(index=1)
    page.wait_for_timeout(500)
    _save(page, f"town-day-near{suffix}.png")


def _save(page: Page, name: str) -> None:
    """Few colours: the pages have no photographs, and small files stay readable in a repository."""
    path = HERE / name
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(200)
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
