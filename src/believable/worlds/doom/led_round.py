"""Rounds whose figure is led along a track: people's demos as recordings, and their films."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from believable.core.errors import InvalidInput
from believable.recordings.recording import Recording
from believable.worlds.doom.doom_engine import BUTTONS, DoomEngine
from believable.worlds.doom.doom_round import PUSH_UNITS, RUN, DoomSetup, body_of
from believable.worlds.doom.led_figure import LOST_UNITS, push_towards

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
#: Telemetry of a led round: of other rounds these columns are kept.
LED_COLUMNS = ("x", "y", "z", "angle_deg", "pitch_deg", "use", "dead", "weapons", "events")
#: A film begins this long after the figure was put onto its way, or with a life: doors
#: are then open, and the view is steady.
LEAD_IN_TICS = 140


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LedWay:
    """Where a figure is led, tic by tic: units, degrees counterclockwise, pitch upwards."""

    x: Floats
    y: Floats
    angle_deg: Floats
    pitch_deg: Floats
    use: Booleans
    dead: Booleans

    @property
    def tics(self) -> int:
        return len(self.x)


def way_in(recording: Recording) -> LedWay:
    """The way of a recording's player."""
    columns = recording.telemetry
    missing = [name for name in ("x", "y", "angle_deg", "dead") if name not in columns]
    if missing:
        raise InvalidInput(
            f"the recording has no columns {', '.join(missing)}: nobody can be led along it. Import"
            " or record it again."
        )
    none = (0,) * recording.timing.frames
    return LedWay(
        x=np.array(columns["x"], float),
        y=np.array(columns["y"], float),
        angle_deg=np.array(columns["angle_deg"], float),
        pitch_deg=np.array(columns.get("pitch_deg", none), float),
        use=np.array(columns.get("use", none), bool),
        dead=np.array(columns["dead"], bool),
    )


def as_led(recording: Recording, setup: DoomSetup) -> Recording:
    """The same way, to be filmed as that of a led figure. Inputs are left out: they are the
    player's, and another engine's or body's.
    """
    led = setup.model_copy(update={"led": True, "watched": False, "opponent": "nobody"})
    telemetry = {
        name: column for name, column in recording.telemetry.items() if name in LED_COLUMNS
    }
    return replace(
        recording,
        telemetry=telemetry,
        provenance={**recording.provenance, "setup": led.model_dump_json()},
    )


def led_part(recording: Recording, first: int, last: int) -> Recording:
    """The part of a recording from one frame up to another, to be filmed with a led figure: nothing
    but the player's way.
    """
    player = recording.tracks[0]
    columns = {
        name: column[first - player.first_frame : last - player.first_frame]
        for name in ("x", "y", "heading", "height", "pitch", "camera")
        if (column := getattr(player, name))
    }
    states = [state for state in player.states if first <= state.frame < last]
    return replace(
        recording,
        actors=recording.actors[:1],
        timing=replace(recording.timing, frames=last - first),
        tracks=(
            replace(
                player,
                first_frame=0,
                states=tuple(replace(state, frame=state.frame - first) for state in states),
                **columns,
            ),
        ),
        actions=(),
        telemetry={name: column[first:last] for name, column in recording.telemetry.items()},
    )


def lead_figure(engine: DoomEngine, way: LedWay, first: int = 0) -> Iterator[tuple[int, float]]:
    """Lead the figure of an engine along a way from a tic on. After each tic, yields it with the
    distance of the figure from its place, in units.
    """
    body = body_of(engine.variables)
    put = True
    for tic in range(first, way.tics):
        place = float(way.x[tic]), float(way.y[tic])
        if put or math.dist(place, (body.x, body.y)) > LOST_UNITS:
            engine.warp(*place)
            velocity, at = (0.0, 0.0), place
        else:
            velocity, at = (body.velocity[0], body.velocity[1]), (body.x, body.y)
        push = push_towards(
            place,
            float(way.angle_deg[tic]),
            at=at,
            velocity=velocity,
            looking_deg=body.angle_deg,
            units_per_speed=PUSH_UNITS / RUN,
        )
        look_up_deg = float(way.pitch_deg[tic]) - body.pitch_deg
        action = [push.forward, push.side, push.turn_right_deg, look_up_deg, 0.0, 0.0]
        action.append(float(way.use[tic]))
        engine.advance([*action, *[0.0] * (len(BUTTONS) - len(action))])
        body, put = body_of(engine.variables), bool(way.dead[tic])
        yield tic, math.dist(place, (body.x, body.y))


def first_led_tic(way: LedWay, first_frame: int) -> int:
    """Where to put the figure for a film from this frame on: in the same life."""
    start = max(0, first_frame - LEAD_IN_TICS)
    died = np.flatnonzero(way.dead[start:first_frame])
    return start + int(died[-1]) + 1 if len(died) else start


def led_distances(recording: Recording, setup: DoomSetup, first: int, last: int) -> Floats:
    """Return the distance of a led figure from the recorded way, in units, for each tic from
    `first` up to `last`. More than a few mean that the film would show another way.
    """
    way = way_in(recording)
    engine = DoomEngine(setup.engine(size_px=(160, 120), objects=False))
    try:
        found = np.zeros(last - first)
        for tic, distance in lead_figure(engine, way, first_led_tic(way, first)):
            if tic >= last:
                break
            if tic >= first:
                found[tic - first] = distance
        return found
    finally:
        engine.close()


def led_film(engine: DoomEngine, recording: Recording, first_frame: int) -> Generator[int]:
    """Lead the engine's figure, and pause at every frame to show."""
    way = way_in(recording)
    for tic, _ in lead_figure(engine, way, first_led_tic(way, first_frame)):
        if tic >= first_frame:
            yield tic
