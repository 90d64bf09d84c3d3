"""One run at a time works on a folder. The system frees the place when its holder dies, however it dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from believable.core.errors import Conflict

if sys.platform != "win32":
    import fcntl


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder. Raises `Conflict` when another run holds it. On Windows nothing is held."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(
                    f"{folder}: another run is working on these files. Wait for it to end, then repeat the command."
                ) from None
        yield
    finally:
        os.close(descriptor)
