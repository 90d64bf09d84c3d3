"""Where and how a run of Generative Agents stored who was where: four layouts, read into one form,
nothing left out silently.

movement.jsonl.gz       one line per step with all people in it
movement/0.json …       one file per step with all people in it
master_movement.json    steps by number; a person missing in a step is unchanged
movement.json           that of translated forks: `start_datetime`, `stride`, `all_movement`;
                        changes, too
"""

from __future__ import annotations

import datetime
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput
from believable.recordings.importers.agent_conversations import (
    Lines,
    schedule_conversations,
    split_conversations,
    split_utterance,
)
from believable.recordings.importers.movement_records import (
    AgentFrame,
    AgentTrack,
    ImportNotes,
    Movements,
    TalkPlace,
)

TIME_FORMAT = "%B %d, %Y, %H:%M:%S"


#: The translated forks: frames of one simulated step, and how their conversations are dated.
FRAMES_PER_STRIDE, CONVERSATION_TIME = 60, "%Y%m%d-%H:%M"


LAYOUTS = ("movement.jsonl.gz", "movement", "master_movement.json", "movement.json")


#: Entries of `movement.json` that are read. `persona_init_pos` repeats the tiles of frame 0.
_TRANSLATED_ENTRIES = frozenset(
    {"start_datetime", "stride", "sec_per_step", "persona_init_pos", "all_movement"}
)


def read_movements(folder: Path) -> Movements:
    """The first existing one of the known layouts; additional ones are named."""
    there = [name for name in LAYOUTS if (folder / name).exists()]
    if not there:
        raise InvalidInput(
            f"{folder}: no movement data. Expected movement.jsonl.gz, movement/0.json …,"
            " master_movement.json or movement.json in it."
        )
    notes = ImportNotes()
    readers = dict(zip(LAYOUTS, (_lines, _files, _master, _read_frames), strict=True))
    movements = readers[there[0]](folder / there[0], notes)
    beside = (
        (f"{', '.join(there[1:])} was not read: {there[0]} holds the movements",)
        if there[1:]
        else ()
    )
    if not movements.lives:
        raise InvalidInput(f"{folder / there[0]}: nobody is in any step. Copy the run again.")
    return replace(movements, notes=(*beside, *notes.all(), *_comings_and_goings(movements)))


def read_json(path: Path) -> Any:
    """The content of a JSON file, or an error that describes the problem."""
    if not path.is_file():
        raise InvalidInput(f"{path}: there is no such file. Copy it from the run.")
    return _parse(path.read_text("utf-8", "replace"), str(path))


def _parse(text: str, place: str) -> Any:
    if not text.strip():
        raise InvalidInput(
            f"{place}: it is empty, as when a run is broken off. Copy it again, or end the run"
            " before it."
        )
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{place}: expected JSON, line {error.lineno}, column {error.colno}: {error.msg}. Copy"
            " it from the run again."
        ) from None


def _lines(path: Path, notes: ImportNotes) -> Movements:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return _from_steps(
            ((f"{path.name}:{n}", _parse(line, f"{path}:{n}")) for n, line in enumerate(file, 1)),
            notes,
        )


def _files(path: Path, notes: ImportNotes) -> Movements:
    if not path.is_dir():
        raise InvalidInput(f"{path}: expected a folder with one file per step, 0.json, 1.json …")
    foreign = sorted(
        file.name for file in path.iterdir() if not re.fullmatch(r"\d+\.json", file.name)
    )
    if foreign:
        notes.add("files that are no steps were not read", ", ".join(foreign[:3]))
    files = sorted(
        (file for file in path.iterdir() if file.name not in foreign),
        key=lambda file: int(file.stem),
    )
    _require_gap_free([int(file.stem) for file in files], str(path))
    return _from_steps(((f"{path.name}/{file.name}", read_json(file)) for file in files), notes)


