"""A process that has imported the program, and forks for each command that it is asked to run.

It reads requests as lines of JSON and answers each with the exit status. `tests/programs.py` starts
one per test process: a command then costs what it does, without a second of imports.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import subprocess
import sys
import traceback
from typing import Any

import drawing_library

#: Imported before anything is asked. No module of it may look for installed packages.
WARM = (
    "believable.cli.check",
    "believable.cli.analyse",
    "believable.protocols",
    "believable.analysis.run",
    "believable.report.page",
    "believable.simulate.crowd",
    "believable.web.app",
)


def serve() -> None:
    for name in WARM:
        importlib.import_module(name)
    # It only saves time: without it, a command puts the library together itself.
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        drawing_library.fill()
    gc.freeze()
    for line in sys.stdin.buffer.raw:  # type: ignore[attr-defined]
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(run(request))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def run(request: dict[str, Any]) -> int:
    """Become the process that was asked for, and return its exit status."""
    for number, name in enumerate((os.devnull, request["stdout"], request["stderr"])):
        file = os.open(name, os.O_RDWR)
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.path[:0] = request["path"]
    importlib.invalidate_caches()
    status = exit_status_of(request["command"])
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def exit_status_of(command: list[str]) -> int:
    try:
        if command[0] == "-c":
            sys.argv = ["-c", *command[2:]]
            exec(compile(command[1], "<string>", "exec"), vars(sys.modules["__main__"]))
        else:
            sys.argv = ["believable", *command]
            importlib.import_module("believable.cli").main()
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve()
