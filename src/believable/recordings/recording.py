"""A recording as frozen records. Everything is plain data: integers on a grid, times in milliseconds of recording time.

Positions are whole numbers of `1/UNITS_PER_TILE` tile, headings whole degrees, so that a recording written and read
again is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

FORMAT = "believable-replay/1"
UNITS_PER_TILE = 1000

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Place:
    """A named part of the world: the tiles it covers, as rectangles (x, y, width, height). `parent` is the place around it."""

    id: str
    name: str
    parent: str | None
    rects: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class RecordedWorld:
    """Where it happens. `kind` names the world that draws it; `walls` has one string per row: `#` is blocked, `.` is free."""

    kind: str
    width: int
    height: int
    walls: tuple[str, ...]
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody or something that moves. `role` is what the drawing needs (player, opponent, person, bullet …)."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Timing:
    """How frames become time; a frame need not last whole milliseconds (35 a second). `simulated_start` (ISO 8601) and
    `simulated_ms_per_frame` say what the day clock shows."""

    frame_ms: float
    frames: int
    simulated_start: str | None = None
    simulated_ms_per_frame: int | None = None

    @property
    def duration_ms(self) -> int:
        return round(self.frame_ms * self.frames)


@dataclass(frozen=True, slots=True)
class State:
    """From `frame` on, `key` of the actor has this value (health, emoji, speech …)."""

    frame: int
    key: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Track:
    """Where an actor was, one entry per frame from `first_frame` on.

    Worlds with a third dimension add `height` (thousandths of a tile), and in tenths of a degree `pitch` (upwards) and `camera`
    (where the view points, as `heading` but finer), so that the smoothness of a movement can be told.
    """

    actor: str
    x: tuple[int, ...]
    y: tuple[int, ...]
    heading: tuple[int, ...] = ()
    first_frame: int = 0
    states: tuple[State, ...] = ()
    height: tuple[int, ...] = ()
    pitch: tuple[int, ...] = ()
    camera: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """The smallest logged unit of behaviour: who did what, with what, where, from when to when."""

    id: str
    actor: str
    t0_ms: int
    t1_ms: int
    verb: str
    object: str | None = None
    place: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One node of an actor's plan. Level 0 is the day; `parent` is the step it serves."""

    id: str
    actor: str
    parent: str | None
    level: int
    t0_ms: int
    t1_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole recording. `hidden_states` names the state keys that never leave the lab (frustration, intention …)."""

    world: RecordedWorld
    actors: tuple[Actor, ...]
    timing: Timing
    tracks: tuple[Track, ...]
    actions: tuple[Action, ...] = ()
    plans: tuple[PlanStep, ...] = ()
    telemetry: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    hidden_states: tuple[str, ...] = ()
    seed: int | None = None
    agent: str | None = None
    provenance: Mapping[str, Scalar] = field(default_factory=dict)

    def for_judging(self, *, with_plan: bool = False, with_log: bool = False) -> Recording:
        """The part a judge may receive: what could be seen from above, and plan and log only where the trial shows them.

        Ids of actions and plan steps are numbered anew, because authored ids may tell the agent.
        """
        tracks = tuple(
            replace(
                track,
                height=(),
                pitch=(),
                camera=(),
                states=tuple(s for s in track.states if s.key not in self.hidden_states),
            )
            for track in self.tracks
        )
        names = {step.id: f"p{number}" for number, step in enumerate(self.plans, 1)}
        plans = tuple(
            replace(step, id=names[step.id], parent=None if step.parent is None else names[step.parent])
            for step in self.plans
        )
        actions = tuple(replace(action, id=f"a{number}") for number, action in enumerate(self.actions, 1))
        return Recording(
            world=self.world,
            actors=self.actors,
            timing=self.timing,
            tracks=tracks,
            actions=actions if with_log else (),
            plans=plans if with_plan else (),
        )
