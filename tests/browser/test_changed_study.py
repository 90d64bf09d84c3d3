"""A study that changes while it runs, in a real Chromium: the console asks for the reason, the
report shows both versions.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.programs import believable

pytestmark = pytest.mark.slow

OLD, NEW = "How human-like did the player act?", "How much did the player act like a person?"
REASON = "The prompt was unclear, and the clip showed another player."
SIZES = ((1366, 625), (1920, 1080))


def take_part(folder: Path, data: Path, n: int, seed: int) -> None:
    """Simulated sessions that count as participants."""
    # A process of its own: the browser's driver keeps an event loop running in this one.
    believable(
        "simulate",
        folder,
        "--participants",
        str(n),
        "--seed",
        str(seed),
        "--drop-out",
        "0",
        "--data",
        data,
    )
    with sqlite3.connect(data / "believable.db", timeout=60) as database:
        (last,) = database.execute(
            "select coalesce(max(number), 0) from sessions where link_kind = 'open'"
        ).fetchone()
        database.execute(
            "update sessions set link_kind = 'open', number = number + ? where link_kind ="
            " 'simulated'",
            (last,),
        )


def take_pictures(page: Page, name: str, target: Path) -> None:
    """A picture in both sizes; the page fits the width of each."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.screenshot(path=target / f"versions-{name}-{width}x{height}.png")


@pytest.mark.timeout(400)
def test_a_change_is_explained_in_the_console_and_shown_in_the_report(
    tmp_path: Path, serve: Callable[[Path], Any], page: Page
) -> None:
    folder, data = tmp_path / "study", tmp_path / "data0"
    pictures = Path(os.environ.get("BELIEVABLE_PICTURES", tmp_path))
    believable("new", folder, "--template", "rate-clips")
    believable("preregister", folder)
    take_part(folder, data, 10, 1)
    server = serve(folder)
    server.enter(page)
    address = f"{server.url}/console/studies/study/versions"
    page.goto(address)
    expect(page.get_by_text("no change that needs a reason")).to_be_visible()

    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace(OLD, NEW))
    shutil.copy(
        folder / "stimuli" / "south_script.replay.json.gz",
        folder / "stimuli" / "east_script.replay.json.gz",
    )
    page.goto(address)
    pending = page.locator("#pending")
    for words in ("The study folder has changed", OLD, NEW, "media of stimulus east_script"):
        expect(pending).to_contain_text(words)
    take_pictures(page, "console-pending", pictures)
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Record the reason").click()
    expect(page.get_by_role("cell", name=REASON)).to_be_visible()
    expect(pending).to_have_count(0)

    take_part(folder, data, 30, 2)
    page.goto(address)
    rows = page.locator("table.list").first.locator("tbody tr")
    expect(rows.nth(0).locator("td").nth(3)).to_have_text("10")
    expect(rows.nth(1).locator("td").nth(3)).to_have_text("30")
    take_pictures(page, "console-versions", pictures)

    believable(
        "report", folder, "--out", tmp_path / "report", "--formats", "", "--ended", "--data", data
    )
    page.goto((tmp_path / "report" / "report.html").as_uri())
    section = page.locator("#s-versions")
    for words in (OLD, NEW, REASON, "10 with version 1 and 30 with version 2", "permutation ANOVA"):
        expect(section).to_contain_text(words)
    expect(page.locator("body")).to_contain_text("was changed after the plan was registered")
    section.scroll_into_view_if_needed()
    section.evaluate("(element) => element.scrollIntoView()")
    take_pictures(page, "report", pictures)
