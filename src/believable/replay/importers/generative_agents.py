"""Import a run of Generative Agents (Park et al. 2023): per-step movement files or the compressed `master_movement.json`.

Nothing is guessed: where two files disagree the movement data win, and the report says what contradicted them.
"""

from __future__ import annotations

import csv
import datetime
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput
from believable.replay.importers.day_plan import day_plan_steps
from believable.replay.records import (
    UNITS_PER_TILE,
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
from believable.replay.tiles import tile_rects
from believable.replay.validate import require_sound

TIME_FORMAT = "%B %d, %Y, %H:%M:%S"


@dataclass(frozen=True, slots=True)
class Moment:
    """One persona at one step, as the run stored it."""

    x: int
    y: int
    emoji: str
    description: str
    chat: tuple[tuple[str, str], ...]

    @property
    def activity(self) -> str:
        return self.description.rpartition(" @ ")[0]

    @property
    def address(self) -> str:
        return self.description.rpartition(" @ ")[2]


@dataclass(frozen=True, slots=True)
class Facts:
    """Numbers of one persona by which an import can be checked."""

    actor: str
    distinct_activities: int
    tiles_walked: int
    longest_move_tiles: int
    steps_on_blocked_tiles: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The recording, the facts it was checked by, and every contradiction found on the way."""

    replay: Replay
    facts: tuple[Facts, ...]
    distinct_chats: int
    contradictions: tuple[str, ...]


def import_run(folder: Path) -> Imported:
    """Read a run's folder: `movement.jsonl.gz`, `movement/*.json` or `master_movement.json`, with `personas/` and `maze/`."""
    moments, first_time = _moments(folder)
    names = tuple(moments)
    steps = len(moments[names[0]])
    meta = _meta(folder)
    seconds_per_step = int(meta.get("sec_per_step", 10))
    start = first_time or _start_from_personas(folder, names, steps, seconds_per_step)
    world = _world(folder)
    timing = Timing(seconds_per_step * 1000, steps, start.isoformat(), seconds_per_step * 1000)
    replay = Replay(
        world=world,
        actors=tuple(Actor(_actor_id(name), name, "person") for name in names),
        timing=timing,
        tracks=tuple(_track(name, moments[name]) for name in names),
        actions=tuple(a for name in names for a in _actions(name, moments[name], timing.frame_ms)),
        plans=tuple(p for name in names for p in _plans(folder, name, moments[name], timing, start)),
        provenance={"importer": "generative_agents", "run": str(meta.get("fork_sim_code", folder.name))},
    )
    require_sound(replay, source=str(folder))
    return Imported(
        replay=replay,
        facts=tuple(_facts(name, moments[name], world) for name in names),
        distinct_chats=len({m.chat for name in names for m in moments[name] if m.chat}),
        contradictions=tuple(_contradictions(meta, names, steps, start, seconds_per_step)),
    )


# ------------------------------------------------------------------------------------------ movement


def _moments(folder: Path) -> tuple[dict[str, list[Moment]], datetime.datetime | None]:
    lines, per_step, master = (
        folder / "movement.jsonl.gz",
        folder / "movement",
        folder / "master_movement.json",
    )
    if lines.is_file():
        with gzip.open(lines, "rt", encoding="utf-8") as file:
            return _from_steps((f"{lines.name}:{n}", json.loads(line)) for n, line in enumerate(file, 1))
    if per_step.is_dir():
        files = sorted(per_step.glob("*.json"), key=lambda path: int(path.stem))
        _require_gap_free([int(path.stem) for path in files], str(per_step))
        return _from_steps((str(path), json.loads(path.read_text("utf-8"))) for path in files)
    if master.is_file():
        return _from_changes(json.loads(master.read_text("utf-8")), str(master)), None
    raise InvalidInput(
        f"{folder}: no movement data. Expected movement.jsonl.gz, movement/0.json … or master_movement.json in it."
    )


def _from_steps(steps: Iterable[tuple[str, Any]]) -> tuple[dict[str, list[Moment]], datetime.datetime | None]:
    moments: dict[str, list[Moment]] = {}
    first_time: datetime.datetime | None = None
    for count, (place, step) in enumerate(steps):
        if "_step" in step and step["_step"] != count:
            raise InvalidInput(
                f"{place}: expected step {count}, got {step['_step']}. A step is missing; copy the run again."
            )
        if count == 0 and "meta" in step:
            first_time = datetime.datetime.strptime(step["meta"]["curr_time"], TIME_FORMAT)
            moments = {name: [] for name in step["persona"]}
        if not moments:
            moments = {name: [] for name in step["persona"]}
        if set(step["persona"]) != set(moments):
            raise InvalidInput(
                f"{place}: expected the personas {sorted(moments)}, got {sorted(step['persona'])}."
            )
        for name, entry in step["persona"].items():
            moments[name].append(_moment(entry))
    if not moments:
        raise InvalidInput("the movement data hold no step. Copy the run again.")
    return moments, first_time


def _from_changes(master: Mapping[str, Any], source: str) -> dict[str, list[Moment]]:
    numbers = sorted(int(key) for key in master)
    _require_gap_free(numbers, source)
    moments: dict[str, list[Moment]] = {name: [] for name in sorted(master["0"], key=list(master["0"]).index)}
    for number in numbers:
        changed = master[str(number)]
        for name, past in moments.items():
            past.append(_moment(changed[name]) if name in changed else past[-1])
    return moments


def _require_gap_free(numbers: list[int], source: str) -> None:
    if numbers != list(range(len(numbers))):
        missing = sorted(set(range(max(numbers, default=0) + 1)) - set(numbers))[:5]
        raise InvalidInput(
            f"{source}: steps must run from 0 without a gap, missing {missing}. Copy the run again."
        )


def _moment(entry: Mapping[str, Any]) -> Moment:
    x, y = entry["movement"]
    chat = tuple((speaker, text) for speaker, text in entry["chat"] or ())
    return Moment(x, y, entry["pronunciatio"], entry["description"], chat)


# ------------------------------------------------------------------------------------------ tracks


def _track(name: str, moments: list[Moment]) -> Track:
    half = UNITS_PER_TILE // 2
    return Track(
        actor=_actor_id(name),
        x=tuple(m.x * UNITS_PER_TILE + half for m in moments),
        y=tuple(m.y * UNITS_PER_TILE + half for m in moments),
        heading=tuple(_headings(moments)),
        states=tuple(sorted([*_emojis(moments), *_speech(name, moments)], key=lambda s: (s.frame, s.key))),
    )


def _headings(moments: list[Moment]) -> Iterator[int]:
    """Degrees clockwise from east; a persona that stands still keeps looking where it went."""
    heading = 90
    by_move = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}
    for before, after in zip([moments[0], *moments], moments, strict=False):
        heading = by_move.get((after.x - before.x, after.y - before.y), heading)
        yield heading


