"""Takes the pictures of docs/how-to/play-rounds.md: `python docs/images/play.py` (needs
Chromium).
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from believable.core.clock import WallClock
from believable.protocols import READY_STUDIES
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store

HERE = Path(__file__).parent
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def study(folder: Path) -> None:
    """The trace study with shorter rounds, always RankTrace, in a maze that is worth a picture."""
    READY_STUDIES["trace"].copy(folder)
    text = (folder / "study.yaml").read_text()
    for old, new in (
        ("duration_s: 60", "duration_s: 20"),
        ("maze: round", "maze: 12"),
        ("tool: [ranktrace, btrace]", "tool: [ranktrace]"),
        ("            skip_if: {arm: tool, is: btrace}\n", ""),
        ("must_finish: true}", "must_finish: true}\n            practice: false"),
    ):
        assert old in text
        text = text.replace(old, new)
    start = text.index("        - watch:\n            id: annotate_btrace")
    text = text[:start] + text[text.index("  - form:\n      id: choice") :]
    text = text.replace(
        "annotate: [annotate_ranktrace, annotate_btrace]", "annotate: [annotate_ranktrace]"
    )
    (folder / "study.yaml").write_text(text)


def play(page: Page, picture: Path | None) -> None:
    page.get_by_role("button", name="Start the round").click()
    page.locator('.game[data-state="run"]').wait_for()
    canvas = page.locator(".field canvas")
    box = canvas.bounding_box()
    assert box is not None
    keys = ("KeyD", "KeyS", "KeyA", "KeyW")
    for turn in range(60):
        if page.locator(".game").get_attribute("data-state") != "run":
            break
        across, down = 0.5 + 0.3 * ((turn % 3) - 1), 0.5 + 0.3 * ((turn // 2 % 3) - 1)
        page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)
        page.keyboard.down(keys[turn % 4])
        page.keyboard.down("Space")
        if turn % 6 == 1:
            page.keyboard.press("KeyB")
        time.sleep(0.45)
        if picture is not None and turn == 9:
            page.screenshot(path=picture)
        page.keyboard.up("Space")
        page.keyboard.up(keys[turn % 4])
    page.locator('.game[data-state="over"]').wait_for(timeout=60_000)
    page.locator("button.next").click()


def annotate(page: Page, picture: Path | None) -> None:
    page.get_by_role("button", name="Play").click()
    for up in (True, True, False, True, True, True, False, False, False, True, True, True):
        page.keyboard.press("ArrowUp" if up else "ArrowDown")
        time.sleep(1.2)
    if picture is not None:
        page.screenshot(path=picture)
    page.locator(".after").wait_for(timeout=60_000)
    page.locator("button.next").click()


def main() -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place) / "trace"
        study(folder)
        with Server([folder], data_dir=Path(place) / "data") as server:
            with Store.open(
                f"sqlite:///{Path(place) / 'data' / 'believable.db'}", clock=WallClock()
            ) as store:
                link = f"{server.url}/join/{link_token(store, 'trace', 'open')}"
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--disable-gpu", *sandbox]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(link)
            page.get_by_role("button", name="Start", exact=True).click()
            page.locator("button.next:not([disabled])").wait_for()
            for box in page.locator("input[data-consent]").all():
                box.check()
            page.locator("button.next").click()
            page.get_by_role("heading", name="What this is about").wait_for()
            page.locator("button.next").click()
            page.get_by_role("button", name="I am ready").click()
            play(page, HERE / "play.png")
            annotate(page, HERE / "play-annotate.png")
            play(page, None)
            annotate(page, None)
            page.get_by_label("In the first game").check()
            page.locator("button.next").click()
            page.get_by_label("How old are you?").fill("31")
            page.get_by_label("A few times a week").check()
            page.screenshot(path=HERE / "play-survey.png", full_page=True)
            browser.close()


if __name__ == "__main__":
    main()
