"""Live results in a real Chromium: blinded, figures alive under the console's policy, a moment one
click away, unblinding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.programs import believable

#: The analysis runs in a process of its own, beside everything else on this machine.
PATIENCE_MS = 240_000


@pytest.fixture
def server(tmp_path: Path, serve: Callable[[Path], Any]) -> Any:
    """A replay study that a few simulated people took, in the database that the server opens."""
    folder = tmp_path / "study"
    for command in (
        ["new", str(folder), "--protocol", "replay"],
        [
            "simulate",
            str(folder),
            "--participants",
            "8",
            "--drop-out",
            "0",
            "--data",
            str(tmp_path / "data0"),
        ],
    ):
        # In a process of its own: the browser's driver keeps an event loop running in this one.
        believable(*command)
    return serve(folder)


@pytest.mark.timeout(900)
def test_results_come_by_themselves_blinded_and_lead_to_the_moment(server: Any, page: Page) -> None:
    server.enter(page)
    page.goto(f"{server.url}/console/studies/study/results?pool=simulated")
    expect(page.get_by_role("heading", name="Blinded")).to_be_visible()
    report = page.locator(".live-report")
    expect(report).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("heading", name="Stopping rule")).to_be_visible()
    assert "neurosymbolic" not in page.content()
    # Newer results come while somebody is about to decide: the tick stays.
    sure = page.get_by_label("Show the names from now on", exact=False)
    sure.check()
    page.locator("#live").evaluate(
        "(live) => { live.dataset.key = 'older'; document.querySelector('.live-report').remove(); }"
    )
    expect(report).to_be_visible(timeout=PATIENCE_MS)
    expect(sure).to_be_checked()
    sure.uncheck()

    figure = page.locator("[data-figure]").first
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-live", "yes", timeout=PATIENCE_MS)

    moment = page.locator("#s-moments a.watch").first
    moment.click()
    expect(page.locator("#player[data-ready]")).to_be_visible()
    assert "neurosymbolic" not in page.content()
    page.go_back()

    page.get_by_label("Show the names from now on", exact=False).check()
    page.get_by_role("button", name="Unblind").click()
    expect(page.get_by_text("Unblinded", exact=True)).to_be_visible()
    expect(page.locator(".live-report[data-blinded=no]")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".live-report")).to_contain_text("neurosymbolic")
    page.goto(f"{server.url}/console/audit")
    expect(page.get_by_text("unblinded the results of the simulated sessions")).to_be_visible()
