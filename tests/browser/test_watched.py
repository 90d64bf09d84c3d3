"""What counts as watched, and how a page leads to its questions when they open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

JUMPS = "controls: {pause: true, seek: true, replay: true, speeds: [1, 60], speed: 60}"
ASK = (
    ", ask: [{id: r, prompt: How was it?, likert: {points: 7}}, {id: w, prompt: Why?, long_text:"
    " {}}]"
)
PAIR = """\
believable: 1
title: Who walks like a human?
seed: 7
conditions: [{human}, {scripted}]
stimuli:
  - {{id: {first}, file: stimuli/{file}1.mp4, condition: {human}, scenario: {scenario}}}
  - {{id: {second}, file: stimuli/{file}2.mp4, condition: {scripted}, scenario: {scenario}}}
timeline:
  - compare:
      id: pair
      of: [{{condition: {human}}}, {{condition: {scripted}}}]
      controls: {{seek: true, replay: true}}
      ask: [{{id: which, prompt: Which looked more human?, preference: {{forced: true}}}}]
  - finish: {{}}
"""
IN_SIGHT = (
    "(element) => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.top <"
    " innerHeight - 40; }"
)


def join(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play").first).to_be_visible()


def led_to(page: Page, selector: str) -> None:
    """The keyboard is at the section's heading, which can be seen, and screen readers were told."""
    expect(page.locator("#announcement")).to_have_text("The questions have appeared.")
    assert page.evaluate(
        "(selector) => Boolean(document.activeElement.closest(selector))", selector
    )
    page.wait_for_function(
        f"(selector) => ({IN_SIGHT})(document.querySelector(selector))", arg=selector
    )


def test_play_and_then_the_end_of_the_line_is_not_watching(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    server = serve(recordings.study(tmp_path / "study", JUMPS + ASK))
    join(page, server.link())
    assert page.locator(".missing").is_hidden(), "nothing was jumped over yet"
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("input.seek").press("End")
    expect(page.get_by_role("button", name="Watch again")).to_be_visible()
    expect(page.locator(".missing")).to_contain_text(
        "The questions appear when you have seen 90 %. Not seen yet: 0:"
    )
    assert page.locator(".after").is_hidden()
    page.get_by_role("button", name="Show me what I have not seen").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    assert page.locator(".missing").is_hidden()
    led_to(page, ".after")
    page.get_by_role("radio", name="4").check()
    page.get_by_label("Why?").fill("It walked about.")
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()


def test_what_is_missing_is_in_sight_on_a_small_laptop(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    """With the player at the lower edge of the window, as where a person stops to scroll."""
    page.set_viewport_size({"width": 1366, "height": 625})
    server = serve(recordings.study(tmp_path / "study", JUMPS + ASK))
    join(page, server.link())
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator("input.seek").press("End")
    expect(page.get_by_role("button", name="Watch again")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    page.locator(".player").evaluate(
        "(player) => { player.style.paddingTop = `${innerHeight}px`; }"
    )
    expect(page.locator(".missing")).to_contain_text("You have seen")
    expect(page.locator(".missing")).to_be_in_viewport(ratio=1)


def test_who_pauses_is_told_of_no_gap_and_who_jumps_without_questions_how_to_go_on(
    page: Page, serve: Any, tmp_path: Path, recordings: Any, goes_on: Callable[..., None]
) -> None:
    server = serve(
        recordings.study(
            tmp_path / "study", "controls: {pause: true, seek: true, speeds: [7], speed: 7}"
        )
    )
    join(page, server.link())
    for _ in range(6):
        page.get_by_role("button", name="Play", exact=True).click()
        goes_on(page)
        page.get_by_role("button", name="Pause", exact=True).click()
        assert page.locator(".missing").is_hidden(), "nothing was jumped over"
    page.locator("input.seek").fill("9000")
    page.get_by_role("button", name="Play", exact=True).click()
    missing = page.locator(".missing span")
    expect(missing).to_contain_text("You can continue when you have seen 90 %.")
    before = missing.inner_text()
    page.wait_for_function(
        "(words) => document.querySelector('.missing span').textContent !== words", arg=before
    )


def test_a_reload_neither_forgets_what_was_seen_nor_adds_to_it(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    server = serve(recordings.study(tmp_path / "study", JUMPS + ASK))
    join(page, server.link())
    page.locator("input.seek").press("End")  # nothing was played
    page.locator("input.seek").fill("5000")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Watch again")).to_be_visible()
    expect(page.locator(".missing")).to_contain_text("You have seen 5")
    expect(page.locator("#status")).to_have_text("Saved")
    page.reload()
    expect(page.locator("button.play")).to_be_visible()
    expect(page.locator(".missing")).to_contain_text("You have seen 5")
    page.get_by_role("button", name="Show me what I have not seen").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()


def test_a_comparison_leads_to_its_questions(
    page: Page, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    page.set_viewport_size({"width": 1366, "height": 500})
    join(page, serve(make_study(PAIR)).link())
    plays = page.get_by_role("button", name="Play", exact=True)
    plays.first.click()
    expect(page.get_by_role("button", name="Watch again")).to_have_count(1)
    assert page.locator(".after").is_hidden()
    plays.click()
    led_to(page, ".after")


def test_who_types_is_told_and_not_taken_away(
    page: Page, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    """The questions about the whole page open while somebody still writes about the first clip."""
    asked = "ask: [{{id: which, prompt: Which looked more human?, preference: {{forced: true}}}}]"
    clip = (
        "rate: [{{id: c, prompt: Comment, long_text: {{}}}}]\n      ask: [{{id: z, prompt: All,"
        " text: {{}}}}]"
    )
    text = PAIR.replace("compare:", "group:").replace(asked, clip)
    text = text.replace("of: [{{condition: {human}}}, {{condition: {scripted}}}]", "clips: 2")
    join(page, serve(make_study(text)).link())
    page.get_by_role("button", name="Play", exact=True).first.click()
    field = page.get_by_label("Comment").first
    field.click()
    page.evaluate("document.querySelectorAll('.pane')[1].querySelector('button.play').click()")
    page.keyboard.type("It walks")
    expect(page.locator(".after")).to_be_visible()
    page.keyboard.type(" well")
    expect(field).to_have_value("It walks well")
    expect(field).to_be_focused()
