"""A town day from a seed, sensible or with planted violations whose actions are known: demonstration stimuli one can check by."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, replace

from believable.core.seeds import generator
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
from believable.worlds.town.plan import HEIGHT, PLACES, WIDTH, Intention, Task, day, walls

FRAME_S = 20
FRAMES = 24 * 3600 // FRAME_S
ACTOR = "ada"

#: Kinds of planted violations, in the words of the replay protocol's codebook.
VIOLATIONS = ("environment_rule", "temporal", "goal")


@dataclass(frozen=True, slots=True)
class TownDay:
    """A recording, and for each planted violation the id of its action: `{action id: kind}`."""

    replay: Replay
    planted: dict[str, str]


def generate(seed: int, *, violations: int = 0) -> TownDay:
    """A day of one person. With `violations`, that many actions break a rule of the world, of time, or of the person's own plan.

    Both variants of a seed share town, plan and everything else: only the planted actions (and the ways to and from them) differ.
    """
    intentions = day(generator(seed, "day"))
    visits, planted = _visits(intentions, violations, generator(seed, "violations"))
    return _record(seed, intentions, visits, planted)


@dataclass(frozen=True, slots=True)
class _Visit:
    """One task to be carried out: when, where, what; `through_walls` when the way there ignores them."""

    start_minute: int
    place: str
    task: Task
    violation: str | None = None
    through_walls: bool = False


def _visits(
    intentions: tuple[Intention, ...], violations: int, rng: random.Random
) -> tuple[list[_Visit], dict[int, str]]:
    visits: list[_Visit] = []
    for intention in intentions:
        minute = intention.start_minute
        for task in intention.tasks:
            visits.append(_Visit(minute, intention.place, task))
            minute += task.minutes
    kinds = _planted_kinds(visits, violations, rng)
    for number, kind in kinds.items():
        visits[number] = _violated(visits[number], kind, rng)
    return visits, kinds


def _planted_kinds(visits: list[_Visit], violations: int, rng: random.Random) -> dict[int, str]:
    """Which visits go wrong and how, the kinds taking turns. Walls can only be ignored on the way to another place."""
    awake = [number for number, visit in enumerate(visits) if visit.task.verb != "sleep"]
    arriving = [number for number in awake if visits[number].place != visits[number - 1].place]
    kinds: dict[int, str] = {}
    for turn in range(min(violations, len(awake))):
        kind = VIOLATIONS[turn % len(VIOLATIONS)]
        fitting = arriving if kind == "environment_rule" else [one for one in awake if one not in arriving]
        free = [one for one in fitting if one not in kinds] or [one for one in awake if one not in kinds]
        kinds[rng.choice(free)] = kind
    return dict(sorted(kinds.items()))


def _violated(visit: _Visit, kind: str, rng: random.Random) -> _Visit:
    if kind == "environment_rule":
        return replace(visit, violation=kind, through_walls=True)
    if kind == "temporal":
        task = Task("sleep", visit.task.thing, visit.task.minutes, f"sleeping on the {visit.task.thing}")
        return replace(visit, violation=kind, task=task)
    elsewhere = rng.choice([place for place in PLACES if place.name != visit.place])
    thing = rng.choice(elsewhere.things)
    task = Task("wander", thing, visit.task.minutes, f"standing at the {thing} for no reason")
    return replace(visit, violation=kind, place=elsewhere.name, task=task)


# ------------------------------------------------------------------------------------------ recording


def _record(
    seed: int, intentions: tuple[Intention, ...], visits: list[_Visit], planted: dict[int, str]
) -> TownDay:
    town = walls()
    here = _spot(visits[0])
    xs, ys, headings = [here[0]], [here[1]], [90]
    actions: list[Action] = []
    states: list[State] = []
    ids: dict[str, str] = {}
    for number, visit in enumerate(visits):
        start = visit.start_minute * 60 // FRAME_S
        end = visits[number + 1].start_minute * 60 // FRAME_S if number + 1 < len(visits) else FRAMES
        way = _way(town, here, _spot(visit), visit.through_walls)
        for at in range(max(start, 1), end):
            step = way[min(at - start, len(way) - 1)]
            headings.append(_heading((xs[-1], ys[-1]), step, headings[-1]))
            xs.append(step[0])
            ys.append(step[1])
        here = (xs[-1], ys[-1])
        name = f"t{number + 1:02d}"
        if number in planted:
            ids[name] = planted[number]
        actions.append(_action(name, visit, start, end))
        states.append(State(start, "activity", visit.task.words))
    half = UNITS_PER_TILE // 2
    track = Track(
        ACTOR,
        tuple(x * UNITS_PER_TILE + half for x in xs),
        tuple(y * UNITS_PER_TILE + half for y in ys),
        tuple(headings),
        states=tuple(states),
    )
    replay = Replay(
        world=World("town", WIDTH, HEIGHT, town, tuple(_place(place.name) for place in PLACES)),
        actors=(Actor(ACTOR, "Ada", "person"),),
        timing=Timing(FRAME_S * 1000, FRAMES, "2026-05-04T00:00:00", FRAME_S * 1000),
        tracks=(track,),
        actions=tuple(actions),
        plans=tuple(_plans(intentions)),
        seed=seed,
        agent="planted" if planted else "sensible",
        provenance={"generator": "town", "planted": len(planted)},
    )
    return TownDay(replay, ids)


def _action(name: str, visit: _Visit, start: int, end: int) -> Action:
    frame_ms = FRAME_S * 1000
    thing, place = visit.task.thing, visit.place
    return Action(
        name, ACTOR, start * frame_ms, end * frame_ms, visit.task.verb, thing, place, visit.task.words
    )


def _plans(intentions: tuple[Intention, ...]) -> list[PlanStep]:
    whole = FRAMES * FRAME_S * 1000
    steps = [PlanStep("day", ACTOR, None, 0, 0, whole, "Ada's plan for the day")]
    for number, intention in enumerate(intentions, 1):
        end = intentions[number].start_minute if number < len(intentions) else 24 * 60
        words = f"{intention.words} ({intention.place})"
        span = intention.start_minute * 60_000, end * 60_000
        steps.append(PlanStep(f"i{number}", ACTOR, "day", 1, *span, words))
        minute = intention.start_minute
        for at, task in enumerate(intention.tasks, 1):
            until = min(minute + task.minutes, end)
            steps.append(
                PlanStep(
                    f"i{number}.{at}", ACTOR, f"i{number}", 2, minute * 60_000, until * 60_000, task.words
                )
            )
            minute = until
    return steps


def _place(name: str) -> Place:
    found = next(place for place in PLACES if place.name == name)
    return Place(name, name, None, ((found.x, found.y, found.w, found.h),))


def _spot(visit: _Visit) -> tuple[int, int]:
    return next(place for place in PLACES if place.name == visit.place).spot(visit.task.thing)


def _heading(before: tuple[int, int], after: tuple[int, int], otherwise: int) -> int:
    move = (after[0] - before[0], after[1] - before[1])
    return {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}.get(move, otherwise)


def _way(
    town: tuple[str, ...], start: tuple[int, int], goal: tuple[int, int], through_walls: bool
) -> list[tuple[int, int]]:
    """Tiles from start to goal, both included: a shortest way, by the doors unless walls are ignored."""
    came: dict[tuple[int, int], tuple[int, int] | None] = {start: None}
    edge = deque([start])
    while edge:
        here = edge.popleft()
        if here == goal:
            break
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            x, y = here[0] + dx, here[1] + dy
            inside = 0 <= x < WIDTH and 0 <= y < HEIGHT
            if inside and (x, y) not in came and (through_walls or town[y][x] == "."):
                came[(x, y)] = here
                edge.append((x, y))
    way: list[tuple[int, int]] = []
    at: tuple[int, int] | None = goal
    while at is not None:
        way.append(at)
        at = came[at]
    return way[::-1]
