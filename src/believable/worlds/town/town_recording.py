"""A run of the town as a recording: everything a reader needs to judge it stands in it, nothing of
the mind but its plans.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import accumulate

from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    Place,
    PlanStep,
    RecordedObject,
    RecordedWorld,
    Recording,
    Scalar,
    State,
    Timing,
    Track,
)
from believable.worlds.town.mind import STEP_S, STEPS_PER_DAY, Persona, PlanEntry
from believable.worlds.town.town_map import STREET, TownMap
from believable.worlds.town.town_run import TownRun
from believable.worlds.town.town_state import FRIDGE_STOCK, LoggedPrimitive

STEP_MS = STEP_S * 1000
FIRST_DAY = "2024-05-06T00:00:00"
#: So long something said stays over the head of who said it.
SPEECH_STEPS = 6
_DAY_OF_SOMEBODY = re.compile(r"(Day \d+) of .+")
#: `working at the till, the till`.
_NAMED_TWICE = re.compile(r"^((?:tries: )?[^:]*\b(\w+)), the (?:\w+ )*\2$")
#: `ordering coffee, the counter`.
_DOING_AT = re.compile(r"^((?:tries: )?)([^:,]+ing\b[^:,]*), the ([\w ]+)$")
#: Activities that name their furniture as `it`: `wiping it clean, the table`.
_DOING_IT = {
    "wiping it clean": "wiping the {thing}",
    "looking at it": "looking at the {thing}",
    "switching it on": "switching on the {thing}",
    "switching it off": "switching off the {thing}",
}
#: `walks to the front door, Café`; houses have a number, everything else an article.
_FRONT_DOOR = re.compile(r"\bthe front door, (?:(House \d+)|(.+))$")
#: Furniture that people are on or in; they are at all other.
_ON_OR_IN = {
    "bed": "in bed",
    "sofa": "on the sofa",
    "bench": "on the bench",
    "chairs": "on the chairs",
    "stage": "on the stage",
}
#: So much of a night is shown, before somebody gets up and after they have gone to bed.
NIGHT_STEPS = 18


def recorded(run: TownRun) -> Recording:
    """The whole run. Where a run was cut, the recording ends there."""
    settings, town = run.settings, run.state.town
    frames = run.state.step
    return Recording(
        world=recorded_town(town, run.people),
        actors=tuple(_actor(persona) for persona in run.people),
        timing=Timing(STEP_MS, frames, FIRST_DAY, STEP_MS),
        tracks=tuple(_track(name, track, run.log) for name, track in run.tracks.items()),
        actions=tuple(_actions(run.log)),
        plans=tuple(_plan_steps(run.plans.values(), frames)),
        seed=settings.seed,
        agent=f"town/{settings.mind}",
        provenance={
            "people": settings.people,
            "days": settings.days,
            **{f"option {k}": v for k, v in settings.options.items()},
        },
    )


def recorded_town(town: TownMap, people: Sequence[Persona]) -> RecordedWorld:
    buildings = [
        Place(
            building.id,
            building.name,
            None,
            ((building.x, building.y, building.w, building.h),),
            {
                "kind": building.kind,
                "opens": building.opens,
                "closes": building.closes,
                "open_air": building.open_air,
                "residents": " ".join(
                    persona.id for persona in people if persona.home == building.id
                ),
                "staff": " ".join(
                    persona.id for persona in people if persona.workplace == building.id
                ),
            },
        )
        for building in town.buildings.values()
    ]
    rooms = [
        Place(
            room.id,
            room.name,
            room.building,
            room.rects,
            {"kind": room.kind, "staff_only": room.staff},
        )
        for room in town.rooms.values()
    ]
    beds = {persona.bed: persona.id for persona in people}
    fixtures = []
    for fixture in town.fixtures.values():
        facts: dict[str, Scalar] = {
            "stand": f"{fixture.stand[0]} {fixture.stand[1]}",
            "capacity": fixture.capacity,
        }
        facts |= {"opens": True} if fixture.holds else {}
        facts |= {"switch": True} if fixture.switch else {}
        facts |= {"stock": fixture.stock} if fixture.stock else {}
        facts |= {"count": FRIDGE_STOCK} if fixture.kind == "fridge" else {}
        facts |= {"owner": beds[fixture.id]} if fixture.id in beds else {}
        fixtures.append(
            RecordedObject(fixture.id, fixture.kind, fixture.room, fixture.x, fixture.y, facts)
        )
    doors = [
        RecordedObject(
            door.id,
            "door",
            door.building,
            door.x,
            door.y,
            {"outer": door.outer, "rooms": " ".join(door.rooms), "open": "bathroom" in door.id},
        )
        for door in town.doors.values()
    ]
    return RecordedWorld(
        "town", town.width, town.height, town.walls, (*buildings, *rooms), (*fixtures, *doors)
    )


def _actor(persona: Persona) -> Actor:
    facts: dict[str, Scalar] = {
        "age": persona.age,
        "occupation": persona.role,
        "home": persona.home,
        "workplace": persona.workplace,
        "work_from": persona.work_from,
        "work_to": persona.work_to,
        "wakes": persona.wakes,
        "sleeps": persona.sleeps,
        "money": persona.money,
        "relations": json.dumps(dict(persona.relations), sort_keys=True),
    }
    return Actor(persona.id, persona.name, "person", facts)


def _track(
    name: str, tiles: Sequence[tuple[int, int, int]], log: Iterable[LoggedPrimitive]
) -> Track:
    half = UNITS_PER_TILE // 2
    return Track(
        actor=name,
        x=tuple(x * UNITS_PER_TILE + half for x, _, _ in tiles),
        y=tuple(y * UNITS_PER_TILE + half for _, y, _ in tiles),
        heading=tuple(heading for _, _, heading in tiles),
        states=tuple(
            _states(
                [line for line in log if line.person == name and line.refused is None], len(tiles)
            )
        ),
    )


def _states(log: Sequence[LoggedPrimitive], frames: int) -> Iterator[State]:
    """What is said, over the head for a minute or until the next is said, and whether somebody
    sleeps.
    """
    changes: dict[tuple[int, str], str | None] = {}
    for key, lines in (
        (
            "speech",
            [
                (line.from_step, line.from_step + SPEECH_STEPS, _said(line))
                for line in log
                if line.verb == "speak"
            ],
        ),
        (
            "asleep",
            [(line.from_step, line.to_step, "z z z") for line in log if line.activity == "sleep"],
        ),
    ):
        for number, (first, last, value) in enumerate(lines):
            changes[first, key] = value
            if number + 1 == len(lines) or lines[number + 1][0] > last:
                changes[last, key] = None
    yield from (
        State(frame, key, value)
        for (frame, key), value in sorted(changes.items())
        if frame < frames
    )


def _said(line: LoggedPrimitive) -> str:
    return line.text.partition(": ")[2].strip("“”")


def _actions(log: Sequence[LoggedPrimitive]) -> Iterator[Action]:
    for number, line in enumerate(
        sorted(log, key=lambda line: (line.from_step, line.person, line.to_step)), 1
    ):
        yield Action(
            f"t{number}",
            line.person,
            line.from_step * STEP_MS,
            line.to_step * STEP_MS,
            line.verb,
            line.object,
            None if line.room == STREET else line.room,
            line.text,
            line.target,
            line.activity,
            line.serves,
            line.refused,
        )


def _plan_steps(plans: Iterable[tuple[str, PlanEntry]], frames: int) -> Iterator[PlanStep]:
    known: set[str] = set()
    for person, entry in sorted(
        plans, key=lambda pair: (pair[1].level, pair[1].from_step, pair[1].id)
    ):
        if entry.from_step >= frames or (entry.parent is not None and entry.parent not in known):
            continue
        known.add(entry.id)
        ends = max(entry.from_step, min(entry.to_step, frames))
        yield PlanStep(
            entry.id,
            person,
            entry.parent,
            entry.level,
            entry.from_step * STEP_MS,
            ends * STEP_MS,
            entry.text,
            entry.activity,
            entry.place,
        )


# ------------------------------------------------------------------------------------------ one
# character, to be watched


def followed(
    recording: Recording,
    person: str,
    *,
    nights: bool = False,
    longest_minutes: float | None = None,
    frames: int | None = None,
) -> Recording:
    """The recording of one character among the others: first in the list, its actions and plans
    only, nights left out.

    With `longest_minutes` no more than that is shown of anything it does but walk, half at the
    beginning and half at the end; the day clock is put forward. With `frames` as well, less is left
    out, so that so many are shown: how long a recording lasts then does not tell how many things
    were done. Places are called by their names, a thing that an activity names is not named again,
    and plans are written alike whatever the mind: plan and log of a followed character are for
    people to read.
    """
    names = [actor.id for actor in recording.actors]
    if person not in names:
        raise NotFound(f"nobody is called {person!r}. {did_you_mean(person, names)}")
    order = sorted(range(len(names)), key=lambda number: names[number] != person)
    alone = replace(
        recording,
        actors=tuple(recording.actors[number] for number in order),
        tracks=tuple(recording.tracks[number] for number in order),
        actions=tuple(action for action in recording.actions if action.actor == person),
        plans=tuple(step for step in recording.plans if step.actor == person),
    )
    spans = [] if nights else _nights(alone, person)
    if longest_minutes is not None:
        spans = _joined([*spans, *_lengthy(alone, longest_minutes)])
        spans = (
            spans
            if frames is None
            else _left_out(spans, _nights(alone, person), recording.timing.frames - frames)
        )
    names_of = {place.id: place for place in recording.world.places}
    shown = without(alone, spans)
    return replace(
        shown,
        actions=tuple(
            replace(
                action,
                object=None,
                place=_place_words(action.place, names_of),
                text=_action_words(action.text),
            )
            for action in shown.actions
        ),
        plans=tuple(
            replace(step, text=_plan_words(step.text))
            for step in sorted(
                shown.plans, key=lambda step: (step.t0_ms, -step.t1_ms)
            )  # a plan is read in the order of the day
        ),
    )


def _action_words(text: str) -> str:
    """`ordering coffee, the counter` is called `ordering coffee at the counter`. What is named
    already is not named twice.
    """
    if "“" in text:  # what somebody says stays as it is
        return text
    text = _FRONT_DOOR.sub(lambda door: f"the front door of {door[1] or f'the {door[2]}'}", text)
    doing_at = _DOING_AT.match(_NAMED_TWICE.sub(r"\1", text))
    if doing_at is None:
        return _NAMED_TWICE.sub(r"\1", text)
    tries, doing, thing = doing_at.groups()
    if doing in _DOING_IT:
        return tries + _DOING_IT[doing].format(thing=thing)
    return f"{tries}{doing} {_ON_OR_IN.get(thing, f'at the {thing}')}"


def _plan_words(text: str) -> str:
    """`Day 1 of Ada Brandt` is called `Day 1`, `wiping it clean` `Wiping something clean`; lines
    begin with a capital letter.
    """
    short = (
        text.replace(" it", " something")
        if text in _DOING_IT
        else _DAY_OF_SOMEBODY.sub(r"\1", text)
    )
    return short[:1].upper() + short[1:]


def _place_words(place: str | None, places: Mapping[str, Place]) -> str | None:
    known = places.get(place or "")
    if known is None:
        return None
    around = places.get(known.parent or "")
    return (
        known.name
        if around is None or around.name == known.name
        else f"{known.name}, {around.name}"
    )


def _lengthy(recording: Recording, longest_minutes: float) -> list[tuple[int, int]]:
    """Frames in the middle of whatever lasts longer, walks apart."""
    half = max(1, round(longest_minutes * 60_000 / STEP_MS / 2))
    spans = [
        (action.t0_ms // STEP_MS + half, action.t1_ms // STEP_MS - half)
        for action in recording.actions
        if action.verb != "move-to"  # nobody is to be somewhere else at once
    ]
    return [(first, last) for first, last in spans if last > first]


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """In order, those that overlap as one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined


