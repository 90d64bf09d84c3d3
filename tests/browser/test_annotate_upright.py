"""Where a trace stands: beside a stimulus that is as high as wide, where the window has room; below
it otherwise.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from playwright.sync_api import FloatRect, Page, expect

from believable.recordings.recording import RecordedWorld

WATCH = "practice: false, controls: {must_finish: false}, annotate: {ranktrace: {}}"
OPEN = "#" + "." * 14 + "#"
SQUARE = RecordedWorld(kind="arena", width=16, height=16, walls=("#" * 16, *[OPEN] * 14, "#" * 16))


def box(page: Page, name: str) -> FloatRect:
    found = page.locator(name).first.bounding_box()
    assert found is not None
    return found


def enter(page: Page, serve: Any, folder: Path) -> None:
    page.goto(serve(folder).link())
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".trace-area")).to_be_visible()


def test_a_square_stimulus_is_large_with_its_trace_beside_it(
    page: Page, serve: Any, tmp_path: Path, recordings: ModuleType
) -> None:
    enter(
        page,
        serve,
        recordings.study(tmp_path / "study", WATCH, replay=recordings.walk(world=SQUARE)),
    )
    for width, height, least in ((1366, 768, 480), (1280, 720, 440), (1920, 1080, 760)):
        page.set_viewport_size({"width": width, "height": height})
        shown, trace, controls = (
            box(page, ".player canvas"),
            box(page, ".trace-area"),
            box(page, ".controls"),
        )
        assert shown["width"] >= least
        assert abs(shown["width"] - shown["height"]) < 2, "it is squeezed"
        assert trace["x"] > shown["x"] + shown["width"], "the trace is not beside it"
        assert trace["width"] > 300
        assert max(controls["y"] + controls["height"], trace["y"] + trace["height"]) <= height, (
            "one has to scroll"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.set_viewport_size({"width": 900, "height": 700})
    assert (
        box(page, ".trace-area")["y"]
        > box(page, ".player canvas")["y"] + box(page, ".player canvas")["height"]
    )


def test_a_wide_stimulus_keeps_its_trace_below(
    page: Page, serve: Any, tmp_path: Path, recordings: ModuleType
) -> None:
    enter(page, serve, recordings.study(tmp_path / "study", WATCH))
    shown, trace = box(page, ".player canvas"), box(page, ".trace-area")
    assert shown["width"] > 1.5 * shown["height"]
    assert trace["y"] > shown["y"] + shown["height"]
