"""Import a run of Generative Agents (Park et al. 2023) or of its translated forks: people, actions,
plans and map as a recording.

Nothing is guessed: if two files disagree, the movement data win, and the report lists
contradictions, missing data, and data that was read in an unusual way.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, parsing
from believable.recordings.file import require_sound
from believable.recordings.importers.agent_maze import read_maze, world_of_ways
from believable.recordings.importers.agent_movements import TIME_FORMAT, read_json, read_movements
from believable.recordings.importers.movement_records import AgentFrame, AgentTrack, Movements
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    PlanStep,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)

#: How a persona writes times into its plan.
_TIME = r"(\d{1,2})(?::(\d{2}))?\s*([ap]m)?"


_SPAN = re.compile(rf"\b(?:from|at)\s+{_TIME}\s*(?:to|until|-)\s*{_TIME}\b", re.IGNORECASE)


_POINT = re.compile(rf"\bat\s+{_TIME}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Numbers of one persona by which an import can be checked; without a map the blocked tiles are
    unknown.
    """

    actor: str
    distinct_activities: int
    tiles_walked: int
    longest_move_tiles: int
    steps_on_blocked_tiles: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The recording, the facts used to check it, every contradiction, and notes on missing or
    unusually read data.
    """

    replay: Recording
    facts: tuple[RunFacts, ...]
    distinct_chats: int
    contradictions: tuple[str, ...]
    notes: tuple[str, ...] = ()


def import_run(folder: Path, *, maze: Path | None = None) -> Imported:
    """Read a run's folder: movements in one of the layouts of `agent_movements`, `personas/` and
    `maze/` if they exist.

    maze  the folder of the map, with maze_meta_info.json in it, if it is not `maze/` in the run's
          folder
    """
    with parsing(folder, "Copy the run again."):
        return _import(folder, maze)


def _import(folder: Path, maze: Path | None) -> Imported:
    movements = read_movements(folder)
    lives, steps = movements.lives, movements.steps
    meta, notes = _meta(folder), list(movements.notes)
    step_s = movements.step_s or _seconds_per_step(meta)
    start = movements.start or _start(folder, meta, tuple(lives), steps, step_s)
    if start is None:
        notes.append(
            "no clock: neither the steps, nor meta.json, nor scratch.json of the personas say when"
            " the run began"
        )
    mapped = maze is not None or (folder / "maze").is_dir()
    world = read_maze(maze or folder / "maze") if mapped else world_of_ways(lives)
    if not mapped:
        notes.append(
            "no map: there is no maze/ beside the movements, so the world has no walls and no"
            " places and is as large as people went; give the map of the run by --maze"
        )
    frame_ms = round(step_s * 1000)
    timing = Timing(
        frame_ms=frame_ms,
        frames=steps,
        simulated_start=None if start is None else start.isoformat(),
        simulated_ms_per_frame=None if start is None else frame_ms,
    )
    plans = tuple(
        p for name in lives for p in _plans(folder, name, movements, timing, start, notes)
    )
    recording = Recording(
        world=world,
        actors=tuple(Actor(_actor_id(name), name, "person") for name in lives),
        timing=timing,
        tracks=tuple(_track(name, life, steps) for name, life in lives.items()),
        actions=tuple(a for name, life in lives.items() for a in _actions(name, life, frame_ms)),
        plans=plans,
        provenance={
            "importer": "generative_agents",
            "run": str(meta.get("fork_sim_code", folder.resolve().name)),
        }
        | _stated_facts(movements, notes),
    )
    require_sound(recording, source=str(folder))
    return Imported(
        replay=recording,
        facts=tuple(_facts(name, life, world if mapped else None) for name, life in lives.items()),
        distinct_chats=len({m.chat for life in lives.values() for m in life.moments if m.chat}),
        contradictions=tuple(_contradictions(meta, tuple(lives), steps, start, step_s)),
        notes=tuple(notes),
    )


def _track(name: str, life: AgentTrack, steps: int) -> Track:
    half, moments = UNITS_PER_TILE // 2, life.moments
    return Track(
        actor=_actor_id(name),
        x=tuple(m.x * UNITS_PER_TILE + half for m in moments),
        y=tuple(m.y * UNITS_PER_TILE + half for m in moments),
        heading=tuple(_headings(moments)),
        first_frame=life.first,
        states=tuple(
            sorted([*_emojis(life), *_speech(name, life, steps)], key=lambda s: (s.frame, s.key))
        ),
    )


def _headings(moments: Sequence[AgentFrame]) -> Iterator[int]:
    """Degrees clockwise from east; a persona that does not move keeps its last direction."""
    heading = 90
    by_move = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}
    for before, after in zip([moments[0], *moments], moments, strict=False):
        heading = by_move.get((after.x - before.x, after.y - before.y), heading)
        yield heading


def _emojis(life: AgentTrack) -> Iterator[State]:
    for first, _, moment in _runs(life, lambda m: m.emoji):
        yield State(first, "emoji", moment.emoji)


def _speech(name: str, life: AgentTrack, steps: int) -> Iterator[State]:
    """The lines of a conversation, spread evenly over the steps it lasted; each is said by its own
    speaker.
    """
    for first, last, moment in _runs(life, lambda m: m.chat):
        lines = moment.chat
        if not lines:
            continue
        said = [first + (last - first) * number // len(lines) for number in range(len(lines))]
        ends = [*said[1:], last]
        for frame, end, (speaker, text) in zip(said, ends, lines, strict=True):
            if speaker == name:
                yield State(frame, "speech", text)
                if end < steps:
                    yield State(end, "speech", None)


def _runs(
    life: AgentTrack, key: Callable[[AgentFrame], object]
) -> Iterator[tuple[int, int, AgentFrame]]:
    """(first frame, frame after the last, moment) of each stretch over which `key` stays the
    same.
    """
    first = life.first
    for _, group in groupby(life.moments, key):
        members = list(group)
        yield first, first + len(members), members[0]
        first += len(members)


def _actions(name: str, life: AgentTrack, frame_ms: float) -> Iterator[Action]:
    for number, (first, last, moment) in enumerate(
        _runs(life, lambda m: (m.activity, m.address)), 1
    ):
        place, thing = _place_and_object(moment.address)
        yield Action(
            id=f"{_actor_id(name)}-{number}",
            actor=_actor_id(name),
            t0_ms=round(first * frame_ms),
            t1_ms=round(last * frame_ms),
            verb=_verb(moment.activity),
            object=thing,
            place=place,
            text=moment.activity,
        )


def _place_and_object(address: str) -> tuple[str | None, str | None]:
    """`the Ville:cafe:counter:till`, or as forks write it, without the world:
    `cafe，counter，till`.
    """
    if address.startswith("<persona> "):
        return None, address.removeprefix("<persona> ")
    parts = [part.strip() for part in re.split("[:，]", address)]
    parts = parts if "，" in address or ":" not in address else parts[1:]
    place = ":".join(parts[:2]) or None
    thing = parts[2] if len(parts) > 2 and not parts[2].startswith("<") else None
    return place, thing


def _verb(activity: str) -> str:
    """The first word of the innermost description: `opening the cafe (turning on the lights)` →
    `turning`.
    """
    inner = re.search(r"\(([^()]*)\)\s*$", activity)
    words = (inner.group(1) if inner and inner.group(1).strip() else activity).split()
    return words[0].lower().strip(".,") if words else "unspecified"


def _plans(
    folder: Path,
    name: str,
    movements: Movements,
    timing: Timing,
    start: datetime.datetime | None,
    notes: list[str],
) -> Iterator[PlanStep]:
    life = movements.lives[name]
    actor, (t0, t1) = (
        _actor_id(name),
        (round(life.first * timing.frame_ms), round(life.end * timing.frame_ms)),
    )
    nodes = _persona_file(folder, name, "nodes.json")
    stated = _stated_plan(movements.descriptions.get(name, {}))
    if nodes is None and stated:
        yield PlanStep(
            id=f"{actor}-plan", actor=actor, parent=None, level=0, t0_ms=t0, t1_ms=t1, text=stated
        )
    elif nodes is None:
        notes.append(
            f"no plan for the day of {name}: there is no nodes.json under personas/{name}/"
        )
    elif start is not None:
        yield from _day_plan_steps(nodes, actor, start, timing.duration_ms)
    yield PlanStep(
        id=f"{actor}-schedule",
        actor=actor,
        parent=None,
        level=0,
        t0_ms=t0,
        t1_ms=t1,
        text="Schedule as it was carried out",
    )
    for number, (first, last, moment) in enumerate(
        _runs(life, lambda m: _intention(m.activity)), 1
    ):
        begin, end = round(first * timing.frame_ms), round(last * timing.frame_ms)
        yield PlanStep(
            id=f"{actor}-s{number}",
            actor=actor,
            parent=f"{actor}-schedule",
            level=1,
            t0_ms=begin,
            t1_ms=end,
            text=_intention(moment.activity),
        )


def _stated_plan(description: Mapping[str, Any]) -> str:
    """The plan for the day that a fork keeps among the traits of a person (`scratch`)."""
    scratch = description.get("scratch")
    return str((scratch if isinstance(scratch, Mapping) else {}).get("daily_plan") or "").strip()


def _stated_facts(movements: Movements, notes: list[str]) -> dict[str, str]:
    """A fork's statements about people and about the places of conversations, as flat entries of
    the provenance.
    """
    facts: dict[str, str] = {}
    for name, description in movements.descriptions.items():
        facts |= {f"people.{name}.{key}": text for key, text in _flat_texts(description)}
    if facts:
        notes.append(
            f"descriptions of {len(movements.descriptions)} people are kept in the provenance, as"
            " people.NAME.…"
        )
    for number, talk in enumerate(movements.talk_places, 1):
        facts[f"conversations.{number}"] = (
            f"step {talk.step}: {talk.place} ({', '.join(talk.speakers)})"
        )
    if movements.talk_places:
        notes.append(
            f"places of {len(movements.talk_places)} conversations are kept in the provenance, as"
            " conversations.N"
        )
    return facts


def _flat_texts(tree: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{below}", text) for below, text in _flat_texts(value))
        elif value not in (None, "", []):
            yield (
                str(key),
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False),
            )


def _intention(activity: str) -> str:
    return re.sub(r"\s*\([^()]*\)\s*$", "", activity)


def _facts(name: str, life: AgentTrack, world: RecordedWorld | None) -> RunFacts:
    moments = life.moments
    moves = [
        abs(b.x - a.x) + abs(b.y - a.y) for a, b in pairwise(moments) if (a.x, a.y) != (b.x, b.y)
    ]
    return RunFacts(
        actor=name,
        distinct_activities=len({moment.activity for moment in moments}),
        tiles_walked=sum(moves),
        longest_move_tiles=max(moves, default=0),
        steps_on_blocked_tiles=(
            None if world is None else sum(world.walls[m.y][m.x] == "#" for m in moments)
        ),
    )


def _meta(folder: Path) -> dict[str, Any]:
    files = sorted(folder.glob("meta*.json")) + sorted((folder / "reverie").glob("meta.json"))
    return dict(read_json(files[0])) if files else {}


def _contradictions(
    meta: Mapping[str, Any],
    names: tuple[str, ...],
    steps: int,
    start: datetime.datetime | None,
    step_s: float,
) -> Iterator[str]:
    expected: dict[str, Any] = {"step": steps}
    if start is not None:
        end = start + datetime.timedelta(seconds=(steps - 1) * step_s)
        expected = {
            "start_date": start.strftime("%B %d, %Y"),
            "curr_time": end.strftime(TIME_FORMAT),
            **expected,
        }
    for key, value in expected.items():
        if key in meta and meta[key] != value:
            yield (
                f"meta: {key} says {meta[key]!r}, the recorded steps say {value!r}; the steps are"
                " used"
            )
    if "persona_names" in meta and set(meta["persona_names"]) != set(names):
        yield (
            f"meta: persona_names says {meta['persona_names']}, the recorded steps hold"
            f" {list(names)}"
        )


def _seconds_per_step(meta: Mapping[str, Any]) -> float:
    seconds = meta.get("sec_per_step", 10)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        raise InvalidInput(
            f"meta: expected a positive number of seconds in sec_per_step, got {seconds!r}."
        )
    return float(seconds)


def _start(
    folder: Path, meta: Mapping[str, Any], names: tuple[str, ...], steps: int, step_s: float
) -> datetime.datetime | None:
    """The compressed form has no times: the personas' own clocks at the end, else that of
    meta.json, minus the run's length.
    """
    ends = set()
    for name in names:
        scratch = _persona_file(folder, name, "scratch.json")
        if scratch is not None:
            ends.add(_end(read_json(scratch).get("curr_time"), str(scratch)))
    if len(ends) > 1:
        raise InvalidInput(
            f"{folder}: the personas end at different times {sorted(map(str, ends))}; expected one."
        )
    if not ends and meta.get("curr_time"):
        ends.add(_end(meta["curr_time"], f"{folder}: meta"))
    return ends.pop() - datetime.timedelta(seconds=(steps - 1) * step_s) if ends else None


def _end(value: Any, place: str) -> datetime.datetime:
    try:
        return datetime.datetime.strptime(str(value), TIME_FORMAT)
    except ValueError:
        raise InvalidInput(
            f"{place}: expected curr_time such as 'February 13, 2023, 06:00:00', got {value!r}."
        ) from None


def _persona_file(folder: Path, name: str, file: str) -> Path | None:
    paths = sorted(
        path
        for path in folder.rglob(file)
        if name in (part.replace("_", " ") for part in path.parts)
    )
    return paths[0] if paths else None


def _actor_id(name: str) -> str:
    return name.lower().replace(" ", "_")


def _day_plan_steps(
    nodes: Path, actor: str, start: datetime.datetime, duration_ms: int
) -> Iterator[PlanStep]:
    """One root for the day with the persona's morning plan below it. Items without a stated time
    last all day.
    """
    text = _plan_text(nodes, start)
    if text is None:
        return
    title, _, listed = text.partition(": ")
    root = f"{actor}-plan"
    yield PlanStep(
        id=root, actor=actor, parent=None, level=0, t0_ms=0, t1_ms=duration_ms, text=title
    )
    for number, item in enumerate(listed.rstrip(".").split(", "), 1):
        t0, t1 = _stated_span(item, duration_ms)
        yield PlanStep(
            id=f"{actor}-p{number}",
            actor=actor,
            parent=root,
            level=1,
            t0_ms=t0,
            t1_ms=t1,
            text=item,
        )


def _plan_text(nodes: Path, start: datetime.datetime) -> str | None:
    day = f"{start.strftime('%A %B')} {start.day}"
    for node in read_json(nodes).values():
        if node["predicate"] == "plan" and node["object"].replace(" 0", " ") == day:
            return str(node["description"])
    return None


def _stated_span(item: str, duration_ms: int) -> tuple[int, int]:
    """Milliseconds of the day an item names: `from 9:00 am to 10:00 am`, or from `at 6:00 am` on
    for one hour.
    """
    if stated := _SPAN.search(item):
        h0, m0, half0, h1, m1, half1 = stated.groups()
        t0, t1 = _ms(h0, m0, half0 or half1), _ms(h1, m1, half1 or half0)
        if t0 <= t1 <= duration_ms:
            return t0, t1
    if stated := _POINT.search(item):
        t0 = _ms(*stated.groups())
        return min(t0, duration_ms), min(t0 + 3_600_000, duration_ms)
    return 0, duration_ms


def _ms(hour: str, minute: str | None, half: str | None) -> int:
    hours = int(hour) % 12 + (12 if (half or "").lower() == "pm" else 0) if half else int(hour)
    return (hours * 60 + int(minute or 0)) * 60_000
