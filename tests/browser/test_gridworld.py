"""A second world is played in the browser: with its own script, taken up after a reload, to its
end.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import believable
from believable.core.clock import WallClock
from believable.simulate.crowd import link_token
from believable.simulate.server import Server
from believable.store.engine import Store

pytestmark = pytest.mark.timeout(300)

WORLD = Path(__file__).resolve().parents[1] / "worlds" / "gridworld"
STUDY = """\
believable: 1
title: Gems
seed: 3
timeline:
  - play: {id: board, world: gridworld, opponent: stone, gems: 3, duration_s: 120, countdown_s: 0}
  - watch: {id: again, stimulus: {round: board}, controls: {speeds: [8], speed: 8}}
  - finish: {}
"""
MOST_STEPS = 200


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the world in it, as pip would leave it there."""
    folder = tmp_path / "site"
    info = folder / "gridworld-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gridworld\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[believable.worlds]\ngridworld = gridworld:GRIDWORLD\n")
    shutil.copytree(WORLD, folder / "gridworld", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def link(tmp_path: Path, site: Path) -> Iterator[str]:
    """A server of its own process, where the world's package is installed."""
    folder, data = tmp_path / "gems", tmp_path / "data"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    environment = {
        "PYTHONPATH": os.pathsep.join((str(Path(believable.__file__).parents[1]), str(site)))
    }
    with (
        Server([folder], data_dir=data, environment=environment) as server,
        Store.open(f"sqlite:///{data / 'believable.db'}", clock=WallClock()) as store,
    ):
        yield f"{server.url}/join/{link_token(store, 'gems', 'open')}"


def test_it_is_played_to_its_end(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start", exact=True).click()
    canvas = page.locator(".field canvas")
    running = page.locator('.game[data-state="run"]')
    page.locator("button.go").click()
    expect(running).to_be_visible()
    # A slow machine lets go of the key late: the figure may gather one more.
    gathered = _gather(page, until=1)
    assert gathered >= 1
    page.reload()
    page.locator("button.go").click()
    expect(running).to_be_visible()
    left = json.loads(canvas.get_attribute("data-gems") or "[]")
    assert 1 <= len(left) <= 3 - gathered, "what was gathered stays gathered"
    _gather(page, until=3)
    expect(page.locator('.game[data-state="over"]')).to_be_visible()
    expect(page.locator(".veil-text")).to_contain_text("3")
    page.locator("button.next").click()
    page.get_by_role("button", name="Play").click()
    # The page has settled: a line that appears later would move the button away from the click.
    expect(page.get_by_text("You have watched the recording.")).to_be_visible()
    expect(page.get_by_text("You can continue now.")).to_be_attached()
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()


def _gather(page: Page, until: int) -> int:
    """Walk from gem to gem, step by step, by what the page shows."""
    canvas = page.locator(".field canvas")
    for _ in range(MOST_STEPS):
        gems = json.loads(canvas.get_attribute("data-gems") or "[]")
        if 3 - len(gems) >= until or page.locator('.game[data-state="run"]').count() == 0:
            return 3 - len(gems)
        shown = canvas.get_attribute("data-player") or ""
        x, y = (int(part) for part in shown.split(","))
        gx, gy = min(gems, key=lambda gem: abs(gem[0] - x) + abs(gem[1] - y))
        key = (
            ("ArrowRight" if gx > x else "ArrowLeft")
            if gx != x
            else ("ArrowDown" if gy > y else "ArrowUp")
        )
        page.keyboard.down(key)
        page.wait_for_function(
            "before => document.querySelector('.field canvas').dataset.player !== before", arg=shown
        )
        page.keyboard.up(key)
    return 3 - len(json.loads(canvas.get_attribute("data-gems") or "[]"))
