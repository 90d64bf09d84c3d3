"""The ways of a demo's players, exported by `dsda-doom` without a screen."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from believable.core.errors import InvalidInput, NotFound
from believable.stimuli.freedoom import ENGINE, INSTALL, PeopleDemo


def export_ghost(demo: PeopleDemo, wad: Path) -> bytes:
    """Play a demo again on the game in `wad`, and return the engine's ghost of it."""
    if not ENGINE.is_file():
        raise NotFound(f"dsda-doom is not installed; it plays the demos again. Install: {INSTALL}")
    if not wad.is_file():
        raise NotFound(f"{wad} is not there: the game that the demo is of. Install: {INSTALL}")
    with tempfile.TemporaryDirectory(prefix="believable-demo-") as folder:
        scratch = Path(folder)
        (scratch / "demo.lmp").write_bytes(demo.to_bytes())
        played = subprocess.run(
            [
                *(str(ENGINE), "-config", "engine.cfg", "-iwad", str(wad.resolve())),
                *("-fastdemo", "demo.lmp", "-nosound", "-nodraw", "-export_ghost", "way.gst"),
            ],
            cwd=scratch,
            env={
                **os.environ,
                "HOME": folder,
                "SDL_VIDEODRIVER": "dummy",
                "SDL_AUDIODRIVER": "dummy",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        if not (scratch / "way.gst").is_file():
            said = " ".join((played.stdout + played.stderr).split())[-300:]
            raise InvalidInput(f"{ENGINE} exported no way of {demo.name} on {wad.name}: {said}")
        return (scratch / "way.gst").read_bytes()
