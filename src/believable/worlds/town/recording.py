"""A run of the town as a recording. It contains everything that a judge needs; of the minds it
contains only the plans.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

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
from believable.worlds.town.clock import STEP_MS
from believable.worlds.town.map import STREET, Fixture, TownMap
from believable.worlds.town.mind import Persona, PlanEntry
from believable.worlds.town.run import TownRun
from believable.worlds.town.state import FRIDGE_STOCK, LoggedPrimitive

FIRST_DAY = "2024-05-06T00:00:00"
#: Speech is shown above the speaker for a minute.
SPEECH_STEPS = 6


def record_run(run: TownRun) -> Recording:
    """Record a run. If it was interrupted, the recording ends there."""
    settings, frames = run.settings, run.state.step
    return Recording(
        world=record_town(run.state.town, run.people),
        actors=tuple(map(_actor, run.people)),
        timing=Timing(
            frame_ms=STEP_MS,
            frames=frames,
            simulated_start=FIRST_DAY,
            simulated_ms_per_frame=STEP_MS,
        ),
        tracks=tuple(_track(name, track, run.log) for name, track in run.tracks.items()),
        actions=tuple(_actions(run.log)),
        plans=tuple(_plan_steps(run.plans.values(), frames)),
        seed=settings.seed,
        agent=f"town/{settings.mind}",
        provenance={
            "people": settings.people,
            "days": settings.days,
            **({"town": settings.town} if settings.town != "market" else {}),
            **{f"option {name}": value for name, value in settings.options.items()},
        },
    )


def record_town(town: TownMap, people: Sequence[Persona]) -> RecordedWorld:
    """Record the map with the facts that the rule checker needs."""
    buildings = (
        Place(
            id=building.id,
            name=building.name,
            parent=None,
            rects=((building.x, building.y, building.w, building.h),),
            facts={
                "kind": building.kind,
                "opens": building.opens,
                "closes": building.closes,
                "open_air": building.open_air,
                "residents": " ".join(p.id for p in people if p.home == building.id),
                "staff": " ".join(p.id for p in people if p.workplace == building.id),
            },
        )
        for building in town.buildings.values()
    )
    rooms = (
        Place(
            id=room.id,
            name=room.name,
            parent=room.building,
            rects=room.rects,
            facts={"kind": room.kind, "staff_only": room.staff},
        )
        for room in town.rooms.values()
    )
    sleepers = {persona.bed: persona.id for persona in people}
    fixtures = (
        RecordedObject(
            id=fixture.id,
            kind=fixture.kind,
            place=fixture.room,
            x=fixture.x,
            y=fixture.y,
            facts=_facts(fixture, sleepers.get(fixture.id)),
        )
        for fixture in town.fixtures.values()
    )
    doors = (
        RecordedObject(
            id=door.id,
            kind="door",
            place=door.building,
            x=door.x,
            y=door.y,
            facts={
                "outer": door.outer,
                "rooms": " ".join(door.rooms),
                "open": door.id in town.bathroom_doors,
            },
        )
        for door in town.doors.values()
    )
    return RecordedWorld(
        kind="town",
        width=town.width,
        height=town.height,
        walls=town.walls,
        places=(*buildings, *rooms),
        objects=(*fixtures, *doors),
    )


def _facts(fixture: Fixture, sleeper: str | None) -> dict[str, Scalar]:
    facts: dict[str, Scalar | None] = {
        "stand": f"{fixture.stand[0]} {fixture.stand[1]}",
        "capacity": fixture.capacity,
        "opens": fixture.holds or None,
        "switch": fixture.switch or None,
        "stock": fixture.stock,
        "count": FRIDGE_STOCK if fixture.kind == "fridge" else None,
        "owner": sleeper,
    }
    return {name: value for name, value in facts.items() if value is not None}


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
    """Yield when speech and sleep begin and end. New speech replaces the speech before it."""
    changes: dict[tuple[int, str], str | None] = {}
    for key, lines in (
        (
            "speech",
            [
                (line.from_step, line.from_step + SPEECH_STEPS, line.said)
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


def _actions(log: Sequence[LoggedPrimitive]) -> Iterator[Action]:
    for number, line in enumerate(
        sorted(log, key=lambda line: (line.from_step, line.person, line.to_step)), 1
    ):
        yield Action(
            id=f"t{number}",
            actor=line.person,
            t0_ms=line.from_step * STEP_MS,
            t1_ms=line.to_step * STEP_MS,
            verb=line.verb,
            object=line.object,
            place=None if line.room == STREET else line.room,
            text=line.text,
            target=line.target,
            activity=line.activity,
            serves=line.serves,
            refused=line.refused,
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
            id=entry.id,
            actor=person,
            parent=entry.parent,
            level=entry.level,
            t0_ms=entry.from_step * STEP_MS,
            t1_ms=ends * STEP_MS,
            text=entry.text,
            activity=entry.activity,
            place=entry.place,
        )
