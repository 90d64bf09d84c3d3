"""A person goes through a whole study in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

FORM, WATCH_1 = 2, 4


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until the element that matches has the focus."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with the Tab key")


def go_on(page: Page) -> None:
    tab_to(page, "button.next")
    page.keyboard.press("Enter")


def test_a_whole_study_by_keyboard_alone(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    page.goto(server.link())
    tab_to(page, "button[type=submit]")
    page.keyboard.press("Enter")

    visitor.at(0)
    for box in ("#consent-adult", "#consent-agree"):
        tab_to(page, box)
        page.keyboard.press("Space")
    go_on(page)
    visitor.at(1)
    go_on(page)

    visitor.at(FORM)
    tab_to(page, "[name=q-often]")
    page.keyboard.press("ArrowRight")
    tab_to(page, "[name=q-device]")
    page.keyboard.press("Space")
    tab_to(page, "[name=q-genres][value=action]")
    page.keyboard.press("Space")
    tab_to(page, "#q-age")
    page.keyboard.type("41")
    tab_to(page, "#q-tired")
    page.keyboard.press("ArrowRight")
    for row in (1, 2):
        tab_to(page, f"[name=q-mood-{row}]")
        page.keyboard.press("ArrowRight")
    tab_to(page, "#q-why")
    page.keyboard.type("Out of curiosity.")
    go_on(page)

    visitor.at(3)
    tab_to(page, "[name=q-answer]")
    page.keyboard.press("ArrowRight")
    go_on(page)

    for position in (WATCH_1, WATCH_1 + 1):
        visitor.at(position)
        expect(page.get_by_role("button", name="Play")).to_be_focused()
        page.keyboard.press("Space")
        expect(page.locator(".after")).to_be_visible()
        tab_to(page, "[name=q-seemed]")
        page.keyboard.press("Space")
        go_on(page)

    visitor.at(6)
    go_on(page)
    visitor.at(7)
    tab_to(page, "#q-hard")
    page.keyboard.press("End")
    go_on(page)

    assert visitor.finished()
    held = stored(server)
    assert held.states == [("finished", "complete")]
    about = held.answers["form"]
    assert about["often"] == 2
    assert about["device"] == "computer"
    assert about["genres"] == ["action"]
    assert about["age"] == 41
    assert about["tired"] == 51
    assert about["mood"] == {"calm": 2, "bored": 2}
    assert about["why"] == "Out of curiosity."
    assert held.answers["rate"] == {"hard": 100}


def test_what_was_watched_is_recorded_exactly(visitor: Any, server: Any, stored: Any) -> None:
    visitor.until(WATCH_1 + 1, server.link())
    visitor.saved()
    media = [event for event in stored(server).events if event["kind"].startswith("media.")]
    kinds = [event["kind"] for event in media]
    assert kinds[0] == "media.ready"
    assert kinds.index("media.play") < kinds.index("media.interval") < kinds.index("media.ended")
    duration = media[0]["data"]["duration_ms"]
    assert abs(duration - 1500) < 60
    intervals = [
        event["data"]
        for event in media
        if event["kind"] == "media.interval" and event["trial"] == WATCH_1
    ]
    assert intervals[0]["from_ms"] == 0
    assert intervals[-1]["to_ms"] == duration
    assert sum(interval["to_ms"] - interval["from_ms"] for interval in intervals) == duration, (
        "pieces touch exactly"
    )
    assert {interval["rate"] for interval in intervals} == {1}


def test_a_wrong_answer_may_be_mended_and_then_ends_the_study(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(3, server.link())
    page.get_by_role("radio", name="red").check()
    visitor.next()
    expect(page.locator(".error-summary")).to_contain_text("That was not right")
    expect(page.locator(".error-summary")).to_be_focused()
    visitor.next()
    expect(page.get_by_role("heading", name="Thank you for your interest")).to_be_visible()
    assert visitor.finished()
    assert stored(server).states == [("finished", "screened_out")]


def test_declining_ends_without_a_code(page: Page, visitor: Any, server: Any, stored: Any) -> None:
    visitor.join(server.link())
    page.get_by_role("button", name="I do not agree").click()
    expect(page.get_by_role("heading", name="You did not agree to take part")).to_be_visible()
    expect(page.get_by_label("Your completion code")).to_have_count(0)
    assert stored(server).states == [("finished", "declined")]


def test_unanswered_questions_are_named_and_linked(page: Page, visitor: Any, server: Any) -> None:
    visitor.until(FORM, server.link())
    visitor.next()
    summary = page.locator(".error-summary")
    expect(summary).to_be_focused()
    expect(summary.get_by_role("listitem")).to_have_count(6)
    summary.get_by_role("link", name="How old are you?").click()
    expect(page.get_by_label("How old are you?")).to_be_focused()
    expect(page.get_by_label("How old are you?")).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("30")
    expect(page.locator("#q-age-error")).to_be_hidden()
    expect(page.locator("#q-device-error")).to_be_visible()


def test_an_untouched_slider_is_no_answer_and_one_click_on_its_middle_is(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.fill_form(slider=False)
    visitor.next()
    expect(page.locator(".error-summary").get_by_role("listitem")).to_have_count(1)
    page.get_by_label("How tired are you?").click()
    visitor.next()
    visitor.at(3)
    assert stored(server).answers["form"]["tired"] == 50


SHOWN_IF = """\
believable: 1
title: {{en: Depends, de: Es kommt darauf an}}
seed: 1
languages: [en, de]
timeline:
  - form:
      id: start
      questions:
        - {{id: plays, prompt: {{en: Do you play?, de: Spielen Sie?}}, choice: {{options: [{{value: y, label: {{en: "yes", de: ja}}}}, {{value: n, label: {{en: "no", de: nein}}}}]}}}}
        - {{id: which, prompt: {{en: Which game?, de: Welches Spiel?}}, show_if: {{answer: start.plays, is: y}}, text: {{}}}}
  - finish: {{}}
"""  # noqa: E501


def test_a_question_that_depends_on_another_comes_and_goes(
    page: Page,
    visitor: Any,
    serve: Callable[[Path], Any],
    make_study: Callable[..., Path],
    stored: Any,
) -> None:
    server = serve(make_study(SHOWN_IF))
    page.goto(server.link())
    page.get_by_label("Language").select_option("de")
    page.get_by_role("button", name="Beginnen").click()
    visitor.at(0)
    assert page.locator("html").get_attribute("lang") == "de"
    which = page.get_by_label("Welches Spiel?")
    expect(which).to_be_hidden()
    page.get_by_role("radio", name="ja").check()
    expect(which).to_be_visible()
    which.fill("Schach")
    page.get_by_role("radio", name="nein").check()
    expect(which).to_be_hidden()
    page.get_by_role("button", name="Weiter").click()
    expect(page.get_by_role("heading", name="Vielen Dank!")).to_be_visible()
    assert stored(server).answers["start"] == {"plays": "n"}