def _left_out(
    spans: Sequence[tuple[int, int]], nights: Sequence[tuple[int, int]], n_frames: int
) -> list[tuple[int, int]]:
    """Parts of the spans with `n_frames` in all: nights whole, the others shortened by the same
    share around their middles.
    """
    whole = [
        span
        for span in spans
        if any(span[0] <= first and last <= span[1] for first, last in nights)
    ]
    others = [span for span in spans if span not in whole]
    most, wanted = (
        sum(last - first for first, last in others),
        n_frames - sum(last - first for first, last in whole),
    )
    if not 0 <= wanted <= most:
        raise InvalidInput(
            f"frames: {most} frames of the days can be left out, and {wanted} would have to be."
            " Show more of them."
        )
    passed = 0
    for first, last in others:
        before, passed = passed, passed + last - first
        length = wanted * passed // most - wanted * before // most
        start = first + (last - first - length) // 2
        whole.append((start, start + length))
    return sorted(span for span in whole if span[0] < span[1])


def _nights(recording: Recording, person: str) -> list[tuple[int, int]]:
    """Frames in the middle of each night's sleep."""
    spans: list[tuple[int, int]] = []
    for action in recording.actions:
        if action.actor == person and action.activity == "sleep" and action.refused is None:
            first, last = action.t0_ms // STEP_MS, action.t1_ms // STEP_MS
            if spans and first - spans[-1][1] <= NIGHT_STEPS:
                first = spans.pop()[0]
            spans.append((first, last))
    frames = recording.timing.frames
    cut = [
        (0 if first == 0 else first + NIGHT_STEPS, frames if last >= frames else last - NIGHT_STEPS)
        for first, last in spans
    ]
    return [(first, last) for first, last in cut if last - first >= STEPS_PER_DAY // 12]


def without(recording: Recording, spans: Sequence[tuple[int, int]]) -> Recording:
    """The recording without these frames (ordered, apart); the day clock is put forward over each
    of them.
    """
    if not spans:
        return recording
    frames = recording.timing.frames

    starts = [first for first, _ in spans]
    left_out = [0, *accumulate(last - first for first, last in spans)]

    def shifted(frame: int) -> int:
        number = bisect_right(starts, frame)
        reach = min(frame, spans[number - 1][1]) - spans[number - 1][0] if number else 0
        return frame - (left_out[number - 1] + reach if number else 0)

    def moved(t_ms: int) -> int:
        return shifted(t_ms // STEP_MS) * STEP_MS

    kept = [
        (a, b)
        for a, b in zip(
            [0, *(last for _, last in spans)], [*(first for first, _ in spans), frames], strict=True
        )
    ]
    tracks = tuple(
        replace(
            track,
            x=tuple(value for a, b in kept for value in track.x[a:b]),
            y=tuple(value for a, b in kept for value in track.y[a:b]),
            heading=tuple(value for a, b in kept for value in track.heading[a:b]),
            states=tuple(_moved_states(track.states, shifted, shifted(frames))),
        )
        for track in recording.tracks
    )
    begins, left = recording.timing, list(spans)
    start_ms = 0
    if left[0][0] == 0:
        start_ms = left.pop(0)[1] * STEP_MS
    jumps = tuple(
        (shifted(first), (last - first) * STEP_MS)
        for first, last in left
        if 0 < shifted(first) < shifted(frames)
    )
    start = _later(str(begins.simulated_start), start_ms)
    return replace(
        recording,
        timing=replace(begins, frames=shifted(frames), simulated_start=start, jumps=jumps),
        tracks=tracks,
        actions=tuple(
            replace(action, t0_ms=moved(action.t0_ms), t1_ms=moved(action.t1_ms))
            for action in recording.actions
            if moved(action.t1_ms) > moved(action.t0_ms)
        ),
        plans=tuple(
            replace(step, t0_ms=moved(step.t0_ms), t1_ms=moved(step.t1_ms))
            for step in recording.plans
            if step.level == 0 or moved(step.t1_ms) > moved(step.t0_ms)
        ),
    )


def _moved_states(
    states: Iterable[State], shifted: Callable[[int], int], frames: int
) -> Iterator[State]:
    """At each frame that is left, the last of the states that fall on it."""
    last = {(shifted(state.frame), state.key): state.value for state in states}
    yield from (
        State(frame, key, value) for (frame, key), value in sorted(last.items()) if frame < frames
    )


def _later(start: str, ms: int) -> str:
    return (datetime.fromisoformat(start) + timedelta(milliseconds=ms)).isoformat()
