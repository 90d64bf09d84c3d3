"""Stimuli use the room that a large screen has, and can be shown on all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

PAIR = """\
believable: 1
title: Pairs
seed: 1
conditions: [human, bot]
stimuli:
  - {{id: first, file: stimuli/first.mp4, condition: human}}
  - {{id: second, file: stimuli/second.mp4, condition: bot}}
timeline:
  - compare:
      id: pair
      of: [{{condition: human}}, {{condition: bot}}]
      match: none
      playback: {playback}
      ask: [{{id: which, prompt: Which looked more human?, preference: {{}}}}]
  - finish: {{}}
"""


@pytest.fixture
def open_pair(
    page: Page, visitor: Any, serve: Callable[[Path], Any], tmp_path: Path, long_video: Path
) -> Callable[[str], None]:
    def go(playback: str) -> None:
        stimuli = tmp_path / "study" / "stimuli"
        stimuli.mkdir(parents=True)
        for name in ("first", "second"):
            (stimuli / f"{name}.mp4").write_bytes(long_video.read_bytes())
        (tmp_path / "study" / "study.yaml").write_text(
            PAIR.format(playback=playback), encoding="utf-8"
        )
        visitor.join(serve(tmp_path / "study").link())
        expect(page.locator(".pane video")).to_have_count(2)
        expect(page.locator(".panes")).to_be_visible()

    return go


def box_of(part: Locator) -> dict[str, float]:
    box = part.bounding_box()
    assert box is not None
    return dict(box)


def in_full_screen(page: Page, what: str) -> None:
    page.wait_for_function(
        "what => what ? document.fullscreenElement?.matches(what) : !document.fullscreenElement",
        arg=what,
    )


def test_a_pair_uses_a_large_screen_and_one_clip_the_whole_of_it(
    page: Page, open_pair: Callable[[str], None]
) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_pair("independent")
    small = box_of(page.locator(".pane video").first)
    assert small["width"] > 850
    button = page.locator(".pane .full-screen").first
    button.click()
    in_full_screen(page, ".player")
    expect(button).to_have_text("Leave full screen")
    large = box_of(page.locator(".pane video").first)
    assert large["height"] > 900
    expect(page.locator(".pane .play").first).to_be_in_viewport(ratio=1)
    button.click()
    in_full_screen(page, "")
    expect(button).to_have_text("Full screen")
    assert box_of(page.locator(".pane video").first) == pytest.approx(small)


def test_a_pair_that_plays_together_fills_the_screen_together(
    page: Page, open_pair: Callable[[str], None]
) -> None:
    page.set_viewport_size({"width": 1366, "height": 625})
    open_pair("together")
    page.locator(".common .full-screen").click()
    in_full_screen(page, ".several")
    for part in (
        page.locator(".pane video").first,
        page.locator(".pane video").last,
        page.locator(".common .play"),
    ):
        expect(part).to_be_in_viewport(ratio=1)


def test_at_the_end_the_page_with_its_questions_comes_back(
    page: Page, visitor: Any, serve: Callable[[Path], Any], watched_study: Callable[[str], Path]
) -> None:
    ask = (
        "controls: {must_finish: true, speeds: [8], speed: 8}, ask: [{id: why, prompt: Why?, text:"
        " {}}]"
    )
    visitor.join(serve(watched_study(ask)).link())
    page.locator(".full-screen").click()
    in_full_screen(page, ".player")
    expect(page.locator(".player :is(video, canvas)")).to_be_in_viewport(ratio=1)
    page.locator(".play").click()
    in_full_screen(page, "")
    expect(page.locator(".after .question")).to_be_in_viewport()


def test_what_people_annotate_stays_beside_its_instrument(
    page: Page, visitor: Any, serve: Callable[[Path], Any], tmp_path: Path, recordings: ModuleType
) -> None:
    visitor.join(serve(recordings.study(tmp_path / "study", "annotate: {ranktrace: {}}")).link())
    expect(page.locator(".trace")).to_be_visible()
    expect(page.locator(".full-screen")).to_have_count(0)
