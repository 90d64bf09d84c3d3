"""Every kind of page by axe: names for controls, headings in order, everything inside a region."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from believable.recordings import file
from believable.worlds.maze.opponents import FrustratedOpponent
from believable.worlds.maze.record import play_round
from believable.worlds.maze.rules import MazeRules
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.maze.temper import preset

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
#: Of lesser findings these count as well.
ALSO = ("region", "heading-order", "page-has-heading-one", "landmark-one-main")
pytestmark = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm ci")
GROUP = """\
believable: 1
title: Clips
seed: 7
conditions: [a, b]
stimuli:
  - {{id: {first}, file: stimuli/{file}1.mp4, condition: a}}
  - {{id: {second}, file: stimuli/{file}2.mp4, condition: b}}
timeline:
  - text: {{id: words, text: "# How it works\\n\\nRead **this**."}}
  - check: {{id: asked, reread: words, question: {{prompt: Which?, choice: {{options: [x, y]}}}}, correct: y, attempts: 2}}
  - compare:
      id: pair
      of: [{{condition: a}}, {{condition: b}}]
      match: none
      watermark: For research only
      ask: [{{id: which, prompt: Which one?, preference: {{}}}}]
  - finish: {{}}
"""


def violations(page: Page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    listed = page.evaluate(
        "async () => (await axe.run(document, { resultTypes: ['violations'], preload: false"
        " })).violations"
    )
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:120]}"
        for rule in listed
        for node in rule["nodes"]
        if rule["impact"] in ("serious", "critical") or rule["id"] in ALSO
    ]


def test_every_kind_of_page_can_be_used_with_a_screen_reader(
    page: Page, visitor: Any, server: Any
) -> None:
    page.goto(server.link())
    said = {"landing": violations(page)}
    visitor.join(server.link())
    steps = [
        ("consent", visitor.consent),
        ("text", visitor.read),
        ("form", visitor.form),
        ("check", visitor.check),
        ("watch", lambda: visitor.judge(4)),
        ("watch again", lambda: visitor.judge(5)),
        ("break", visitor.rest),
        ("rate", visitor.rate),
    ]
    for name, go_on in steps:
        said[name] = violations(page)
        go_on()
    visitor.finished()
    said["finish"] = violations(page)
    assert {name: listed for name, listed in said.items() if listed} == {}


def test_a_text_at_hand_and_a_watermark_beside_the_picture(
    page: Page, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    page.goto(serve(make_study(GROUP)).link())
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("heading", name="How it works")).to_be_visible()
    page.locator("button.next").click()
    page.get_by_role("radio", name="x").check()
    assert page.get_by_text("Read it again").is_hidden()
    page.locator("button.next").click()
    again = page.locator(".reminder")
    expect(again.get_by_role("heading", name="How it works", level=2)).to_be_visible()
    expect(again).to_contain_text("Read this.")
    assert "<" not in again.inner_text()
    assert violations(page) == []
    page.get_by_role("radio", name="y").check()
    page.locator("button.next").click()
    expect(page.locator(".pane video")).to_have_count(2)
    expect(page.locator(".panes")).to_be_visible()
    assert violations(page) == []
    first, second = (pane.bounding_box() for pane in page.locator(".pane video").all())
    assert first is not None
    assert second is not None
    assert abs(first["y"] - second["y"]) < 2
    assert second["x"] >= first["x"] + first["width"], "side by side"
    for box in page.locator(".player[data-watermark]").all():
        mark = box.evaluate("(player) => getComputedStyle(player, '::before').bottom")
        assert float(mark.removesuffix("px")) >= box.evaluate("(player) => player.clientHeight"), (
            "above the picture"
        )


def test_a_phone_is_told_before_and_offered_nothing(
    browser: Browser, serve: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(
        "believable: 1\ntitle: Keys\nseed: 1\nrecruit: {desktop_only: true}\ntimeline: [{text:"
        " {text: Hello}}, {finish: {}}]\n"
    )
    link = serve(tmp_path / "study").link()
    for phone in (True, False):
        size = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 720}
        context = browser.new_context(viewport=size, screen=size, is_mobile=phone, has_touch=phone)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(link)
        start = page.get_by_role("button", name="Start")
        if phone:
            expect(page.locator("#desktop-only")).to_be_visible()
            expect(start).to_be_disabled()
        else:
            expect(start).to_be_enabled()
            expect(page.locator("#desktop-only")).to_be_hidden()
        context.close()


PLAYED = """\
believable: 1
title: Clips
seed: 7
conditions: [a, b]
stimuli:
  - {{id: {first}, file: stimuli/{file}1.mp4, condition: a}}
  - {{id: {second}, file: stimuli/{file}2.mp4, condition: b}}