def _from_steps(steps: Iterable[tuple[str, Any]], notes: ImportNotes) -> Movements:
    """Every step holds all people: a missing person has not arrived yet, or has left."""
    present: list[tuple[str, Mapping[str, Any]]] = []
    start: datetime.datetime | None = None
    for count, (place, step) in enumerate(steps):
        step = _mapping(step, place)
        if "_step" in step and step["_step"] != count:
            raise InvalidInput(
                f"{place}: expected step {count}, got {step['_step']}. A step is missing; copy the"
                " run again."
            )
        if not step.get("persona"):
            notes.add("nobody is in the step", place)
        present.append((place, _mapping(step.get("persona") or {}, f"{place}: persona")))
        if count == 0 and "meta" in step:
            start = _time(step["meta"].get("curr_time"), TIME_FORMAT, place)
    names = tuple(dict.fromkeys(name for _, people in present for name in people))
    lives = {name: _whole_life(name, present, names, notes) for name in names}
    return Movements(lives=lives, steps=len(present), start=start)


def _whole_life(
    name: str,
    present: list[tuple[str, Mapping[str, Any]]],
    names: tuple[str, ...],
    notes: ImportNotes,
) -> AgentTrack:
    there = [number for number, (_, people) in enumerate(present) if name in people]
    moments: list[AgentFrame] = []
    for number in range(there[0], there[-1] + 1):
        place, people = present[number]
        if name in people:
            moments.append(_moment(people[name], name, names, place, notes))
        else:
            notes.add(f"{name} is missing between other steps and stands still there", place)
            moments.append(moments[-1])
    return AgentTrack(there[0], tuple(moments))


def _master(path: Path, notes: ImportNotes) -> Movements:
    steps = _mapping(read_json(path), str(path))
    foreign = [key for key in steps if not key.isdigit()]
    if foreign:
        raise InvalidInput(
            f"{path}: expected numbers of steps, got {foreign[0]!r}. Copy the run again."
        )
    numbers = sorted(map(int, steps))
    _require_gap_free(numbers, str(path))
    lives = _from_changes([(f"{path.name}: step {n}", steps[str(n)]) for n in numbers], notes)
    return Movements(lives=lives, steps=len(numbers))


def _read_frames(path: Path, notes: ImportNotes) -> Movements:
    """One file of frames: `stride` minutes of the day are 60 of them."""
    run = _mapping(read_json(path), str(path))
    if "all_movement" not in run:
        raise InvalidInput(
            f"{path}: expected `all_movement` with the frames, got"
            f" {', '.join(map(str, run)) or 'nothing'}."
        )
    frames = _mapping(run["all_movement"], f"{path}: all_movement")
    numbers = sorted(int(key) for key in frames if key.isdigit())
    if not numbers:
        raise InvalidInput(f"{path}: all_movement holds no frame. Compress the run again.")
    if numbers != list(range(numbers[0], numbers[-1] + 1)):
        raise InvalidInput(
            f"{path}: frame {_missing(numbers)[0]} of all_movement is missing. Compress the run"
            " again."
        )
    start = _time(run.get("start_datetime"), None, f"{path.name}: start_datetime")
    step_s = _seconds_per_frame(run, path, notes)
    changes = [(f"{path.name}: frame {n}", frames[str(n)]) for n in numbers]
    lives = _from_changes(changes, notes)
    foreign = [
        key for key in frames if not key.isdigit() and key not in ("description", "conversation")
    ]
    if foreign:
        notes.add(
            "entries of all_movement that are no frames were not read", ", ".join(foreign[:3])
        )
    unread = [key for key in run if key not in _TRANSLATED_ENTRIES]
    if unread:
        notes.add(f"{len(unread)} entries beside all_movement were not read", ", ".join(unread[:3]))
    texts = _mapping(frames.get("conversation") or {}, f"{path}: conversation")
    lives, talk_places = _add_conversations(
        lives,
        texts=texts,
        start=start,
        step_s=step_s,
        first=numbers[0],
        source=path.name,
        notes=notes,
    )
    descriptions = _mapping(frames.get("description") or {}, f"{path}: description")
    for name in descriptions:
        if name not in lives:
            notes.add(
                "a description is of a person who is in no frame and was not read",
                f"{path.name}: {name}",
            )
    return Movements(
        lives=lives,
        steps=len(numbers),
        # Frame 1 is the first of the day, frame 0 lies before it.
        start=start + datetime.timedelta(seconds=(numbers[0] - 1) * step_s),
        step_s=step_s,
        descriptions={
            name: _mapping(entry, f"{path}: description of {name}")
            for name, entry in descriptions.items()
            if name in lives
        },
        talk_places=talk_places,
    )


