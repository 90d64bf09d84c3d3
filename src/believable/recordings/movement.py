"""How the player of a recording moves: measures that need nothing but its track."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from believable.recordings.recording import Recording

#: Roles of actors that a viewer follows, the first one first.
_FOLLOWED = ("player", "person", "agent")
#: Steps below this share of the usual one are a pause.
_STILL = 0.2


def measure_movement(recording: Recording) -> Mapping[str, float]:
    """Measures of the actor that is followed; none if nothing moves in the recording.

    steadiness  −ln of the mean change of the turning speed, in degrees per frame: more is steadier
    turning     mean turning speed, in degrees per second
    pauses      share of the time in which the actor is still
    """
    roles = {actor.id: actor.role for actor in recording.actors}
    tracks = {track.actor: track for track in recording.tracks}
    followed = [
        name for role in _FOLLOWED for name, of in roles.items() if of == role and name in tracks
    ]
    if not followed or recording.timing.frames < 4:
        return {}
    track = tracks[followed[0]]
    heading = np.array(track.heading, dtype=np.float64)
    turns = (np.diff(heading) + 180) % 360 - 180
    steps = np.hypot(
        np.diff(np.array(track.x, dtype=np.float64)), np.diff(np.array(track.y, dtype=np.float64))
    )
    if not steps.any() and not turns.any():
        return {}
    usual = float(np.median(steps[steps > 0])) if (steps > 0).any() else 0.0
    return {
        "steadiness": -math.log(float(np.abs(np.diff(turns)).mean()) + 0.01),
        "turning": float(np.abs(turns).mean()) * 1000 / recording.timing.frame_ms,
        "pauses": float((steps <= _STILL * usual).mean()),
    }
