"""Smooth: what drawing costs per picture, how often it is drawn, and how soon an input is recorded.

Measured inside the page, so that a machine without a screen, or with other work, is not mistaken
for slow code: of every picture the page was given, the time its drawing took. At 60 a second there
are 16.7 ms for everything; drawing may take half of it.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.timing

PICTURE_MS = 1000 / 60
BUDGET_MS = 8.0
PICTURES = 120
WATCH = (
    "practice: false, controls: {must_finish: false, speeds: [0.25, 1, 8, 600], speed: %s},"
    " annotate: {%s: {}}"
)


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


@pytest.fixture
def enter(
    page: Page, serve: Any, tmp_path: Path, recordings: ModuleType, witness: ModuleType
) -> Any:
    def go(kind: str, speed: float, instrument: str) -> Any:
        folder = recordings.study(
            tmp_path / "study", WATCH % (speed, instrument), replay=recordings.walk(kind)
        )
        server = serve(folder)
        witness.install(page)
        witness.measure(page)
        page.goto(server.link())
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator("canvas").first).to_be_visible()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        return server

    return go


@pytest.mark.parametrize("speed", [0.25, 1, 8])
@pytest.mark.parametrize("kind", ["maze", "arena", "town"])
def test_drawing_recording_and_trace_leaves_half_of_every_picture(
    page: Page, enter: Any, witness: ModuleType, kind: str, speed: float
) -> None:
    enter(kind, speed, "ranktrace")
    costs = witness.drawn(page, PICTURES)
    assert statistics.median(costs) < BUDGET_MS, (
        f"median {statistics.median(costs):.2f} ms, p95 {p95(costs):.2f} ms"
    )
    drawing = page.evaluate("drawing")[-PICTURES // 2 :]
    assert min(one["calls"] for one in drawing) >= 2, (
        "recording and trace are drawn for every picture"
    )


def waits_ms(page: Page, notes: str, made: list[Any], keys: list[Any]) -> list[float]:
    """From the handler's begin to this note of the event."""
    at = {
        one["mono_ms"]: one["at_ms"]
        for one in page.evaluate(notes)
        if one["kind"].startswith("trace.")
    }
    return [at[one["mono_ms"]] - key["now_ms"] for one, key in zip(made, keys, strict=True)]


@pytest.mark.parametrize("instrument", ["ranktrace", "gtrace", "btrace"])
def test_an_input_is_recorded_within_one_picture(
    page: Page, enter: Any, witness: ModuleType, stored: Any, instrument: str
) -> None:
    """Its record is made at once. It is given to the browser's storage when that has written what
    came before.
    """
    server = enter("arena", 1, instrument)
    for number in range(20):
        page.keyboard.press("ArrowDown" if number % 4 > 1 else "ArrowUp")
        page.wait_for_function(
            "n => stored_ms.filter(({ kind }) => kind.startsWith('trace.')).length > n", arg=number
        )
        page.wait_for_function(
            "until => performance.now() > until", arg=page.evaluate("performance.now()") + 100
        )
    expect(page.locator("#status")).to_have_text("Saved")
    keys = witness.inputs(page, "keydown")
    made = [
        event
        for event in stored(server).events
        if event["kind"].startswith("trace.") and event["data"]["input"] == "key"
    ]
    assert len(made) == len(keys) == 20
    stamps = [one["mono_ms"] - key["mono_ms"] for one, key in zip(made, keys, strict=True)]
    assert max(map(abs, stamps)) <= 0.1, "a sample carries its input's own time"
    told = {notes: waits_ms(page, notes, made, keys) for notes in ("made_ms", "stored_ms")}
    words = ", ".join(
        f"{notes}: median {statistics.median(waits):.2f}, p95 {p95(waits):.2f}"
        for notes, waits in told.items()
    )
    assert p95(told["made_ms"]) < PICTURE_MS, words
    assert statistics.median(told["stored_ms"]) < 6 * PICTURE_MS, (
        f"{words}: the disk of a busy machine, not more"
    )
