"""Whole pages in the gallery, by keyboard: comparison, group, device check, quality test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.web.gallery import EXAMPLES

PAGES = [one for (group, _), one in EXAMPLES.items() if group == "pages"]
#: Recorded by the page itself, whatever it shows.
PAGE_KINDS = {"trial.shown", "trial.submit", "answer.change"}


def recorded(page: Page) -> list[dict[str, Any]]:
    """The latest first."""
    told = page.locator("#events li").evaluate_all("lines => lines.map((one) => one.dataset.event)")
    return [json.loads(one) for one in told]


def opened(page: Page, gallery: str, name: str) -> None:
    page.goto(f"{gallery}/gallery/pages/{name}")
    expect(page.locator("#trial[data-ready]")).to_be_visible()
    expect(page.locator("#trial form.trial")).to_be_visible()


def use(page: Page, name: str) -> None:
    """Something that each page is for."""
    if name == "device":
        for row in range(6):
            page.locator("#trial .tones").nth(row).click()
            page.locator(f"#trial input[name=device-row-{row}]").first.check()
        page.locator("#trial .no-wheel").press("Enter")
        return
    play = page.locator("#trial button.play").first
    expect(play).to_be_visible()
    play.press("Enter")
    expect(page.locator("#events li", has_text="media.play")).not_to_have_count(0)
    if name == "qa":
        expect(page.locator('.trace[data-playing="true"]')).to_be_visible()
        page.keyboard.press("ArrowUp")
        expect(page.locator("#events li", has_text='"input":"key"')).to_have_count(1)
    else:
        page.locator("#trial input[type=radio]").first.press("Space")
        expect(page.locator("#events li", has_text="answer.change")).to_have_count(1)
    play.press("Enter")


@pytest.mark.parametrize("width", [1280, pytest.param(1024, marks=pytest.mark.slow), 390])
def test_nothing_lies_over_something_else(page: Page, gallery: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    for group, name in (
        ("players", "video"),
        ("players", "replay"),
        ("pages", "compare"),
        ("pages", "group"),
    ):
        page.goto(f"{gallery}/gallery/{group}/{name}")
        expect(page.locator("#trial button.play").first).to_be_visible()
        over = page.evaluate(
            """() => [...document.querySelectorAll("#trial :is(button, input, video, canvas)")].filter((one) => {
              const [inner, outer] = [one.getBoundingClientRect(), document.querySelector("#trial").getBoundingClientRect()];
              return inner.right > outer.right + 1;
            }).map((one) => one.className)"""
        )
        assert not over, (name, over)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


@pytest.mark.parametrize("example", PAGES, ids=lambda one: one.name)
def test_a_page_shows_records_what_it_declares_and_is_restored(
    page: Page, gallery: str, example: Any
) -> None:
    opened(page, gallery, example.name)
    use(page, example.name)
    declared = {event.kind: set(event.data) for event in example.events}
    events = recorded(page)
    assert {event["kind"] for event in events} & declared.keys()
    for one in events:
        if one["kind"] not in PAGE_KINDS:
            assert set(one["data"]) - {"player"} == declared[one["kind"]], one
    expect(page.locator("#events li.undeclared")).to_have_count(0)
    answers = page.locator("#trial input").evaluate_all(
        "all => all.map((one) => [one.value, one.checked])"
    )
    page.locator("#again").click()
    expect(page.locator("#trial[data-ready='2']")).to_be_visible()
    expect(page.locator("#trial form.trial")).to_be_visible()
    again = page.locator("#trial input").evaluate_all(
        "all => all.map((one) => [one.value, one.checked])"
    )
    assert again == answers


def stills_are_drawn(page: Page) -> None:
    page.wait_for_function("""() => [...document.querySelectorAll('canvas.still')].every((one) => {
          const { width, height } = one;
          return one.toDataURL() !== Object.assign(document.createElement('canvas'), { width, height }).toDataURL();
        })""")


@pytest.mark.parametrize("player", ["replay", "video"])
def test_a_preference_reminds_with_stills_of_both(page: Page, gallery: str, player: str) -> None:
    page.goto(f"{gallery}/gallery/instruments/preference")
    expect(page.locator("#trial[data-ready]")).to_be_visible()
    if player == "video":
        page.locator("#player").select_option("video")
    stills = page.locator("#trial canvas.still")
    expect(stills).to_have_count(2)
    stills_are_drawn(page)


def test_a_gallery_that_is_gone_is_told(page: Page, gallery: str) -> None:
    opened(page, gallery, "compare")
    page.route("**/mount", lambda route: route.abort())
    page.locator("#language").select_option("de")
    expect(page.locator("#problems")).to_contain_text("the gallery does not answer")
