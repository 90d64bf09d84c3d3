"""The practice page: what was understood is told, and the practice can be repeated. Its clocks run
three times as fast here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

STUDY = """\
believable: 1
title: What do you see?
seed: 3
stimuli: [{{id: clip, file: stimuli/clip1.mp4}}]
timeline:
  - watch: {{stimulus: clip, controls: {{must_finish: false}}, annotate: {{{kind}: {{}}}}}}
  - finish: {{}}
"""
#: All clocks that the page reads, and how large the disc was drawn last, as a share of its smallest
#: and largest size.
FASTER = """\
(() => {
  const SPEED = 3;
  const [now, frame] = [performance.now.bind(performance), requestAnimationFrame.bind(window)];
  const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
  performance.now = () => SPEED * now();
  window.requestAnimationFrame = (work) => frame((time) => work(SPEED * time));
  Object.defineProperty(Event.prototype, "timeStamp", { get() { return SPEED * get.call(this); } });
  const arc = CanvasRenderingContext2D.prototype.arc;
  window.disc = 0;
  CanvasRenderingContext2D.prototype.arc = function (x, y, radius, ...rest) {
    if (this.canvas.className === "disc") window.disc = (2 * radius / this.canvas.height - 0.3) / 0.6;
    return arc.call(this, x, y, radius, ...rest);
  };
})();
"""


def follow_the_disc(page: Page, up: str, down: str) -> None:
    """As a person would: when it has clearly grown or shrunk."""
    for key, seen in ((up, "() => disc > 0.6"), (down, "() => disc < 0.4")) * 2:
        page.wait_for_function(seen)
        page.keyboard.press(key)
        page.keyboard.press(key)


@pytest.mark.parametrize("kind", ["ranktrace", "btrace"])
def test_practice_says_what_was_understood_and_can_be_repeated(
    page: Page,
    serve: Callable[[Path], Any],
    make_study: Callable[..., Path],
    stored: Any,
    kind: str,
) -> None:
    server = serve(make_study(STUDY, kind=kind))
    page.add_init_script(FASTER)
    page.goto(server.link())
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Start the practice").press("Enter")
    follow_the_disc(page, "ArrowDown", "ArrowUp")
    expect(page.get_by_text("Not quite. Please try once more.")).to_be_visible()
    expect(page.locator("li.wrong")).to_have_count(4)
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Try again").press("Enter")
    follow_the_disc(page, "ArrowUp", "ArrowDown")
    expect(page.get_by_text("Well done")).to_be_visible()
    expect(page.locator("li.right")).to_have_count(4)
    expect(page.locator("#status")).to_have_text("Saved")
    results = [
        event["data"] for event in stored(server).events if event["kind"] == "practice.result"
    ]
    assert [result["passed"] for result in results] == [False, True]
    assert [move["direction"] for move in results[1]["moves"]] == [1, -1, 1, -1]
    page.get_by_role("button", name="Continue", exact=True).press("Enter")
    expect(page.locator("video")).to_be_visible()
