"""Rounds of the maze in a real browser, with real keys: played, watched again, annotated, and made
again from what is stored.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket, expect

from believable.protocols import READY_STUDIES
from believable.recordings import file
from believable.worlds.maze.opponents import ShortestPathChaser
from believable.worlds.maze.record import play_round
from believable.worlds.maze.rules import MazeEvent, MazeRound, MazeRules, PlayerInput

pytestmark = pytest.mark.timeout(400)

#: Only a line on which nothing came for about as long as the page waits (`wire.js`) may be given
#: up.
SILENCE_S = 1.0

#: Where the blue figure is, in tiles: the mean place of its pixels.
FIGURE = """() => {
  const canvas = document.querySelector(".field canvas");
  const { width, height } = canvas;
  const copy = (window.copied ??= new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true }));
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  let n = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== 0x2f || data[i + 1] !== 0x66 || data[i + 2] !== 0x90) continue;
    n += 1;
    x += (i / 4) % width;
    y += Math.floor(i / 4 / width);
  }
  return n ? [(x / n) * 21 / width, (y / n) * 21 / height] : null;
}"""


#: The commonest colour of the field: floor that nobody looks at.
FLOOR = """canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const colour = data.slice(i, i + 3).join();
    if (colour !== "56,67,79") counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0][0].split(",").map(Number);
}"""


@pytest.mark.slow
def test_the_whole_trace_protocol_with_full_rounds(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """Learn, play a minute, watch and annotate, once more, survey, code."""
    folder = tmp_path / "trace"
    READY_STUDIES["trace"].copy(folder)
    text = (folder / "study.yaml").read_text()
    # The recordings run eight times as fast, and the annotation is not practised: both have tests
    # of their own.
    faster = text.replace(
        "must_finish: true}", "must_finish: true, speeds: [8]}\n            practice: false"
    )
    (folder / "study.yaml").write_text(faster)
    served = line(folder)
    silence_s = longest_silence(page)
    player = rounds.Player(page)
    player.join(served.link())
    for box in page.locator("input[data-consent]").all():
        box.check()
    player.next()
    expect(page.get_by_role("heading", name="What this is about")).to_be_visible()
    player.next()
    player.start()
    player.play(3)
    page.get_by_role("button", name="I am ready").click()
    for number in (1, 2):
        expect(page.get_by_role("button", name="Start the round")).to_be_visible()
        began_s = time.monotonic()
        player.start()
        player.play(120)
        player.over()
        assert 60 <= time.monotonic() - began_s < 120, (
            f"round {number} took another time than a minute"
        )
        player.next()
        player.annotate(30)
        player.next()
    page.get_by_label("In the first game").check()
    player.next()
    page.get_by_label("How old are you?").fill("30")
    page.get_by_label("Prefer not to say").check()
    page.get_by_label("A few times a week").check()
    player.next()
    assert player.finish()
    rows = rounds.same_again(served)
    assert len(rows) == 2
    # The page counts a line as lost when it has heard nothing for a while: that must not be but
    # where nothing came.
    assert sum(row["losses"] for row in rows) == 0 or silence_s() > SILENCE_S
    setups = [setup for setup, *_ in rounds.rounds_of(served)]
    assert {setup.opponent for setup in setups} == {"calm", "frustrated"}
    assert setups[0].maze_seed != setups[1].maze_seed


def longest_silence(page: Page) -> Callable[[], float]:
    """The longest time between two messages of a round's line, seen from outside."""
    times: list[list[float]] = []

    def listen(socket: WebSocket) -> None:
        heard = [time.monotonic()]
        times.append(heard)
        socket.on("framereceived", lambda _: heard.append(time.monotonic()))

    page.on("websocket", listen)
    return lambda: max(
        (after - before for heard in times for before, after in pairwise(heard)), default=0.0
    )