def _seconds_per_frame(run: Mapping[str, Any], path: Path, notes: ImportNotes) -> float:
    stated = {key: run[key] for key in ("stride", "sec_per_step") if key in run}
    for key, value in stated.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            raise InvalidInput(f"{path}: expected a positive number in {key}, got {value!r}.")
    if not stated:
        raise InvalidInput(
            f"{path}: expected `stride`, the minutes of a step, and found no such entry."
        )
    seconds = (
        float(stated["stride"]) * 60 / FRAMES_PER_STRIDE
        if "stride" in stated
        else float(stated["sec_per_step"])
    )
    if stated.get("sec_per_step", seconds) != seconds:
        notes.add(
            f"sec_per_step says {stated['sec_per_step']} s a frame, stride {seconds:g} s; stride is"
            " used",
            path.name,
        )
    return seconds


def _from_changes(steps: list[tuple[str, Any]], notes: ImportNotes) -> dict[str, AgentTrack]:
    """A person missing in a step is unchanged; a person who appears in a later step
    enters there.
    """
    people = [(place, _mapping(step, place)) for place, step in steps]
    names = tuple(dict.fromkeys(name for _, changed in people for name in changed))
    if people and not people[0][1]:
        notes.add("nobody is in the first step", people[0][0])
    lives: dict[str, AgentTrack] = {}
    for name in names:
        moments: list[AgentFrame] = []
        for place, changed in people:
            if name in changed:
                moments.append(_moment(changed[name], name, names, place, notes))
            elif moments:
                moments.append(moments[-1])
        lives[name] = AgentTrack(len(people) - len(moments), tuple(moments))
    return lives


def _moment(
    entry: Any, name: str, names: tuple[str, ...], place: str, notes: ImportNotes
) -> AgentFrame:
    entry = _mapping(entry, f"{place}: {name}")
    x, y = _tile(entry.get("movement"), f"{place}: {name}")
    words = next((str(entry[key]) for key in ("description", "action") if entry.get(key)), None)
    if words is None:
        notes.add(f"{name} does nothing that is told", place)
        words = ""
    activity, at, address = words.rpartition(" @ ")
    if not at:
        activity, address = words, str(entry.get("location") or "")
    emoji = str(entry.get("pronunciatio") or "")
    if not emoji and (sign := re.match(r"([^\w\s(]+)\s+(?=\S)", activity)):
        emoji, activity = sign[1], activity[sign.end() :]
    return AgentFrame(
        x=x,
        y=y,
        emoji=emoji,
        activity=activity,
        address=address,
        chat=_chat(entry.get("chat"), name, names, place, notes),
    )


def _tile(value: Any, place: str) -> tuple[int, int]:
    if (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(_is_whole(number) for number in value)
    ):
        return int(value[0]), int(value[1])
    raise InvalidInput(
        f"{place}: expected the tile as `movement: [x, y]`, got {value!r}. Copy the run again."
    )


#: No map has as many tiles.
_FARTHEST = 2**31


def _is_whole(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) < _FARTHEST
        and value == int(value)
    )


def _chat(value: Any, name: str, names: tuple[str, ...], place: str, notes: ImportNotes) -> Lines:
    """Lines of a conversation: pairs of speaker and text, or texts, which name their speaker or are
    the persona's own.
    """
    if not value:
        return ()
    lines: list[tuple[str, str]] = []
    for line in (
        [value] if isinstance(value, str) else value if isinstance(value, list) else [value]
    ):
        if isinstance(line, str):
            notes.add(
                "chat is text: lines that name no speaker are said by the persona itself",
                f"{place}: {name}",
            )
            lines += _assign_lines(line, names, name)
        elif (
            isinstance(line, list)
            and len(line) == 2
            and all(isinstance(part, str) for part in line)
        ):
            lines.append((line[0], line[1]))
        else:
            raise InvalidInput(
                f"{place}: {name}: expected a chat of [speaker, text] pairs or of texts, got"
                f" {line!r}. Mend the run's file."
            )
    return tuple(lines)


