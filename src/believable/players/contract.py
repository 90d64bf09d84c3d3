"""What a player is: a declared record and the folder of its browser module.

The module exports `create(root, options)`, which builds the player inside `root` and returns an object with
`time_ms`, `play()`, `pause()`, `seek(ms)`, `rate` and `on(name, listener)` (`ready`, `play`, `pause`, `ended`, `trouble`),
whatever kind of stimulus it shows, and `destroy()`. It reports what happens through `options.record(kind, data)`.

For annotating instruments it also has `duration_ms`, `running` (it plays and is not stalled: only then is anything annotated)
and `moment(mono_ms)`, which gives `{media_ms, frame}`: what was on screen at that time of the page's monotonic clock, and the
number of the picture (null where the browser does not tell). `media_ms` is within 40 ms of the medium's own clock at that time,
also at half speed, after a jump and around a stall; `mono_ms` is the time stamp of the input, not of its handling.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from believable.core.recorded import Recorded

__all__ = ["Player", "Recorded"]


@dataclass(frozen=True, slots=True)
class Player:
    """How a stimulus is shown. `module` and `style` are files in `folder`."""

    name: str
    version: int
    about: str
    folder: Path
    module: str
    style: str
    records: tuple[Recorded, ...]
