"""Parts of recordings that show something alike: windows of one length, and how far their ways are
apart.

A way is the nodes that are entered in a window. Two ways are as far apart as the cheapest change of
one into the other: leaving a node out or putting one in costs 1, another node in its place as much
as the two are apart, up to 1; per node of the longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Observations
from believable.imitation.paths import visited_nodes
from believable.imitation.topology import Topology, node_course

#: Two nodes at this distance in tiles have nothing in common.
_STRANGE_TILES = 8.0
#: From one window of a recording to the next, and how long a recording goes before the first.
STEP_MS, SETTLING_MS = 1000, 2000


@dataclass(frozen=True, slots=True)
class RouteWindow:
    """A part of a recording (`recording` is its number) from `from_ms` to `to_ms`, and the way that
    is walked in it.
    """

    recording: int
    from_ms: int
    to_ms: int
    nodes: tuple[int, ...]

    def overlaps(self, other: RouteWindow) -> bool:
        return (
            self.recording == other.recording
            and self.from_ms < other.to_ms
            and other.from_ms < self.to_ms
        )


def quiet_windows(
    topology: Topology, recordings: Sequence[Observations], length_ms: int, fewest_nodes: int
) -> list[RouteWindow]:
    """Windows in which the player lives, nothing is fired, and at least this number of nodes is
    entered: fights and idle times are left out.
    """
    windows = []
    for number, seen in enumerate(recordings):
        course = node_course(topology, seen)
        frames = round(length_ms / seen.frame_ms)
        last_ms = int(seen.frames * seen.frame_ms) - length_ms
        for from_ms in range(SETTLING_MS, last_ms + 1, STEP_MS):
            first = round(from_ms / seen.frame_ms)
            part = slice(first, first + frames)
            if not seen.alive[part].all() or seen.firing[part].any():
                continue
            nodes = visited_nodes(course[part])
            if len(nodes) >= fewest_nodes:
                windows.append(RouteWindow(number, from_ms, from_ms + length_ms, nodes))
    return windows


def route_distance(topology: Topology, first: Sequence[int], second: Sequence[int]) -> float:
    """0 for the same way, 1 for two that have nothing in common."""
    if not first or not second:
        return float(bool(first) != bool(second))
    apart = np.linalg.norm(
        topology.nodes[list(first), None] - topology.nodes[None, list(second)], axis=2
    )
    exchanged = np.minimum(1.0, apart / _STRANGE_TILES)
    row = np.arange(len(second) + 1, dtype=float)
    for number in range(len(first)):
        above, row = row, np.empty_like(row)
        row[0] = number + 1
        for place in range(len(second)):
            row[place + 1] = min(
                above[place + 1] + 1, row[place] + 1, above[place] + exchanged[number, place]
            )
    return float(row[-1]) / max(len(first), len(second))


def nearest_window(
    topology: Topology,
    way: Sequence[int],
    windows: Sequence[RouteWindow],
    taken: Sequence[RouteWindow],
) -> RouteWindow | None:
    """The window whose way is nearest, of those that show nothing that is shown already; None
    without one.
    """
    free = [window for window in windows if not any(window.overlaps(other) for other in taken)]
    return min(
        free,
        key=lambda window: (
            route_distance(topology, way, window.nodes),
            window.recording,
            window.from_ms,
        ),
        default=None,
    )