timeline:
  - play: {{id: game, title: A game, opponent: calm, duration_s: 5, countdown_s: 1}}
  - watch: {{id: clip, stimulus: {first}, controls: {{must_finish: true}}}}
  - recall:
      id: recalled
      of: clip
      questions: [{{stimulus: {first}, prompt: What was it?, right: Grey, wrong: [Red, Blue]}}]
  - qa: {{id: bright, test: visual, gate: record}}
  - finish: {{}}
"""


def test_a_game_a_question_about_the_clip_and_the_practice_can_be_used_with_a_screen_reader(
    page: Page, visitor: Any, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    page.goto(serve(make_study(PLAYED)).link())
    page.get_by_role("button", name="Start", exact=True).click()
    start = page.locator("button.go")
    expect(start).to_be_visible()
    said = {"play": violations(page)}
    start.click()
    expect(page.locator('.game[data-state="run"]')).to_be_visible()
    said["game"] = violations(page)
    expect(page.locator('.game[data-state="over"]')).to_be_visible(timeout=90_000)
    said["game over"] = violations(page)
    visitor.next()
    page.get_by_role("button", name="Play").click()
    expect(page.locator("button.next")).to_be_enabled(timeout=60_000)
    expect(page.locator(".after")).to_be_visible(timeout=60_000)
    visitor.next()
    expect(page.get_by_role("radio", name="Grey")).to_be_visible()
    said["recall"] = violations(page)
    page.get_by_role("radio", name="Grey").check()
    visitor.next()
    expect(page.get_by_role("button", name="Start the practice")).to_be_visible()
    said["practice"] = violations(page)
    assert {name: listed for name, listed in said.items() if listed} == {}


@pytest.mark.parametrize("name", ["device", "qa", "group", "compare"])
def test_pages_of_the_gallery_can_be_used_with_a_screen_reader(
    page: Page, gallery: str, name: str
) -> None:
    page.goto(f"{gallery}/gallery/pages/{name}")
    expect(page.locator("#trial[data-ready]")).to_be_visible()
    expect(page.locator("#trial form.trial")).to_be_visible()
    assert violations(page) == []


DAY = """\
believable: 1
title: A day
seed: 1
conditions: [one]
stimuli: [{id: one, file: stimuli/one.replay.json.gz, condition: one}]
timeline:
  - watch:
      id: day
      title: One day
      text: Watch the whole day. Whenever the character does something that you do not believe, give it a thumbs down.
      stimulus: one
      controls: {seek: true, must_finish: true}
      annotate: {flags: {reason: true}}
      overlay: {plan: true, log: true}
      ask: [{id: real, prompt: How believable?, likert: {points: 7}}]
  - finish: {}
"""


@pytest.mark.parametrize("size", [(1366, 768), (1280, 720)])
def test_thumb_plan_and_log_stand_beside_the_picture_from_the_start(
    page: Page, serve: Callable[[Path], Any], tmp_path: Path, size: tuple[int, int]
) -> None:
    replay, _ = play_round(
        5,
        ScriptedPlayer(5),
        FrustratedOpponent(preset("calm"), 5),
        agent="calm",
        settings=MazeRules(round_ticks=90),
    )
    (tmp_path / "study" / "stimuli").mkdir(parents=True)
    file.write(replay, tmp_path / "study" / "stimuli" / "one.replay.json.gz")
    (tmp_path / "study" / "study.yaml").write_text(DAY)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(serve(tmp_path / "study").link())
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    picture = page.locator(".player canvas").bounding_box()
    assert picture is not None
    parts = (
        page.locator(".beside button").filter(has_text="Plans"),
        page.locator(".beside button").filter(has_text="Log"),
    )
    for part in (*parts, page.get_by_text("On screen now")):
        box = part.first.bounding_box()
        assert box is not None
        assert box["x"] >= picture["x"] + picture["width"]
        assert box["y"] + box["height"] <= size[1]
    assert picture["y"] + picture["height"] <= size[1]
    assert violations(page) == []
    for part in parts:
        part.click()
    page.keyboard.press("f")
    page.keyboard.press("f")
    panel = page.locator(".overlay-log").bounding_box()
    assert panel is not None
    assert panel["y"] + panel["height"] <= size[1], "plan, log and marks end within the window"
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_focused()
    expect(page.get_by_role("heading", name="Your answers")).to_be_in_viewport()
