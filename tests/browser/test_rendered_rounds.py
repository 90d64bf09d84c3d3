"""Rounds of a world that draws itself, in a real browser: by keys and mouse to the end, across a
reload and a killed server; the film made of the recording shows what the page showed.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from believable.contracts.film import View
from believable.contracts.inputs import InputChange
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.worlds.doom import DOOM
from believable.worlds.live_round import record_round
from tests.waiting import has_ended, wait_until

pytest.importorskip("vizdoom", reason="needs the extra doom")
Image = pytest.importorskip("PIL.Image", reason="needs the extra video")
pytestmark = pytest.mark.timeout(300)

WIDTH_PX, HEIGHT_PX = 320, 180
STUDY = """\
believable: 1
title: A game
seed: 4
timeline:
  - play: {{id: game, world: doom, opponent: {opponent}, map: {map}, picture: {size}, duration_s: {seconds}, countdown_s: 0}}
  - finish: {{}}
"""
#: Keeps the picture on the canvas now and then, with the tick it is of. A picture from before a pause
#: is not kept: its tick may be played again, another way.
KEEPS = """() => {
  window.kept = {};
  let stale;
  const canvas = document.querySelector(".field canvas");
  const runs = () => document.querySelector('.game[data-state="run"]');
  setInterval(() => {
    const { tick } = canvas.dataset;
    if (!runs()) stale = tick;
    else if (tick && tick !== stale) window.kept[tick] = canvas.toDataURL("image/png");
  }, 150);
}"""
#: Mean of what the codec may lose, of 255; and how much nearer another moment may be where hardly
#: anything moves.
MOST_DIFFERENCE, STILL = 20.0, 0.5


def study(
    tmp_path: Path, *, opponent: str = "nobody", map_: str = "navigation", seconds: int = 5
) -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    size = f"{WIDTH_PX}x{HEIGHT_PX}"
    text = STUDY.format(opponent=opponent, map=map_, size=size, seconds=seconds)
    (folder / "study.yaml").write_text(text)
    return folder


def act(
    page: Page,
    until: Callable[[], bool],
    keys: tuple[str, ...] = ("KeyW", "ArrowLeft", "KeyD", "KeyW"),
) -> None:
    """Walks, turns with mouse and keys, jumps and fires."""
    number = 0
    while not until() and page.locator('.game[data-state="run"]').count():
        key = keys[number % len(keys)]
        page.keyboard.down(key)
        page.mouse.move(300 + 40 * (number % 5), 300 + 10 * (number % 3))
        page.keyboard.press("Space")
        page.mouse.down()
        page.mouse.up()
        page.wait_for_timeout(120)
        page.keyboard.up(key)
        number += 1


def tick(page: Page) -> int:
    return int(page.locator(".field canvas").get_attribute("data-tick") or 0)


def engines_of(server: int) -> list[int]:
    """The engines that a server's rounds have started, by way of their own processes."""
    parents = {}
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
            )
    below = {server}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    names = {pid: Path(f"/proc/{pid}/comm").read_text().strip() for pid in below}
    return [pid for pid, name in names.items() if name == "vizdoom"]


def gone(pid: int) -> bool:
    """Soon, or only its name is left."""
    return wait_until(lambda: has_ended(pid), "the process goes on")


def changes_in(pieces: list[Any]) -> list[InputChange]:
    return [
        InputChange(tick, number, tuple(pressed))
        for (piece,) in pieces
        for tick, number, *pressed in json.loads(piece)
    ]


def ended(line: Any) -> tuple[Any, list[list[int]], Recording, int]:
    """The round as it is stored: setup, inputs, recording, how often it was lost."""
    ((setup, losses),) = line.rows("SELECT setup, losses FROM rounds WHERE state = 'over'")
    pieces = line.rows("SELECT inputs FROM round_inputs ORDER BY tick")
    ((body,),) = line.rows("SELECT body FROM blobs WHERE name LIKE 'round-%'")
    changes = changes_in(pieces)
    return DOOM.game.load_setup(setup), changes, file.from_bytes(body, source="round"), losses


def compare(kept: dict[str, str], recording: Recording) -> None:
    """Each picture that the page showed is nearest to the film's picture of its tick."""
    assert DOOM.game.filmable is not None
    film = list(
        DOOM.game.filmable.pictures(recording, View(width_px=WIDTH_PX, height_px=HEIGHT_PX))
    )
    compared = 0
    for number, address in kept.items():
        if int(number) < 1:
            continue
        image = Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))).convert("RGB")
        shown = np.asarray(image).astype(int)
        assert shown.shape == (HEIGHT_PX, WIDTH_PX, 3)
        far = [float(np.abs(shown - picture).mean()) for picture in film]
        assert far[int(number) - 1] <= min(far) + STILL, (
            f"tick {number} looks like tick {np.argmin(far) + 1} of the film"
        )
        assert far[int(number) - 1] < MOST_DIFFERENCE
        compared += 1
    assert compared >= 5
    assert float(np.abs(film[0].astype(int) - film[-1]).mean()) > MOST_DIFFERENCE, (
        "the pictures did not change"
    )


