"""Reading and writing `*.replay.json.gz`. The same recording gives the same bytes, and reading
gives the same recording.

`problems` lists all problems of a recording at once.
"""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, TooLarge, parsing, reading
from believable.core.registry import did_you_mean
from believable.core.whole_files import whole_file
from believable.recordings.field_types import misfits
from believable.recordings.recording import (
    FORMAT,
    UNITS_PER_TILE,
    Action,
    Actor,
    Place,
    PlanStep,
    RecordedObject,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)

#: A day of ten figures at ten pictures a second is about 30 MB of JSON.
LARGEST_BYTES = 256 * 1024 * 1024


def problems(recording: Recording) -> list[str]:
    """Everything wrong with a recording, as `place: what, got value`. An empty list means sound.
    Wrong types are reported first: they prevent the other checks.
    """
    return list(misfits(recording, Recording, "")) or [
        *_world(recording.world),
        *_timing(recording),
        *_unique("actors", (actor.id for actor in recording.actors)),
        *(
            line
            for number, track in enumerate(recording.tracks)
            for line in _track_problems(recording, number, track)
        ),
        *_unique("tracks", (track.actor for track in recording.tracks)),
        *_action_problems(recording),
        *_plan_problems(recording),
        *_telemetry_problems(recording),
    ]


def require_sound(recording: Recording, *, source: str) -> Recording:
    """The recording itself, or an error that lists all its problems."""
    wrong = problems(recording)
    if wrong:
        listed = "\n".join(f"  {line}" for line in wrong[:20])
        more = f"\n  … and {len(wrong) - 20} more" if len(wrong) > 20 else ""
        raise InvalidInput(
            f"{source}: not a sound recording:\n{listed}{more}\nMend the program that wrote it."
        )
    return recording


def _world(world: RecordedWorld) -> Iterator[str]:
    if not isinstance(world.kind, str) or not world.kind:
        yield f"world.kind: expected the name of a world, got {world.kind!r}"
    if world.width < 1 or world.height < 1:
        yield f"world: size must be at least 1 × 1, got {world.width} × {world.height}"
    if len(world.walls) != world.height:
        yield f"world.walls: expected {world.height} rows, got {len(world.walls)}"
    for number, row in enumerate(world.walls):
        if len(row) != world.width:
            yield f"world.walls[{number}]: expected {world.width} tiles, got {len(row)}"
        if set(row) - {"#", "."}:
            yield (
                f"world.walls[{number}]: only '#' and '.' are known, got"
                f" {sorted(set(row) - {'#', '.'})}"
            )
    ids = {place.id for place in world.places}
    yield from _unique("world.places", (place.id for place in world.places))
    for place in world.places:
        if place.parent is not None and place.parent not in ids:
            yield (
                f"world.places[{place.id}].parent: unknown place {place.parent!r}."
                f" {did_you_mean(place.parent, ids)}"
            )


def _timing(recording: Recording) -> Iterator[str]:
    timing = recording.timing
    for frame, ms in timing.jumps:
        if not 0 < frame < timing.frames or ms < 0:
            yield (
                f"timing.jumps: frame {frame} is put forward by {ms} ms; expected a frame after the"
                " first and a time"
            )
    if timing.frame_ms < 1:
        yield f"timing.frame_ms: must be at least 1, got {timing.frame_ms}"
    if timing.frames < 1:
        yield f"timing.frames: must be at least 1, got {timing.frames}"
    if timing.simulated_start is not None:
        try:
            datetime.fromisoformat(timing.simulated_start)
        except ValueError:
            yield (
                "timing.simulated_start: expected a time as 2026-02-13T08:00, got"
                f" {timing.simulated_start!r}"
            )
    if (timing.simulated_start is None) != (timing.simulated_ms_per_frame is None):
        yield "timing: simulated_start and simulated_ms_per_frame go together; give both or neither"


