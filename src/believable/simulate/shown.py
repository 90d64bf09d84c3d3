"""What a simulated person sees of a medium: how long it is, and what is going on in it where the page tells."""

from __future__ import annotations

import gzip
import json
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from believable.instruments.contract import Act

#: Used when a file does not state its length.
UNKNOWN_LENGTH_MS = 6_000
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Going:
    """An action of the log, as the browser knows it."""

    id: str
    t0_ms: int
    t1_ms: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A medium. `log` is empty where the page shows none."""

    length_ms: int
    log: tuple[Going, ...] = ()


def look_at(content: bytes) -> Shown:
    """A video (its beginning is enough) or a whole recording."""
    if not content.startswith(_GZIP):
        return Shown(length_ms(content) or UNKNOWN_LENGTH_MS)
    tree = json.loads(gzip.decompress(content))["replay"]
    timing = tree["timing"]
    return Shown(timing["frame_ms"] * timing["frames"], _log(tree["actions"]))


def log_in(content: bytes) -> tuple[Going, ...]:
    """The action log of a video, as it is served."""
    return _log(json.loads(gzip.decompress(content))["actions"])


def _log(columns: dict[str, list[object]]) -> tuple[Going, ...]:
    rows = zip(columns.get("id", ()), columns.get("t0_ms", ()), columns.get("t1_ms", ()), strict=True)
    return tuple(Going(str(name), int(str(t0_ms)), int(str(t1_ms))) for name, t0_ms, t1_ms in rows)


def length_ms(beginning: bytes) -> int | None:
    """The playing time an MP4 file states in its movie header; None where there is none to be found."""
    at = beginning.find(b"mvhd") + 4
    if at < 4 or len(beginning) < at + 32:
        return None
    wide = beginning[at] == 1  # 64-bit times
    scale, length = struct.unpack_from(">IQ" if wide else ">II", beginning, at + (20 if wide else 12))
    return round(1000 * length / scale) if scale else None


def aimed(acts: Sequence[Act], log: Sequence[Going], rng: random.Random) -> list[Act]:
    """Flags on moments become flags on an action that is going on then, as the page's key makes them."""
    found = []
    for act in acts:
        going = [one.id for one in log if one.t0_ms <= act.media_ms < one.t1_ms]
        if act.kind == "flag.add" and going:
            act = replace(act, data={**act.data, "action": rng.choice(going)})
        found.append(act)
    return found
