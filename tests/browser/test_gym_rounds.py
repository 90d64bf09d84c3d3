"""Gymnasium environments in a real browser: MiniGrid one press at a time, Pong as it runs, both to
the end of the study.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.recordings import file
from believable.recordings.recording import Recording

pytest.importorskip("gymnasium", reason="needs the extra gym")
pytestmark = pytest.mark.timeout(300)

STUDY = """\
believable: 1
title: Two games
seed: 4
timeline:
  - play: {id: grid, world: gym, env: MiniGrid-Empty-5x5-v0, duration_s: 60, countdown_s: 0}
  - play:
      {id: pong, world: gym, env: "ALE/Pong-v5", keys: {ArrowUp: 2, ArrowDown: 3}, key_words: {ArrowDown: down the screen},
       fps: 30, duration_s: 5, countdown_s: 0}
  - finish: {}
"""
#: Forward twice, turn right, forward twice: the goal of the smallest room.
TO_THE_GOAL = ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp", "ArrowUp")


def recordings(line: Any) -> list[Recording]:
    bodies = line.rows("SELECT body FROM blobs WHERE name LIKE 'round-%' ORDER BY rowid")
    return [file.from_bytes(body, source="round") for (body,) in bodies]


def actions(recording: Recording) -> list[int]:
    return [
        json.loads(str(action)) for action in recording.telemetry["action"] if action is not None
    ]


#: The round goes on, or is over.
STATE = """() => ["run", "over"].find(state => state === document.querySelector(".game").dataset.state)"""

#: Three more ticks were shown, so that the key is up in the round, too.
GONE_ON = """from => document.querySelector(".game").dataset.state !== "run"
  || Number(document.querySelector(".field canvas").dataset.tick) > from + 2"""


def presses(served: Any) -> int:
    """How many of the keys that were pressed have reached the round."""
    pieces = served.rows("SELECT inputs FROM round_inputs ORDER BY tick")
    changes = [change for (piece,) in pieces for change in json.loads(piece)]
    return sum(1 for change in changes if change[-1])


def press(page: Page, served: Any, key: str, number: int) -> None:
    """A key that counts. While a page that was held up waits for the round to go on, keys do
    nothing: it is pressed again.
    """
    while presses(served) < number:
        page.wait_for_function(STATE)
        assert page.locator('.game[data-state="run"]').count(), (
            "the round ended before all keys were pressed"
        )
        page.keyboard.down(key)
        while presses(served) < number and page.locator('.game[data-state="run"]').count():
            page.wait_for_timeout(50)
        page.keyboard.up(key)
        page.wait_for_function(
            GONE_ON, arg=int(page.locator(".field canvas").get_attribute("data-tick") or 0)
        )


def test_minigrid_and_pong_are_played_to_the_end(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    served = line(folder)
    player = rounds.Player(page)
    player.join(served.link())
    listed = ["←left", "→right", "↑forward", "Enterdone", "Ddrop", "Ppickup", "Spacetoggle"]
    expect(page.locator("[data-controls] div")).to_have_text(listed)
    player.start()
    for number, key in enumerate(TO_THE_GOAL, 1):
        press(page, served, key, number)
    player.over()
    player.next()
    expect(page.locator("[data-controls] div")).to_have_text(["↓down the screen", "↑right"])
    player.start()
    while page.locator('.game[data-state="run"]').count():
        page.keyboard.down("ArrowUp")
        page.wait_for_timeout(150)
        page.keyboard.up("ArrowUp")
        page.keyboard.press("ArrowDown")
    player.over()
    player.next()
    assert player.finish()
    grid, pong = recordings(served)
    assert actions(grid) == [2, 2, 1, 2, 2]
    assert grid.telemetry["terminated"][-1] is True
    assert set(actions(pong)) == {0, 2, 3}
    assert pong.timing.frames == 150
