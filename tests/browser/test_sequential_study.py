"""A sequential study on the monitor in a real Chromium: evidence moves while simulated judges come,
the server is killed and started again, and recruiting closes with the answer.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.app.new import new

RULE = "  about: these clips\n  stopping: {rule: sequential, until: both}\n"
COMMAND = "from believable.cli import main; main()"


@pytest.fixture
def server(tmp_path: Path, serve: Callable[[Path], Any]) -> Any:
    folder = tmp_path / "study"
    new(folder, protocol="hntt")
    file = folder / "study.yaml"
    text, n = re.subn(r"  stopping: .*\n", RULE, file.read_text(encoding="utf-8"))
    assert n == 1
    file.write_text(text, encoding="utf-8")
    return serve(folder)


def judges_come(server: Any, n: int, seed: int) -> str:
    """Simulated judges who tell the two apart, one after the other, over the network."""
    options = ["--participants", str(n), "--seed", str(seed), "--truth", "skill=3"]
    link = f"{server.url}/join/{server.link('simulated').rpartition('/')[2]}"
    study = str(server.settings.study_folders[0])
    arguments = ["simulate", study, "--http", link, "--workers", "1", "--gap", "0.01", *options]
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments, "--drop-out", "0"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def shoot(page: Page, name: str) -> None:
    """Pictures for people, if a folder is named."""
    folder = os.environ.get("BELIEVABLE_PICTURES")
    if folder is None:
        return
    for width, height in ((1366, 625), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=str(Path(folder) / f"{name}-{width}.png"), full_page=True)


def test_evidence_moves_and_recruiting_closes(page: Page, server: Any) -> None:
    server.enter(page)
    monitor = f"{server.url}/console/studies/study/monitor?pool=simulated"
    page.goto(monitor)
    words, judges = page.locator("#evidence-words"), page.locator("#evidence-judges")
    expect(words).to_contain_text("continue")
    row = page.locator("#evidence tbody tr")
    expect(row.locator("[data-part=name]")).to_have_text("Agent A")
    empty = row.locator("[data-part=different] .done").get_attribute("width")

    assert "2 complete" in judges_come(server, 2, seed=1)
    expect(judges).to_have_text("2")
    expect(row.locator("[data-part=interval]")).to_contain_text("[")
    assert row.locator("[data-part=different] .done").get_attribute("width") != empty
    shoot(page, "evidence-running")

    server.stop()
    server.start()
    assert "turned away" in judges_come(server, 40, seed=2)
    page.goto(monitor)
    expect(words).to_have_text("stop: distinguishable")
    expect(row.locator("[data-part=words]")).to_have_text("stop: distinguishable")
    shoot(page, "evidence-stopped")

    page.goto(f"{server.url}/join/{server.link('simulated').rpartition('/')[2]}")
    expect(page.locator("body")).to_contain_text("Enough people have taken part")

    page.goto(f"{server.url}/console/studies/study/results?pool=simulated")
    page.get_by_label(re.compile("Show the names")).check()
    page.get_by_role("button", name="Unblind").click()
    page.goto(monitor)
    expect(row.locator("[data-part=name]")).to_have_text("navigator")
    page.goto(f"{server.url}/console/studies/study/results?pool=simulated")
    decided = page.get_by_text(re.compile(r"Recruiting ended with judge \d+"))
    expect(decided).to_be_visible(timeout=120_000)
