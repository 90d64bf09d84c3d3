"""Comparisons and groups of clips in a real browser."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

HEAD = """\
believable: 1
title: Who walks like a human?
seed: 7
conditions: [{human}, {scripted}]
stimuli:
  - {{id: {first}, file: stimuli/{file}1.mp4, condition: {human}, scenario: {scenario}}}
  - {{id: {second}, file: stimuli/{file}2.mp4, condition: {scripted}, scenario: {scenario}}}
timeline:
"""
COMPARE = (
    HEAD
    + """\
  - compare:
      id: pair
      of: [{{condition: {human}}}, {{condition: {scripted}}}]
      ask:
        - {{id: which, prompt: Which looked more human?, preference: {{}}}}
        - {{id: sure, prompt: How certain are you?, certainty: {{}}}}
        - {{id: why, prompt: Why?, long_text: {{min_length: 10}}}}
  - finish: {{}}
"""
)
TOGETHER = COMPARE.replace("      ask:", "      playback: together\n      ask:")
GROUP = (
    HEAD
    + """\
  - group:
      id: page
      clips: 2
      controls: {{replay: true, max_views: 2}}
      rate:
        - {{id: rating, prompt: Human or artificial?, clip_rating: {{}}}}
        - {{id: strength, prompt: How artificial?, likert: {{points: 10}}, show_if: {{answer: rating, at_least: 4}}}}
        - {{id: views, prompt: How often did you watch it?, number: {{min: 1, max: 3}}}}
        - {{id: comment, prompt: Comment, required: false, text: {{}}}}
      ask: [{{id: all, prompt: Anything about all clips?, required: false, long_text: {{}}}}]
  - finish: {{}}
"""
)
LATER = (
    HEAD
    + """\
  - watch: {{id: one, stimulus: {first}}}
  - watch: {{id: two, stimulus: {second}}}
  - rate: {{of: [one, two], questions: [{{id: which, prompt: Which was better?, preference: {{forced: true}}}}]}}
  - finish: {{}}
