"""Starts the engine so that it cannot outlive its caller: `python doom_engine_guard.py NOTE ENGINE
ARGUMENTS…`.

The library starts the engine as a process that ignores requests to end and stays when its parent is
killed. This program takes its role for a moment: it leaves its process id and arguments in the file
NOTE, asks the kernel to kill it together with its parent, leaves the terminal's process group and
its folder, and becomes the engine.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    note, engine, *arguments = sys.argv[1:]
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)  # it went before the kernel knew
    if sys.platform != "win32":  # Doom does not run there (`load_vizdoom`)
        os.setpgid(0, 0)
    os.chdir(os.path.dirname(note))  # it writes a folder into its current folder
    with open(note, "w", encoding="utf-8") as file:
        file.write("\n".join([str(os.getpid()), *arguments]))
    os.execv(engine, [engine, *arguments])


if __name__ == "__main__":
    main()
