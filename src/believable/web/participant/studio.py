"""Where rounds become videos: in processes of their own, one at a time, because others may be playing on this machine."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from believable.core.errors import Unavailable

_MODULE = "believable.collect.round_film"


class Studio:
    """Of one server process."""

    def __init__(self) -> None:
        self._one = asyncio.Semaphore(1)

    async def film(self, recording: bytes) -> bytes:
        """The video of a recording."""
        async with self._one:
            with tempfile.TemporaryDirectory(prefix="believable-film-") as folder:
                source, target = Path(folder) / "round.replay.json.gz", Path(folder) / "round.mp4"
                source.write_bytes(recording)
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", _MODULE, str(source), str(target), stderr=asyncio.subprocess.PIPE
                )
                _, words = await process.communicate()
                if process.returncode != 0:
                    last = words.decode(errors="replace").strip().splitlines()[-1:]
                    raise Unavailable(f"the round could not be filmed: {' '.join(last)}. It is tried again.")
                return target.read_bytes()
