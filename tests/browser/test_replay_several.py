"""Recordings side by side, in groups, and traced: what the tests of videos show, with the replay
player.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.recordings.file import write

HEAD = """\
believable: 1
title: Walks
seed: 4
conditions: [made, other]
stimuli:
  - {id: one, file: stimuli/one.replay.json.gz, condition: made, scenario: yard}
  - {id: two, file: stimuli/two.replay.json.gz, condition: other, scenario: yard}
timeline:
"""
COMPARE = """\
  - compare:
      id: pair
      of: [{condition: made}, {condition: other}]
      playback: together
      ask: [{id: which, prompt: Which looked more human?, preference: {}}]
  - finish: {}
"""
GROUP = """\
  - group:
      id: page
      clips: 2
      controls: {replay: true, max_views: 2}
      rate: [{id: rating, prompt: Human or artificial?, clip_rating: {}}]
  - finish: {}
"""
TRACE = """\
  - watch:
      stimulus: one
      practice: false
      controls: {must_finish: false, seek: true, speeds: [0.5, 1], speed: 1}
      annotate: {prompt: How lifelike?, ranktrace: {}}
  - finish: {}
"""
STILLS = """() => [...document.querySelectorAll('canvas.still')].every((one) => {
  const { width, height } = one;
  return one.toDataURL() !== Object.assign(document.createElement('canvas'), { width, height }).toDataURL();
})"""
FRAMES = 25  # two and a half seconds


@pytest.fixture
def enter(page: Page, serve: Any, tmp_path: Path, recordings: ModuleType) -> Any:
    """`enter(timeline)` is at its first page."""

    def go(timeline: str) -> Any:
        folder = tmp_path / "study"
        (folder / "stimuli").mkdir(parents=True)
        for name, kind in (("one", "arena"), ("two", "town")):
            write(recordings.walk(kind, frames=FRAMES), folder / f"stimuli/{name}.replay.json.gz")
        (folder / "study.yaml").write_text(HEAD + timeline)
        server = serve(folder)
        page.goto(server.link())
        page.get_by_role("button", name="Start", exact=True).click()
        return server

    return go


def saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("Saved")


def test_two_recordings_play_together_and_are_compared(page: Page, enter: Any, stored: Any) -> None:
    server = enter(COMPARE)
    expect(page.locator(".pane canvas")).to_have_count(2)
    expect(page.locator(".after")).to_be_hidden()
    page.get_by_role("button", name="Play together").press("Enter")
    expect(page.locator(".after")).to_be_visible()
    expect(page.locator("canvas.still")).to_have_count(2)
    page.wait_for_function(STILLS)
    page.get_by_role("radio", name="B", exact=True).press("Space")
    saved(page)
    page.reload()
    expect(page.get_by_role("radio", name="B", exact=True)).to_be_checked()
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()
    held = stored(server)
    assert held.answers["pair"]["which"] == "second"
    for player in (0, 1):
        shown = [
            event["data"]
            for event in held.events
            if event["kind"] == "media.interval" and event["data"]["player"] == player
        ]
        assert sum(one["to_ms"] - one["from_ms"] for one in shown) == 100 * FRAMES


def test_the_player_that_draws_the_reminders_cannot_be_reached_with_the_tab_key(
    page: Page, enter: Any
) -> None:
    page.add_init_script(
        """globalThis.apart = [];
        addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
          for (const one of document.querySelectorAll('body > div[style*="-9999px"] button'))
            apart.push(getComputedStyle(one).visibility);
        }).observe(document.body, { childList: true, subtree: true }));"""
    )
    enter(COMPARE)
    page.get_by_role("button", name="Play together").press("Enter")
    expect(page.locator("canvas.still")).to_have_count(2)
    page.wait_for_function(STILLS)
    assert set(page.evaluate("apart")) == {"hidden"}


def test_a_group_of_recordings_counts_views(page: Page, enter: Any, stored: Any) -> None:
    server = enter(GROUP)
    panes = page.locator(".pane")
    expect(panes.locator("canvas")).to_have_count(2)
    for number in (0, 1):
        pane = panes.nth(number)
        # The panes appear once both are ready. A hidden button takes no focus, and the key would be lost.
        expect(pane.locator("button.play")).to_be_visible()
        pane.locator("button.play").press("Enter")
        expect(pane.get_by_text("You can watch it once more.")).to_be_visible()
        pane.locator("input[type=radio]").nth(number).press("Space")
    panes.first.locator("button.play").press("Enter")
    expect(panes.first.locator("button.play")).to_be_hidden()
    saved(page)
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()
    held = stored(server)
    ended = [
        (event["data"]["player"], event["data"]["view"])
        for event in held.events
        if event["kind"] == "media.ended"
    ]
    assert ended == [(0, 1), (1, 1), (0, 2)]
    assert held.answers["page"] == {"rating-0": 1, "rating-1": 2}


@pytest.mark.timing
@pytest.mark.parametrize("rate", [1, 0.5])
def test_a_recording_is_traced_on_time(
    page: Page, enter: Any, stored: Any, witness: ModuleType, rate: float
) -> None:
    witness.install(page)
    server = enter(TRACE)
    page.locator("select.speed").select_option(str(rate))
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator('.trace[data-playing="true"]')).to_be_visible()
    page.mouse.move(640, 500)
    for number in range(6):
        before = witness.count(page)
        if number % 2:
            page.keyboard.press("ArrowUp")
        else:
            page.mouse.wheel(0, -100)
        witness.arrived(page, before + 1)
    saved(page)
    events = stored(server).events
    made = [
        event
        for event in events
        if event["kind"] == "trace.sample" and event["data"]["input"] != "heartbeat"
    ]
    assert [one["data"]["value"] for one in made] == [1, 2, 3, 4, 5, 6]
    (begun,) = (input_["now_ms"] for input_ in witness.inputs(page, "click"))
    met = witness.inputs(page, "wheel", "keydown")
    for one in met:
        one["media_ms"] = witness.on_canvas_ms(page, one["mono_ms"], started_ms=begun, rate=rate)
    witness.assert_on_time(made, met)
    frame_ms = 100
    assert all(one["data"]["frame"] == one["data"]["media_ms"] // frame_ms for one in made)
