"""Ways that are alike are found, by distances that can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from believable.imitation.observations import Observations
from believable.imitation.similar_routes import (
    RouteWindow,
    nearest_window,
    quiet_windows,
    route_distance,
    sort_windows,
)
from believable.imitation.topology import Topology
from tests.imitation.toy import CORNERS, rounds

#: Ten tiles apart: nothing in common.
SQUARE = Topology(CORNERS, np.ones((4, 4), bool), np.ones((4, 4)))
#: Nodes 0 and 1 four tiles apart: half as far as strangers.
CLOSE = Topology(CORNERS * [0.4, 1, 1], np.ones((4, 4), bool), np.ones((4, 4)))


def test_the_distance_of_two_ways_by_hand() -> None:
    assert route_distance(SQUARE, (0, 1, 2), (0, 1, 2)) == 0
    assert route_distance(SQUARE, (0, 1, 2), (0, 2)) == pytest.approx(1 / 3), "one node is left out"
    assert route_distance(SQUARE, (0, 1), (2, 3)) == 1
    assert route_distance(CLOSE, (0, 3), (1, 3)) == pytest.approx(0.5 / 2), (
        "another node, four of eight tiles away"
    )
    assert route_distance(SQUARE, (0, 1, 2), (2, 1, 0)) == route_distance(
        SQUARE, (2, 1, 0), (0, 1, 2)
    )
    assert route_distance(SQUARE, (), ()) == 0
    assert route_distance(SQUARE, (1,), ()) == 1


def _walk(seconds: int) -> Observations:
    """Round the square, a corner a second, ten frames each."""
    seen = rounds(seconds)
    frames = 10 * seconds
    places = np.repeat(np.arange(seconds) % 4, 10)
    return replace(
        seen,
        position=CORNERS[places],
        yaw=np.zeros(frames),
        pitch=np.zeros(frames),
        jumps=np.zeros(frames, bool),
        firing=np.zeros(frames, bool),
        alive=np.ones(frames, bool),
        weapon=("",) * frames,
        carried=(frozenset(),) * frames,
        quantities={},
        pickups=(),
    )


def test_windows_have_no_shot_no_death_and_some_way() -> None:
    walk = _walk(20)
    windows = quiet_windows(SQUARE, [walk], 4000, 4)
    assert [window.from_ms for window in windows] == list(range(2000, 16_001, 1000))
    assert windows[0].nodes == (2, 3, 0, 1)
    shot, dead = walk.firing.copy(), walk.alive.copy()
    shot[95], dead[155] = True, False
    fought = quiet_windows(SQUARE, [replace(walk, firing=shot, alive=dead)], 4000, 4)
    assert [window.from_ms for window in fought] == [2000, 3000, 4000, 5000, 10_000, 11_000, 16_000]
    assert quiet_windows(SQUARE, [walk], 4000, 6) == [], "nobody enters six nodes in four seconds"


def test_what_is_left_out_is_counted_by_reason() -> None:
    walk = _walk(20)
    shot, dead = walk.firing.copy(), walk.alive.copy()
    shot[95], dead[155] = True, False
    kept, left_out = sort_windows(SQUARE, [replace(walk, firing=shot, alive=dead)], 4000, 4)
    assert (len(kept), dict(left_out)) == (7, {"fires": 4, "dead": 4})
    assert dict(sort_windows(SQUARE, [walk], 4000, 6)[1]) == {"idle": 15}


def test_the_nearest_is_one_that_is_not_shown_yet() -> None:
    windows = [
        RouteWindow(0, 0, 4000, (0, 1, 2)),
        RouteWindow(0, 1000, 5000, (0, 1)),
        RouteWindow(1, 0, 4000, (3, 2)),
    ]
    assert nearest_window(SQUARE, (0, 1, 2), windows, ()) == windows[0]
    assert nearest_window(SQUARE, (0, 1, 2), windows, windows[:1]) == windows[2], (
        "the second overlaps the first"
    )
    assert nearest_window(SQUARE, (0, 1, 2), windows, windows) is None