def _assign_lines(text: str, names: tuple[str, ...], otherwise: str) -> list[tuple[str, str]]:
    """Split a text into lines: `Maria Lopez: Hello` is hers, a line without a speaker is said by
    `otherwise`.
    """
    lines = filter(None, (line.strip() for line in text.splitlines()))
    return [split_utterance(line, names) or (otherwise, line) for line in lines]


def _add_conversations(
    lives: dict[str, AgentTrack],
    texts: Mapping[str, Any],
    start: datetime.datetime,
    step_s: float,
    first: int,
    source: str,
    notes: ImportNotes,
) -> tuple[dict[str, AgentTrack], tuple[TalkPlace, ...]]:
    """Add the conversations to the people who speak in them. A text holds all conversations of one
    simulated step.
    """
    names = tuple(lives)
    chats: dict[str, dict[int, Lines]] = {name: {} for name in names}
    talk_places: list[TalkPlace] = []
    for at, text in texts.items():
        place = f"{source}: conversation {at}"
        step = split_conversations(str(text or ""), names)
        for _ in step.unassigned:
            notes.add("a line of a conversation names nobody of the run and was not read", place)
        frame = (
            round((_time(at, CONVERSATION_TIME, place) - start).total_seconds() / step_s)
            + 1
            - first
        )
        for conversation, frames in schedule_conversations(step.conversations, FRAMES_PER_STRIDE):
            if conversation.place:
                talk_places.append(
                    TalkPlace(
                        max(frame + frames.start, 0), conversation.place, conversation.speakers
                    )
                )
            for speaker in conversation.speakers:
                life = lives[speaker]
                lasting = range(
                    max(frame + frames.start, life.first), min(frame + frames.stop, life.end)
                )
                chats[speaker] |= dict.fromkeys(lasting, conversation.lines)
                if not lasting:
                    notes.add(
                        f"a conversation lies outside the frames of {speaker} and was not read",
                        place,
                    )
    talking = {
        name: AgentTrack(
            life.first,
            tuple(
                _talking(moment, chats[name].get(number, ()))
                for number, moment in enumerate(life.moments, life.first)
            ),
        )
        for name, life in lives.items()
    }
    return talking, tuple(talk_places)


def _talking(moment: AgentFrame, chat: Lines) -> AgentFrame:
    return (
        AgentFrame(
            x=moment.x,
            y=moment.y,
            emoji=moment.emoji,
            activity=moment.activity,
            address=moment.address,
            chat=chat,
        )
        if chat
        else moment
    )


def _mapping(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(
            f"{place}: expected an object with entries by name, got {type(value).__name__}. Mend"
            " the file."
        )
    return value


def _time(value: Any, form: str | None, place: str) -> datetime.datetime:
    try:
        if form is None:
            return datetime.datetime.fromisoformat(str(value))
        return datetime.datetime.strptime(str(value), form)
    except ValueError:
        expected = (
            "a time such as 2024-02-13T06:00:00"
            if form is None
            else f"a time such as {_example(form)}"
        )
        raise InvalidInput(f"{place}: expected {expected}, got {value!r}.") from None


def _example(form: str) -> str:
    return datetime.datetime(2023, 2, 13, 6, 0, 0).strftime(form)


def _require_gap_free(numbers: list[int], source: str) -> None:
    if numbers != list(range(len(numbers))):
        raise InvalidInput(
            f"{source}: steps must run from 0 without a gap, missing {_missing([-1, *numbers])}."
            " Copy the run again."
        )


def _missing(numbers: list[int]) -> list[int]:
    return sorted(set(range(numbers[0] + 1, numbers[-1])) - set(numbers))[:5]


def _comings_and_goings(movements: Movements) -> Iterator[str]:
    entering = sorted((life.first, name) for name, life in movements.lives.items() if life.first)
    leaving = sorted(
        (life.end, name) for name, life in movements.lives.items() if life.end < movements.steps
    )
    for words, people in (("enters", entering), ("leaves", leaving)):
        for step, group in groupby(people, lambda pair: pair[0]):
            yield (
                f"{', '.join(name for _, name in group)} {words} at step {step} of"
                f" {movements.steps}"
            )