def _track_problems(recording: Recording, number: int, track: Track) -> Iterator[str]:
    place = f"tracks[{number}]"
    yield from _known_actor(recording, place, track.actor)
    if len(track.x) != len(track.y):
        yield (
            f"{place}: x has {len(track.x)} entries and y {len(track.y)}; they must be equally long"
        )
    for name in ("heading", "height", "pitch", "camera"):
        if (column := getattr(track, name)) and len(column) != len(track.x):
            yield f"{place}: {name} has {len(column)} entries, x has {len(track.x)}"
    if track.first_frame < 0 or track.first_frame + len(track.x) > recording.timing.frames:
        last = track.first_frame + len(track.x)
        yield (
            f"{place}: covers frames {track.first_frame} to {last}, the recording has"
            f" {recording.timing.frames}"
        )
    yield from _inside(f"{place}.x", track.x, recording.world.width)
    yield from _inside(f"{place}.y", track.y, recording.world.height)
    for before, after in pairwise(track.states):
        if after.frame < before.frame:
            yield (
                f"{place}.states: frame {after.frame} comes after frame {before.frame}; order them"
                " by frame"
            )
            break
    for state in track.states:
        if not 0 <= state.frame < recording.timing.frames:
            yield (
                f"{place}.states: frame {state.frame} lies outside the {recording.timing.frames}"
                " frames"
            )
            break


def _inside(place: str, values: tuple[int, ...], tiles: int) -> Iterator[str]:
    for index, value in enumerate(values):
        if not 0 <= value <= tiles * UNITS_PER_TILE:
            yield f"{place}[{index}]: {value} lies outside 0 … {tiles * UNITS_PER_TILE}"
            return


def _action_problems(recording: Recording) -> Iterator[str]:
    yield from _unique("actions", (action.id for action in recording.actions))
    for number, action in enumerate(recording.actions):
        yield from _known_actor(recording, f"actions[{number}]", action.actor)
        yield from _span(
            f"actions[{number}]", action.t0_ms, action.t1_ms, recording.timing.duration_ms
        )
        if not action.verb:
            yield f"actions[{number}].verb: is empty; an action says what was done"


def _plan_problems(recording: Recording) -> Iterator[str]:
    levels = {step.id: step.level for step in recording.plans}
    yield from _unique("plans", (step.id for step in recording.plans))
    for number, step in enumerate(recording.plans):
        yield from _known_actor(recording, f"plans[{number}]", step.actor)
        yield from _span(f"plans[{number}]", step.t0_ms, step.t1_ms, recording.timing.duration_ms)
        if step.parent is None:
            continue
        if step.parent not in levels:
            yield (
                f"plans[{number}].parent: unknown step {step.parent!r}."
                f" {did_you_mean(step.parent, levels)}"
            )
        elif levels[step.parent] >= step.level:  # also rules out circles
            yield (
                f"plans[{number}]: level {step.level} must be below its parent's level"
                f" {levels[step.parent]}"
            )


def _telemetry_problems(recording: Recording) -> Iterator[str]:
    for name, column in recording.telemetry.items():
        if len(column) != recording.timing.frames:
            yield (
                f"telemetry.{name}: expected {recording.timing.frames} entries, one a frame, got"
                f" {len(column)}"
            )


def _span(place: str, t0_ms: int, t1_ms: int, duration_ms: int) -> Iterator[str]:
    if not 0 <= t0_ms <= t1_ms <= duration_ms:
        yield f"{place}: expected 0 ≤ t0 ≤ t1 ≤ {duration_ms} ms, got {t0_ms} … {t1_ms}"


def _known_actor(recording: Recording, place: str, actor: str) -> Iterator[str]:
    known = {actor.id for actor in recording.actors}
    if actor not in known:
        yield f"{place}.actor: unknown actor {actor!r}. {did_you_mean(actor, known)}"


