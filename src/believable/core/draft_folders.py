"""Folders for drafts that hold people's data: inside the data folder, and gone with who made them.

A killed process leaves its drafts behind. Each is held by a lock, which the system releases when
the process ends in any way; `sweep_drafts` deletes those without a holder.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from believable.core.system import try_lock


@dataclass(frozen=True, slots=True)
class DraftFolder:
    """A folder to write into, for its maker alone. `lock` is the descriptor that keeps it from
    being swept.
    """

    path: Path
    lock: int

    def remove(self) -> None:
        """Delete the folder with all that is in it. A second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        name = _lock_of(self.path)
        if name.exists():
            _delete(name, self.lock)


def make_draft(parent: Path) -> DraftFolder:
    """A new empty folder in `parent`, which is made if it is not there."""
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        path = parent / secrets.token_hex(8)
        lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if not try_lock(lock):  # another process sweeps just now and takes this for a leftover
            os.close(lock)
            continue
        path.mkdir(mode=0o700)
        return DraftFolder(path, lock)


@contextmanager
def draft_folder(parent: Path) -> Iterator[Path]:
    """The same for as long as it is needed here."""
    draft = make_draft(parent)
    try:
        yield draft.path
    finally:
        draft.remove()


def sweep_drafts(parent: Path) -> int:
    """Delete drafts whose makers are gone, and say how many. Those of processes that still run
    stay.
    """
    if not parent.is_dir():
        return 0
    names = {entry.name.removesuffix(".lock") for entry in parent.iterdir()}
    return sum(_sweep(parent / name) for name in names)


def _sweep(path: Path) -> bool:
    try:
        lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return False
    if not try_lock(lock):
        os.close(lock)
        return False
    shutil.rmtree(path, ignore_errors=True)
    _delete(_lock_of(path), lock)
    return True


def _delete(name: Path, lock: int) -> None:
    """Delete a lock file while it is held. Windows deletes no open file, so there it is closed
    first.
    """
    if sys.platform == "win32":
        os.close(lock)
    with suppress(OSError):
        name.unlink()
    if sys.platform != "win32":
        os.close(lock)


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")
