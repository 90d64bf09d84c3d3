"""One kind of event that a player or an instrument records in the browser: its name, its data, and what it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Recorded:
    """`data` names the keys of the event's data, in the order they are written."""

    kind: str
    data: tuple[str, ...]
    about: str
