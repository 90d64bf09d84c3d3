"""The contract of a player: a declared record and the folder of its browser module.

The module exports `create(root, options)`, which builds the player inside `root` and returns an
object with `time_ms`, `play()`, `pause()`, `seek(ms)`, `rate` and `on(name, listener)` (`ready`,
`play`, `pause`, `ended`, `trouble`), whatever kind of stimulus it shows, and `destroy()`. It
reports what happens through `options.record(kind, data)`.

For annotating instruments it also has `duration_ms`, `running` (it plays and is not stalled: only
then is anything annotated) and `moment(mono_ms)`, which returns `{media_ms, frame}`: the moment on
screen at that time of the page's monotonic clock, and the number of the picture (null if the
browser does not report it). `media_ms` is within 40 ms of the medium's clock at that time, also at
half speed, after a jump and around a stall; `mono_ms` is the time stamp of the input, not of its
handling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from believable.contracts.texts import part_text_problems
from believable.core.event_chain import EventKind
from believable.core.registry import must_keep_contract

__all__ = ["EventKind", "Player"]


@dataclass(frozen=True, slots=True)
class Player:
    """How a stimulus is shown. `module` and `style` are files in `folder`."""

    name: str
    version: int
    about: str
    folder: Path
    module: str
    style: str
    records: tuple[EventKind, ...]


#: The members of the object that `create` returns, for a player that shows stimuli.
_METHODS = (
    "time_ms",
    "play",
    "pause",
    "seek",
    "rate",
    "on",
    "destroy",
    "duration_ms",
    "running",
    "moment",
)
_RECORDED = re.compile(r"""\brecord\(\s*["']([a-z_.]+)["']""")


def check_player(player: Player) -> None:
    """Raises InvalidInput with everything that breaks the contract, as far as it can be read from
    the files.
    """
    must_keep_contract("player", player.name, _problems(player))


def _problems(player: Player) -> Iterator[str]:
    yield from part_text_problems(player.folder)
    if player.version < 1 or not player.about:
        yield "it must have a version from 1 on and describe itself (`about`)."
    for name in (player.module, player.style):
        if not (player.folder / name).is_file():
            yield f"there is no {name} in {player.folder.name}/."
            return
    code = (player.folder / player.module).read_text(encoding="utf-8")
    if not re.search(r"export function create\(", code):
        yield f"{player.module} does not export the function `create`."
    missing = [name for name in _METHODS if not re.search(rf"\b{name}\b", code)]
    if missing:
        yield f"{player.module} has no {', '.join(missing)}."
    scripts = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted(player.folder.glob("*.js"))
    )
    recorded, declared = set(_RECORDED.findall(scripts)), {event.kind for event in player.records}
    if recorded != declared:
        yield f"it records {sorted(recorded)}, and declares {sorted(declared)}."
