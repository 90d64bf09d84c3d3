"""Screenshots of two rounds of the 3D game, by a real browser: `python
docs/images/rounds_3d.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from believable.core.clock import WallClock
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store

FOLDER = Path(__file__).parent
STUDY = """\
believable: 1
title: A game
seed: 4
timeline:
  - play: {id: way, world: doom, opponent: nobody, goal: 3, duration_s: 8, countdown_s: 0}
  - play: {id: fight, world: doom, opponent: bots, map: deathmatch, duration_s: 12, countdown_s: 0}
  - finish: {}
"""


def start(page: Page, words: str) -> None:
    page.get_by_text(words).wait_for()
    page.locator("button.go").click()
    page.locator('.game[data-state="run"]').wait_for()


def hold(page: Page, key: str, ms: int) -> None:
    page.keyboard.down(key)
    page.wait_for_timeout(ms)
    page.keyboard.up(key)


def shoot(page: Page, name: str) -> None:
    page.screenshot(path=str(FOLDER / f"round-{name}.jpg"), type="jpeg", quality=72)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder, data = Path(place) / "game", Path(place) / "data"
        folder.mkdir()
        (folder / "study.yaml").write_text(STUDY)
        with (
            Server([folder], data_dir=data) as server,
            Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store,
            sync_playwright() as driver,
        ):
            browser = driver.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.goto(f"{server.url}/join/{link_token(store, 'game', 'open')}")
            page.get_by_role("button", name="Start", exact=True).click()
            start(page, "find the glowing mark")
            hold(page, "ArrowLeft", 500)
            page.wait_for_timeout(700)
            shoot(page, "navigation")
            page.locator('.game[data-state="over"]').wait_for(timeout=90_000)
            page.locator("button.next").click()
            start(page, "Everybody fights everybody")
            hold(page, "ArrowRight", 600)
            page.keyboard.down("KeyF")
            page.wait_for_timeout(900)
            shoot(page, "deathmatch")
            page.keyboard.up("KeyF")
            browser.close()


if __name__ == "__main__":
    main()
