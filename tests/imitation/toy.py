"""A map of four places in a square, small enough to do every sum by hand.

0 ── 1          A person walks 0 → 1 → 2 and picks up the rocket there, then 2 → 3 → 0 and picks up
the medikit there. │    │          Places are ten tiles apart, one frame each way lasts 100 ms; the
second axis points down. 3 ── 2
"""

from __future__ import annotations

import numpy as np

from believable.imitation.observations import Observations, Pickup

CORNERS = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]])
#: Views along the way: right, down, left, up.
VIEWS = (0.0, -90.0, 180.0, 90.0)


def rounds(laps: int = 2) -> Observations:
    """`laps` times round the square; each corner is one frame. It begins at 0 with nothing and full
    health.
    """
    places = [number % 4 for number in range(4 * laps + 1)]
    frames = len(places)
    carried, have = [], frozenset[str]()
    pickups = []
    for frame, place in enumerate(places):
        if frame and place == 2:
            pickups.append(Pickup(frame, "rocket"))
        if frame and place == 0:
            pickups.append(Pickup(frame, "medikit"))
        have |= frozenset(pickup.item for pickup in pickups if pickup.frame == frame)
        carried.append(have)
    return Observations(
        frame_ms=100,
        position=CORNERS[places],
        yaw=np.array([VIEWS[place] for place in places]),
        pitch=np.zeros(frames),
        jumps=np.zeros(frames, bool),
        firing=np.zeros(frames, bool),
        alive=np.ones(frames, bool),
        weapon=("gun",) * frames,
        carried=tuple(carried),
        quantities={"health": np.full(frames, 100.0)},
        pickups=tuple(pickups),
    )
