"""The observations of one player, frame by frame, as arrays: the input of all learning.

A recording has the player's track and these columns of telemetry: `yaw` and `pitch` in degrees,
`weapon`, `alive`, `carried` (names, with commas), the quantities that it contains (health, armour,
ammunition); pickups, jumps and shots are its actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from believable.core.errors import InvalidInput
from believable.recordings.recording import UNITS_PER_TILE, Recording, Track

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Booleans: TypeAlias = npt.NDArray[np.bool_]

#: Columns of telemetry without which nothing can be learned.
NEEDED = ("yaw", "pitch", "weapon", "alive", "carried")
QUANTITIES = ("health", "armour", "ammunition")
#: The provenance of a recording contains the known return times of items: `respawn_ms Combat
#: Armor`.
RESPAWN = "respawn_ms "
#: Slower recordings do not show turning.
SLOWEST_FRAME_MS = 100
#: Map units of Quake II on each side of a tile, where a recording has its height as a column in
#: those units.
_HEIGHT_UNITS = 64


@dataclass(frozen=True, slots=True)
class Pickup:
    """In this frame the player picked this up; `place` is its position in tiles, if the recording
    contains it.
    """

    frame: int
    item: str
    place: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Observations:
    """One recording of one player. Positions are in tiles, angles in degrees; every array has one
    entry per frame.
    """

    frame_ms: float
    position: Floats
    yaw: Floats
    pitch: Floats
    jumps: Booleans
    firing: Booleans
    alive: Booleans
    weapon: tuple[str, ...]
    carried: tuple[frozenset[str], ...]
    quantities: Mapping[str, Floats]
    pickups: tuple[Pickup, ...]
    respawn_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def frames(self) -> int:
        return len(self.position)

    def part(self, first: int, last: int) -> Observations:
        """Frames `first` to `last`, without the last: to learn from one part and be tested on the
        other.
        """
        chosen = slice(first, last)
        return Observations(
            frame_ms=self.frame_ms,
            position=self.position[chosen],
            yaw=self.yaw[chosen],
            pitch=self.pitch[chosen],
            jumps=self.jumps[chosen],
            firing=self.firing[chosen],
            alive=self.alive[chosen],
            weapon=self.weapon[chosen],
            carried=self.carried[chosen],
            quantities={name: values[chosen] for name, values in self.quantities.items()},
            pickups=tuple(
                Pickup(p.frame - first, p.item, p.place)
                for p in self.pickups
                if first <= p.frame < last
            ),
            respawn_ms=self.respawn_ms,
        )

    def lives(self) -> list[tuple[int, int]]:
        """First frame and the one after the last of each life."""
        padded = np.concatenate(([False], self.alive, [False]))
        borders = np.flatnonzero(padded[1:] != padded[:-1])
        return [
            (int(first), int(last)) for first, last in zip(borders[::2], borders[1::2], strict=True)
        ]


def observe(recording: Recording, actor: str = "player") -> Observations:
    """The observations of one actor in a recording, or an error that names the missing data."""
    track = next((track for track in recording.tracks if track.actor == actor), None)
    if track is None:
        names = ", ".join(sorted(track.actor for track in recording.tracks))
        raise InvalidInput(f"actor {actor!r}: not in the recording, which has {names}.")
    missing = [name for name in NEEDED if name not in recording.telemetry]
    if missing:
        raise InvalidInput(
            f"telemetry: {', '.join(missing)} is missing. Learning needs {', '.join(NEEDED)} for"
            " each frame: record a game with them, or import a demo."
        )
    if recording.timing.frame_ms > SLOWEST_FRAME_MS:
        raise InvalidInput(
            f"frame_ms: {recording.timing.frame_ms}. Learning needs a frame every"
            f" {SLOWEST_FRAME_MS} ms or more often."
        )
    frames = recording.timing.frames
    if track.first_frame or len(track.x) != frames:
        raise InvalidInput(
            f"actor {actor!r}: the track has {len(track.x)} of {frames} frames; all are needed."
        )
    done = {verb: np.zeros(frames, bool) for verb in ("jump", "shoot")}
    pickups = []
    for action in recording.actions:
        # Times are whole milliseconds, frames need not be.
        frame = min(int((action.t0_ms + 0.5) / recording.timing.frame_ms), frames - 1)
        if action.actor != actor:
            continue
        if action.verb in done:
            done[action.verb][frame] = True
        elif action.verb == "pick-up" and action.object:
            pickups.append(Pickup(frame, action.object))
    telemetry = recording.telemetry
    return Observations(
        frame_ms=recording.timing.frame_ms,
        position=_positions(recording, track),
        yaw=_numbers(telemetry["yaw"]),
        pitch=_numbers(telemetry["pitch"]),
        jumps=done["jump"],
        firing=done["shoot"],
        alive=np.array([bool(value) for value in telemetry["alive"]]),
        weapon=tuple(str(value or "") for value in telemetry["weapon"]),
        carried=tuple(
            frozenset(str(value).split(", ")) if value else frozenset()
            for value in telemetry["carried"]
        ),
        quantities={name: _numbers(telemetry[name]) for name in QUANTITIES if name in telemetry},
        pickups=tuple(sorted(pickups, key=lambda pickup: pickup.frame)),
        respawn_ms={
            name.removeprefix(RESPAWN): float(value)
            for name, value in recording.provenance.items()
            if name.startswith(RESPAWN) and isinstance(value, int | float)
        },
    )


def _positions(recording: Recording, track: Track) -> Floats:
    flat = np.column_stack([track.x, track.y]) / UNITS_PER_TILE
    height = recording.telemetry.get("z")
    rise = _numbers(height) / _HEIGHT_UNITS if height is not None else np.zeros(len(flat))
    return np.column_stack([flat, rise])


def _numbers(values: Sequence[object]) -> Floats:
    return np.array([float(value) if isinstance(value, int | float) else 0.0 for value in values])
