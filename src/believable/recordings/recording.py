"""A recording as frozen records. Everything is plain data: integers on a grid, times in
milliseconds of recording time.

Positions are whole numbers of `1/UNITS_PER_TILE` tile, headings whole degrees, so that a recording
written and read again is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

FORMAT = "believable-replay/1"
UNITS_PER_TILE = 1000

Scalar: TypeAlias = str | int | float | bool | None
#: A state that any actor may have: while it is true the actor was invisible, and judges receive no
#: data about it.
UNSEEN = "unseen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A named part of the world: the tiles it covers, as rectangles (x, y, width, height). `parent`
    is the place around it.

    `facts` are for readers of the recording, not for viewers (opening hours, owner); no judge
    receives them.
    """

    id: str
    name: str
    parent: str | None
    rects: tuple[tuple[int, int, int, int], ...]
    facts: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedObject:
    """An object in the world, at a tile: its kind, its place, and facts as a place has them."""

    id: str
    kind: str
    place: str | None
    x: int
    y: int
    facts: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedWorld:
    """Where it happens. `kind` names the world that draws it; `walls` has one string per row: `#`
    is blocked, `.` is free.
    """

    kind: str
    width: int
    height: int
    walls: tuple[str, ...]
    places: tuple[Place, ...] = ()
    objects: tuple[RecordedObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or thing that moves. `role` is used by the drawing (player, opponent, person, bullet
    …).
    """

    id: str
    name: str
    role: str
    facts: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How frames become time; a frame need not last whole milliseconds (35 a second).
    `simulated_start` (ISO 8601) and `simulated_ms_per_frame` define the day clock; each of `jumps`
    is a frame at which the clock is advanced, and by how many milliseconds: a night that is left
    out.
    """

    frame_ms: float
    frames: int
    simulated_start: str | None = None
    simulated_ms_per_frame: int | None = None
    jumps: tuple[tuple[int, int], ...] = ()

    @property
    def duration_ms(self) -> int:
        return round(self.frame_ms * self.frames)


@dataclass(frozen=True, slots=True)
class State:
    """From `frame` on, `key` of the actor has this value (health, emoji, speech …)."""

    frame: int
    key: str
    value: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Where an actor was, one entry per frame from `first_frame` on.

    Worlds with a third dimension add `height` (thousandths of a tile), and in tenths of a degree
    `pitch` (upwards) and `camera` (where the view points, as `heading` but finer), so that the
    smoothness of a movement can be judged.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """The smallest logged unit of behaviour: who did what, with what, where, from when to when.

    Worlds that log primitives add the second thing or person of it (`target`), its purpose
    (`activity`), the plan step that it `serves`, and why an attempt failed (`refused`).
    `violations` are the rule violations found by a checker of the world: `category/rule`, several
    apart by `; `, or `none`. No judge gets it.
    """

    id: str
    actor: str
    t0_ms: int
    t1_ms: int
    verb: str
    object: str | None = None
    place: str | None = None
    text: str = ""
    target: str | None = None
    activity: str | None = None
    serves: str | None = None
    refused: str | None = None
    violations: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanStep:
    """One node of an actor's plan. Level 0 is the day; `parent` is the step it serves. `activity`
    (or several, apart by spaces, any of which will do) and `place` say what would fulfil it, where
    the agent says so; `fulfilled` is the result of a checker.
    """

    id: str
    actor: str
    parent: str | None
    level: int
    t0_ms: int
    t1_ms: int
    text: str
    activity: str | None = None
    place: str | None = None
    fulfilled: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A whole recording. `hidden_states` names the state keys that never leave the lab
    (frustration, intention …).
    """

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
        """The part a judge may receive: what could be seen from above, and plan and log only where
        the trial shows them.

        Ids of actions and plan steps are numbered again, because authored ids may reveal the agent.
        """
        actors = {actor.id: replace(actor, facts={}) for actor in self.actors}
        pieces = [
            (piece, actors[track.actor]) for track in self.tracks for piece in seen_pieces(track)
        ]
        shown = {piece.actor for piece, _ in pieces} | (
            actors.keys() - {track.actor for track in self.tracks}
        )
        hidden = self.hidden_states
        tracks = tuple(
            replace(
                piece,
                height=(),
                pitch=(),
                camera=(),
                states=tuple(s for s in piece.states if s.key not in hidden),
            )
            for piece, _ in pieces
        )
        names = {step.id: f"p{number}" for number, step in enumerate(self.plans, 1)}
        plans = tuple(judged_step(step, names) for step in self.plans)
        actions = tuple(
            judged_action(action, number, names) for number, action in enumerate(self.actions, 1)
        )
        return Recording(
            world=replace(
                self.world,
                places=tuple(replace(place, facts={}) for place in self.world.places),
                objects=tuple(
                    RecordedObject(
                        id=f"o{number}", kind=thing.kind, place=None, x=thing.x, y=thing.y
                    )
                    for number, thing in enumerate(self.world.objects, 1)
                ),
            ),
            actors=(
                *(actor for actor in actors.values() if actor.id in shown),
                *(
                    replace(actor, id=piece.actor)
                    for piece, actor in pieces
                    if piece.actor != actor.id
                ),
            ),
            timing=self.timing,
            tracks=tracks,
            actions=actions if with_log else (),
            plans=plans if with_plan else (),
        )


def seen_pieces(track: Track) -> list[Track]:
    """The track without the frames in which its actor was unseen: a piece for each time that it
    could be seen. The first has the actor's id, later ones have separate ids; each begins with the
    states that hold.
    """
    changes = {state.frame: bool(state.value) for state in track.states if state.key == UNSEEN}
    if not changes:
        return [track]
    runs: list[range] = []
    unseen = False
    for frame in range(track.first_frame, track.first_frame + len(track.x)):
        unseen = changes.get(frame, unseen)
        if not unseen and runs and runs[-1].stop == frame:
            runs[-1] = range(runs[-1].start, frame + 1)
        elif not unseen:
            runs.append(range(frame, frame + 1))
    return [_piece(track, run, number) for number, run in enumerate(runs, 1)]


def _piece(track: Track, run: range, number: int) -> Track:
    part = slice(run.start - track.first_frame, run.stop - track.first_frame)
    visible = [state for state in track.states if state.key != UNSEEN]
    held = {
        state.key: replace(state, frame=run.start) for state in visible if state.frame <= run.start
    }
    return replace(
        track,
        actor=track.actor if number == 1 else f"{track.actor}~{number}",
        x=track.x[part],
        y=track.y[part],
        heading=track.heading[part],
        first_frame=run.start,
        states=(
            *held.values(),
            *(state for state in visible if run.start < state.frame < run.stop),
        ),
    )


def judged_step(step: PlanStep, names: Mapping[str, str]) -> PlanStep:
    """A step of a plan as a judge gets it: under another id, without what would fulfil it and
    whether it did.
    """
    parent = None if step.parent is None else names[step.parent]
    return replace(
        step, id=names[step.id], parent=parent, activity=None, place=None, fulfilled=None
    )


def judged_action(action: Action, number: int, steps: Mapping[str, str]) -> Action:
    """An action as a judge gets it: under another id, with the step it serves under its other id,
    without the reason for a refusal and without its violations.
    """
    serves = None if action.serves is None else steps.get(action.serves)
    return replace(
        action,
        id=f"a{number}",
        serves=serves,
        target=None,
        activity=None,
        refused=None,
        violations=None,
    )
