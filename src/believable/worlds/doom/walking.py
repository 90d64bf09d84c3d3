"""Where one can walk on a plan: what generators check their maps with, and what scripted players
find their ways by.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence

from believable.worlds.doom.floor_plan import TILE_UNITS, FloorPlan, Tile, TileLook, centre, tile_at

#: The engine's limits for a figure: the height of a step, and the room it needs above and to the
#: sides.
STEP_UNITS, HEADROOM_UNITS, RADIUS_UNITS = 24, 56, 16
#: Ways keep this far from edges and walls, so that a figure that is a little off neither falls nor
#: sticks.
MARGIN_UNITS = 24
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
#: A leap costs as much as this number of tiles: it is taken if there is no other way.
_LEAP_TILES = 4.0


class WalkMap:
    """The walkable tiles of a plan, and how they connect."""

    def __init__(self, plan: FloorPlan) -> None:
        self.plan = plan
        solid = {tile_at(thing.x, thing.y) for thing in plan.things if thing.solid}
        self.tiles: Mapping[Tile, TileLook] = {
            tile: look
            for tile, look in plan.tiles.items()
            if not look.deadly and look.ceiling - look.floor >= HEADROOM_UNITS and tile not in solid
        }
        self._ways: dict[Tile, tuple[tuple[Tile, float], ...]] = {}
        self._leaps: dict[Tile, list[Tile]] = {}
        for start, end in plan.leaps:
            self._leaps.setdefault(start, []).append(end)

    def joined(self, start: Tile, end: Tile) -> bool:
        """Whether one can step from a tile to its neighbour. Down always, up by a step."""
        own, other = self.tiles.get(start), self.tiles.get(end)
        if own is None or other is None:
            return False
        room = min(own.ceiling, other.ceiling) - max(own.floor, other.floor)
        return other.floor - own.floor <= STEP_UNITS and room >= HEADROOM_UNITS

    def ways(self, tile: Tile) -> Sequence[tuple[Tile, float]]:
        """The next tiles from here, with their cost in tiles."""
        if tile not in self._ways:
            self._ways[tile] = tuple(self._found_ways(tile))
        return self._ways[tile]

    def _found_ways(self, tile: Tile) -> Iterator[tuple[Tile, float]]:
        for dx, dy in _SIDES:
            beside = tile[0] + dx, tile[1] + dy
            if self.joined(tile, beside):
                yield beside, 1.0
        for dx, dy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            across, along, up = (
                (tile[0] + dx, tile[1] + dy),
                (tile[0] + dx, tile[1]),
                (tile[0], tile[1] + dy),
            )
            legs = ((tile, along), (along, across), (tile, up), (up, across))
            if all(self.joined(*leg) for leg in legs):
                yield across, math.sqrt(2)
        for end in self._leaps.get(tile, ()):
            yield end, _LEAP_TILES

    def leaps(self, start: Tile, end: Tile) -> bool:
        return end in self._leaps.get(start, ())

    def distances(self, start: Tile) -> dict[Tile, float]:
        """How far every tile that can be reached is, in tiles."""
        return self._search(start)[0]

    def route(self, start: Tile, goal: Tile) -> list[Tile]:
        """The shortest way, both ends included; empty if there is none."""
        distances, origins = self._search(start)
        if goal not in distances:
            return []
        way = [goal]
        while way[-1] != start:
            way.append(origins[way[-1]])
        return way[::-1]

    def _search(self, start: Tile) -> tuple[dict[Tile, float], dict[Tile, Tile]]:
        distances, origins = {start: 0.0}, {}
        waiting = [(0.0, start)]
        while waiting:
            distance, tile = heapq.heappop(waiting)
            if distance > distances[tile]:
                continue
            for beside, cost in self.ways(tile):
                if distance + cost < distances.get(beside, math.inf):
                    distances[beside] = distance + cost
                    origins[beside] = tile
                    heapq.heappush(waiting, (distance + cost, beside))
        return distances, origins

    def straight(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether one can walk straight from one place to another, with a margin on both sides."""
        length = math.hypot(x1 - x0, y1 - y0)
        if length < 1:
            return True
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        for side in (-MARGIN_UNITS, 0, MARGIN_UNITS):
            ox, oy = -uy * side, ux * side
            last = tile_at(x0 + ox, y0 + oy) if side == 0 else None
            for number in range(int(length // 12) + 2):
                way = min(number * 12.0, length)
                tile = tile_at(x0 + ox + ux * way, y0 + oy + uy * way)
                if last is None:
                    # Beside the line only the ground matters: one may begin next to a wall.
                    last = tile if tile in self.tiles else None
                    if last is None and way > 2 * RADIUS_UNITS:
                        return False
                elif tile != last:
                    if not self._passable(last, tile):
                        return False
                    last = tile
        return True

    def can_enter(self, x: float, y: float, tile: Tile) -> bool:
        """Whether one can go from a position to the middle of a tile next to it."""
        return self.straight(x, y, *centre(tile))

    def _passable(self, start: Tile, end: Tile) -> bool:
        """Between tiles that touch, also over a corner."""
        if start[0] == end[0] or start[1] == end[1]:
            return (
                self.joined(start, end)
                and abs(self.tiles[start].floor - self.tiles[end].floor) <= STEP_UNITS
            )
        corners = ((end[0], start[1]), (start[0], end[1]))
        return any(
            self._passable(start, corner) and self._passable(corner, end) for corner in corners
        )

    def seen(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether the line between two positions is free, seen from above."""
        length = math.hypot(x1 - x0, y1 - y0)
        steps = int(length // (TILE_UNITS / 4)) + 1
        return all(
            tile_at(x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps) in self.plan.tiles
            for n in range(steps + 1)
        )


def way_ahead(walk: WalkMap, x: float, y: float, route: list[Tile]) -> tuple[float, float]:
    """The farthest place of a route to which one can go straight."""
    place = centre(route[0])
    for tile in route[:14]:
        ahead = centre(tile)
        if not walk.straight(x, y, *ahead):
            break
        place = ahead
    return place
