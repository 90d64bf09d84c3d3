"""The course that is run: how far it is from everywhere to a goal on foot, where rounds begin, and
where one jumps by itself.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from believable.core.errors import InvalidInput
from believable.worlds.doom.doom_game import GOAL_UNITS
from believable.worlds.doom.floor_plan import TILE_UNITS, Tile, centre, tile_at
from believable.worlds.doom.navigation_map import NavigationMap, navigation_map
from believable.worlds.doom.walking import WalkMap

#: So close before a leap's brink the figure jumps by itself.
BRINK_UNITS = 40.0


class Course(Protocol):
    """The way to a goal, as an agent knows it."""

    @property
    def goal_place(self) -> tuple[float, float, float]: ...
    @property
    def size_units(self) -> float: ...
    @property
    def reach_units(self) -> float:
        """The goal is reached this close to its middle."""

    def distance(self, x: float, y: float) -> float | None: ...
    def near_brink(self, x: float, y: float) -> bool: ...
    def at_brink(self, x: float, y: float) -> bool: ...
    def fell(self, z: float) -> bool:
        """Whether a figure at this height has failed, though it lives."""


@dataclass(frozen=True, kw_only=True)
class NavigationCourse:
    """A map with one of its goals."""

    drawn: NavigationMap
    walk: WalkMap
    goal: int
    #: How far each tile from which the goal can be reached is from it, in tiles.
    ways: dict[Tile, float]
    #: The shortest way from the start, both ends included.
    route: tuple[Tile, ...]
    _beside: dict[Tile, list[tuple[float, float, float]]] = field(default_factory=dict, repr=False)

    @property
    def goal_place(self) -> tuple[float, float, float]:
        tile = self.drawn.goals[self.goal]
        return (*centre(tile), float(self.drawn.plan.tiles[tile].floor))

    @property
    def size_units(self) -> float:
        return float(TILE_UNITS * max(self.drawn.plan.columns, self.drawn.plan.rows))

    @property
    def reach_units(self) -> float:
        return GOAL_UNITS

    def fell(self, z: float) -> bool:
        """A pit of this map kills."""
        return False

    def distance(self, x: float, y: float) -> float | None:
        """The walking distance from a position to the goal, in tiles; None if it is no floor (over
        a gap).
        """
        own = tile_at(x, y)
        if own not in self.ways:
            return None
        if own not in self._beside:
            # By the middle of the adjacent tile on the best way: so it shrinks with every unit that
            # is run.
            tiles = [
                own,
                *(tile for tile, cost in self.walk.ways(own) if cost < 2 and tile in self.ways),
            ]
            self._beside[own] = [(self.ways[tile], *centre(tile)) for tile in tiles]
        return min(
            way + math.hypot(x - cx, y - cy) / TILE_UNITS for way, cx, cy in self._beside[own]
        )

    def near_brink(self, x: float, y: float) -> bool:
        """Whether a decision that begins at this place can lead to a jump area: then each of its
        tics is looked at.
        """
        return any(
            math.dist((x, y), centre(start)) < 3 * TILE_UNITS for start, _ in self.drawn.plan.leaps
        )

    def at_brink(self, x: float, y: float) -> bool:
        """Whether this is a jump area: the last units before a gap, as wide as the ground there."""
        for start, end in self.drawn.plan.leaps:
            toward = (
                (end[0] > start[0]) - (end[0] < start[0]),
                (end[1] > start[1]) - (end[1] < start[1]),
            )
            cx, cy = centre(start)
            along = (x - cx) * toward[0] + (y - cy) * toward[1]
            inside = TILE_UNITS / 2 - BRINK_UNITS <= along <= TILE_UNITS / 2
            if inside and self._same_ground(tile_at(x, y), start, toward):
                return True
        return False

    def _same_ground(self, tile: Tile, start: Tile, toward: Tile) -> bool:
        column_wise = toward[0] != 0
        if (tile[0] if column_wise else tile[1]) != (start[0] if column_wise else start[1]):
            return False
        tiles = self.walk.plan.tiles
        return tile in self.walk.tiles and tiles[tile].floor == tiles[start].floor


@lru_cache(maxsize=64)
def navigation_course(map_seed: int, goal: int) -> NavigationCourse:
    return course_to(navigation_map(map_seed), goal)


def course_to(drawn: NavigationMap, goal: int) -> NavigationCourse:
    """An error if the goal cannot be reached: no agent could learn to."""
    if not 0 <= goal < len(drawn.goals):
        raise InvalidInput(f"goal: expected 0 to {len(drawn.goals) - 1}, got {goal}.")
    walk = WalkMap(drawn.plan)
    route = walk.route(drawn.start, drawn.goals[goal])
    if not route:
        raise InvalidInput(
            f"map of seed {drawn.seed}: goal {goal} at tile {drawn.goals[goal]} cannot be reached"
            " from the start. Train on a map whose goals can all be reached."
        )
    return NavigationCourse(
        drawn=drawn,
        walk=walk,
        goal=goal,
        ways=_ways_to(walk, drawn.goals[goal]),
        route=tuple(route),
    )


def _ways_to(walk: WalkMap, goal: Tile) -> dict[Tile, float]:
    """The search backwards: one can drop where one cannot climb."""
    origins: dict[Tile, list[tuple[Tile, float]]] = {}
    for tile in walk.tiles:
        for beside, cost in walk.ways(tile):
            origins.setdefault(beside, []).append((tile, cost))
    distances = {goal: 0.0}
    waiting = [(0.0, goal)]
    while waiting:
        distance, tile = heapq.heappop(waiting)
        if distance > distances[tile]:
            continue
        for origin, cost in origins.get(tile, ()):
            if distance + cost < distances.get(origin, math.inf):
                distances[origin] = distance + cost
                heapq.heappush(waiting, (distance + cost, origin))
    return distances