def _emojis(moments: list[Moment]) -> Iterator[State]:
    for first, _, moment in _runs(moments, lambda m: m.emoji):
        yield State(first, "emoji", moment.emoji)


def _speech(name: str, moments: list[Moment]) -> Iterator[State]:
    """The lines of a conversation, spread evenly over the steps it lasted; each is said by its own speaker."""
    for first, last, moment in _runs(moments, lambda m: m.chat):
        lines = moment.chat
        if not lines:
            continue
        said = [first + (last - first) * number // len(lines) for number in range(len(lines))]
        ends = [*said[1:], last]
        for frame, end, (speaker, text) in zip(said, ends, lines, strict=True):
            if speaker == name:
                yield State(frame, "speech", text)
                if end < len(moments):
                    yield State(end, "speech", None)


def _runs(moments: list[Moment], key: Any) -> Iterator[tuple[int, int, Moment]]:
    """(first frame, frame after the last, moment) of each stretch over which `key` stays the same."""
    first = 0
    for _, group in groupby(moments, key):
        members = list(group)
        yield first, first + len(members), members[0]
        first += len(members)


# ------------------------------------------------------------------------------------------ actions and plans


def _actions(name: str, moments: list[Moment], frame_ms: int) -> Iterator[Action]:
    for number, (first, last, moment) in enumerate(_runs(moments, lambda m: m.description), 1):
        place, thing = _place_and_object(moment.address)
        yield Action(
            id=f"{_actor_id(name)}-{number}",
            actor=_actor_id(name),
            t0_ms=first * frame_ms,
            t1_ms=last * frame_ms,
            verb=_verb(moment.activity),
            object=thing,
            place=place,
            text=moment.activity,
        )


def _place_and_object(address: str) -> tuple[str | None, str | None]:
    if address.startswith("<persona> "):
        return None, address.removeprefix("<persona> ")
    parts = [part.strip() for part in address.split(":")]
    place = ":".join(parts[1:3]) or None
    thing = parts[3] if len(parts) > 3 and not parts[3].startswith("<") else None
    return place, thing


def _verb(activity: str) -> str:
    """The first word of the innermost description: `opening the cafe (turning on the lights)` → `turning`."""
    inner = re.search(r"\(([^()]*)\)\s*$", activity)
    words = (inner.group(1) if inner and inner.group(1).strip() else activity).split()
    return words[0].lower().strip(".,") if words else "unspecified"


def _plans(
    folder: Path, name: str, moments: list[Moment], timing: Timing, start: datetime.datetime
) -> Iterator[PlanStep]:
    actor = _actor_id(name)
    yield from day_plan_steps(_persona_file(folder, name, "nodes.json"), actor, start, timing.duration_ms)
    yield PlanStep(
        f"{actor}-schedule", actor, None, 0, 0, timing.duration_ms, "Schedule as it was carried out"
    )
    for number, (first, last, moment) in enumerate(_runs(moments, lambda m: _intention(m.activity)), 1):
        t0, t1 = first * timing.frame_ms, last * timing.frame_ms
        yield PlanStep(
            f"{actor}-s{number}", actor, f"{actor}-schedule", 1, t0, t1, _intention(moment.activity)
        )


def _intention(activity: str) -> str:
    return re.sub(r"\s*\([^()]*\)\s*$", "", activity)


# ------------------------------------------------------------------------------------------ world


def _world(folder: Path) -> World:
    maze = folder / "maze"
    blocked = _matrix(maze / "maze" / "collision_maze.csv", maze)
    height, width = len(blocked), len(blocked[0])
    walls = tuple("".join("#" if tile != "0" else "." for tile in row) for row in blocked)
    sectors = _matrix(maze / "maze" / "sector_maze.csv", maze)
    arenas = _matrix(maze / "maze" / "arena_maze.csv", maze)
    sector_names = _block_names(maze / "special_blocks" / "sector_blocks.csv")
    arena_names = _block_names(maze / "special_blocks" / "arena_blocks.csv")
    places = [
        Place(names[0], names[0], None, tile_rects(sectors, block)) for block, names in sector_names.items()
    ]
    places += [
        Place(":".join(names), names[1], names[0], tile_rects(arenas, block))
        for block, names in arena_names.items()
    ]
    return World("town", width, height, walls, tuple(place for place in places if place.rects))


def _matrix(path: Path, maze: Path) -> list[list[str]]:
    """A tile matrix: rows of tiles, or the whole map in one line, cut by the stated width."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [[cell.strip() for cell in row if cell.strip()] for row in csv.reader(file)]
    rows = [row for row in rows if row]
    size = json.loads((maze / "maze_meta_info.json").read_text("utf-8"))
    width, height = int(size["maze_width"]), int(size["maze_height"])
    if len(rows) == 1:
        rows = [rows[0][at : at + width] for at in range(0, len(rows[0]), width)]
    if len(rows) != height or any(len(row) != width for row in rows):
        raise InvalidInput(
            f"{path}: expected {width} × {height} tiles as in maze_meta_info.json, got {len(rows)} rows."
        )
    return rows


def _block_names(path: Path) -> dict[str, tuple[str, ...]]:
    """Block number → names below the world, e.g. ('Hobbs Cafe', 'cafe')."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0].strip(): tuple(cell.strip() for cell in row[2:]) for row in csv.reader(file) if row}


# ------------------------------------------------------------------------------------------ facts


def _facts(name: str, moments: list[Moment], world: World) -> Facts:
    moves = [abs(b.x - a.x) + abs(b.y - a.y) for a, b in pairwise(moments) if (a.x, a.y) != (b.x, b.y)]
    return Facts(
        actor=name,
        distinct_activities=len({moment.activity for moment in moments}),
        tiles_walked=sum(moves),
        longest_move_tiles=max(moves, default=0),
        steps_on_blocked_tiles=sum(world.walls[m.y][m.x] == "#" for m in moments),
    )


def _meta(folder: Path) -> dict[str, Any]:
    files = sorted(folder.glob("meta*.json")) + sorted((folder / "reverie").glob("meta.json"))
    return dict(json.loads(files[0].read_text("utf-8"))) if files else {}


def _contradictions(
    meta: Mapping[str, Any], names: tuple[str, ...], steps: int, start: datetime.datetime, seconds: int
) -> Iterator[str]:
    end = start + datetime.timedelta(seconds=(steps - 1) * seconds)
    expected = {
        "start_date": start.strftime("%B %d, %Y"),
        "curr_time": end.strftime(TIME_FORMAT),
        "step": steps,
    }
    for key, value in expected.items():
        if key in meta and meta[key] != value:
            yield f"meta: {key} says {meta[key]!r}, the recorded steps say {value!r}; the steps are used"
    if "persona_names" in meta and set(meta["persona_names"]) != set(names):
        yield f"meta: persona_names says {meta['persona_names']}, the recorded steps hold {list(names)}"


def _start_from_personas(folder: Path, names: tuple[str, ...], steps: int, seconds: int) -> datetime.datetime:
    """The compressed form has no times: the personas' own clocks at the end, minus the run's length."""
    ends = set()
    for name in names:
        scratch = json.loads(_persona_file(folder, name, "scratch.json").read_text("utf-8"))
        ends.add(datetime.datetime.strptime(scratch["curr_time"], TIME_FORMAT))
    if len(ends) != 1:
        raise InvalidInput(
            f"{folder}: the personas end at different times {sorted(map(str, ends))}; expected one."
        )
    return ends.pop() - datetime.timedelta(seconds=(steps - 1) * seconds)


def _persona_file(folder: Path, name: str, file: str) -> Path:
    found = sorted(path for path in folder.rglob(file) if path.parts and _matches(path, name))
    if not found:
        raise InvalidInput(f"{folder}: no {file} for persona {name!r}. Expected it under personas/{name}/.")
    return found[0]


def _matches(path: Path, name: str) -> bool:
    return any(part.replace("_", " ") == name for part in path.parts)


def _actor_id(name: str) -> str:
    return name.lower().replace(" ", "_")
