"""Device check and quality tests in a real browser: tones, wheel, green surface and tone, with real
inputs.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from believable.pages.device import quietest_tone

STUDY = """\
believable: 1
title: Are you ready?
seed: 3
timeline:
  - device: {}
  - qa: {id: see, test: visual, duration_s: 10, practice: false}
  - qa: {id: hear, test: auditory, duration_s: 10, practice: false, gate: warn, threshold: 1}
  - text: {text: "# The main part"}
  - finish: {}
"""
FAST_S = 10
#: How many tones the page has really started.
COUNT_TONES = """\
window.tones = 0;
AudioBufferSourceNode.prototype.start = ((original) => function (...when) { tones += 1; return original.apply(this, when); })(
  AudioBufferSourceNode.prototype.start);
"""


def green(page: Page) -> int:
    shown = page.evaluate("getComputedStyle(document.querySelector('.signal')).backgroundColor")
    found = re.fullmatch(r"rgb\(20, (\d+), 12\)", shown)
    assert found is not None, shown
    return int(found[1])


def follow(page: Page) -> list[int]:
    """Turn the wheel with the brightness until the test is over."""
    seen = [green(page)]
    until = time.monotonic() + FAST_S + 8
    while page.locator('.trace[data-playing="true"]').count() and time.monotonic() < until:
        seen.append(green(page))
        if seen[-1] != seen[-2]:
            page.mouse.wheel(0, -100 if seen[-1] > seen[-2] else 100)
        page.wait_for_timeout(90)
    return seen


def test_device_check_and_both_tests(
    page: Page, serve: Callable[[Path], Any], stored: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "ready"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    server = serve(folder)
    page.add_init_script(COUNT_TONES)
    page.goto(server.link())
    page.get_by_role("button", name="Start", exact=True).click()

    address = page.evaluate("location.pathname")

    def rows() -> list[list[str]]:
        played: list[list[str]] = page.request.get(f"{server.url}{address}/trial").json()["device"][
            "tones"
        ]
        return played

    def choose(*, headphones: bool) -> None:
        """A row can be judged once it was played."""
        for number, row in enumerate(rows()):
            page.get_by_role("button", name=f"Play row {number + 1}").click()
            expect(page.locator(".tone-row.sounding")).to_have_count(0)
            page.locator(
                f"input[name=device-row-{number}][value='{quietest_tone(row, headphones=headphones) + 1}']"
            ).check()

    first = rows()
    expect(page.locator(".tone-row input:enabled")).to_have_count(0)
    choose(headphones=False)
    page.mouse.move(640, 400)
    for _ in range(3):
        page.mouse.wheel(0, 100)
    expect(page.get_by_text("The wheel works.")).to_be_visible()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.locator("#device-quietest-error")).to_contain_text(
        "Loudspeakers hide the difference"
    )
    expect(page.locator(".tone-row input:checked")).to_have_count(0)
    assert rows() != first, "each attempt has tones of its own"
    expect(page.locator(".tone-row input:enabled")).to_have_count(0)
    choose(headphones=True)
    assert page.evaluate("tones") == 2 * 6 * 3
    page.get_by_role("button", name="Continue", exact=True).click()

    expect(page.get_by_text("Indicate the changes in brightness")).to_be_visible()
    for words in ("Brighter", "Darker"):
        expect(page.get_by_role("button", name=words)).to_be_visible()
    page.mouse.move(640, 400)
    page.get_by_role("button", name="Play").click()
    expect(page.locator('.trace[data-playing="true"]')).to_be_visible()
    seen = follow(page)
    assert max(seen) - min(seen) > 40
    page.get_by_role("button", name="Continue", exact=True).click()

    expect(page.get_by_text("Indicate the changes in pitch")).to_be_visible()
    for words in ("Higher", "Lower"):
        expect(page.get_by_role("button", name=words)).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", name="The main part")).to_be_visible()
    expect(page.locator("form.trial .notice")).to_contain_text("did not follow the changes")

    events = stored(server).events
    played = [event["data"] for event in events if event["kind"] == "device.tones"]
    assert played == [
        {"state": "running", "row": row, "attempt": attempt}
        for attempt in (1, 2)
        for row in range(6)
    ]
    ended = [event["data"] for event in events if event["kind"] == "media.ended"]
    assert ended == [{"media_ms": 10_000, "view": 1}] * 2
    for position in (1, 2):
        parts = [
            event["data"]
            for event in events
            if event["kind"] == "media.interval" and event["trial"] == position
        ]
        assert sum(part["to_ms"] - part["from_ms"] for part in parts) == 10_000
    inputs = [event["data"] for event in events if event["kind"] == "trace.sample"]
    assert sum(input_["input"] == "wheel" for input_ in inputs) > 10