"""
)


@pytest.fixture
def enter(
    page: Page, visitor: Any, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> Callable[..., Any]:
    def go(text: str, **names: str) -> Any:
        server = serve(make_study(text, **names))
        visitor.join(server.link())
        return server

    return go


def tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached with the Tab key")


def play_by_keyboard(page: Page, player: int) -> None:
    tab_to(page, f'.pane[data-player="{player}"] .play')
    page.keyboard.press("Enter")


def drawn(page: Page) -> list[bool]:
    """Whether each still shows something: not one colour all over."""
    return page.evaluate("""() => [...document.querySelectorAll("canvas.still")].map((still) => {
          const { data } = still.getContext("2d").getImageData(0, 0, still.width, still.height);
          return new Set(Array.from({ length: data.length / 4 }, (_, n) => data[4 * n])).size > 3;
        })""")


def test_a_comparison_by_keyboard(
    page: Page, visitor: Any, enter: Callable[..., Any], stored: Any
) -> None:
    server = enter(COMPARE)
    expect(page.locator(".pane")).to_have_count(2)
    expect(page.locator(".pane-label")).to_have_text(["A", "B"])
    expect(page.locator('.pane[data-player="0"] .play')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator('.pane[data-player="0"] .views')).to_have_text(
        "You have watched the video."
    )
    expect(page.locator(".after")).to_be_hidden()
    visitor.saved()

    page.reload()
    visitor.at(0)
    expect(page.locator('.pane[data-player="1"] .play')).to_be_visible()
    expect(page.locator('.pane[data-player="0"] .play')).to_be_hidden()
    play_by_keyboard(page, 1)
    expect(page.locator(".after")).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('canvas.still').length === 2")
    assert drawn(page) == [True, True]

    tab_to(page, "[name=q-which]")
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    tab_to(page, "[name=q-sure]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    tab_to(page, "#q-why")
    page.keyboard.type("It stops where a person would.")
    tab_to(page, "button.next")
    page.keyboard.press("Enter")
    assert visitor.finished()

    found = stored(server)
    assert found.answers["pair"] == {
        "which": "neither",
        "sure": 2,
        "why": "It stops where a person would.",
    }
    changes = [
        event["data"]["value"]
        for event in found.events
        if event["kind"] == "answer.change" and event["data"]["question"] == "which"
    ]
    assert changes == ["first", "second", "both", "neither"]
    ended = [event["data"]["player"] for event in found.events if event["kind"] == "media.ended"]
    assert ended == [0, 1]
    media = [event for event in found.events if event["kind"].startswith("media.")]
    assert {medium["data"]["player"] for medium in media} == {0, 1}


def test_one_plays_at_a_time_and_keys_belong_to_the_player_with_the_focus(
    page: Page, enter: Callable[..., Any], stored: Any, visitor: Any
) -> None:
    server = enter(COMPARE)
    play_by_keyboard(page, 0)
    expect(page.locator('.pane[data-player="0"] .play')).to_have_text("Pause")
    play_by_keyboard(page, 1)
    expect(page.locator('.pane[data-player="1"] .play')).to_have_text("Pause")
    expect(page.locator('.pane[data-player="0"] .play')).to_have_text("Play")
    page.keyboard.press("k")
    expect(page.locator('.pane[data-player="1"] .play')).to_have_text("Play")
    visitor.saved()
    pauses = [event["data"] for event in stored(server).events if event["kind"] == "media.pause"]
    assert [(pause["player"], pause["reason"]) for pause in pauses] == [(0, "other"), (1, "person")]


def test_together_both_run_and_end(
    page: Page, visitor: Any, enter: Callable[..., Any], stored: Any
) -> None:
    server = enter(TOGETHER)
    common = page.get_by_role("button", name="Play together")
    expect(common).to_be_focused()
    expect(page.locator(".pane .play")).to_have_count(2)
    for own in page.locator(".pane .play").all():
        expect(own).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator(".after")).to_be_visible()
    visitor.saved()
    events = stored(server).events
    plays = [event for event in events if event["kind"] == "media.play"]
    assert {play["data"]["player"] for play in plays} == {0, 1}
    assert abs(plays[0]["mono_ms"] - plays[1]["mono_ms"]) < 500
    assert sorted(
        event["data"]["player"] for event in events if event["kind"] == "media.ended"
    ) == [0, 1]


def test_a_clip_that_is_started_below_the_questions_of_another_comes_into_sight(
    page: Page, visitor: Any, enter: Callable[..., Any]
) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    enter(GROUP)
    panes = page.locator(".pane")
    panes.nth(0).locator("button.play").click()
    expect(panes.nth(0).locator(".about")).to_be_visible()
    page.evaluate(
        "document.querySelectorAll('.pane')[1].querySelector('button.play').scrollIntoView({ block:"
        " 'start' })"
    )
    assert (
        panes.nth(1).locator(".player video").evaluate("clip => clip.getBoundingClientRect().top")
        < 0
    )
    panes.nth(1).locator("button.play").click()
    page.wait_for_function(
        "() =>"
        " document.querySelectorAll('.pane')[1].querySelector('.player').getBoundingClientRect().top"
        " >= -1"
    )


def test_a_group_by_keyboard(
    page: Page, visitor: Any, enter: Callable[..., Any], stored: Any
) -> None:
    server = enter(GROUP)
    expect(page.locator(".pane-label")).to_have_text(["Clip 1", "Clip 2"])
    expect(page.locator(".about").first).to_be_hidden()
    expect(page.locator('.pane[data-player="0"] .play')).to_be_focused()
    page.keyboard.press("Enter")
    first, second = page.locator(".about").all()
    expect(first).to_be_visible()
    expect(second).to_be_hidden()
    expect(page.locator('.pane[data-player="0"] .views')).to_have_text(
        "You can watch it once more."
    )
    page.keyboard.press("Enter")
    expect(page.locator('.pane[data-player="0"] .views')).to_have_text(
        "You have watched the video."
    )

    expect(page.locator("#q-strength-0-question")).to_be_hidden()
    page.locator("[name=q-rating-0]").first.focus()
    page.keyboard.press("Space")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    tab_to(page, "[name=q-strength-0]")
    page.keyboard.press("Space")
    tab_to(page, "#q-views-0")
    page.keyboard.type("2")
    visitor.saved()

    page.reload()
    visitor.at(0)
    expect(page.locator("[name=q-rating-0][value='5']")).to_be_checked()
    expect(page.locator("#q-strength-0-question")).to_be_visible()
    expect(page.locator('.pane[data-player="0"] .play')).to_be_hidden()
    play_by_keyboard(page, 1)
    expect(page.locator(".after")).to_be_visible()
    tab_to(page, "[name=q-rating-1]")
    page.keyboard.press("Space")
    expect(page.locator("#q-strength-1-question")).to_be_hidden()
    tab_to(page, "#q-views-1")
    page.keyboard.type("1")
    tab_to(page, "button.next")
    page.keyboard.press("Enter")
    assert visitor.finished()

    found = stored(server)
    assert found.answers["page"] == {
        "rating-0": 5,
        "strength-0": 1,
        "views-0": 2,
        "comment-0": None,
        "rating-1": 1,
        "views-1": 1,
        "comment-1": None,
        "all": None,
    }
    counted = [event["data"]["player"] for event in found.events if event["kind"] == "media.ended"]
    assert counted == [0, 0, 1]


def test_stills_remind_of_what_was_watched_on_earlier_pages(
    page: Page, visitor: Any, enter: Callable[..., Any], stored: Any
) -> None:
    server = enter(LATER)
    for position in (0, 1):
        visitor.at(position)
        visitor.watch()
        visitor.next()
    visitor.at(2)
    page.wait_for_function(
        "() => [...document.querySelectorAll('canvas.still')].every((one) => one.width === 480)"
    )
    assert drawn(page) == [True, True]
    page.get_by_role("radio", name="The second").check()
    visitor.next()
    assert visitor.finished()
    assert stored(server).answers["rate"] == {"which": "second"}


def test_nothing_on_a_comparison_page_tells_which_is_which(
    page: Page, visitor: Any, enter: Callable[..., Any]
) -> None:
    names = ("human", "scripted", "first", "second", "file", "scenario")
    secret = {name: f"x{secrets.token_hex(6)}" for name in names}
    parts: list[tuple[str, bytes]] = []

    def take(response: Response) -> None:
        headers = "\n".join(f"{one['name']}: {one['value']}" for one in response.headers_array())
        parts.append((response.url, response.url.encode() + headers.encode()))
        if response.status in (200, 206):
            parts.append((response.url, response.body()))

    page.on("response", take)
    server = enter(COMPARE, **secret)
    for player in (0, 1):
        play_by_keyboard(page, player)
        expect(page.locator(f'.pane[data-player="{player}"] .views')).to_have_text(
            "You have watched the video."
        )
    assert page.locator(".pane .clock").count() == 0, "lengths could tell"
    assert not re.search(r"\d:\d\d", page.locator(".trial").inner_text())
    visitor.saved()
    page.reload()
    visitor.at(0)
    expect(page.locator(".after")).to_be_visible()
    assert sum("/media/" in url for url, _ in parts) >= 4
    digests = [path.name for path in server.settings.media_dir.iterdir() if len(path.name) == 64]
    found = [
        (url, what)
        for url, content in parts
        for what in (*secret.values(), *digests)
        if what.encode() in content
    ]
    assert found == []
