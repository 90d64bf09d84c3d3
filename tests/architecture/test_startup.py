"""Lean where it counts: importing the package and serving studies load nothing heavy."""

from __future__ import annotations

import functools
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "pandas",
    "PIL",
    "torch",
    "gymnasium",
    "av",
    "matplotlib",
    "altair",
    "plotly",
    "numba",
    "distributed",
    "dask",
    "sklearn",
    "scipy",
}
ROUNDS = 5


def fastest_start_s(*arguments: str) -> float:
    """Processor time of the best of a few starts: what it takes however busy the machine is with
    other work.
    """
    times = []
    for _ in range(ROUNDS):
        start = processor_s()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(processor_s() - start)
    return min(times)


def processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@functools.cache
def modules_after(statement: str, folder: Path | None = None) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder
    )
    return set(result.stdout.splitlines())


def test_importing_the_package_takes_under_150_ms() -> None:
    bare_s = fastest_start_s("-c", "pass")
    ours_s = fastest_start_s("-c", "import believable")
    # 150 ms on a quiet machine where Python itself needs about 15 ms; a slower machine slows both.
    assert ours_s - bare_s < max(0.150, 5 * bare_s)


def test_help_answers_at_once() -> None:
    bare_s = fastest_start_s("-c", "pass")
    ours_s = fastest_start_s(
        "-c",
        "import sys; sys.argv = ['believable', '--help']; from believable.cli import main; main()",
    )
    assert ours_s - bare_s < max(0.250, 10 * bare_s)


@pytest.mark.parametrize(
    "statement", ["import believable", "import believable.cli", "import believable.web.app"]
)
def test_nothing_heavy_is_loaded(statement: str) -> None:
    assert modules_after(statement) & HEAVY == set()


def test_a_world_is_loaded_by_whoever_plays_in_it() -> None:
    loaded = modules_after("import believable.web.app")
    assert "believable.worlds" in loaded
    assert not {
        name
        for name in loaded
        if name.startswith(("believable.worlds.doom", "believable.worlds.gym"))
    }


def test_the_check_notices_a_heavy_import(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").touch()  # of the same name and no weight
    assert "pandas" in modules_after("import pandas", tmp_path) & HEAVY


def test_the_list_of_commands_loads_nothing_that_only_commands_need() -> None:
    loaded = modules_after("import believable.cli")
    assert not {"logging", "difflib", "believable.core.registry", "believable.study"} & loaded
