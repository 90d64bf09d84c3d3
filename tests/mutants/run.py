"""Plant faults in the modules that turn data into claims, and count how many the tests notice.

    python -m tests.mutants.run --count 60 --seed 1

Each fault is planted in a copy of the checkout. The tests of the module run there until the first
one fails. Tests that import the module run first. A fault that no test notices survives; some
survivors change nothing that anyone could see, so the score has a natural limit below 100 %.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.faults import Fault, faults_of

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "believable"
#: Area → patterns of its modules and the tests that guard them.
AREAS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "analysis": (("analysis/*.py",), ("analysis", "protocols/*/test_analysis.py")),
    "protocols/*/analysis": (
        tuple(f"protocols/{name}/*.py" for name in ("clips", "qa", "replay", "trace")),
        ("protocols/*",),
    ),
    "protocols/hntt": (("protocols/hntt/*.py",), ("protocols/hntt",)),
    "worlds/town/rule_checker": (("worlds/town/rule_checker/*.py",), ("worlds/town",)),
    "stats": (("stats/**/*.py",), ("stats", "oracles")),
    "traces": (("traces/*.py",), ("traces", "oracles")),
    "collect": (("collect/*.py",), ("collect", "web/participant", "web/console/test_review*.py")),
    "store/writer": (("store/writer.py",), ("store",)),
}
#: Simulated participants and stimuli: they make test data, no claims.
EXCLUDED = ("people.py", "planted_truth.py", "viewer.py", "stimuli.py", "__init__.py")
#: A fault may make a loop endless: one test, and all tests of an area.
LONGEST_TEST_S = 150
LONGEST_S = 1800


@dataclass(frozen=True)
class Outcome:
    area: str
    fault: Fault
    noticed: bool
    by: str
    seconds: float


def modules(area: str) -> list[Path]:
    found = itertools.chain.from_iterable(SRC.glob(pattern) for pattern in AREAS[area][0])
    return sorted(path for path in found if path.name not in EXCLUDED)


def sample(areas: Sequence[str], count: int, seed: int) -> list[tuple[str, Fault]]:
    """The same number of faults in each area, drawn without replacement."""
    rng = random.Random(seed)
    drawn = {
        area: rng.sample(found, len(found))
        for area in areas
        if (found := [fault for path in modules(area) for fault in faults_of(path)])
    }
    turns = itertools.zip_longest(*([(area, f) for f in faults] for area, faults in drawn.items()))
    in_turn = (one for turn in turns for one in turn if one is not None)
    return list(itertools.islice(in_turn, count))


def tests_for(area: str, module: Path) -> tuple[list[str], list[str]]:
    """Test files that name the module, and the rest of the tests of its area."""
    dotted = ".".join(module.relative_to(SRC.parent).with_suffix("").parts)
    package, _, name = dotted.rpartition(".")
    named = re.compile(rf"{re.escape(dotted)}\b|from {re.escape(package)} import [^\n]*\b{name}\b")
    own = dict.fromkeys(
        file
        for folder in AREAS[area][1]
        for found in sorted((ROOT / "tests").glob(folder))
        for file in (sorted(found.rglob("test_*.py")) if found.is_dir() else [found])
    )
    first = [file for file in own if named.search(file.read_text("utf-8"))]
    rest = [file for file in own if file not in first]
    return [str(file.relative_to(ROOT)) for file in first], [
        str(file.relative_to(ROOT)) for file in rest
    ]


def copy_checkout(folder: Path) -> Path:
    """What git tracks, as it is in the checkout now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def judge(area: str, fault: Fault, copy: Path) -> Outcome:
    target = copy / fault.path.relative_to(ROOT)
    source, began_s = target.read_text("utf-8"), time.monotonic()
    target.write_text(fault.plant(source), "utf-8")
    try:
        by = next(
            filter(None, (first_failure(copy, files) for files in tests_for(area, fault.path))), ""
        )
    finally:
        target.write_text(source, "utf-8")
    return Outcome(area, fault, bool(by), by, time.monotonic() - began_s)


def first_failure(copy: Path, files: Sequence[str]) -> str:
    """The first test that fails; empty if none does."""
    if not files:
        return ""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-rfE"]
    command += [f"--timeout={LONGEST_TEST_S}"]
    try:
        ran = subprocess.run(
            [*command, "-m", "not browser and not slow", *files],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {LONGEST_S} s"
    if ran.returncode in (0, 5):  # 5: none of them is to be run
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)(.*)$", ran.stdout, re.MULTILINE)
    if failed is None:
        return f"pytest ended with {ran.returncode}"
    return failed[1] + (f", stopped after {LONGEST_TEST_S} s" if "Timeout" in failed[2] else "")


def run(areas: Sequence[str], count: int, seed: int, workers: int) -> list[Outcome]:
    chosen = sample(areas, count, seed)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copies.put(copy_checkout(Path(folder, str(number))))

        def one(pair: tuple[str, Fault]) -> Outcome:
            copy = copies.get()
            try:
                outcome = judge(*pair, copy)
            finally:
                copies.put(copy)
            print(_line(outcome), flush=True)
            return outcome

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(one, chosen))


def _line(outcome: Outcome) -> str:
    fault = outcome.fault
    where = f"{fault.path.relative_to(SRC)}:{fault.line}"
    word = "noticed " if outcome.noticed else "SURVIVED"
    by = f" by {outcome.by.removeprefix('tests/')}" if outcome.noticed else ""
    return f"{word} {where} {fault.describe(fault.path.read_text())}{by} ({outcome.seconds:.0f} s)"


def table(outcomes: Sequence[Outcome]) -> str:
    planted = Counter(outcome.area for outcome in outcomes)
    noticed = Counter(outcome.area for outcome in outcomes if outcome.noticed)
    lines = ["| area | planted | noticed | score |", "|---|---|---|---|"]
    lines += [
        f"| `{area}` | {planted[area]} | {noticed[area]} | {noticed[area] / planted[area]:.0%} |"
        for area in AREAS
        if planted[area]
    ]
    total, found = len(outcomes), sum(noticed.values())
    return "\n".join([*lines, f"| all | {total} | {found} | {found / max(total, 1):.0%} |"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="how many faults to plant")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--area", action="append", choices=[*AREAS], help="only these areas")
    parser.add_argument("--workers", type=int, default=2, help="how many at the same time")
    parser.add_argument("--at-least", type=float, default=0.0, help="fail below this share")
    asked = parser.parse_args()
    outcomes = run(asked.area or [*AREAS], asked.count, asked.seed, asked.workers)
    print(table(outcomes))
    if sum(outcome.noticed for outcome in outcomes) < asked.at_least * len(outcomes):
        sys.exit(f"fewer than {asked.at_least:.0%} of the faults were noticed")


if __name__ == "__main__":
    main()
