"""The video player does what the study allows, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

STUDY = """\
believable: 1
title: One video
seed: 1
conditions: [a]
stimuli: [{{id: one, file: stimuli/clip1.mp4, condition: a}}]
timeline:
  - watch: {{stimulus: one, controls: {{{controls}}}, ask: [{{id: seen, prompt: What did you see?, text: {{}}}}]}}
  - finish: {{}}
"""
COMPARED = STUDY.replace(
    "}}]", "}}, {{id: two, file: stimuli/clip2.mp4, condition: a}}]", 1
).replace("watch: {{stimulus: one", "compare: {{of: [one, two]")


@pytest.fixture
def watch(
    page: Page, visitor: Any, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> Callable[[str], Any]:
    """`watch("pause: false")` opens the video with these controls."""

    def start(controls: str) -> Any:
        server = serve(make_study(STUDY, controls=controls))
        page.goto(server.link())
        page.get_by_role("button", name="Start").click()
        expect(page.locator("video")).to_be_visible()
        return server

    return start


def at(page: Page) -> float:
    time: float = page.evaluate("document.querySelector('video').currentTime")
    return time


def becomes(page: Page, state: str) -> None:
    """Waits until this holds of the video."""
    page.wait_for_function(
        f"() => {{ const video = document.querySelector('video'); return {state}; }}"
    )


def press_pause(page: Page) -> None:
    """Press pause and wait until the player has recorded it.

    `video.paused` is true before the browser sends the `pause` event, so that the page still says
    "Saved" for a moment. Listeners run in the order they were added: this one comes after the
    player's own, which has recorded the pause by then.
    """
    page.evaluate(
        "() => { window.pauseHeard = new Promise((resolve) => document.querySelector('video')"
        ".addEventListener('pause', () => resolve(true), { once: true })); }"
    )
    page.get_by_role("button", name="Pause").click()
    page.evaluate("() => window.pauseHeard")


def test_by_default_the_video_is_watched_once_to_its_end(
    page: Page, watch: Any, stored: Any, visitor: Any
) -> None:
    server = watch("")
    expect(page.get_by_label("What did you see?")).to_be_hidden()
    expect(page.get_by_role("slider", name="Position")).to_have_count(0)
    page.get_by_role("button", name="Play").click()
    page.evaluate("document.querySelector('video').currentTime = 1.4")
    becomes(page, "video.currentTime < 1.2")  # jumping ahead is undone
    expect(page.get_by_label("What did you see?")).to_be_visible()
    expect(page.get_by_text("You have watched the video.")).to_be_visible()
    expect(page.get_by_role("button", name="Watch again")).to_have_count(0)
    visitor.saved()
    assert stored(server).kinds("media.").count("media.ended") == 1


@pytest.mark.parametrize("kind", ["watch", "compare"])
def test_a_video_that_comes_late_or_ends_takes_nobody_out_of_a_field(
    page: Page, serve: Callable[[Path], Any], make_study: Callable[..., Path], kind: str
) -> None:
    text = STUDY if kind == "watch" else COMPARED
    server = serve(make_study(text, controls="must_finish: false"))
    held: list[Route] = []
    page.route("**/media/*", lambda route: held.append(route))
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    field = page.get_by_label("What did you see?")
    expect(field).to_be_visible()
    field.press_sequentially("a man")
    while len(held) < len(page.locator(".player").all()):
        page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    expect(page.get_by_role("button", name="Play").first).to_be_visible()
    page.keyboard.type(" who walks")
    expect(field).to_be_focused()
    page.evaluate("document.querySelector('video').play()")
    becomes(page, "video.ended")
    page.keyboard.type(" off")
    expect(field).to_have_value("a man who walks off")


def test_space_and_k_play_and_pause(page: Page, watch: Any) -> None:
    watch("")
    page.locator("h1").focus()
    page.keyboard.press("k")
    becomes(page, "!video.paused && video.currentTime > 0.1")
    page.keyboard.press("Space")
    becomes(page, "video.paused && !video.ended")


def test_without_pause_there_is_no_stopping(page: Page, watch: Any) -> None:
    watch("pause: false")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    page.locator("h1").focus()
    page.keyboard.press("Space")
    becomes(page, "video.ended")


def test_views_are_counted_also_over_a_reload(page: Page, watch: Any, visitor: Any) -> None:
    watch("replay: true, max_views: 2")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("You can watch it once more.")).to_be_visible()
    visitor.saved()
    page.reload()
    again = page.get_by_role("button", name="Watch again")
    again.click()
    expect(page.get_by_text("You have watched the video.")).to_be_visible()
    expect(again).to_be_hidden()
    visitor.saved()
    page.reload()
    expect(page.get_by_text("You have watched the video.")).to_be_visible()
    expect(page.locator(".play")).to_be_hidden()


def test_seeking_is_recorded_and_shown_parts_are_exact(
    page: Page, watch: Any, stored: Any, visitor: Any
) -> None:
    server = watch("seek: true, must_finish: false")
    expect(page.get_by_label("What did you see?")).to_be_visible()
    line = page.get_by_role("slider", name="Position")
    line.focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    becomes(page, "!video.seeking && video.currentTime === 0")
    page.get_by_role("button", name="Play").click()
    becomes(page, "video.currentTime > 0.5")
    press_pause(page)
    stood = at(page) * 1000
    visitor.saved()
    events = stored(server).events
    assert [event["kind"] for event in events].count("media.seek") >= 2
    shown = [event["data"] for event in events if event["kind"] == "media.interval"]
    (pause,) = (event["data"] for event in events if event["kind"] == "media.pause")
    # On a busy machine the video halts for data in between; what was shown still has no gap and
    # nothing twice.
    edges = [0, *(part["to_ms"] for part in shown)]
    assert [part["from_ms"] for part in shown] == edges[:-1]
    assert edges[-1] == pause["media_ms"]
    assert pause["media_ms"] == pytest.approx(stood, abs=1000 / 24 + 40), (
        "the picture that stood, and the clock"
    )


def test_where_everything_is_allowed_the_browsers_own_controls_appear(
    page: Page, watch: Any
) -> None:
    watch("seek: true, replay: true, must_finish: false")
    video = page.locator("video")
    expect(video).to_have_js_property("controls", True)
    expect(video).to_have_js_property("disablePictureInPicture", True)
    assert "nodownload" in (video.get_attribute("controlslist") or "")
    expect(page.locator(".player-controls")).to_have_count(0)


def test_a_hidden_page_pauses_the_video_and_says_why(
    page: Page, watch: Any, stored: Any, visitor: Any
) -> None:
    server = watch("")
    page.get_by_role("button", name="Play").click()
    becomes(page, "video.currentTime > 0.2")
    hide = (
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true"
        " }); document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page.evaluate(hide, True)
    becomes(page, "video.paused && !video.ended")
    page.evaluate(hide, False)
    expect(page.get_by_label("What did you see?")).to_be_visible()
    visitor.saved()
    events = stored(server).events
    kinds = [event["kind"] for event in events]
    assert "page.hidden" in kinds
    assert "page.visible" in kinds
    pauses = [event["data"]["reason"] for event in events if event["kind"] == "media.pause"]
    assert pauses == ["hidden"]


def test_a_file_that_is_no_video_is_told(
    page: Page, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    page.route("**/media/*", lambda route: route.fulfill(status=200, body=b"not a video" * 100))
    page.goto(serve(make_study(STUDY, controls="")).link())
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Your browser cannot play this video")).to_be_visible()