@pytest.mark.slow
def test_with_a_slow_line_the_own_figure_still_moves_at_once(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """150 ms each way."""
    served = line(rounds.short_study(tmp_path, seconds=10), delay_s=0.15)
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    page.wait_for_function(f"() => ({FIGURE})() !== null")
    moved: list[float] = []
    for key in ("KeyD", "KeyA", "KeyS", "KeyW", "KeyD", "KeyA"):
        took_ms = moved_after_ms(page, key)
        moved += [] if took_ms is None else [took_ms]
        if len(moved) == 3:
            break
    assert len(moved) == 3, "walls on all sides"
    assert sorted(moved)[1] < 200, (
        f"the figure moved {moved} ms after the key; there and back takes 300"
    )
    assert player.to_the_end()
    (row,) = rounds.same_again(served)
    assert row["losses"] == 0


def moved_after_ms(page: Page, key: str) -> float | None:
    """How long after a key went down the figure is drawn elsewhere; None where a wall is in the
    way.
    """
    page.evaluate(f"""() => {{
          window.moved = null;
          const place = {FIGURE};
          const from = place();
          addEventListener("keydown", ({{ timeStamp }}) => {{
            const look = () => {{
              const now = place();
              if (now && Math.hypot(now[0] - from[0], now[1] - from[1]) > 0.04) window.moved = performance.now() - timeStamp;
              else if (performance.now() - timeStamp < 600) requestAnimationFrame(look);
              else window.moved = -1;
            }};
            requestAnimationFrame(look);
          }}, {{ once: true, capture: true }});
        }}""")
    page.keyboard.down(key)
    page.wait_for_function("() => window.moved !== null")
    page.keyboard.up(key)
    took: float = page.evaluate("() => window.moved")
    page.wait_for_function(  # until it stands still
        f"""() => {{
          const now = ({FIGURE})() ?? [0, 0], last = window.stood ?? [NaN, NaN];
          const still = Math.hypot(now[0] - last[0], now[1] - last[1]) < 0.01;
          window.stood = still ? undefined : now;
          return still;
        }}""",
        polling=150,
    )
    return None if took < 0 else took


def test_whoever_still_shoots_when_the_round_ends_stays_on_its_page(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """The button that leads on has the focus only after the keys have rested."""
    served = line(rounds.short_study(tmp_path, seconds=5))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    player.play(2)
    page.keyboard.down("Space")
    player.over()
    expect(page.locator("button.next")).to_be_visible()
    page.wait_for_timeout(1000)
    expect(page.locator("button.next")).not_to_be_focused()
    page.keyboard.up("Space")
    player.over()
    expect(page.locator("button.next")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_the_page_never_learns_the_opponents_inside(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """Neither over the live connection nor in the recording that is annotated."""
    served = line(rounds.short_study(tmp_path, seconds=5))
    frames: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: frames.append(str(text))),
    )
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    player.play(30)
    player.over()
    with page.expect_response(lambda answer: "/media/" in answer.url) as media:
        player.next()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".readouts")).to_have_text(re.compile(r"Time\s*0:05\s*Score\s*0"))
    assert len(frames) > 100
    ((_, _, replay, _),) = rounds.rounds_of(served)
    assert {"intent", "frustration"} <= {
        state.key for track in replay.tracks for state in track.states
    }
    tree = json.loads(gzip.decompress(media.value.body()))
    assert tree["replay"].keys() == {"format", "actors", "timing", "tracks", "actions", "plans"}
    assert not any(tree["replay"]["actions"].values())
    assert {state[1] for track in tree["replay"]["tracks"] for state in track["states"]} <= {
        "health",
        "news",
        "score",
    }
    told = " ".join(frames) + json.dumps(tree)
    for secret in ("frustrat", "intent", "chase", "search", "calm", "seed", "temper"):
        assert secret not in told


def test_a_recording_says_when_somebody_is_caught(
    page: Page, serve: Callable[[Path], Any], tmp_path: Path
) -> None:
    """In the words of the game, large over the picture, where both jump back to their places."""

    class Still:
        def decide(self, game: MazeRound, events: Sequence[MazeEvent]) -> PlayerInput:
            return PlayerInput()

    rules = MazeRules(size=9, round_ticks=240)
    replay, _ = play_round(7, Still(), ShortestPathChaser(), agent="chaser", settings=rules)
    caught = next(action.t0_ms for action in replay.actions if action.verb == "catch")
    folder = tmp_path / "study"
    (folder / "stimuli").mkdir(parents=True)
    file.write(replay, folder / "stimuli" / "one.replay.json.gz")
    (folder / "study.yaml").write_text(CAUGHT)
    page.goto(serve(folder).link())
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".news")).to_have_text("")
    seek = page.get_by_role("slider")
    for after_ms, words in ((200, "Caught!"), (-200, ""), (200, "Caught!"), (1600, "")):
        share = round(10_000 * (caught + after_ms) / replay.timing.duration_ms)
        seek.evaluate(
            "(line, value) => { line.value = value; line.dispatchEvent(new Event('input')); }",
            str(share),
        )
        expect(page.locator(".news")).to_have_text(words)
    expect(page.locator(".readouts")).to_have_count(0)


