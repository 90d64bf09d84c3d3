"""Nothing moves away from under somebody's pointer: what comes late has its place, or comes all at
once.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from believable.contracts.texts import LANGUAGES, built_in
from believable.recordings.file import write

PAIR = """\
believable: 1
title: Walks
seed: 4
conditions: [made, other]
stimuli:
  - {{id: one, file: stimuli/one.{ending}, condition: made, scenario: yard}}
  - {{id: two, file: stimuli/two.{ending}, condition: other, scenario: yard}}
timeline:
  - compare:
      id: pair
      of: [{{condition: made}}, {{condition: other}}]
      playback: {playback}
      ask: [{{id: which, prompt: Which looked more human?, preference: {{}}}}]
  - finish: {{}}
"""
#: For every word and its state: where the trial begins, and by how much the words are too long for
#: their place.
MOVES = """(said) => said.map(([state, words]) => {
  const line = document.getElementById('status');
  line.dataset.state = state;
  line.textContent = words;
  const lowest = line.getBoundingClientRect().bottom - document.querySelector('.top').getBoundingClientRect().bottom;
  return [document.getElementById('trial').getBoundingClientRect().top, Math.max(0, lowest)];
})"""
#: Keeps the places of a page's controls, in every picture in which they can be seen.
PLACES = """
globalThis.places = [];
(function look() {
  requestAnimationFrame(look);
  const controls = [...document.querySelectorAll(':is(.pane, .common) :is(.controls, .play)')];
  const seen = controls.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect());
  if (seen.length) places.push(JSON.stringify(seen.map(({ x, y }) => [x, y])));
})();
"""
#: What is to be seen in the first picture that has a button to play.
WITH_PLAY = """(what) => {
  if (!document.querySelector('button.play')?.checkVisibility()) return null;
  return what.map((one) => Boolean(document.querySelector(one)?.checkVisibility()));
}"""


@pytest.fixture
def motion() -> str:
    """As most people have it: what moves by itself may push something away."""
    return "no-preference"


def test_what_is_said_about_saving_moves_nothing(page: Page, visitor: Any, server: Any) -> None:
    """Whoever is about to click does not miss because the line broke in this moment."""
    visitor.join(server.link())
    visitor.saved()
    states = ("saving", "saved", "offline", "full", "memory", "conflict", "refused")
    said = [("saved", "")]
    said += [
        (state, built_in(language)[f"status.{state}"]) for language in LANGUAGES for state in states
    ]
    for width in (1280, 900, 768, 360):
        page.set_viewport_size({"width": width, "height": 720})
        places = page.evaluate(MOVES, said)
        assert places == [[places[0][0], 0]] * len(said), width


@pytest.mark.parametrize(
    ("ending", "playback"), [("replay.json.gz", "together"), ("mp4", "independent")]
)
def test_a_comparison_comes_at_once(
    context: BrowserContext,
    page: Page,
    serve: Any,
    tmp_path: Path,
    recordings: ModuleType,
    clips: tuple[Path, Path],
    ending: str,
    playback: str,
) -> None:
    folder = tmp_path / "study"
    (folder / "stimuli").mkdir(parents=True)
    for name, clip in zip(("one", "two"), clips, strict=True):
        path = folder / "stimuli" / f"{name}.{ending}"
        if ending == "mp4":
            path.write_bytes(clip.read_bytes())
        else:
            write(recordings.walk(frames=25), path)
    (folder / "study.yaml").write_text(PAIR.format(ending=ending, playback=playback))
    context.add_init_script(PLACES)
    page.goto(serve(folder).link())
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("button", name="Play").first).to_be_focused()
    seen = page.evaluate("places.length")
    page.wait_for_function("(least) => places.length > least", arg=seen + 10)
    places = page.evaluate("places")
    assert len(set(places)) == 1


@pytest.mark.parametrize(
    ("watch", "late", "what"),
    [
        ("annotate: {ranktrace: {}}", "**/ranktrace/widget.js", [".trace-area"]),
        (
            "overlay: {plan: true, log: true}, annotate: {flags: {}}",
            "**/beside.js",
            [".overlay-toggle", ".flags"],
        ),
    ],
    ids=["trace", "flags"],
)
def test_nobody_can_play_before_the_instrument_is_there(
    page: Page,
    serve: Any,
    tmp_path: Path,
    recordings: ModuleType,
    watch: str,
    late: str,
    what: list[str],
) -> None:
    held: list[Route] = []
    page.route(late, lambda route: held.append(route))
    page.goto(serve(recordings.study(tmp_path / "study", f"practice: false, {watch}")).link())
    with page.expect_request(late):
        page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play")).to_be_hidden()
    for route in held:
        route.continue_()
    assert page.wait_for_function(WITH_PLAY, arg=what).json_value() == [True] * len(what)


def test_the_log_of_a_video_is_there_before_it_can_be_played(
    page: Page, serve: Any, tmp_path: Path, recordings: ModuleType, clips: tuple[Path, Path]
) -> None:
    folder = tmp_path / "study"
    (folder / "stimuli").mkdir(parents=True)
    (folder / "stimuli" / "walk.mp4").write_bytes(clips[0].read_bytes())
    recordings.action_log(folder / "stimuli" / "walk.actions.json", seconds=4)
    watch = "practice: false, overlay: {log: true}, annotate: {flags: {}}"
    recordings.study(folder, watch, file="stimuli/walk.mp4")
    asked: list[str] = []

    def fail_first(route: Route) -> None:
        asked.append(route.request.url)
        if asked.count(route.request.url) == 1:
            route.abort()
        else:
            route.continue_()

    page.route("**/media/*", fail_first)
    page.goto(serve(folder).link())
    page.get_by_role("button", name="Start").click()
    assert page.wait_for_function(WITH_PLAY, arg=[".overlay-toggle", ".flags"]).json_value() == [
        True,
        True,
    ]
    assert len(set(asked)) == 2, "the video and its log"
    expect(page.locator(".flags-now")).to_contain_text("moves 0")
