"""Calls that differ between POSIX and Windows: priority, locks, signals. Windows has no `fcntl`,
process groups or `nice`.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

if sys.platform == "win32":
    import ctypes
    import msvcrt

    #: Ends a process at once: `os.kill` on Windows always does.
    KILL = signal.SIGTERM
    ENDING_SIGNALS: tuple[signal.Signals, ...] = (signal.SIGTERM,)

    def lower_priority(niceness: int = 10) -> None:
        """Let the server on the same machine go first. Windows has classes, not numbers."""
        below_normal = 0x4000
        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), below_normal)

    def try_lock(descriptor: int) -> bool:
        """Lock an open file for this process, unless another process holds it."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        """Windows has no groups: children of the process end when its pipes close."""
        process.kill() if number == KILL else process.terminate()

    def end_this_process() -> None:
        signal.raise_signal(signal.SIGTERM)

    def account_number() -> int:
        return 0

    def is_private(folder: Path) -> bool:
        """Folders for temporary files belong to one account on Windows."""
        return folder.is_dir()

else:
    import fcntl

    KILL = signal.SIGKILL
    ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)

    def lower_priority(niceness: int = 10) -> None:
        """Let the server on the same machine go first."""
        os.nice(niceness)

    def try_lock(descriptor: int) -> bool:
        """Lock an open file for this process, unless another process holds it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        """Send a signal to a process that was started with `start_new_session`, and to its
        children.
        """
        os.killpg(process.pid, number)

    def end_this_process() -> None:
        """As if asked to end: the main thread handles the signal."""
        os.kill(os.getpid(), signal.SIGTERM)

    def account_number() -> int:
        return os.getuid()

    def is_private(folder: Path) -> bool:
        """Whether it is a folder, no link, that only this account can use."""
        held = folder.lstat()
        own = held.st_uid == os.getuid() and not held.st_mode & 0o077
        return own and stat.S_ISDIR(held.st_mode)