CAUGHT = """\
believable: 1
title: Maze
seed: 4
conditions: [one]
stimuli: [{id: one, file: stimuli/one.replay.json.gz, condition: one}]
timeline:
  - watch: {id: again, stimulus: one, controls: {seek: true, must_finish: false}}
  - finish: {}
"""


@pytest.mark.slow  # recording without a browser: tests/cli/test_record.py
def test_a_lab_records_rounds_of_its_own(page: Page, tmp_path: Path, rounds: ModuleType) -> None:
    """`believable record maze` serves a page, and the round is in the folder as soon as it is
    over.
    """
    folder = tmp_path / "stimuli"
    options = ["--opponent", "frustrated", "--seconds", "5", "--size", "15", "--no-browser"]
    command = [sys.executable, "-u", "-m", "believable", "record", "maze", str(folder), *options]
    recording = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert recording.stderr is not None
        address = recording.stderr.readline().removeprefix("Play here: ").strip()
        player = rounds.Player(page)
        player.join(address)
        page.get_by_role("button", name="I am ready").click()
        expect(page.get_by_role("button", name="Start the round")).to_be_visible()
        player.start()
        player.play(30)
        player.over()
        player.next()
        expect(page.get_by_role("heading", name="Recorded")).to_be_visible()
        assert recording.wait(20) == 0
    finally:
        recording.kill()
        recording.communicate()
    replay = file.read(folder / "maze-frustrated-01.replay.json.gz")
    assert replay.timing.frames == 150
    assert replay.agent == "frustrated"
    assert any(replay.telemetry["move_x"])


def test_in_fog_the_page_gets_and_draws_the_opponent_only_while_it_is_seen(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    folder = rounds.short_study(tmp_path)
    text = (
        (folder / "study.yaml").read_text().replace("maze: 5}", "maze: 5, fog: true, mood: true}")
    )
    (folder / "study.yaml").write_text(text)
    served = line(folder)
    pictures: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: pictures.append(json.loads(frame))),
    )
    player = rounds.Player(page)
    player.join(served.link())
    expect(page.get_by_text("The bright area is your field of vision.")).to_be_visible()
    player.start()
    page.wait_for_function(f"() => ({FIGURE})() !== null")
    assert page.locator(".field canvas").evaluate(FLOOR) == [0x9B, 0x97, 0x8F]
    assert player.to_the_end()
    told = [picture for picture in pictures if "o" in picture]
    assert any(picture["o"] is None for picture in told)
    assert all(len(picture["o"]) == 5 for picture in told if picture["o"])
    ((setup, _, stored, _),) = rounds.rounds_of(served)
    assert (setup.fog, setup.mood) == (True, True)
    rounds.same_again(served)
    unseen = [
        state
        for track in stored.tracks
        if track.actor == "opponent"
        for state in track.states
        if state.key == "unseen"
    ]
    assert unseen[0].value is True


@pytest.mark.slow  # films of rounds: tests/web/participant/test_round_films.py
def test_a_round_may_be_shown_as_a_video(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    folder = rounds.short_study(tmp_path, seconds=5)
    text = (folder / "study.yaml").read_text().replace("maze: 5}", "maze: 5, render: video}")
    (folder / "study.yaml").write_text(text)
    served = line(folder)
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    player.play(30)
    player.over(within_s=120)
    player.next()
    player.annotate(12)
    assert page.locator("video").evaluate("video => [video.videoWidth, video.videoHeight]") == [
        720,
        720,
    ]
    length_s = page.locator("video").evaluate("video => video.duration")
    assert length_s == pytest.approx(150 * 0.033, abs=0.05)
    player.next()
    assert player.finish()


def test_the_whole_field_is_in_sight_at_twice_the_size(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """A laptop of 1366 x 768 at 200 % zoom: neither figure may be off screen while the clock
    runs.
    """
    page.set_viewport_size({"width": 683, "height": 384})
    served = line(rounds.short_study(tmp_path, seconds=5))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    expect(page.locator(".field canvas")).to_be_in_viewport(ratio=1)
    expect(page.locator(".hud .time")).to_be_in_viewport(ratio=1)
    box = page.locator(".field canvas").bounding_box()
    assert box is not None
    assert box["height"] > 200
    player.over()
