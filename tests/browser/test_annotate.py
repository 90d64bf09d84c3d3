"""Annotating while watching, with real wheel and key events on a real video."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

pytestmark = pytest.mark.timing

STUDY = """\
believable: 1
title: What do you see?
seed: 3
stimuli: [{{id: walk, file: stimuli/walk.mp4}}]
timeline:
  - watch:
      stimulus: walk
      practice: false
      controls: {{seek: true, speeds: [0.5, 1], speed: 1, must_finish: false}}
      annotate: {{prompt: How lifelike is it?, {kind}: {{}}}}
  - finish: {{}}
"""


class Watching:
    """A person at a page that shows the video with an instrument below."""

    def __init__(
        self, page: Page, server: Any, stored: Callable[[Any], Any], witness: ModuleType
    ) -> None:
        self.page = page
        self._server = server
        self._stored = stored
        self._witness = witness

    def open(self) -> None:
        self.page.goto(self._server.link())
        self.page.get_by_role("button", name="Start", exact=True).click()
        expect(self.page.locator(".trace")).to_be_visible()

    def play(self) -> None:
        self.page.get_by_role("button", name="Play").click()
        expect(self.page.locator('.trace[data-playing="true"]')).to_be_visible()

    def until(self, media_ms: float) -> None:
        self.page.wait_for_function(
            "ms => document.querySelector('video').currentTime * 1000 >= ms", arg=media_ms
        )

    def turn(self, *pixels: float) -> None:
        """One turn of the wheel after the other, each when the page has taken the one before."""
        for distance in pixels:
            before = self._witness.count(self.page)
            self.page.mouse.wheel(0, distance)
            self._witness.arrived(self.page, before + 1)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def inputs(self, *names: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._witness.inputs(self.page, *names)
        return found

    def events(self, kind: str = "trace.") -> list[dict[str, Any]]:
        """What the server holds, once everything is there: saved, and nothing more comes for a
        moment.
        """
        before = -1
        while True:
            expect(self.page.locator("#status")).to_have_text("Saved")
            found = [
                event
                for event in self._stored(self._server).events
                if event["kind"].startswith(kind)
            ]
            if len(found) == before:
                return found
            before = len(found)
            self.page.wait_for_timeout(300)

    def samples(self) -> list[dict[str, Any]]:
        """Samples that somebody made."""
        return [event for event in self.events() if event["data"]["input"] != "heartbeat"]


@pytest.fixture
def watching(
    context: BrowserContext,
    serve: Callable[[Path], Any],
    stored: Any,
    tmp_path: Path,
    thirty: Path,
    witness: ModuleType,
) -> Callable[..., Watching]:
    """`watching(kind)` is at the page, before playing."""

    def start(kind: str) -> Watching:
        folder = tmp_path / kind
        (folder / "stimuli").mkdir(parents=True)
        (folder / "stimuli" / "walk.mp4").write_bytes(thirty.read_bytes())
        (folder / "study.yaml").write_text(STUDY.format(kind=kind))
        page = context.new_page()
        witness.install(page)
        watcher = Watching(page, serve(folder), stored, witness)
        watcher.open()
        page.mouse.move(640, 500)
        return watcher

    return start


def values(events: list[dict[str, Any]], key: str = "value") -> list[float]:
    return [event["data"][key] for event in events]


def test_ranktrace_records_what_wheel_and_keys_did(
    watching: Callable[..., Watching], witness: ModuleType
) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(500)
    person.turn(-100, -100, -100)
    person.press("ArrowUp", "ArrowDown", "ArrowDown")
    person.until(2000)
    person.turn(100, 100, 100, 100, -100)
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 4, 3, 2, 1, 0, -1, -2, -1]
    assert values(samples, "input") == ["wheel"] * 3 + ["key"] * 3 + ["wheel"] * 5
    witness.assert_on_time(samples, person.inputs("wheel", "keydown"))
    assert all(isinstance(frame, int) for frame in values(samples, "frame"))
    expect(person.page.get_by_role("spinbutton", name="Your trace")).to_have_attribute(
        "aria-valuenow", "-1"
    )


def test_heartbeats_come_every_second_and_stop_with_the_video(
    watching: Callable[..., Watching], witness: ModuleType
) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(3300)
    person.press("k")
    expect(person.page.get_by_text("Paused: nothing is recorded.")).to_be_visible()
    beats = person.events()
    assert set(values(beats, "input")) == {"heartbeat"}
    assert 3 <= len(beats) <= 4
    gaps = np.diff([beat["mono_ms"] for beat in beats])
    assert (gaps >= 1000 - 0.1).all()
    assert (gaps <= 1000 + witness.longest_gap_ms(person.page) + 0.1).all()
    person.turn(-100, -100)
    person.press("ArrowUp", "ArrowUp")
    drawn = person.page.evaluate("pictures.length")
    person.page.wait_for_function(
        "n => pictures.length > n + 75", arg=drawn
    )  # longer than a heartbeat
    assert person.events() == beats
    person.press("k")
    person.until(4000)
    person.press("ArrowUp")
    assert values(person.samples()) == [1]


def test_half_speed_and_a_jump(watching: Callable[..., Watching], witness: ModuleType) -> None:
    person = watching("ranktrace")
    person.page.locator("select.speed").select_option("0.5")
    person.play()
    person.until(600)
    person.turn(-100, -100)
    person.page.keyboard.press("ArrowRight")
    person.until(5800)
    expect(person.page.locator('.trace[data-playing="true"]')).to_be_visible()
    person.turn(-100, 100, 100)
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 2, 1]
    witness.assert_on_time(samples, person.inputs("wheel"))
    media = values(samples, "media_ms")
    assert media[1] < 5000 < media[2]
    passed_ms = samples[-1]["mono_ms"] - samples[2]["mono_ms"]
    assert media[-1] - media[2] == pytest.approx(passed_ms / 2, abs=witness.TOLERANCE_MS)


def test_a_trackpad_adds_up_to_notches(
    watching: Callable[..., Watching], witness: ModuleType
) -> None:
    person = watching("ranktrace")
    person.play()
    for pixels in [-10] * 25 + [-7.5] * 20 + [12] * 9:
        person.page.mouse.wheel(0, pixels)
    expect(person.page.get_by_role("spinbutton", name="Your trace")).to_have_attribute(
        "aria-valuenow", "3"
    )
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 4, 3]
    assert set(values(samples, "input")) == {"trackpad"}
    turned = {input_["mono_ms"]: input_ for input_ in person.inputs("wheel")}
    witness.assert_on_time(
        samples, [turned[nearest(turned, sample["mono_ms"])] for sample in samples]
    )


def nearest(times: dict[float, Any], mono_ms: float) -> float:
    return min(times, key=lambda one: abs(one - mono_ms))


def test_btrace_leaves_marks(watching: Callable[..., Watching], witness: ModuleType) -> None:
    person = watching("btrace")
    person.play()
    person.until(400)
    person.press("ArrowUp", "ArrowDown", "ArrowDown")
    person.page.get_by_role("button", name="Not believable").click()
    person.page.get_by_role("button", name="Believable", exact=True).click()
    person.turn(-100)
    person.press("-")
    marks = [event for event in person.events() if event["kind"] == "trace.mark"]
    assert len(marks) == 6
    assert values(marks, "sign") == [1, -1, -1, -1, 1, -1]
    assert values(marks, "input") == ["key", "key", "key", "pointer", "pointer", "key"]
    play, *made = person.inputs("keydown", "pointerdown")
    assert play["name"] == "pointerdown"
    witness.assert_on_time(marks, made)
    made = person.events()
    person.press("k")
    person.press("ArrowUp")
    assert person.events() == made


def test_btrace_goes_on_marking_while_a_key_or_a_button_is_held(
    watching: Callable[..., Watching],
) -> None:
    person = watching("btrace")
    person.play()
    person.page.keyboard.down("ArrowDown")
    began = person.events()[0]["data"]["media_ms"]
    person.until(began + 1500)
    person.page.keyboard.up("ArrowDown")
    mark, hold = person.events()
    assert (mark["kind"], hold["kind"]) == ("trace.mark", "trace.hold")
    assert {name: hold["data"][name] for name in ("sign", "from_ms", "repeat_ms", "input")} == {
        "sign": -1,
        "from_ms": mark["data"]["media_ms"],
        "repeat_ms": 100,
        "input": "key",
    }
    labels = 1 + (hold["data"]["media_ms"] - began) // 100
    assert labels >= 16
    expect(person.page.locator(".trace-area")).to_have_attribute(
        "aria-description", f"+0 −{labels}"
    )


def test_gtrace_stays_between_its_ends(
    watching: Callable[..., Watching], witness: ModuleType
) -> None:
    person = watching("gtrace")
    person.play()
    person.press("ArrowUp")
    person.turn(*[100] * 13)
    box = person.page.locator(".trace-area canvas").bounding_box()
    assert box is not None
    person.page.mouse.move(box["x"] + 200, box["y"] + 14 + (box["height"] - 36) / 4)
    person.page.mouse.down()
    person.page.mouse.up()
    found = person.samples()
    assert values(found)[:11] == [0.1, 0, -0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7, -0.8, -0.9]
    assert values(found)[11:-1] == [-1]
    assert values(found)[-1] == pytest.approx(0.5, abs=0.02)
    assert found[-1]["data"]["input"] == "pointer"
    keys, turns, presses = (person.inputs(name) for name in ("keydown", "wheel", "pointerdown"))
    witness.assert_on_time(found, [*keys, *turns[:11], presses[-1]])


def test_a_reload_in_the_middle_keeps_the_trace(watching: Callable[..., Watching]) -> None:
    person = watching("ranktrace")
    person.play()
    person.until(700)
    person.turn(-100, -100, -100)
    before = person.samples()
    person.page.reload()
    slot = person.page.get_by_role("spinbutton", name="Your trace")
    expect(slot).to_have_attribute("aria-valuenow", "3")
    person.play()
    person.press("ArrowDown")
    expect(slot).to_have_attribute("aria-valuenow", "2")
    samples = person.samples()
    assert values(samples) == [1, 2, 3, 2]
    assert samples[-1]["data"]["media_ms"] >= before[-1]["data"]["media_ms"]
