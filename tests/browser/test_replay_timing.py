"""What was on screen, when and how fast, with a recording and with a video: watched intervals, and
presses of one key.
"""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.timing

FREE = "controls: {pause: true, seek: true, speeds: [0.5, 1, 8], speed: 1, must_finish: false}"
FLAGS = f"{FREE}, overlay: {{log: true}}, annotate: {{flags: {{}}}}"


def join(page: Page, link: str, witness: ModuleType) -> None:
    witness.install(page)
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play")).to_be_visible()


def play(page: Page) -> None:
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()


def shows(page: Page, ms: float) -> None:
    """Waits until this much of the page's own time has passed."""
    page.wait_for_function(
        "until => performance.now() >= until", arg=page.evaluate("performance.now()") + ms
    )


def of_kind(held: Any, prefix: str) -> list[dict[str, Any]]:
    return [event for event in held.events if event["kind"].startswith(prefix)]


def one(held: Any, kind: str) -> dict[str, Any]:
    (event,) = of_kind(held, kind)
    return event


def joined(held: Any) -> list[tuple[float, float, float]]:
    """What was shown; pieces that touch at the same speed (reports, stalls) are one."""
    whole: list[tuple[float, float, float]] = []
    for event in of_kind(held, "media.interval"):
        low, high, rate = (event["data"][key] for key in ("from_ms", "to_ms", "rate"))
        if whole and whole[-1][1:] == (low, rate):
            low = whole.pop()[0]
        whole.append((low, high, rate))
    return whole


def test_watched_intervals_equal_the_script_with_seeks_and_speeds(
    page: Page, serve: Any, watched_study: Any, stored: Any, witness: ModuleType
) -> None:
    server = serve(watched_study(FREE))
    join(page, server.link(), witness)
    play(page)
    shows(page, 900)
    page.locator("select.speed").select_option("8")
    shows(page, 900)
    page.locator("button.play").focus()
    page.keyboard.press("ArrowRight")
    shows(page, 700)
    page.keyboard.press("k")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator("#status")).to_have_text("Saved")

    held = stored(server)
    intervals = joined(held)
    start, faster, seek, pause = (
        one(held, f"media.{kind}") for kind in ("play", "rate", "seek", "pause")
    )
    assert faster["data"]["rate"] == 8
    assert intervals == [
        (0, faster["data"]["media_ms"], 1),
        (faster["data"]["media_ms"], seek["data"]["from_ms"], 8),
        (seek["data"]["to_ms"], pause["data"]["media_ms"], 8),
    ]
    assert seek["data"]["to_ms"] > seek["data"]["from_ms"] + 1000
    for (low, high, rate), (begin, end) in zip(
        intervals, itertools.pairwise((start, faster, seek, pause)), strict=True
    ):
        passed_ms = end["mono_ms"] - begin["mono_ms"]
        assert (high - low) / rate <= passed_ms + witness.TOLERANCE_MS, (
            "nothing is claimed that was not shown"
        )
        halts = sorted(
            event["mono_ms"]
            for event in held.events
            if event["kind"] in ("media.stall", "media.resume")
        )
        stood_ms = witness.longest_gap_ms(page) + sum(halts[1::2]) - sum(halts[::2])
        assert (high - low) / rate >= passed_ms - stood_ms - 3 * witness.TOLERANCE_MS


@pytest.mark.parametrize("situation", ["normal", "half", "seek"])
def test_a_key_press_is_noted_when_it_was_made_and_what_was_on_screen_is_offered(
    page: Page, serve: Any, watched_study: Any, stored: Any, witness: ModuleType, situation: str
) -> None:
    """On a stalled video: see the tests of stalls."""
    server = serve(watched_study(FLAGS))
    join(page, server.link(), witness)
    rate = 0.5 if situation == "half" else 1
    page.locator("select.speed").select_option(str(rate))
    page.get_by_role("button", name="Log of actions").click()
    play(page)
    if situation == "seek":
        shows(page, 300)
        page.locator(".log-line").nth(3).click()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    shows(page, 530)
    page.keyboard.press("f")
    offered = page.locator(".flags-offer .flags-choice")
    expect(offered.first).to_be_visible()
    page.keyboard.press(
        str(offered.count() - 1)
    )  # what began last; below it stands "none of these"
    expect(page.locator(".flags-entry")).to_have_count(1)
    expect(page.locator(".log-lines li.flagged")).to_have_count(1)
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    page.locator("button.play").click()
    expect(page.locator("#status")).to_have_text("Saved")

    held = stored(server)
    keys = witness.inputs(page, "keydown")[:1]
    if not page.locator("video").count():
        clicks = witness.inputs(page, "click")[:-1]
        begun, from_ms = (
            clicks[-1]["now_ms"],
            of_kind(held, "media.seek")[0]["data"]["to_ms"] if situation == "seek" else 0,
        )
        for key in keys:
            key["media_ms"] = witness.on_canvas_ms(
                page, key["mono_ms"], started_ms=begun, from_ms=from_ms, rate=rate
            )
    witness.assert_on_time(of_kind(held, "flag.press"), keys)
    assert one(held, "flag.add")["data"]["action"] == ("a4" if situation == "seek" else "a1")
