"""The way along an edge: where the person was between two nodes, how they looked, where they were a moment later, and how fast.

A straight line to the centre of the next node runs into corners that the person went round; and somebody who is always as fast as
can be is carried past the places where the person slowed down to turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.primitives import moving_frames
from believable.imitation.topology import Topology, node_course, nodes_ahead

#: How much later the place is that somebody steers to, in milliseconds.
AHEAD_MS = 600.0
#: Whoever is slower than this share of their usual speed has slowed down.
SLOW_SHARE = 0.5
#: So many moments are kept of each edge, spread over all times it was gone along.
MOST_PER_EDGE = 64
COLUMNS = 7
#: Looking so many degrees another way counts as much as being a tile away.
DEGREES_PER_TILE = 45.0


@dataclass(frozen=True, slots=True)
class GuidePoint:
    """Where to go, and how fast: 1 unless the person slowed down."""

    x: float
    y: float
    pace: float


@dataclass(frozen=True, slots=True, eq=False)
class GuideSet:
    """Moments on edges, those of edge (i, j) from `first[i, j]` up to `last[i, j]`. Columns of `moments`: x, y, z, the view's
    angle, x and y a moment later, and the pace in between."""

    moments: Floats
    first: Integers
    last: Integers

    def ahead(self, start: int, end: int, position: Sequence[float], yaw: float) -> GuidePoint | None:
        """Where the person went who was nearest to here on this edge and looked this way; None where nobody was."""
        own = self.moments[self.first[start, end] : self.last[start, end]]
        if not len(own):
            return None
        turned = (own[:, 3] - yaw + 180.0) % 360.0 - 180.0
        apart = ((own[:, :3] - np.asarray(position)) ** 2).sum(1) + (turned / DEGREES_PER_TILE) ** 2
        x, y, pace = own[apart.argmin(), 4:]
        return GuidePoint(float(x), float(y), float(pace))


def learn_guides(topology: Topology, recordings: Sequence[Observations]) -> GuideSet:
    nodes = len(topology.nodes)
    steps = [np.linalg.norm(np.diff(seen.position[:, :2], axis=0), axis=1) for seen in recordings]
    moving = np.concatenate([own[moving_frames(seen)] for own, seen in zip(steps, recordings, strict=True)])
    slow = SLOW_SHARE * float(np.median(moving)) if len(moving) else 0.0
    by_edge: dict[tuple[int, int], list[list[float]]] = {}
    for seen, own in zip(recordings, steps, strict=True):
        course = node_course(topology, seen)
        ahead = nodes_ahead(course)
        later = max(1, round(AHEAD_MS / seen.frame_ms))
        for first, last in seen.lives():
            for frame in range(first, last - 1):
                if ahead[frame] >= 0:
                    end = min(frame + later, last - 1)
                    pace = min(1.0, float(own[frame:end].mean()) / slow) if slow else 1.0
                    moment = [*seen.position[frame], seen.yaw[frame], *seen.position[end, :2], pace]
                    by_edge.setdefault((int(course[frame]), int(ahead[frame])), []).append(moment)
    bounds = np.zeros((2, nodes, nodes), np.int64)
    kept: list[list[float]] = []
    for edge, moments in sorted(by_edge.items()):
        chosen = np.unique(np.linspace(0, len(moments) - 1, min(MOST_PER_EDGE, len(moments))).round().astype(int))
        bounds[0][edge] = len(kept)
        kept += [moments[number] for number in chosen]
        bounds[1][edge] = len(kept)
    # Thousandths of a tile and of a degree: files hold numbers as they are, and round ones take less.
    return GuideSet(np.round(np.array(kept).reshape(-1, COLUMNS), 3), bounds[0], bounds[1])
