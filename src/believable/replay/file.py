"""Reading and writing `*.replay.json.gz`. The same recording gives the same bytes, and reading gives the same recording."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput
from believable.replay.records import (
    FORMAT,
    Action,
    Actor,
    Place,
    PlanStep,
    Replay,
    State,
    Timing,
    Track,
    World,
)
from believable.replay.validate import require_sound


def write(replay: Replay, path: Path) -> int:
    """Write a sound recording, whole or not at all. Returns the number of bytes."""
    data = to_bytes(replay)
    beside = path.with_name(path.name + ".part")
    beside.write_bytes(data)
    beside.replace(path)
    return len(data)


def read(path: Path) -> Replay:
    """The recording in a file, or an error naming the file and what is wrong with it."""
    return from_bytes(path.read_bytes(), source=str(path))


def to_bytes(replay: Replay) -> bytes:
    require_sound(replay, source="recording")
    text = json.dumps(to_tree(replay), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def from_bytes(data: bytes, *, source: str) -> Replay:
    try:
        tree = json.loads(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InvalidInput(
            f"{source}: not a readable recording ({error}). Expected gzipped JSON in the format {FORMAT}; "
            "copy or record the file again."
        ) from error
    return from_tree(tree, source=source)


def to_tree(replay: Replay) -> dict[str, Any]:
    """The recording as JSON values, tracks delta-coded and actions columnar: what the browser's player reads, too."""
    return {
        "format": FORMAT,
        "world": asdict(replay.world),
        "actors": [asdict(actor) for actor in replay.actors],
        "timing": asdict(replay.timing),
        "tracks": [_track_tree(track) for track in replay.tracks],
        "actions": columns([asdict(action) for action in replay.actions], _ACTION_FIELDS),
        "plans": columns([asdict(step) for step in replay.plans], _PLAN_FIELDS),
        "telemetry": {name: list(column) for name, column in replay.telemetry.items()},
        "hidden_states": list(replay.hidden_states),
        "seed": replay.seed,
        "agent": replay.agent,
        "provenance": dict(replay.provenance),
    }


def from_tree(tree: Any, *, source: str) -> Replay:
    """A recording from JSON values."""
    if not isinstance(tree, Mapping) or "format" not in tree:
        raise InvalidInput(
            f"{source}: expected a recording with the key 'format', got {type(tree).__name__}."
        )
    if tree["format"] != FORMAT:
        raise InvalidInput(
            f"{source}: format is {tree['format']!r}, this version reads {FORMAT!r}. "
            "Read it with the version of believable that wrote it."
        )
    try:
        replay = _from_sound_tree(tree)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        what = f"missing key {error}" if isinstance(error, KeyError) else str(error)
        raise InvalidInput(f"{source}: not laid out as {FORMAT} ({what}).") from error
    return require_sound(replay, source=source)


_ACTION_FIELDS = tuple(Action.__dataclass_fields__)
_PLAN_FIELDS = tuple(PlanStep.__dataclass_fields__)


def _from_sound_tree(tree: Mapping[str, Any]) -> Replay:
    world = tree["world"]
    places = tuple(
        Place(p["id"], p["name"], p["parent"], tuple((x, y, w, h) for x, y, w, h in p["rects"]))
        for p in world["places"]
    )
    return Replay(
        world=World(world["kind"], world["width"], world["height"], tuple(world["walls"]), places),
        actors=tuple(Actor(**actor) for actor in tree["actors"]),
        timing=Timing(**tree["timing"]),
        tracks=tuple(_track(track) for track in tree["tracks"]),
        actions=tuple(Action(**row) for row in rows(tree["actions"])),
        plans=tuple(PlanStep(**row) for row in rows(tree["plans"])),
        telemetry={name: tuple(column) for name, column in tree["telemetry"].items()},
        hidden_states=tuple(tree["hidden_states"]),
        seed=tree["seed"],
        agent=tree["agent"],
        provenance=dict(tree["provenance"]),
    )


def _track_tree(track: Track) -> dict[str, Any]:
    return {
        "actor": track.actor,
        "first_frame": track.first_frame,
        "x": _deltas(track.x),
        "y": _deltas(track.y),
        "heading": _deltas(track.heading),
        "states": [[state.frame, state.key, state.value] for state in track.states],
    }


def _track(tree: Mapping[str, Any]) -> Track:
    return Track(
        actor=tree["actor"],
        x=_summed(tree["x"]),
        y=_summed(tree["y"]),
        heading=_summed(tree["heading"]),
        first_frame=tree["first_frame"],
        states=tuple(State(frame, key, value) for frame, key, value in tree["states"]),
    )


def _deltas(values: Sequence[int]) -> list[int]:
    return [*values[:1], *(after - before for before, after in pairwise(values))]


def _summed(deltas: Sequence[int]) -> tuple[int, ...]:
    for index, delta in enumerate(deltas):
        if not isinstance(delta, int) or isinstance(delta, bool) or not math.isfinite(delta):
            raise ValueError(f"track entry {index} is {delta!r}, expected a whole number")
    return tuple(accumulate(deltas))


def columns(rows: list[dict[str, Any]], fields: tuple[str, ...]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in fields}


def rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of unequal length: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
