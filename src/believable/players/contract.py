"""What a player is: a declared record and the folder of its browser module.

The module exports `create(root, options)`, which builds the player inside `root` and returns an object with
`time_ms`, `play()`, `pause()`, `seek(ms)`, `rate` and `on(name, listener)` (`ready`, `play`, `pause`, `ended`, `trouble`),
whatever kind of stimulus it shows, and `destroy()`. It reports what happens through `options.record(kind, data)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recorded:
    """One kind of event a player records."""

    kind: str
    data: tuple[str, ...]
    about: str


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
