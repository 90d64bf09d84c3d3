"""Import a run of Concordia (Vezhnevets et al. 2023): what each person's memories say was done,
where and when, as a recording.

A run is a folder with a file `NAME_memories.json` for each person: `{"agent": name, "memories":
[text, …]}`. Memories with a place and a time, `// place [Thursday, January 1st, 7:00 AM]: …`, are
read; sentences that begin with an explicit time are actions at that time. The logs hold no
positions: places are drawn as rooms in a row, and the report says so.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from believable.core.errors import InvalidInput, parsing
from believable.recordings.file import require_sound
from believable.recordings.importers.agent_movements import read_json
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    Place,
    RecordedWorld,
    Recording,
    Timing,
    Track,
)

FRAME_MS = 60_000
ROOM, COLUMNS = 6, 6
#: Weekdays without a year fit many; the first from here on is taken.
FIRST_YEAR = 2020
_CLOCK = r"\d{1,2}:\d{2} [AP]M"
_STAMPED = re.compile(
    rf"//\s*(\S+)\s*\[(\w+), (\w+) (\d{{1,2}})\w\w, ({_CLOCK})\]:\s*(.*)", re.DOTALL
)
_TIMED = re.compile(rf"({_CLOCK}):\s*(.*?)(?=\s*{_CLOCK}:|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RememberedAction:
    """Something done, at a minute since the run's first midnight."""

    minute: int
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class ImportedMemories:
    """The recording, and notes on missing or unusually read data."""

    recording: Recording
    notes: tuple[str, ...]


def import_memories(folder: Path) -> ImportedMemories:
    """Read every `*_memories.json` of a folder."""
    with parsing(folder, "Copy the run again."):
        return _imported_memories(folder)


def _imported_memories(folder: Path) -> ImportedMemories:
    files = sorted(folder.glob("*_memories.json"))
    if not files:
        raise InvalidInput(
            f"{folder}: expected files such as ada_brandt_memories.json, found none. Give the"
            " folder of a run."
        )
    lives: dict[str, list[RememberedAction]] = {}
    stamps: list[tuple[str, str, int]] = []
    unread = without = 0
    for file in files:
        name, memories = _person(file)
        actions, left, untimed = _actions_of(memories, stamps)
        unread, without = unread + left, without + untimed
        lives[name] = actions
    if not stamps:
        raise InvalidInput(
            f"{folder}: no memory has a place and a time such as '// market [Thursday, January 1st,"
            " 7:00 AM]: …'."
        )
    start, offsets = _calendar(stamps)
    notes = [
        (
            "no positions: the logs name places only, which are drawn as rooms in a row; ways"
            " between them are not known"
        ),
        f"no year: {start.year} is the first from {FIRST_YEAR} on in which the weekdays fit",
        (
            f"{unread} memories without a place and a time (feelings, background, formative years)"
            " were not read"
        ),
    ]
    if without:
        notes.append(
            f"{without} memories tell no time of their own: they count from the time of the"
            " memory on"
        )
    return ImportedMemories(_recording(folder, lives, start, offsets), tuple(notes))


def _person(file: Path) -> tuple[str, Sequence[str]]:
    tree = read_json(file)
    if (
        not isinstance(tree, Mapping)
        or not isinstance(tree.get("agent"), str)
        or not isinstance(tree.get("memories"), list)
    ):
        raise InvalidInput(
            f"{file}: expected `agent` and `memories`, a list of texts. Copy the file again."
        )
    wrong = [entry for entry in tree["memories"] if not isinstance(entry, str)]
    if wrong:
        raise InvalidInput(
            f"{file}: expected memories as texts, got {wrong[0]!r}. Copy the file again."
        )
    return tree["agent"], tree["memories"]


def _actions_of(
    memories: Sequence[str], stamps: list[tuple[str, str, int]]
) -> tuple[list[RememberedAction], int, int]:
    """The contents of the memories, how many were not read, and how many have no explicit time.
    Days are numbers until the year is known: the minute holds day of the year × 1440.
    """
    actions, unread, untimed = [], 0, 0
    for memory in memories:
        stated = _STAMPED.search(memory)
        if stated is None:
            unread += 1
            continue
        place, weekday, month, day, clock, text = stated.groups()
        stamps.append((weekday, month, int(day)))
        midnight = _day_number(month, int(day)) * 1440
        timed = _TIMED.findall(text)
        if timed:
            actions += [
                RememberedAction(midnight + _minute(at), place, said.strip())
                for at, said in timed
                if said.strip()
            ]
        else:
            untimed += 1
            actions.append(
                RememberedAction(midnight + _minute(clock), place, " ".join(text.split()))
            )
    return sorted(actions, key=lambda action: action.minute), unread, untimed


