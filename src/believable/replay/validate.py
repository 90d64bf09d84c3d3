"""Is this a sound recording? All problems at once, each naming its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.replay.records import UNITS_PER_TILE, WORLD_KINDS, Replay, Track, World


def problems(replay: Replay) -> list[str]:
    """Everything wrong with a recording, as `place: what, got value`. An empty list means sound."""
    return [
        *_world(replay.world),
        *_timing(replay),
        *_unique("actors", (actor.id for actor in replay.actors)),
        *(line for number, track in enumerate(replay.tracks) for line in _track(replay, number, track)),
        *_unique("tracks", (track.actor for track in replay.tracks)),
        *_actions(replay),
        *_plans(replay),
        *_telemetry(replay),
    ]


def require_sound(replay: Replay, *, source: str) -> Replay:
    """The recording itself, or an error that lists all its problems."""
    found = problems(replay)
    if found:
        listed = "\n".join(f"  {line}" for line in found[:20])
        more = f"\n  … and {len(found) - 20} more" if len(found) > 20 else ""
        raise InvalidInput(
            f"{source}: not a sound recording:\n{listed}{more}\nMend the program that wrote it."
        )
    return replay


def _world(world: World) -> Iterator[str]:
    if world.kind not in WORLD_KINDS:
        yield f"world.kind: unknown kind {world.kind!r}. {did_you_mean(world.kind, WORLD_KINDS)}"
    if world.width < 1 or world.height < 1:
        yield f"world: size must be at least 1 × 1, got {world.width} × {world.height}"
    if len(world.walls) != world.height:
        yield f"world.walls: expected {world.height} rows, got {len(world.walls)}"
    for number, row in enumerate(world.walls):
        if len(row) != world.width:
            yield f"world.walls[{number}]: expected {world.width} tiles, got {len(row)}"
        if set(row) - {"#", "."}:
            yield f"world.walls[{number}]: only '#' and '.' are known, got {sorted(set(row) - {'#', '.'})}"
    ids = {place.id for place in world.places}
    yield from _unique("world.places", (place.id for place in world.places))
    for place in world.places:
        if place.parent is not None and place.parent not in ids:
            yield f"world.places[{place.id}].parent: unknown place {place.parent!r}. {did_you_mean(place.parent, ids)}"


def _timing(replay: Replay) -> Iterator[str]:
    timing = replay.timing
    if timing.frame_ms < 1:
        yield f"timing.frame_ms: must be at least 1, got {timing.frame_ms}"
    if timing.frames < 1:
        yield f"timing.frames: must be at least 1, got {timing.frames}"
    if (timing.simulated_start is None) != (timing.simulated_ms_per_frame is None):
        yield "timing: simulated_start and simulated_ms_per_frame go together; give both or neither"


def _track(replay: Replay, number: int, track: Track) -> Iterator[str]:
    place = f"tracks[{number}]"
    yield from _known_actor(replay, place, track.actor)
    if len(track.x) != len(track.y):
        yield f"{place}: x has {len(track.x)} entries and y {len(track.y)}; they must be equally long"
    if track.heading and len(track.heading) != len(track.x):
        yield f"{place}: heading has {len(track.heading)} entries, x has {len(track.x)}"
    if track.first_frame < 0 or track.first_frame + len(track.x) > replay.timing.frames:
        last = track.first_frame + len(track.x)
        yield f"{place}: covers frames {track.first_frame} to {last}, the recording has {replay.timing.frames}"
    yield from _inside(f"{place}.x", track.x, replay.world.width)
    yield from _inside(f"{place}.y", track.y, replay.world.height)
    for before, after in pairwise(track.states):
        if after.frame < before.frame:
            yield f"{place}.states: frame {after.frame} comes after frame {before.frame}; order them by frame"
            break
    for state in track.states:
        if not 0 <= state.frame < replay.timing.frames:
            yield f"{place}.states: frame {state.frame} lies outside the {replay.timing.frames} frames"
            break


def _inside(place: str, values: tuple[int, ...], tiles: int) -> Iterator[str]:
    for index, value in enumerate(values):
        if not 0 <= value <= tiles * UNITS_PER_TILE:
            yield f"{place}[{index}]: {value} lies outside 0 … {tiles * UNITS_PER_TILE}"
            return


def _actions(replay: Replay) -> Iterator[str]:
    yield from _unique("actions", (action.id for action in replay.actions))
    for number, action in enumerate(replay.actions):
        yield from _known_actor(replay, f"actions[{number}]", action.actor)
        yield from _span(f"actions[{number}]", action.t0_ms, action.t1_ms, replay.timing.duration_ms)
        if not action.verb:
            yield f"actions[{number}].verb: is empty; an action says what was done"


def _plans(replay: Replay) -> Iterator[str]:
    levels = {step.id: step.level for step in replay.plans}
    yield from _unique("plans", (step.id for step in replay.plans))
    for number, step in enumerate(replay.plans):
        yield from _known_actor(replay, f"plans[{number}]", step.actor)
        yield from _span(f"plans[{number}]", step.t0_ms, step.t1_ms, replay.timing.duration_ms)
        if step.parent is None:
            continue
        if step.parent not in levels:
            yield f"plans[{number}].parent: unknown step {step.parent!r}. {did_you_mean(step.parent, levels)}"
        elif levels[step.parent] >= step.level:  # also rules out circles
            yield f"plans[{number}]: level {step.level} must be below its parent's level {levels[step.parent]}"


def _telemetry(replay: Replay) -> Iterator[str]:
    for name, column in replay.telemetry.items():
        if len(column) != replay.timing.frames:
            yield f"telemetry.{name}: expected {replay.timing.frames} entries, one a frame, got {len(column)}"


def _span(place: str, t0_ms: int, t1_ms: int, duration_ms: int) -> Iterator[str]:
    if not 0 <= t0_ms <= t1_ms <= duration_ms:
        yield f"{place}: expected 0 ≤ t0 ≤ t1 ≤ {duration_ms} ms, got {t0_ms} … {t1_ms}"


def _known_actor(replay: Replay, place: str, actor: str) -> Iterator[str]:
    known = {one.id for one in replay.actors}
    if actor not in known:
        yield f"{place}.actor: unknown actor {actor!r}. {did_you_mean(actor, known)}"


def _unique(place: str, ids: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            yield f"{place}: {one!r} occurs twice; ids are unique"
        seen.add(one)