def test_a_navigation_round_across_a_reload(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    served = line(study(tmp_path))
    frames: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda body: frames.append(str(body))),
    )
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    page.evaluate(KEEPS)
    act(page, lambda: tick(page) > 50, ("ArrowLeft", "ArrowRight"))
    kept = page.evaluate("() => window.kept")
    page.reload()
    page.wait_for_function("() => document.querySelector('.field canvas')?.dataset.tick")
    resumed = tick(page)
    assert resumed > 20
    kept = {number: image for number, image in kept.items() if int(number) <= resumed}
    player.start()
    page.evaluate(KEEPS)
    act(page, lambda: False, ("ArrowRight",))
    player.over()
    kept |= page.evaluate("() => window.kept")
    expect(page.locator(".veil-text")).to_have_text("You did not reach the mark this time.")
    player.next()
    assert player.finish()
    _, _, recording, losses = ended(served)
    assert losses == 1
    assert recording.timing.frames == 5 * 35 or recording.telemetry["dead"][-1], (
        "the pit ends a round, too"
    )
    for part in ("turn_keys", "turn", "jump"):
        assert any(recording.telemetry[part]), f"nothing was done with {part}"
    compare(kept, recording)
    told = " ".join(frame for frame in frames if frame.startswith("{"))
    assert '"mini_map"' in told, "people see themselves and their goal, as the agents know both"
    for secret in ("navigation", '"map"', "seed", "nobody"):
        assert secret not in told


@pytest.mark.slow
def test_a_deathmatch_across_a_killed_server(
    shaky: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    served = line(study(tmp_path, opponent="bot", map_="deathmatch"))
    player = rounds.Player(shaky)
    player.join(served.link())
    player.start()
    shaky.evaluate(KEEPS)
    act(shaky, lambda: served.rows("SELECT tick FROM rounds")[0][0] > 60)
    engines = engines_of(served.server.pid)
    assert len(engines) == 1
    served.server.stop()
    assert all(map(gone, engines)), "an engine outlived its server"
    pieces = served.rows("SELECT inputs FROM round_inputs ORDER BY tick")
    before = changes_in(pieces)
    ((durable,),) = served.rows("SELECT tick FROM rounds")
    expect(shaky.locator(".veil-title")).to_have_text(re.compile("Connection lost"))
    # The last moments before were not durable: they are played again, another way.
    shaky.evaluate(
        "last => { for (const n of Object.keys(kept)) if (Number(n) > last) delete kept[n]; }",
        durable,
    )
    served.server.start()
    expect(shaky.locator('.game[data-state="run"]')).to_be_visible()
    act(shaky, lambda: False)
    player.over()
    setup, changes, recording, losses = ended(served)
    assert losses >= 1
    assert before
    assert changes[: len(before)] == before, "what was durable has changed"
    assert recording == record_round(DOOM.game, setup, changes)[0]
    assert any(recording.telemetry["attack"])
    compare(shaky.evaluate("() => window.kept"), recording)


def test_a_second_tab_takes_the_round_over(
    page: Page,
    context: BrowserContext,
    line: Callable[..., Any],
    tmp_path: Path,
    rounds: ModuleType,
) -> None:
    served = line(study(tmp_path))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    act(page, lambda: tick(page) > 40, ("ArrowLeft",))
    second = context.new_page()
    second.goto(page.url)
    expect(page.get_by_role("heading", name="open in another tab")).to_be_visible()
    other = rounds.Player(second)
    other.start()
    act(second, lambda: False, ("ArrowRight",))
    other.over()
    other.next()
    assert other.finish()
    setup, changes, recording, _ = ended(served)
    assert recording == record_round(DOOM.game, setup, changes)[0], "both pages played one round"
    assert {-1, 1} <= {int(turn) for turn in recording.telemetry["turn_keys"]}


def test_a_browser_without_a_decoder_gets_pictures_one_by_one(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """By keyboard alone."""
    page.add_init_script("delete window.VideoDecoder")
    hellos: list[str] = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda text: hellos.append(str(text)))
    )
    served = line(study(tmp_path))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    page.evaluate(KEEPS)
    page.keyboard.down("ArrowLeft")
    player.over()
    assert json.loads(hellos[0])["hello"]["pictures"] == "jpeg"
    compare(page.evaluate("() => window.kept"), ended(served)[2])


WATCHED = """\
believable: 1
title: A game
seed: 4
timeline:
  - play: {id: game, world: doom, opponent: bots, map: deathmatch, duration_s: 6, countdown_s: 0}
  - watch:
      id: own
      stimulus: {round: game}
      controls: {must_finish: false}
      ask: [{id: skill, prompt: How well did you play?, likert: {points: 5}}]
  - finish: {}
"""


@pytest.mark.slow
def test_a_deathmatch_is_heard_fills_the_screen_and_is_watched_as_a_video(
    context: BrowserContext, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """Counts the sounds that the page makes, since a short shot may fall between two looks at the
    loudspeakers.
    """
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "study.yaml").write_text(WATCHED)
    served = line(tmp_path / "study")
    context.add_init_script(
        "window.sounds = 0; const start ="
        " OscillatorNode.prototype.start;OscillatorNode.prototype.start = function (...at) {"
        " window.sounds += 1; return start.apply(this, at); };"
    )
    page = context.new_page()
    player = rounds.Player(page)
    player.join(served.link())
    expect(page.locator(".keys")).to_contain_text("Esc")
    expect(page.locator("[data-picture='v.0']")).to_have_text("100")
    expect(page.get_by_role("button", name="Full screen")).to_be_visible()
    for (width, height), least in {(1366, 625): 820, (1920, 1080): 1500}.items():
        page.set_viewport_size({"width": width, "height": height})
        expect(page.locator(".field canvas")).to_be_in_viewport(ratio=1)
        box = page.locator(".field canvas").bounding_box()
        assert box is not None
        assert box["width"] >= least
        assert box["height"] > 0.7 * height
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.game')")
    player.start()
    page.locator(".field canvas").click()
    for _ in range(4):
        page.keyboard.press("KeyF", delay=150)
    page.wait_for_function("() => window.sounds > 0")
    page.wait_for_function("() => document.fullscreenElement === null", timeout=60_000)
    player.over(within_s=120)
    player.next()
    video = page.locator("video")
    expect(video).to_be_visible()
    page.wait_for_function("() => document.querySelector('video').videoWidth === 640")
