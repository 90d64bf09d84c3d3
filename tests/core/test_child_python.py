"""Every Python process of ours starts without the current folder on its path."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from believable.core import processes, work
from believable.core.child_python import protected_start, python_command

SOURCES = Path(work.__file__).parents[1]
#: Starts the engine of a game by a script of ours, with `-I`, which leaves out the current folder
#: and the environment.
ISOLATED = {"worlds/doom/doom_engine.py"}


def test_the_command_leaves_the_current_folder_off_the_path(tmp_path: Path) -> None:
    (tmp_path / "threading.py").write_text("raise SystemExit(86)")
    program = "import sys, threading; print(sys.flags.safe_path)"
    done = subprocess.run(
        python_command("-c", program), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_nothing_else_in_the_package_names_the_interpreter() -> None:
    naming = {
        str(file.relative_to(SOURCES))
        for file in SOURCES.rglob("*.py")
        if "sys.executable" in file.read_text("utf-8")
    }
    assert naming == ISOLATED | {"core/child_python.py"}, "start Python with `python_command`"


def test_a_start_is_protected_and_the_environment_is_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    with protected_start():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert "PYTHONSAFEPATH" not in os.environ
    monkeypatch.setenv("PYTHONSAFEPATH", "yes")
    with protected_start():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ["PYTHONSAFEPATH"] == "yes"


def _safe_path() -> bool:
    import sys  # noqa: PLC0415 - in the child

    return sys.flags.safe_path


def test_children_of_a_library_call_are_protected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    assert processes.in_child(_safe_path) is True