def _unique(place: str, ids: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for id_ in ids:
        if id_ in seen:
            yield f"{place}: {id_!r} occurs twice; ids are unique"
        seen.add(id_)


def write(recording: Recording, path: Path | str) -> int:
    """Write a sound recording, whole or not at all. Returns the number of bytes."""
    data = to_bytes(recording)
    with whole_file(Path(path)) as draft:
        draft.write_bytes(data)
    return len(data)


def read(path: Path | str) -> Recording:
    """The recording in a file, or an error that names the file and the problem."""
    return from_bytes(Path(path).read_bytes(), source=str(path))


def to_bytes(recording: Recording) -> bytes:
    require_sound(recording, source="recording")
    text = json.dumps(
        to_tree(recording), ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def from_bytes(data: bytes, *, source: str) -> Recording:
    with reading(
        source, f"Expected gzipped JSON in the format {FORMAT}; copy or record the file again."
    ):
        tree = json.loads(_decompress(data, source))
    return from_tree(tree, source=source)


def _decompress(data: bytes, source: str) -> bytes:
    """The decompressed content; decompression stops at the size that no recording exceeds."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise TooLarge(
            f"{source}: unfolds to more than {LARGEST_BYTES // 2**20} MB, which no recording needs."
            " Record it in parts, or with fewer frames a second."
        )
    return content


def to_tree(recording: Recording) -> dict[str, Any]:
    """The recording as JSON values, tracks delta-coded and actions columnar: the browser's player
    reads them, too.
    """
    return {
        "format": FORMAT,
        "world": _world_tree(recording.world),
        "actors": [_without_empty(asdict(actor), "facts") for actor in recording.actors],
        "timing": _without_empty(asdict(recording.timing), "jumps"),
        "tracks": [_track_tree(track) for track in recording.tracks],
        "actions": used_columns(recording.actions, _ACTION_FIELDS),
        "plans": used_columns(recording.plans, _PLAN_FIELDS),
        "telemetry": {name: list(column) for name, column in recording.telemetry.items()},
        "hidden_states": list(recording.hidden_states),
        "seed": recording.seed,
        "agent": recording.agent,
        "provenance": dict(recording.provenance),
    }


def from_tree(tree: Any, *, source: str) -> Recording:
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
    with parsing(source, f"It is not laid out as {FORMAT}: fix the program that wrote it."):
        recording = _from_sound_tree(tree)
    return require_sound(recording, source=source)


_ACTION_FIELDS = tuple(Action.__dataclass_fields__)
#: Columns of a track that only worlds with a third dimension have.
_IN_SPACE = ("height", "pitch", "camera")
_PLAN_FIELDS = tuple(PlanStep.__dataclass_fields__)


def _from_sound_tree(tree: Mapping[str, Any]) -> Recording:
    world = tree["world"]
    places = tuple(
        Place(
            id=p["id"],
            name=p["name"],
            parent=p["parent"],
            rects=tuple((x, y, w, h) for x, y, w, h in p["rects"]),
            facts=p.get("facts", {}),
        )
        for p in world["places"]
    )
    objects = tuple(RecordedObject(**thing) for thing in world.get("objects", ()))
    timing = {
        **tree["timing"],
        "jumps": tuple((frame, ms) for frame, ms in tree["timing"].get("jumps", ())),
    }
    return Recording(
        world=RecordedWorld(
            kind=world["kind"],
            width=world["width"],
            height=world["height"],
            walls=tuple(world["walls"]),
            places=places,
            objects=objects,
        ),
        actors=tuple(Actor(**actor) for actor in tree["actors"]),
        timing=Timing(**timing),
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
        **{name: _deltas(column) for name in _IN_SPACE if (column := getattr(track, name))},
        "states": [[state.frame, state.key, state.value] for state in track.states],
    }


def _track(tree: Mapping[str, Any]) -> Track:
    return Track(
        actor=tree["actor"],
        x=_sum_deltas(tree["x"]),
        y=_sum_deltas(tree["y"]),
        heading=_sum_deltas(tree["heading"]),
        **{name: _sum_deltas(tree[name]) for name in _IN_SPACE if name in tree},
        first_frame=tree["first_frame"],
        states=tuple(State(frame, key, value) for frame, key, value in tree["states"]),
    )


def _deltas(values: Sequence[int]) -> list[int]:
    return [*values[:1], *(after - before for before, after in pairwise(values))]


def _sum_deltas(deltas: Sequence[int]) -> tuple[int, ...]:
    for index, delta in enumerate(deltas):
        if not isinstance(delta, int) or isinstance(delta, bool) or not math.isfinite(delta):
            raise ValueError(f"track entry {index} is {delta!r}, expected a whole number")
    return tuple(accumulate(deltas))


#: Columns of actions and plans that only some worlds have: left out if they are empty.
_SOMETIMES = frozenset({"target", "activity", "serves", "refused", "violations", "fulfilled"})


def used_columns(
    entries: Sequence[Action] | Sequence[PlanStep], fields: tuple[str, ...]
) -> dict[str, list[Any]]:
    """One list per field. A plan's place is among those that may be left out."""
    columns = {name: [getattr(entry, name) for entry in entries] for name in fields}
    optional = {*_SOMETIMES, *(("place",) if fields == _PLAN_FIELDS else ())}
    return {
        name: column
        for name, column in columns.items()
        if name not in optional or any(value is not None for value in column)
    }


def _world_tree(world: RecordedWorld) -> dict[str, Any]:
    tree = _without_empty(asdict(world), "objects")
    tree["places"] = [_without_empty(place, "facts") for place in tree["places"]]
    if "objects" in tree:
        tree["objects"] = [_without_empty(thing, "facts") for thing in tree["objects"]]
    return tree


def _without_empty(tree: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in tree.items() if name not in names or value}


def rows(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of unequal length: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
