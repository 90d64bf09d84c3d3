"""A person who plays rounds of the maze, the line to the server, and what is stored of the
rounds.
"""

from __future__ import annotations

import json
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from believable.contracts.inputs import InputChange
from believable.recordings import file
from believable.recordings.recording import Recording
from believable.worlds.live_round import record_round
from believable.worlds.maze import MAZE
from believable.worlds.maze.game import MazeSetup

WALK = ("KeyW", "KeyA", "KeyS", "KeyD", "ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight")
STUDY = """\
believable: 1
title: Maze
seed: 4
conditions: [calm, frustrated]
timeline:
  - play: {{id: game, opponent: frustrated, duration_s: {seconds}, countdown_s: 1, on_loss: {on_loss}, maze: 5}}
  - watch:
      id: again
      stimulus: {{round: game}}
      practice: false
      controls: {{speeds: [8], speed: 8}}
      annotate: {{ranktrace: {{}}}}
  - finish: {{}}
"""


class Line:
    """A server and the line that leads to it."""

    def __init__(self, server: Any, proxy: Any) -> None:
        self.server = server
        self.proxy = proxy

    def link(self) -> str:
        return str(self.server.link()).replace(f":{self.server.port}/", f":{self.proxy.port}/")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.server.settings.data_dir / "believable.db") as conn:
            found = conn.execute(query).fetchall()
        conn.close()
        return found


def short_study(tmp_path: Path, *, seconds: int = 8, on_loss: str = "resume") -> Path:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY.format(seconds=seconds, on_loss=on_loss))
    return folder


class Player:
    """A scripted person with real fingers: walks about, looks around with the mouse, shoots, throws
    bombs.
    """

    def __init__(self, page: Page, seed: int = 1) -> None:
        self.page = page
        self._rng = random.Random(seed)

    def join(self, link: str) -> None:
        self.page.goto(link)
        self.page.get_by_role("button", name="Start", exact=True).click()

    def start(self) -> None:
        self.page.locator("button.go").click()
        expect(self.page.locator('.game[data-state="run"]')).to_be_visible()

    def play(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Press and release keys for so long, as long as the round runs."""
        end_s = time.monotonic() + seconds
        box = self.page.locator(".field canvas").bounding_box()
        assert box is not None
        while time.monotonic() < end_s and self.state() != "over" and not until():
            key = self._rng.choice(WALK)
            self.page.keyboard.down(key)
            if self._rng.random() < 0.5:
                at = (
                    box["x"] + self._rng.random() * box["width"],
                    box["y"] + self._rng.random() * box["height"],
                )
                self.page.mouse.move(*at)
            if self._rng.random() < 0.4:
                self.page.keyboard.press("Space")
            if self._rng.random() < 0.1:
                self.page.keyboard.press("KeyB")
            time.sleep(self._rng.uniform(0.1, 0.4))
            self.page.keyboard.up(key)

    def state(self) -> str:
        return self.page.locator(".game").get_attribute("data-state") or ""

    def over(self, within_s: float = 120) -> None:
        expect(self.page.locator('.game[data-state="over"]')).to_be_visible(timeout=within_s * 1000)

    def saved(self) -> None:
        expect(self.page.locator("#status")).to_have_text("Saved")

    def next(self) -> None:
        self.page.locator("button.next").click()

    def annotate(self, seconds: float) -> None:
        """Play the recording and say something about it now and then."""
        self.page.get_by_role("button", name="Play").click()
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s and not self.page.locator(".after").is_visible():
            self.page.keyboard.press(self._rng.choice(("ArrowUp", "ArrowDown")))
            time.sleep(0.4)
        expect(self.page.locator(".after")).to_be_visible()

    def to_the_end(self) -> str:
        """The rest of the round, its annotation, the code."""
        self.play(30)
        self.over()
        self.next()
        self.annotate(12)
        self.next()
        return self.finish()

    def finish(self) -> str:
        code = self.page.get_by_label("Your completion code")
        expect(code).to_be_visible()
        return code.input_value()


def changes_in(pieces: list[Any]) -> list[InputChange]:
    """The changes in rows of `round_inputs`, of a round with one seat."""
    return [
        InputChange(tick, number, tuple(pressed))
        for (piece,) in pieces
        for tick, number, *pressed in json.loads(piece)
    ]


def rounds_of(line: Line) -> list[tuple[MazeSetup, list[list[int]], Recording, dict[str, Any]]]:
    """Every finished round: its setup, the inputs that were applied, the stored recording, and its
    row.
    """
    found = []
    names = ("session", "position", "run", "attempt", "setup", "tick", "losses", "score")
    query = f"SELECT {', '.join(names)} FROM rounds WHERE state = 'over' ORDER BY position"
    for values in line.rows(query):
        row = dict(zip(names, values, strict=True))
        where = (
            f"position = {row['position']} AND run = {row['run']} AND attempt = {row['attempt']}"
        )
        pieces = line.rows(f"SELECT inputs FROM round_inputs WHERE {where} ORDER BY tick")
        name = f"round-{row['position']}-{row['run']}-{row['attempt']}.replay.json.gz"
        ((body,),) = line.rows(f"SELECT body FROM blobs WHERE name = '{name}'")
        changes = changes_in(pieces)
        setup = MAZE.game.load_setup(row["setup"])
        found.append((setup, changes, file.from_bytes(body, source=name), row))
    return found


def same_again(line: Line) -> list[dict[str, Any]]:
    """Each stored round, made again from seed and inputs, is the same frame by frame; the page
    logged each of those inputs.
    """
    bodies = [json.loads(body) for (body,) in line.rows("SELECT body FROM events ORDER BY seq")]
    rows = []
    for setup, changes, stored, row in rounds_of(line):
        made, _ = record_round(MAZE.game, setup, changes)
        assert made.timing == stored.timing
        for again, before in zip(made.tracks, stored.tracks, strict=True):
            assert (again.actor, again.x, again.y, again.heading) == (
                before.actor,
                before.x,
                before.y,
                before.heading,
            )
        assert made == stored
        assert row["tick"] == setup.ticks == stored.timing.frames
        inputs = [
            one
            for event in bodies
            if event["kind"] == "play.input" and event["trial"] == row["position"]
            for one in event["data"]["inputs"]
        ]
        logged = {input_[0]: input_[2:] for input_ in inputs}
        assert len(logged) == len(inputs), "an input was logged twice"
        assert changes, "nothing was pressed"
        assert {change.number for change in changes} - {0} <= logged.keys()
        walked = [change for change in changes if change.pressed[:2] != (0, 0)]
        assert all(tuple(logged[change.number][:2]) == change.pressed[:2] for change in walked)
        rows.append(row)
    return rows
