"""`believable versus` on agents: two that differ by one planted knob, and two that are equal.

    python -m validation.versus_agents

The agent walks through the maze, and its aim shakes. The knob says by how much. Simulated judges go
by how steadily a figure turns. Each comparison is one command, from recording to exit code, with a
number of judges that is fixed, and stopped as soon as the answer is known. Exits with 1 if an exit
code or a verdict is not the expected one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = "from believable.cli import main; main()"
AGENT = """\
import random

SHAKING = {shaking}


def agent(seed):
    rng = random.Random(seed + {other})
    ways = [(1, 0, 0), (0, 1, 90), (-1, 0, 180), (0, -1, 270)]
    way = rng.choice(ways)

    def act(view):
        nonlocal way
        if rng.random() < 0.05:
            way = rng.choice(ways)
        right, down, facing = way
        return (right, down, round(facing + rng.uniform(-SHAKING, SHAKING)) % 360, 0, 0)

    return act
"""
#: By how many degrees the agent's aim shakes: of the old one, and of the new one if the knob is set.
NERVOUS, STEADY = 25, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One call of the command. `expected`: exit code and verdict."""

    name: str
    new: str
    options: tuple[str, ...]
    expected: tuple[int, str]


def comparisons(judges: int) -> tuple[Comparison, ...]:
    """The planted knob has to be found, and equal agents must not differ."""
    fixed = ("--judges", str(judges))
    until_known = ("--judges", str(5 * judges), "--sequential")
    equal = ("--require", "equal", "--margin", "0.4")
    return (
        Comparison(name="planted, fixed", new="v2.py", options=fixed, expected=(0, "better")),
        Comparison(
            name="planted, until known", new="v2.py", options=until_known, expected=(0, "better")
        ),
        Comparison(
            name="equal, fixed", new="same.py", options=(*fixed, *equal), expected=(0, "equal")
        ),
        Comparison(
            name="equal, until known",
            new="same.py",
            options=(*until_known, *equal),
            expected=(0, "equal"),
        ),
        Comparison(
            name="equal, must be better",
            new="same.py",
            options=(*fixed, "--margin", "0.4"),
            expected=(5, "equal"),
        ),
    )


def compare(case: Comparison, folder: Path, runs: int) -> tuple[int, Any, float]:
    """Exit code, answer and seconds of one command."""
    study = case.name.replace(",", "").replace(" ", "-")
    arguments = [
        *("versus", "v1.py", case.new, "--world", "maze", "--runs", str(runs), "--seconds", "5"),
        *("--study", study, "--simulated", "--json", *case.options),
    ]
    began_s = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], cwd=folder, capture_output=True, text=True
    )
    took_s = time.monotonic() - began_s
    if not done.stdout:
        raise RuntimeError(f"{case.name}: {done.stderr}")
    return done.returncode, json.loads(done.stdout), took_s


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--judges", type=int, default=24)
    parser.add_argument("--at-once", type=int, default=2, help="Commands that run side by side.")
    options = parser.parse_args(arguments)
    met = True
    with tempfile.TemporaryDirectory(prefix="believable-versus-") as scratch:
        folder = Path(scratch)
        for name, shaking, other in (
            ("v1", NERVOUS, 0),
            ("v2", STEADY, 0),
            ("same", NERVOUS, 1000),
        ):
            text = AGENT.format(shaking=shaking, other=other)
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        cases = comparisons(options.judges)
        with ThreadPoolExecutor(options.at_once) as crew:
            answers = crew.map(lambda case: compare(case, folder, options.runs), cases)
            for case, (code, answer, took_s) in zip(cases, answers, strict=True):
                met = met and (code, answer["verdict"]) == case.expected
                sys.stdout.write(
                    f"{case.name}: exit code {code}, {answer['verdict']} after"
                    f" {answer['judges']} judges ({took_s:.0f} s)\n  {answer['sentence']}\n"
                    f"  {answer['advice']}\n"
                )
                sys.stdout.flush()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
