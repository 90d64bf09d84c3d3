"""The map of a deathmatch: a court in the open air below, a gallery around it above, stairs between
them, a room at each corner.

Weapons, ammunition, armour and health are at known positions and respawn a known time after they
were taken (`items.py`). All figures begin at one of eight positions.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from functools import lru_cache

from believable.core.seeds import derive
from believable.worlds.doom.floor_plan import (
    SKY,
    FloorPlan,
    PlacedThing,
    Tile,
    TileLook,
    centre,
    place_thing,
)
from believable.worlds.doom.items import ITEMS
from believable.worlds.doom.textures import INDOOR, OPEN_AIR, RoomTheme
from believable.worlds.doom.walking import WalkMap

SPAWNS = 8
SIDE = 34
#: The court's first tile and side, and how wide the gallery around it is.
COURT_FIRST, COURT_SIDE, GALLERY_WIDTH = 10, 14, 3
UPPER, SKY_HEIGHT = 128, 352
DEATHMATCH_START, COOPERATIVE_START = 11, 1

#: What lies where, by the engine's numbers.
_BELOW = (2003, 2048, 2012, 2012, 2011, 2010, 2010, 2008, 2049, 2014, 2014, 2018)
_ABOVE = (82, 2002, 2049, 2048, 2011, 2011, 2015, 2015, 2047)
_CORNERS = ((2001, 2008, 2011), (2004, 2047, 2015), (2002, 2048, 2019), (2001, 2049, 2013))


@dataclass(frozen=True, slots=True)
class PlacedItem:
    """Something to pick up, and where."""

    name: str
    tile: Tile


@dataclass(frozen=True, slots=True)
class DeathmatchMap:
    seed: int
    plan: FloorPlan
    spawns: tuple[Tile, ...]
    items: tuple[PlacedItem, ...]


@lru_cache(maxsize=16)
def deathmatch_map(seed: int) -> DeathmatchMap:
    """The map of this seed. Every item can be reached from every place where one begins, or the
    next attempt is drawn.
    """
    for attempt in range(100):
        drawn = _CourtBuilder(random.Random(derive(seed, "deathmatch", attempt))).build(seed)
        walk = WalkMap(drawn.plan)
        wanted = {*drawn.spawns, *(item.tile for item in drawn.items)}
        if len(drawn.spawns) == SPAWNS and all(
            wanted <= walk.distances(spawn).keys() for spawn in drawn.spawns
        ):
            return drawn
    raise AssertionError(f"no deathmatch map for seed {seed} in 100 attempts")


class _CourtBuilder:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._tiles: dict[Tile, TileLook] = {}
        self._things: list[PlacedThing] = []
        self._taken: set[Tile] = set()
        self._court = rng.choice(OPEN_AIR)
        self._gallery, *self._corners = rng.sample(INDOOR, 5)

    def build(self, seed: int) -> DeathmatchMap:
        first, last = COURT_FIRST, COURT_FIRST + COURT_SIDE
        self._lay_gallery(first - GALLERY_WIDTH, last + GALLERY_WIDTH)
        self._lay_court(first, last)
        below_corners = [self._corner(number, theme) for number, theme in enumerate(self._corners)]
        self._stairs(first, last)
        self._cover(first, last)
        lower = [
            tile
            for tile, look in self._tiles.items()
            if look.floor == 0 and first <= min(tile) and max(tile) < last
        ]
        upper = [
            tile
            for tile, look in self._tiles.items()
            if look.floor == UPPER and look.ceiling_flat != SKY
        ]
        items = [*self._lay_items(_BELOW, lower), *self._lay_items(_ABOVE, upper)]
        for kinds, tiles in zip(_CORNERS, below_corners, strict=True):
            items += self._lay_items(kinds, tiles)
        spawns = [self._free(tiles) for tiles in (*below_corners, upper, upper, lower, lower)]
        middle = SIDE * 32.0
        for number, tile in enumerate(spawns):
            x, y = centre(tile)
            heading = round(_heading_deg(middle - x, middle - y) / 45) * 45 % 360
            self._things.append(PlacedThing(kind=DEATHMATCH_START, x=x, y=y, angle_deg=heading))
            if number == 0:
                self._things.append(
                    PlacedThing(kind=COOPERATIVE_START, x=x, y=y, angle_deg=heading)
                )
        plan = FloorPlan(columns=SIDE, rows=SIDE, tiles=self._tiles, things=tuple(self._things))
        return DeathmatchMap(seed, plan, tuple(spawns), tuple(items))

    def _look(
        self, theme: RoomTheme, floor: int, ceiling: int, light: int = 0, *, rim: bool = False
    ) -> TileLook:
        flat = theme.rim if rim else theme.floor
        return TileLook(
            floor=floor,
            ceiling=ceiling,
            floor_flat=flat,
            ceiling_flat=theme.ceiling,
            wall=theme.wall,
            riser=theme.riser,
            light=min(255, theme.light + light),
        )

    def _lay_gallery(self, first: int, last: int) -> None:
        for x in range(first, last):
            for y in range(first, last):
                rim = min(x - first, y - first, last - 1 - x, last - 1 - y)
                look = self._look(self._gallery, UPPER, UPPER + 128, rim=rim == GALLERY_WIDTH - 1)
                lit = rim == 1 and (x + y) % 4 == 0
                self._tiles[x, y] = (
                    replace(look, ceiling_flat=self._gallery.glow, light=248) if lit else look
                )

    def _lay_court(self, first: int, last: int) -> None:
        for x in range(first, last):
            for y in range(first, last):
                rim = min(x - first, y - first, last - 1 - x, last - 1 - y)
                self._tiles[x, y] = self._look(self._court, 0, SKY_HEIGHT, rim=rim == 0)
        middle = first + COURT_SIDE // 2
        pool = self._rng.choice(("FWATER1", "BLOOD1", "SLIME09"))
        for x in range(middle - 2, middle + 2):
            for y in range(middle - 2, middle + 2):
                self._tiles[x, y] = replace(self._tiles[x, y], floor=-16, floor_flat=pool)

    def _corner(self, number: int, theme: RoomTheme) -> list[Tile]:
        """A room beyond a corner of the gallery, reached from the gallery by a short flight and
        from the court by a tunnel.
        """
        east, north = number % 2, number // 2
        near, far = COURT_FIRST - GALLERY_WIDTH, COURT_FIRST + COURT_SIDE + GALLERY_WIDTH
        columns = range(far + 1, far + 6) if east else range(near - 6, near - 1)
        rows = range(far - 5, far) if north else range(near, near + 5)
        height = self._rng.choice((64, 96, 128))
        tiles = [(x, y) for x in columns for y in rows]
        for x, y in tiles:
            rim = x in (columns[0], columns[-1]) or y in (rows[0], rows[-1])
            look = self._look(theme, height, height + 144, rim=rim)
            lit = (x, y) == (columns[2], rows[2])
            self._tiles[x, y] = replace(look, ceiling_flat=theme.glow, light=255) if lit else look
        door = far if east else near - 1
        for y in (rows[2], rows[3]):
            between = height + (UPPER - height) // 2
            self._tiles[door, y] = self._look(theme, between // 8 * 8, UPPER + 104, 16)
        if UPPER - height > 32:
            edge = columns[0] if east else columns[-1]
            for y in (rows[2], rows[3]):
                self._tiles[edge, y] = self._look(theme, height + 16, height + 144)
                self._tiles[door, y] = self._look(
                    theme, height + 32 if UPPER - height > 48 else height + 16, UPPER + 104, 16
                )
                inner = door - 1 if east else door + 1
                self._tiles[inner, y] = self._look(self._gallery, height + 48, UPPER + 128)
        return [tile for tile in tiles if self._tiles[tile].floor == height]

    def _stairs(self, first: int, last: int) -> None:
        """From the court up to the gallery: a flight along the middle of two or three sides, two
        tiles wide.
        """
        sides = self._rng.sample(range(4), self._rng.choice((2, 3)))
        for side in sides:
            at = first + self._rng.randint(3, COURT_SIDE - 5)
            for number in range(7):
                for wide in (0, 1):
                    along, into = (
                        at + wide,
                        (first + 6 - number if side % 2 == 0 else last - 7 + number),
                    )
                    tile = (into, along) if side < 2 else (along, into)
                    look = self._tiles[tile]
                    self._tiles[tile] = replace(
                        look, floor=16 * (number + 1), floor_flat=self._court.rim
                    )
                    self._taken.add(tile)

    def _cover(self, first: int, last: int) -> None:
        """Crates in the court and lamps in the gallery."""
        inner = [(x, y) for x in range(first + 2, last - 2) for y in range(first + 2, last - 2)]
        free = [tile for tile in inner if self._tiles[tile].floor == 0 and tile not in self._taken]
        for tile in self._rng.sample(free, 7):
            flat, side = self._rng.choice((("CRATOP1", "CRATE2"), ("CRATOP2", "CRATE1")))
            up = self._rng.choice((40, 64, 72))
            self._tiles[tile] = replace(self._tiles[tile], floor=up, floor_flat=flat, riser=side)
            self._taken.add(tile)
        near, far = first - GALLERY_WIDTH, last + GALLERY_WIDTH - 1
        for tile in ((near, near), (near, far), (far, near), (far, far)):
            self._things.append(place_thing(self._gallery.lamp, tile, solid=True))
            self._taken.add(tile)
        for tile in ((first, first), (last - 1, first), (first, last - 1), (last - 1, last - 1)):
            self._things.append(place_thing(self._court.lamp, tile, solid=True))
            self._taken.add(tile)

    def _free(self, tiles: list[Tile]) -> Tile:
        tile = self._rng.choice([tile for tile in sorted(tiles) if tile not in self._taken])
        self._taken.add(tile)
        return tile

    def _lay_items(self, kinds: tuple[int, ...], tiles: list[Tile]) -> list[PlacedItem]:
        items: list[PlacedItem] = []
        for kind in kinds:
            tile = self._free(tiles)
            self._things.append(place_thing(kind, tile))
            items.append(PlacedItem(ITEMS[kind], tile))
        return items


def _heading_deg(dx: float, dy: float) -> float:

    return math.degrees(math.atan2(dy, dx))
