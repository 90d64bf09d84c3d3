"""The reference of the players as Markdown, made from their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from believable.core.recorded import Recorded
from believable.players.contract import Player
from believable.study.records import Controls
from believable.study.reference import table

_HEAD = """# Players

Generated from the records by `believable.players.reference`; do not edit by hand.

A player shows a stimulus: `*.replay.json.gz` is a recording, everything else a video. Try each with `believable gallery`.

## Controls

What people may do with a player, the same for all: `watch: {stimulus: any, controls: {seek: true}}`.
"""


_PART = """Not for stimuli: the part of a quality test (`qa`) that draws or sounds its signal, with the contract of all players.
"""


def reference(players: Iterable[Player], signal: Player) -> str:
    """The whole page: the players of stimuli, then the one of quality tests."""
    parts = [_HEAD, table(Controls, id_needed=True)]
    for one in players:
        parts += _section(one)
    heading, *rest = _section(signal)
    return "\n".join([*parts, heading, _PART, *rest])


def _section(one: Player) -> Iterator[str]:
    yield f"## `{one.name}`\n"
    yield f"{one.about} Version {one.version}.\n"
    yield "Records:\n"
    yield _events(one.records)


def _events(recorded: Sequence[Recorded]) -> str:
    rows = ["| event | data | meaning |", "|---|---|---|"]
    for one in recorded:
        data = ", ".join(f"`{name}`" for name in one.data)
        rows.append(f"| `{one.kind}` | {data} | {one.about} |")
    return "\n".join(rows) + "\n"
