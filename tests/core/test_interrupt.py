"""Ctrl-C while several processes work: the caller reports it, and no worker prints a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import signal

from believable.core.work import map_chunks


def work(number):
    # The first worker soon waits for more, the second is busy.
    if number:
        print("working", flush=True)
        signal.pause()


def report(done, total):
    print("done", flush=True)


if __name__ == "__main__":
    # A shell that runs the tests in the background lets its programs ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        map_chunks(work, [0, 1], workers=2, pool="processes", progress=report)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


STARTING = """
import os

if __name__ == "__mp_main__":
    os.write(1, b"starting\\n")  # in one piece: both workers print it
"""


def interrupt(program: Path, text: str, lines: list[str]) -> tuple[str, str]:
    """Send Ctrl-C to the program and its workers once they have printed these lines; what it
    printed then.
    """
    program.write_text(text, "utf-8")
    words = [sys.executable, str(program)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        assert run.stdout is not None
        assert sorted(run.stdout.readline() for _ in lines) == lines
        os.killpg(run.pid, signal.SIGINT)
        return run.communicate(timeout=60)


def test_ctrl_c_ends_workers_without_a_traceback(tmp_path: Path) -> None:
    output, errors = interrupt(tmp_path / "program.py", PROGRAM, ["done\n", "working\n"])
    assert output == "interrupted\n"
    assert errors == ""


def test_ctrl_c_ends_workers_that_are_just_starting(tmp_path: Path) -> None:
    output, errors = interrupt(tmp_path / "program.py", STARTING + PROGRAM, ["starting\n"])
    assert "interrupted\n" in output
    assert errors == ""
