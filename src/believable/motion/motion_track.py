"""The motion of one mover: positions, directions and times, in the units of its world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.recordings.recording import UNITS_PER_TILE, Recording, Track

Floats: TypeAlias = NDArray[np.float64]
Booleans: TypeAlias = NDArray[np.bool_]

#: Roles of actors whose motion is judged, the first one first.
MOVERS = ("player", "person", "agent", "mover")
#: The middle of a mover that is nearer than this to a blocked tile touches it.
TOUCH_TILES = 0.55
#: A piece between two cuts needs this number of samples.
LEAST_SAMPLES = 8
#: A step that is longer than this number of usual fast steps is a jump to another position.
JUMP = 8.0
#: Times further apart than this number of usual intervals are a gap.
GAP = 4.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionTrack:
    """One mover, sample by sample.

    t_s          times in seconds, rising, not necessarily at equal intervals
    position     one row per sample: x, y and, in worlds with height, z, in the world's `unit`
    heading_deg  its direction of view, from x towards y; unwrapped: it never jumps by a turn
    pitch_deg    how far it looks up; None in worlds without it
    touching     whether it touches a wall; None if the recording has no walls
    target_deg   the bearing of the nearest other mover, unwrapped; None if it is alone
    unit         the unit of positions: tile, uu, …
    """

    t_s: Floats
    position: Floats
    heading_deg: Floats
    pitch_deg: Floats | None = None
    touching: Booleans | None = None
    target_deg: Floats | None = None
    unit: str = "tile"

    @property
    def samples(self) -> int:
        return len(self.t_s)

    @property
    def duration_s(self) -> float:
        return float(self.t_s[-1] - self.t_s[0]) if self.samples else 0.0

    def part(self, first: int, last: int) -> MotionTrack:
        """Return samples `first` to `last`, without the last."""
        chosen = slice(first, last)
        return MotionTrack(
            t_s=self.t_s[chosen],
            position=self.position[chosen],
            heading_deg=self.heading_deg[chosen],
            pitch_deg=None if self.pitch_deg is None else self.pitch_deg[chosen],
            touching=None if self.touching is None else self.touching[chosen],
            target_deg=None if self.target_deg is None else self.target_deg[chosen],
            unit=self.unit,
        )


def make_track(
    t_s: ArrayLike,
    position: ArrayLike,
    *,
    heading_deg: ArrayLike | None = None,
    pitch_deg: ArrayLike | None = None,
    unit: str,
    source: str,
) -> MotionTrack:
    """Return a checked track. Without headings, the direction of movement counts."""
    times, places = np.asarray(t_s, np.float64), np.asarray(position, np.float64)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or len(places) != len(times):
        raise InvalidInput(
            f"{source}: expected a row of x, y or x, y, z for each of {len(times)} times, got"
            f" {places.shape}. Give one position per time."
        )
    if len(times) < 2 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise InvalidInput(
            f"{source}: times must rise, and there must be two or more, got {len(times)}. Sort the"
            " rows by time and remove repeated ones."
        )
    if not np.isfinite(places).all():
        row = int(np.flatnonzero(~np.isfinite(places).all(1))[0])
        raise InvalidInput(f"{source}: row {row} has no finite position. Remove or correct it.")
    looks = _course(places) if heading_deg is None else np.asarray(heading_deg, np.float64)
    pitch = None if pitch_deg is None else _unwrap(np.asarray(pitch_deg, np.float64))
    return MotionTrack(
        t_s=times, position=places, heading_deg=_unwrap(looks), pitch_deg=pitch, unit=unit
    )


def recorded_motion(recording: Recording, actor: str | None = None) -> MotionTrack:
    """Return the motion of an actor of a recording; by default the one that viewers follow.

    Positions are in tiles. `camera` is read before `heading`, because it is finer.
    """
    track = _find_actor(recording, actor)
    n = len(track.x)
    ticks = track.first_frame + np.arange(n)
    position = _tiles(track)
    if track.height and len(track.height) == n:
        position = np.column_stack([position, np.array(track.height) / UNITS_PER_TILE])
    angles = np.array(track.camera) / 10 if track.camera else np.array(track.heading, np.float64)
    found = make_track(
        ticks * recording.timing.frame_ms / 1000,
        position,
        heading_deg=angles if len(angles) == n else None,
        pitch_deg=np.array(track.pitch) / 10 if len(track.pitch) == n else None,
        unit="tile",
        source=f"track {track.actor!r}",
    )
    return MotionTrack(
        t_s=found.t_s,
        position=found.position,
        heading_deg=found.heading_deg,
        pitch_deg=found.pitch_deg,
        touching=_touching(recording, found.position),
        target_deg=_bearing_of_nearest(recording, track, found.position),
        unit="tile",
    )


def split_pieces(track: MotionTrack) -> list[MotionTrack]:
    """Return the parts between gaps in time and jumps of the position (a respawn)."""
    intervals = np.diff(track.t_s)
    steps = np.linalg.norm(np.diff(track.position, axis=0), axis=1)
    speeds = steps / intervals
    fast = float(np.percentile(speeds[speeds > 0], 90)) if (speeds > 0).any() else np.inf
    cut = (intervals > GAP * np.median(intervals)) | (speeds > JUMP * fast)
    borders = [0, *(np.flatnonzero(cut) + 1).tolist(), track.samples]
    return [
        track.part(first, last)
        for first, last in pairwise(borders)
        if last - first >= LEAST_SAMPLES
    ]


def resample(track: MotionTrack, hz: float) -> MotionTrack:
    """Return the track at equal intervals, by straight lines between its samples."""
    times = np.arange(track.t_s[0], track.t_s[-1] + 1e-9, 1 / hz)

    def at(values: Floats) -> Floats:
        return np.asarray(np.interp(times, track.t_s, values))

    nearest = np.clip(np.searchsorted(track.t_s, times), 0, track.samples - 1)
    return MotionTrack(
        t_s=times,
        position=np.column_stack([at(axis) for axis in track.position.T]),
        heading_deg=at(track.heading_deg),
        pitch_deg=None if track.pitch_deg is None else at(track.pitch_deg),
        touching=None if track.touching is None else track.touching[nearest],
        target_deg=None if track.target_deg is None else at(track.target_deg),
        unit=track.unit,
    )


def windows(track: MotionTrack, length_s: float) -> list[MotionTrack]:
    """Return windows of this length, one after the other, within the pieces of a track."""
    found = []
    for piece in split_pieces(track):
        starts = np.arange(piece.t_s[0], piece.t_s[-1] - length_s + 1e-9, length_s)
        for start in starts:
            first, last = np.searchsorted(piece.t_s, [start, start + length_s])
            if last - first >= LEAST_SAMPLES:
                found.append(piece.part(int(first), int(last)))
    return found


def _find_actor(recording: Recording, actor: str | None) -> Track:
    tracks = {track.actor: track for track in recording.tracks if len(track.x) > 1}
    if actor is not None:
        if actor not in tracks:
            raise InvalidInput(
                f"actor {actor!r}: not in the recording, which has {', '.join(sorted(tracks))}."
            )
        return tracks[actor]
    for role in MOVERS:
        for mover in recording.actors:
            if mover.role == role and mover.id in tracks:
                return tracks[mover.id]
    for mover in recording.actors:
        if mover.id in tracks:
            return tracks[mover.id]
    raise InvalidInput(
        "recording: it has no positions, so there is no motion to measure. Record a world that"
        " keeps positions."
    )


def _tiles(track: Track) -> Floats:
    return np.column_stack([track.x, track.y]).astype(np.float64) / UNITS_PER_TILE


def _course(places: Floats) -> Floats:
    """The direction of movement; while it is still, the last one."""
    steps = np.diff(places[:, :2], axis=0, append=places[-1:, :2])
    angles = np.degrees(np.arctan2(steps[:, 1], steps[:, 0]))
    moving = np.hypot(steps[:, 0], steps[:, 1]) > 0
    last = np.maximum.accumulate(np.where(moving, np.arange(len(angles)), -1))
    first = int(np.argmax(moving)) if moving.any() else 0
    return np.asarray(angles[np.where(last < 0, first, last)])


def _unwrap(angles_deg: Floats) -> Floats:
    return np.asarray(np.unwrap(angles_deg, period=360.0))


def _touching(recording: Recording, position: Floats) -> Booleans | None:
    """Whether a blocked tile, or the border of the world, is near the middle of the mover."""
    rows: Sequence[str] = recording.world.walls
    if not any("#" in row for row in rows):
        return None
    blocked = np.array([[tile == "#" for tile in row] for row in rows])
    height, width = blocked.shape
    near = np.zeros(len(position), bool)
    for dx, dy in ((TOUCH_TILES, 0), (-TOUCH_TILES, 0), (0, TOUCH_TILES), (0, -TOUCH_TILES)):
        column = np.floor(position[:, 0] + dx).astype(int)
        row = np.floor(position[:, 1] + dy).astype(int)
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        near |= ~inside
        near[inside] |= blocked[row[inside], column[inside]]
    return near


def _bearing_of_nearest(recording: Recording, own: Track, position: Floats) -> Floats | None:
    """The bearing of the nearest other mover that is there for as long as this one."""
    roles = {actor.id: actor.role for actor in recording.actors}
    others = [
        _tiles(track)
        for track in recording.tracks
        if track.actor != own.actor
        and roles.get(track.actor) in (*MOVERS, "opponent")
        and track.first_frame == own.first_frame
        and len(track.x) == len(own.x)
    ]
    if not others:
        return None
    away = np.stack([other - position[:, :2] for other in others])
    nearest = np.hypot(away[..., 0], away[..., 1]).argmin(0)
    vector = away[nearest, np.arange(len(position))]
    return _unwrap(np.degrees(np.arctan2(vector[:, 1], vector[:, 0])))
