"""A town day from a seed, sensible or with planted violations whose actions are known: demonstration stimuli one can check by."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, replace
from itertools import pairwise

from believable.core.seeds import generator
from believable.recordings.recording import (
    UNITS_PER_TILE,
    Action,
    Actor,
    Place,
    PlanStep,
    RecordedWorld,
    Recording,
    State,
    Timing,
    Track,
)
from believable.worlds.town.day_plan import HEIGHT, PLACES, WIDTH, Intention, TownTask, day, walls

FRAME_S = 20
FRAME_MS = FRAME_S * 1000
FRAMES = 24 * 3600 // FRAME_S
#: A way of more tiles is an action of its own.
FEW_STEPS = 8
#: So many frames she stays at least where she has just arrived.
LEAST_STAY = 6
#: So much of the night is shown before she gets up and after she has gone to bed.
ASLEEP_MINUTES = 5
ACTOR = "ada"

#: Kinds of planted violations, in the words of the recording protocol's codebook.
VIOLATIONS = ("environment_rule", "temporal", "goal")


@dataclass(frozen=True, slots=True)
class TownDay:
    """A recording, and for each planted violation the id of its action: `{action id: kind}`."""

    replay: Recording
    planted: dict[str, str]


def generate(seed: int, *, violations: int = 0) -> TownDay:
    """A day of one person. With `violations`, that many actions break a rule of the world, of time, or of the person's own plan.

    Both variants of a seed share town, plan and everything else: only the planted actions (and the ways to and from them) differ.
    """
    intentions = day(generator(seed, "day"))
    visits, planted = _visits(intentions, violations, generator(seed, "violations"))
    return _record(seed, intentions, visits, planted)


@dataclass(frozen=True, slots=True)
class TownVisit:
    """One task to be carried out: when, where, what; `through_walls` when the way there ignores them."""

    start_minute: int
    place: str
    task: TownTask
    violation: str | None = None
    through_walls: bool = False


def _visits(
    intentions: tuple[Intention, ...], violations: int, rng: random.Random
) -> tuple[list[TownVisit], dict[int, str]]:
    visits: list[TownVisit] = []
    for intention in intentions:
        minute = intention.start_minute
        for task in intention.tasks:
            visits.append(TownVisit(minute, intention.place, task))
            minute += task.minutes
    kinds = _planted_kinds(visits, violations, rng)
    for number, kind in kinds.items():
        after = visits[number + 1].place if number + 1 < len(visits) else visits[number].place
        visits[number] = _violated(visits[number], kind, after, rng)
    return visits, kinds


def _planted_kinds(visits: list[TownVisit], violations: int, rng: random.Random) -> dict[int, str]:
    """Which visits go wrong and how, the kinds taking turns. Walls can only be ignored on the way to another place."""
    # Nothing happens to getting up: the recording begins with it.
    awake = [number for number, visit in enumerate(visits) if visit.task.verb != "sleep" and number > 1]
    arriving = [number for number in awake if visits[number].place != visits[number - 1].place]
    kinds: dict[int, str] = {}
    for turn in range(min(violations, len(awake))):
        kind = VIOLATIONS[turn % len(VIOLATIONS)]
        fitting = arriving if kind == "environment_rule" else [number for number in awake if number not in arriving]
        free = [number for number in fitting if number not in kinds] or [
            number for number in awake if number not in kinds
        ]
        kinds[rng.choice(free)] = kind
    return dict(sorted(kinds.items()))


def _violated(visit: TownVisit, kind: str, place_after: str, rng: random.Random) -> TownVisit:
    """What goes wrong. Nobody strays to where the next task is: the way there would be none."""
    if kind == "environment_rule":
        return replace(visit, violation=kind, through_walls=True)
    if kind == "temporal":
        task = TownTask("sleep", visit.task.thing, visit.task.minutes, "sleeping")
        return replace(visit, violation=kind, task=task)
    elsewhere = rng.choice([place for place in PLACES if place.name not in (visit.place, place_after)])
    thing = rng.choice(elsewhere.things)
    task = TownTask("stand", thing, visit.task.minutes, f"standing at the {thing}")
    return replace(visit, violation=kind, place=elsewhere.name, task=task)


# ------------------------------------------------------------------------------------------ recording


def _record(seed: int, intentions: tuple[Intention, ...], visits: list[TownVisit], planted: dict[int, str]) -> TownDay:
    """Frame by frame: the way to each thing, then what is done there. She leaves in time to be there when her plan says, and what
    she came for begins when she has arrived."""
    town = walls()
    tiles: list[tuple[int, int]] = []
    actions: list[Action] = []
    ids: dict[str, str] = {}
    for number, visit in enumerate(visits):
        way = _way(town, tiles[-1] if tiles else _spot(visit), _spot(visit), visit.through_walls)
        name, left = f"t{number + 1:02d}", len(tiles)
        tiles += way[1:]
        if _is_walk(way) or visit.through_walls:
            actions.append(_walking(f"{name}-way", visit, left, len(tiles)))
            left = len(tiles)
        if visit.violation is not None:
            ids[actions[-1].id if visit.through_walls else name] = visit.violation
        leaves = _leaving(town, visits, number, len(tiles))
        tiles += [way[-1]] * (leaves - len(tiles))
        actions.append(_action(name, visit, left, leaves))
    return TownDay(_recording(seed, intentions, _Waking.of(intentions), tiles, actions, len(planted)), ids)


def _leaving(town: tuple[str, ...], visits: list[TownVisit], number: int, arrived: int) -> int:
    """The frame at which she sets out for what comes next."""
    if number + 1 == len(visits):
        return FRAMES
    after = visits[number + 1]
    way = _way(town, _spot(visits[number]), _spot(after), after.through_walls)
    planned = after.start_minute * 60 // FRAME_S
    return max(arrived + LEAST_STAY, planned - (len(way) - 1))


def _is_walk(way: list[tuple[int, int]]) -> bool:
    """Whether it is a walk through the town, not a few steps between two things of a room."""
    return len(way) > FEW_STEPS


@dataclass(frozen=True, slots=True)
class _Waking:
    """The part of a day that is shown: nobody watches somebody sleep for hours."""

    first: int
    last: int

    @classmethod
    def of(cls, intentions: tuple[Intention, ...]) -> _Waking:
        up, bed = intentions[1].start_minute, intentions[-1].start_minute
        return cls((up - ASLEEP_MINUTES) * 60 // FRAME_S, (bed + ASLEEP_MINUTES) * 60 // FRAME_S)

    def span(self, t0_ms: int, t1_ms: int) -> tuple[int, int] | None:
        """A time of the day as a time of the recording; None where nothing of it is shown."""
        t0, t1 = max(t0_ms, self.first * FRAME_MS), min(t1_ms, self.last * FRAME_MS)
        return (t0 - self.first * FRAME_MS, t1 - self.first * FRAME_MS) if t0 < t1 else None


def _recording(
    seed: int,
    intentions: tuple[Intention, ...],
    shown: _Waking,
    tiles: list[tuple[int, int]],
    actions: list[Action],
    planted: int,
) -> Recording:
    steps = tiles[shown.first : shown.last]
    headings = [90]
    for before, after in pairwise(steps):
        headings.append(_heading(before, after, headings[-1]))
    log = [
        replace(action, t0_ms=span[0], t1_ms=span[1])
        for action in actions
        if (span := shown.span(action.t0_ms, action.t1_ms)) is not None
    ]
    plans = [
        replace(step, t0_ms=span[0], t1_ms=span[1])
        for step in _plans(intentions)
        if (span := shown.span(step.t0_ms, step.t1_ms)) is not None
    ]
    half = UNITS_PER_TILE // 2
    track = Track(
        ACTOR,
        tuple(x * UNITS_PER_TILE + half for x, _ in steps),
        tuple(y * UNITS_PER_TILE + half for _, y in steps),
        tuple(headings),
        states=tuple(State(action.t0_ms // FRAME_MS, "activity", action.text) for action in log),
    )
    begins = f"2026-05-04T{shown.first * FRAME_S // 3600:02d}:{shown.first * FRAME_S // 60 % 60:02d}:00"
    return Recording(
        world=RecordedWorld("town", WIDTH, HEIGHT, walls(), tuple(_place(place.name) for place in PLACES)),
        actors=(Actor(ACTOR, "Ada", "person"),),
        timing=Timing(FRAME_MS, shown.last - shown.first, begins, FRAME_MS),
        tracks=(track,),
        actions=tuple(log),
        plans=tuple(plans),
        seed=seed,
        agent="planted" if planted else "sensible",
        provenance={"generator": "town", "planted": planted},
    )


def _walking(name: str, visit: TownVisit, start: int, end: int) -> Action:
    words = "walking home" if visit.place.endswith("home") else f"walking to the {visit.place.lower()}"
    return Action(name, ACTOR, start * FRAME_MS, end * FRAME_MS, "walk", None, visit.place, words)


def _action(name: str, visit: TownVisit, start: int, end: int) -> Action:
    thing, place = visit.task.thing, visit.place
    return Action(name, ACTOR, start * FRAME_MS, end * FRAME_MS, visit.task.verb, thing, place, visit.task.words)


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
                PlanStep(f"i{number}.{at}", ACTOR, f"i{number}", 2, minute * 60_000, until * 60_000, task.words)
            )
            minute = until
    return steps


def _place(name: str) -> Place:
    named = next(place for place in PLACES if place.name == name)
    return Place(name, name, None, ((named.x, named.y, named.w, named.h),))


def _spot(visit: TownVisit) -> tuple[int, int]:
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
        tile = edge.popleft()
        if tile == goal:
            break
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            x, y = tile[0] + dx, tile[1] + dy
            inside = 0 <= x < WIDTH and 0 <= y < HEIGHT
            if inside and (x, y) not in came and (through_walls or town[y][x] == "."):
                came[(x, y)] = tile
                edge.append((x, y))
    way: list[tuple[int, int]] = []
    at: tuple[int, int] | None = goal
    while at is not None:
        way.append(at)
        at = came[at]
    return way[::-1]
