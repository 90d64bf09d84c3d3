"""The canvas in the browser and the video rasteriser paint the same pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page, expect

from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, display_list
from believable.stimuli.raster import Camera, Rasteriser, whole_world
from believable.worlds import draw
from tests.towns import town_day

#: Where on the slider, in ten-thousandths.
MOMENTS = (0, 3333, 7812)


def away_from_text(
    scene: Scene, replay: Recording, t_ms: float, camera: Camera
) -> NDArray[np.bool_]:
    """Pixels that no word can touch: fonts differ between machines."""
    free = np.ones((camera.height_px, camera.width_px), bool)
    scale = camera.px_per_tile
    left, top = camera.width_px / 2 - camera.x * scale, camera.height_px / 2 - camera.y * scale
    for shape in display_list(scene, replay, t_ms):
        if shape.kind not in ("text", "bubble"):
            continue
        size = max(11, shape.size * scale)
        half = size * (0.4 * min(len(shape.text), 36 if shape.kind == "bubble" else 999) + 1.5)
        rise, fall = (7 * size, 0.5 * size) if shape.kind == "bubble" else (size, size)
        x, y = left + shape.x * scale, top + shape.y * scale
        if shape.kind == "bubble":  # moved to where all of it is in the picture
            x, y = min(max(x, half), camera.width_px - half), max(y, rise)
        rows = slice(max(0, int(y - rise)), max(0, int(y + fall)))
        free[rows, max(0, int(x - half)) : max(0, int(x + half))] = False
    return free


def canvas_at(page: Page, share: int, drawn: Callable[[Page], None]) -> NDArray[np.uint8]:
    page.evaluate(
        """share => { const line = document.querySelector("input.seek"); line.value = String(share);
        line.dispatchEvent(new Event("input", { bubbles: true })); }""",
        share,
    )
    drawn(page)
    data = page.evaluate(
        '() => document.querySelector("canvas").toDataURL("image/png").split(",")[1]'
    )
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))


@pytest.mark.parametrize("kind", ["maze", "arena", "town"])
def test_a_screenshot_of_the_canvas_equals_the_rendered_frame(
    page: Page,
    serve: Any,
    tmp_path: Path,
    recordings: Any,
    drawn: Callable[[Page], None],
    kind: str,
) -> None:
    replay = town_day(5) if kind == "town" else recordings.walk(kind)
    server = serve(
        recordings.study(
            tmp_path / "study", "controls: {seek: true, must_finish: false}", replay=replay
        )
    )
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play")).to_be_visible()
    blind = replay.for_judging()
    scene = draw(blind)
    for share in MOMENTS:
        shown = canvas_at(page, share, drawn)
        t_ms = share / 10_000 * blind.timing.duration_ms
        camera = whole_world(scene, shown.shape[1], shown.shape[0])
        rendered = Rasteriser(scene, blind, camera).picture(t_ms)
        free = away_from_text(scene, blind, t_ms, camera)
        assert free.mean() > 0.5
        difference = np.abs(shown.astype(int) - rendered.astype(int)).mean(axis=2)
        assert difference[free].mean() < 3
        assert np.ptp(rendered[free].astype(int), axis=0).max() > 60, "there is something to see"
