"""What can be seen between walls, against a plain walk along each ray, and against the browser's
own function.
"""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from pathlib import Path

import pytest

import believable
from believable.recordings.scene import reach, sight
from believable.worlds.maze.grid import generate

MODULE = Path(believable.__file__).parent / "players/replay/sight.js"
NODE = shutil.which("node")
OPEN = tuple("." * 20 for _ in range(20))


def walked(walls: tuple[str, ...], x: float, y: float, dx: float, dy: float, r: float) -> float:
    """Small steps until there is a wall."""
    step = 0.001
    far = 0.0
    while far < r and walls[math.floor(y + far * dy)][math.floor(x + far * dx)] != "#":
        far += step
    return min(far, r)


def places(seed: int) -> tuple[tuple[str, ...], float, float]:
    rng = random.Random(seed)
    walls = generate(rng, size=15)
    free = [(x, y) for y, row in enumerate(walls) for x, tile in enumerate(row) if tile == "."]
    x, y = rng.choice(free)
    return walls, x + rng.uniform(0.1, 0.9), y + rng.uniform(0.1, 0.9)


@pytest.mark.parametrize("seed", range(5))
def test_a_ray_ends_at_the_first_wall(seed: int) -> None:
    walls, x, y = places(seed)
    for degrees in range(0, 360, 7):
        dx, dy = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        assert reach(walls, x, y, dx, dy, 7) == pytest.approx(
            walked(walls, x, y, dx, dy, 7), abs=0.002
        )


def test_without_walls_it_is_a_sector() -> None:
    tip, *rim = sight(OPEN, 10, 10, 5, -55, 55)
    assert tip == (10, 10)
    assert len(rim) == 111
    assert all(math.hypot(px - 10, py - 10) == pytest.approx(5) for px, py in rim)
    assert rim[55] == pytest.approx((15, 10))


@pytest.mark.skipif(NODE is None, reason="node is not installed: install Node.js 18 or later")
def test_the_browser_sees_the_same() -> None:
    assert NODE is not None
    given = [(*places(seed), 7, 37.0 * seed - 55, 37.0 * seed + 55) for seed in range(20)]
    script = (
        f"import {{ sight }} from {json.dumps(MODULE.as_uri())};"
        "let all = ''; for await (const part of process.stdin) all += part;"
        "console.log(JSON.stringify(JSON.parse(all).map((one) => sight(...one))));"
    )
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    for ours, theirs in zip(given, json.loads(done.stdout), strict=True):
        for here, there in zip(sight(*ours), theirs, strict=True):
            assert here == pytest.approx(there, abs=1e-9)
