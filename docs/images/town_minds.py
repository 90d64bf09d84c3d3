"""Makes the pictures of one character's days under both minds: the replay page of the study, with plan, log and speech.

Example:
  python docs/images/town_minds.py generative=RUN neurosymbolic=RUN ada
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
from believable.protocols.replay.stimuli import shown_days
from believable.recordings.file import write
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store
from believable.worlds.town.town_folder import read_town

HERE = Path(__file__).parent
STUDY = """\
believable: 1
title: Days in town
seed: 3
conditions: [planner]
stimuli: [{id: d1, file: stimuli/days.replay.json.gz, condition: planner, scenario: days}]
timeline:
  - watch:
      stimulus: any
      title: Days in town
      text: "Follow this person through the days. Mark everything that does not fit."
      controls: {pause: true, seek: true, speeds: [1, 10, 50, 100], speed: 50, zoom: true, follow: true, must_finish: false}
      overlay: {plan: true, log: true}
      annotate: {flags: {}}
  - finish: {}
"""


def main(runs: list[str], person: str) -> None:
    for named in runs:
        mind, _, run = named.partition("=")
        with tempfile.TemporaryDirectory() as scratch:
            study = Path(scratch) / "town"
            (study / "stimuli").mkdir(parents=True)
            days = shown_days(read_town(Path(run)), person)
            spoken = [action.text for action in days.actions if action.verb == "speak" and action.refused is None]
            write(days, study / "stimuli/days.replay.json.gz")
            (study / "study.yaml").write_text(STUDY)
            data = Path(scratch) / "data"
            with Server([study], data_dir=data) as server, sync_playwright() as playwright:
                with Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store:
                    link = f"{server.url}/join/{link_token(store, 'town', 'open')}"
                sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=sandbox)
                page = browser.new_page(viewport={"width": 1600, "height": 900})
                _pictures(page, link, mind, len(spoken))
                browser.close()


def _pictures(page: Page, link: str, mind: str, spoken: int) -> None:
    """On the first and on the last day, where the character talks."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Plans").click()
    page.get_by_role("button", name="Log of actions").click()
    talks = page.locator(".log-line", has_text="says")
    for day, number in ((1, min(2, spoken - 1)), (2, spoken - 2)):
        talks.nth(number).click()
        page.keyboard.press("f")
        page.wait_for_timeout(800)
        path = HERE / f"town-{mind}-day-{day}.png"
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=path)
        Image.open(path).quantize(96).save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:-1], sys.argv[-1])
