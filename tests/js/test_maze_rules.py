"""The page's own figure moves by the same rules as on the server, to the last unit."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import believable
from believable.worlds.maze.grid import Grid
from believable.worlds.maze.rules import MazeRound, MazeRules, OpponentInput, PlayerInput, new_round

RULES = Path(believable.__file__).parent / "worlds/maze/static/rules.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="node is not installed: install Node.js 18 or later"
)
TICKS = 900
SCRIPT = """
import { gridOf, step } from %s;
let all = "";
for await (const part of process.stdin) all += part;
const told = JSON.parse(all).map(({ walls, rules, own, inputs }) => {
  const grid = gridOf(walls);
  let state = own;
  return inputs.map(([dx, dy, aim, shoot, bomb], tick) => {
    state = step(state, tick, { dx, dy, aim, shoot, bomb }, grid, rules);
    const missiles = state.missiles.map(({ id, bomb, x, y, vx, vy, left }) => [id, bomb, x, y, vx, vy, left]);
    return [state.x, state.y, state.heading, missiles, state.bulletReady, state.bombReady, state.made];
  });
});
console.log(JSON.stringify(told));
"""


def by_server(game: MazeRound, inputs: list[list[int]]) -> list[list[Any]]:
    """The same ticks by the rules themselves. The opponent stands far away, behind walls of its
    own, and touches nothing.
    """
    told = []
    for dx, dy, aim, shoot, bomb in inputs:
        game.step(
            PlayerInput(dx=dx, dy=dy, aim_deg=aim, shoot=bool(shoot), bomb=bool(bomb)),
            OpponentInput(),
        )
        game.fires.clear()
        game.player.health = game.settings.health
        missiles = [
            [m.id, m.kind == "bomb", m.x, m.y, m.vx, m.vy, m.ticks_left] for m in game.missiles
        ]
        player = game.player
        told.append(
            [
                player.x,
                player.y,
                player.heading_deg,
                missiles,
                game.bullet_ready,
                game.bomb_ready,
                game.missiles_made,
            ]
        )
    return told


def some_inputs(rng: random.Random) -> list[list[int]]:
    """Keys are held for a while, as people hold them."""
    inputs: list[list[int]] = []
    while len(inputs) < TICKS:
        held = [
            rng.choice((-1, 0, 1)),
            rng.choice((-1, 0, 1)),
            rng.randrange(360),
            rng.randrange(2),
            rng.randrange(2),
        ]
        inputs += [held] * rng.randint(1, 25)
    return inputs[:TICKS]


def test_walking_and_shooting_agree_over_random_inputs() -> None:
    assert NODE is not None
    given, expected = [], []
    for seed in range(20):
        settings = MazeRules(size=(15, 21, 31)[seed % 3])
        game = new_round(seed, settings)
        own = {
            "x": game.player.x,
            "y": game.player.y,
            "heading": 0,
            "missiles": [],
            "bulletReady": 0,
            "bombReady": 0,
            "made": 0,
        }
        inputs = some_inputs(random.Random(seed))
        given.append(
            {"walls": game.grid.walls, "rules": asdict(settings), "own": own, "inputs": inputs}
        )
        # The opponent waits in a closed cell below the maze, where nobody gets to.
        width = game.grid.width
        game.grid = Grid(
            (
                *game.grid.walls,
                "#" * (width // 2) + "." + "#" * (width - width // 2 - 1),
                "#" * width,
            )
        )
        game.opponent.x, game.opponent.y = game.grid.centre(width * width + width // 2)
        expected.append(by_server(game, inputs))
    script = SCRIPT % json.dumps(RULES.as_uri())
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for seed, (ours, theirs) in enumerate(zip(told, expected, strict=True)):
        for tick, (page, server) in enumerate(zip(ours, theirs, strict=True)):
            assert page == server, f"seed {seed}, tick {tick}"
    assert any(frame[3] for frame in expected[0]), "nothing was shot"
