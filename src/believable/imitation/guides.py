"""The way along an edge, as the person went it: an agent that chose a node follows a recorded
passage there, at its original pace.

A straight line to the centre of the next node runs into corners that the person avoided; and an
agent at constant full speed overshoots the places at which the person slowed down, turned or
stopped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from believable.imitation.observations import Floats, Integers, Observations
from believable.imitation.topology import Topology, node_course

#: How much later on a passage the target position and the target view are, in milliseconds.
AHEAD_MS = 170.0
VIEW_AHEAD_MS = 170.0
#: This difference in view counts as much as a distance of one tile, and another previous node as
#: much as this number of tiles.
DEGREES_PER_TILE = 45.0
CAME_OTHERWISE_TILES = 1.0
#: Who is so near to the next moment of a passage has reached it; who is farther than that from all
#: of it has lost it.
REACHED_TILES, LOST_TILES = 0.6, 1.5
#: The agent passes at most this number of moments of a passage in a frame.
MOST_PASSED = 3
#: x, y, z and the view's angle.
MOMENT_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class GuidePoint:
    """Where to go within how many milliseconds, and which way the person looked on the way
    there.
    """

    x: float
    y: float
    yaw: float
    within_ms: float


class Passage(NamedTuple):
    """A way from a node to the next as it was gone once. `before`: the node before (−1: none);
    `first`: its first moment, `end` and `life_end`: the moments after its last and after the last
    of the life.
    """

    node: int
    following: int
    before: int
    first: int
    end: int
    life_end: int


@dataclass(frozen=True, slots=True, eq=False)
class GuideSet:
    """Passages of the person. Columns of `moments`: x, y, z and the view's angle in each frame of
    each life. Rows of `passages` are each a `Passage`, in order.
    """

    moments: Floats
    passages: Integers

    def passages_between(self, node: int, following: int) -> Integers:
        """All passages from a node to another."""
        own = self.passages[slice(*np.searchsorted(self.passages[:, 0], (node, node + 1)))]
        return own[slice(*np.searchsorted(own[:, 1], (following, following + 1)))]


def learn_guides(topology: Topology, recordings: Sequence[Observations]) -> GuideSet:
    moments: list[Floats] = [np.zeros((0, MOMENT_COLUMNS))]
    passages: list[Passage] = []
    offset = 0
    for seen in recordings:
        course = node_course(topology, seen)
        for first, last in seen.lives():
            moments.append(np.column_stack([seen.position[first:last], seen.yaw[first:last]]))
            entered = [0, *(np.flatnonzero(np.diff(course[first:last])) + 1).tolist()]
            nodes = [-1, *(int(course[first + frame]) for frame in entered)]
            life_end = offset + last - first
            passages += [
                Passage(node, following, before, offset + begun, offset + left, life_end)
                for before, node, following, (begun, left) in zip(
                    nodes[:-2], nodes[1:-1], nodes[2:], pairwise(entered), strict=True
                )
            ]
            offset = life_end
    # Thousandths of a tile and of a degree: files hold numbers as they are, and round ones take
    # less.
    table = np.array(sorted(passages), np.int64).reshape(-1, len(Passage._fields))
    return GuideSet(np.round(np.concatenate(moments), 3).astype(np.float64), table)


class PassageFollower:
    """Goes along a passage of the person as they did: it stops and slows down at the same
    positions.
    """

    def __init__(self, guides: GuideSet, frame_ms: float) -> None:
        self._guides = guides
        self._frame_ms = frame_ms
        self._ahead, self._view_ahead = (
            max(1, round(later / frame_ms)) for later in (AHEAD_MS, VIEW_AHEAD_MS)
        )
        self._edge: tuple[int, int] | None = None
        self._at = self._end = 0
        #: How many frames the person took on the passage that is followed.
        self.frames = 0

    def leave(self) -> None:
        self._edge = None

    def ahead(
        self, before: int, node: int, following: int, position: Sequence[float], yaw: float
    ) -> GuidePoint | None:
        """Where to be a moment later on the way from a node to the next; None where the person
        never went.
        """
        place = np.asarray(position)
        if self._edge != (node, following) or not self._advance(place):
            self._edge = (node, following)
            if not self._join(before, place, yaw):
                return None
        later = min(self._at + self._ahead, self._end - 1)
        moments = self._guides.moments
        view = float(moments[min(self._at + self._view_ahead, self._end - 1), 3])
        x, y = moments[later, :2]
        return GuidePoint(float(x), float(y), view, max(1, later - self._at) * self._frame_ms)

    def _join(self, before: int, place: Floats, yaw: float) -> bool:
        """Begin at the moment nearest to here with the same view and the same previous node."""
        assert self._edge is not None
        rows = self._guides.passages_between(*self._edge)
        if not len(rows):
            return False
        _, _, came_from, firsts, ends, life_ends = rows.T
        sizes = ends - firsts
        row_of = np.repeat(np.arange(len(rows)), sizes)
        moment_of = (
            np.arange(sizes.sum())
            - np.repeat(np.cumsum(sizes) - sizes, sizes)
            + np.repeat(firsts, sizes)
        )
        own = self._guides.moments[moment_of]
        turned = (own[:, 3] - yaw + 180.0) % 360.0 - 180.0
        apart = ((own[:, :3] - place) ** 2).sum(1) + (turned / DEGREES_PER_TILE) ** 2
        apart += np.where(came_from[row_of] == before, 0.0, CAME_OTHERWISE_TILES**2)
        nearest = int(apart.argmin())
        self._at = int(moment_of[nearest])
        row = row_of[nearest]
        self.frames, self._end = int(sizes[row]), int(life_ends[row])
        return True

    def _advance(self, place: Floats) -> bool:
        """Go on with time where the place is kept up with, else with the way; False
        if it was lost.
        """
        coming = self._guides.moments[self._at : min(self._at + MOST_PASSED + 1, self._end)]
        away = np.linalg.norm(coming[:, :3] - place, axis=1)
        if away.min() > LOST_TILES:
            return False
        passed = int(away.argmin())
        if passed == 0 and len(coming) > 1 and away[1] < REACHED_TILES:
            passed = 1
        self._at += passed
        return True


def speed_to(point: GuidePoint, position: Sequence[float]) -> float:
    """Tiles a second with which the point is reached in time."""
    return 1000 * math.dist(position[:2], (point.x, point.y)) / point.within_ms
