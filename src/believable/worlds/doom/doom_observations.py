"""A learner's observations of a figure in a recording of Doom: positions, views, inventory,
pick-ups.

A hand is looked at every third tic, about twelve times a second: single tics are shorter than
anything a hand decides.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.core.errors import InvalidInput
from believable.imitation.observations import Booleans, Observations, Pickup
from believable.recordings.recording import UNITS_PER_TILE, Recording, Track
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import PLAYER
from believable.worlds.doom.items import RESPAWN_S, WEAPON_NAMES

#: Tics from one look at a hand to the next, and how long that is.
LOOK_TICS = 3
LOOK_MS = 1000 * LOOK_TICS / TICS_PER_S
#: An item that disappears within this number of tiles of a figure was taken by it.
REACH_TILES = 0.8


def observe_doom(recording: Recording, actor: str = PLAYER) -> Observations:
    """One figure of a recording. Of others than the player only places, views and whether they live
    are known.
    """
    track = next((track for track in recording.tracks if track.actor == actor), None)
    if track is None or not track.height or recording.timing.frames < 2 * LOOK_TICS:
        names = ", ".join(sorted(track.actor for track in recording.tracks if track.height))
        raise InvalidInput(
            f"actor {actor!r}: no figure with a track of some length in the recording, which has"
            f" {names}."
        )
    # Of a watched bot, too, only places, views and whether it lives are known.
    watched = actor == PLAYER and setup_in(recording).watched
    own = actor == PLAYER and not watched
    looks = np.arange(LOOK_TICS - 1, recording.timing.frames, LOOK_TICS)
    places = (
        np.column_stack([pad_track(track, name) for name in ("x", "y", "height")]) / UNITS_PER_TILE
    )
    columns = {name: np.array(recording.telemetry[name], float) for name in _NUMBERS} if own else {}
    alive = (
        ~np.array(recording.telemetry["dead"], bool)
        if own or watched
        else _was_there(track, recording.timing.frames)
    )
    yaw = np.array(recording.telemetry["angle_deg"], float) if own else -pad_track(track, "heading")
    frames = len(looks)
    return Observations(
        frame_ms=LOOK_MS,
        position=places[looks],
        yaw=(yaw[looks] + 180) % 360 - 180,
        pitch=-columns["pitch_deg"][looks] if own else np.zeros(frames),
        jumps=happened_mask(recording, "jumped", looks) if own else np.zeros(frames, bool),
        firing=happened_mask(recording, "shot", looks) if own else np.zeros(frames, bool),
        alive=alive[looks],
        weapon=(
            tuple(WEAPON_NAMES.get(int(columns["weapon_in_hand"][tic]), "") for tic in looks)
            if own
            else ("",) * frames
        ),
        carried=(
            tuple(
                weapons_carried(str(recording.telemetry["weapons"][tic]).split()) for tic in looks
            )
            if own
            else (frozenset(),) * frames
        ),
        quantities={name: columns[name][looks] for name in QUANTITIES} if own else {},
        pickups=_pickups(recording, places, alive, frames),
        respawn_ms=dict.fromkeys(
            sorted({track.actor.partition("-")[0] for track in _item_tracks(recording)}),
            RESPAWN_S * 1000.0,
        ),
    )


QUANTITIES = ("health", "armour", "ammunition")
_NUMBERS = (*QUANTITIES, "pitch_deg", "weapon_in_hand")


def weapons_carried(numbers: Sequence[str | int]) -> frozenset[str]:
    """The inventory beyond the initial one."""
    return frozenset(WEAPON_NAMES[int(number)] for number in numbers if int(number) > 2)


def pad_track(track: Track, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A column of a track with an entry for each tic: before it appears, a figure is at its first
    position.
    """
    values = np.array(getattr(track, name), float)
    return np.concatenate([np.full(track.first_frame, values[0]), values])


def _was_there(track: Track, frames: int) -> Booleans:
    """Another figure is there until it moves no more: the dead are gone, and the recording repeats
    their last place.
    """
    xs, ys = pad_track(track, "x"), pad_track(track, "y")
    moved = np.concatenate([[True], (np.diff(xs) != 0) | (np.diff(ys) != 0)])
    last = np.maximum.accumulate(np.where(moved, np.arange(len(moved)), 0))
    there = np.arange(len(moved)) - last < 2 * TICS_PER_S
    there[: track.first_frame] = False
    return np.asarray(there[:frames], bool)


def happened_mask(recording: Recording, event: str, looks: Sequence[int] | np.ndarray) -> Booleans:
    """Whether something happened in the tics up to each look."""
    by_tic = np.array(
        [event in str(words or "").split() for words in recording.telemetry["events"]]
    )
    return np.array([bool(by_tic[max(0, tic - LOOK_TICS + 1) : tic + 1].any()) for tic in looks])


def _item_tracks(recording: Recording) -> list[Track]:
    items = {actor.id for actor in recording.actors if actor.role == "item"}
    return [track for track in recording.tracks if track.actor in items]


def _pickups(
    recording: Recording,
    places: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    alive: Booleans,
    frames: int,
) -> tuple[Pickup, ...]:
    """Items that disappeared while the figure was at them."""
    pickups = []
    for track in _item_tracks(recording):
        item = np.array([track.x[0], track.y[0]]) / UNITS_PER_TILE
        for state in track.states:
            if state.key != "there" or state.value is not False or not alive[state.frame]:
                continue
            if float(np.linalg.norm(places[state.frame, :2] - item)) <= REACH_TILES:
                frame = min(state.frame // LOOK_TICS, frames - 1)
                pickups.append(
                    Pickup(
                        frame,
                        track.actor.partition("-")[0],
                        (float(item[0]), float(item[1]), float(places[state.frame, 2])),
                    )
                )
    return tuple(sorted(pickups, key=lambda pickup: (pickup.frame, pickup.item)))