def _day_number(month: str, day: int) -> int:
    """Day of a year without February 29th: enough to put days in order."""
    try:
        return datetime.datetime.strptime(f"{month} {day} 2001", "%B %d %Y").timetuple().tm_yday
    except ValueError:
        raise InvalidInput(
            f"memories: expected a date such as 'January 1st', got '{month} {day}'."
        ) from None


def _minute(clock: str) -> int:
    time = datetime.datetime.strptime(clock, "%I:%M %p")
    return time.hour * 60 + time.minute


def _calendar(stamps: Sequence[tuple[str, str, int]]) -> tuple[datetime.datetime, int]:
    """The first midnight, in a year in which every stated weekday fits, and its day number."""
    dates = set(stamps)
    first = min(_day_number(month, day) for _, month, day in dates)
    for year in range(FIRST_YEAR, FIRST_YEAR + 28):
        days = [
            datetime.datetime.strptime(f"{month} {day} {year}", "%B %d %Y")
            for _, month, day in dates
        ]
        if all(
            date.strftime("%A") == weekday
            for date, (weekday, _, _) in zip(days, dates, strict=True)
        ):
            return min(days), first
    raise InvalidInput(
        "memories: the stated weekdays and dates fit no year. Check whether files of several runs"
        " were mixed."
    )


def _recording(
    folder: Path,
    lives: Mapping[str, Sequence[RememberedAction]],
    start: datetime.datetime,
    first_day: int,
) -> Recording:
    names = sorted({action.place for actions in lives.values() for action in actions})
    rooms = {
        name: (1 + number % COLUMNS * ROOM, 1 + number // COLUMNS * ROOM)
        for number, name in enumerate(names)
    }
    width, height = 1 + COLUMNS * ROOM, 1 + -(-len(names) // COLUMNS) * ROOM
    frames = (
        max(action.minute for actions in lives.values() for action in actions)
        - first_day * 1440
        + 15
    )
    world = RecordedWorld(
        kind="town",
        width=width,
        height=height,
        walls=("." * width,) * height,
        places=tuple(
            Place(
                id=name,
                name=name.replace("_", " "),
                parent=None,
                rects=((x, y, ROOM - 1, ROOM - 1),),
            )
            for name, (x, y) in rooms.items()
        ),
    )
    lives_told = {name: actions for name, actions in lives.items() if actions}
    recording = Recording(
        world=world,
        actors=tuple(Actor(_id(name), name, "person") for name in lives_told),
        timing=Timing(
            frame_ms=FRAME_MS,
            frames=frames,
            simulated_start=start.isoformat(),
            simulated_ms_per_frame=FRAME_MS,
        ),
        tracks=tuple(
            _track(name, number, actions, rooms, first_day * 1440, frames)
            for number, (name, actions) in enumerate(lives_told.items())
        ),
        actions=tuple(
            action
            for name, actions in lives_told.items()
            for action in _make_actions(name, actions, first_day * 1440, frames)
        ),
        provenance={"importer": "concordia", "run": folder.resolve().name},
    )
    require_sound(recording, source=str(folder))
    return recording


def _track(
    name: str,
    number: int,
    actions: Sequence[RememberedAction],
    rooms: Mapping[str, tuple[int, int]],
    origin: int,
    frames: int,
) -> Track:
    """The person's reported place, minute by minute; before the first report, the first place."""
    places = [actions[0].place] * frames
    for action in actions:
        places[action.minute - origin :] = [action.place] * (frames - action.minute + origin)
    side = ROOM - 1
    dx, dy = number % side * UNITS_PER_TILE, number // side % side * UNITS_PER_TILE
    half = UNITS_PER_TILE // 2
    return Track(
        actor=_id(name),
        x=tuple(rooms[place][0] * UNITS_PER_TILE + dx + half for place in places),
        y=tuple(rooms[place][1] * UNITS_PER_TILE + dy + half for place in places),
        heading=(90,) * frames,
    )


def _make_actions(
    name: str, actions: Sequence[RememberedAction], origin: int, frames: int
) -> Iterator[Action]:
    """Each lasts until the next one, a quarter of an hour at least for the last."""
    ends = [after.minute for _, after in pairwise(actions)] + [origin + frames]
    for number, (action, end) in enumerate(zip(actions, ends, strict=True), 1):
        words = action.text.removeprefix(name).split()
        begin = action.minute - origin
        yield Action(
            id=f"{_id(name)}-{number}",
            actor=_id(name),
            t0_ms=begin * FRAME_MS,
            t1_ms=max(end - origin, begin) * FRAME_MS,
            verb=words[0].lower().strip(".,") if words else "unspecified",
            object=None,
            place=action.place,
            text=action.text,
        )


def _id(name: str) -> str:
    return name.lower().replace(" ", "_")
