"""The map of point-to-point navigation: an island in the air, a gap to leap or to drop over, then
rooms, corridors and stairs.

Rooms are in a grid of slots and differ in height, looks and furniture; each has a landmark. Pits
kill. There is one possible goal in each of sixteen rooms; the goal of a round carries a column of
light.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from believable.core.seeds import derive
from believable.worlds.doom.floor_plan import (
    SKY,
    TILE_UNITS,
    FloorPlan,
    PlacedThing,
    Tile,
    TileLook,
    centre,
    place_thing,
)
from believable.worlds.doom.textures import (
    BLUE_TORCH,
    DEPTHS,
    INDOOR,
    LANDMARKS,
    OPEN_AIR,
    RED_TORCH,
    RoomTheme,
)
from believable.worlds.doom.walking import WalkMap

GOALS = 16
SLOT_COLUMNS, SLOT_ROWS = 5, 4
SLOT_WIDTH, SLOT_HEIGHT = 11, 10
#: Columns of the chasm in the west, with the island in it.
CHASM_WIDTH = 9
SKY_HEIGHT, CHASM_DEPTH, PIT_DEPTH = 304, -256, 160
GAP_TILES, DROP_UNITS = 2, 56
#: A goal is far from here on: running straight on, without a turn, is six seconds away.
FAR_TILES = 55
#: The engine's numbers of a start and of our mark of the goal.
START, GOAL_MARK = 1, 20001
_ACTORS = """\
actor GoalMark 20001
{
  Radius 8
  Height 16
  Scale 1.2
  +NOGRAVITY
  +NOBLOCKMAP
  +NOINTERACTION
  States
  {
  Spawn:
    MEGA ABCD 6 Bright
    Loop
  }
}
"""
Kind = Literal["plain", "pit", "bridges", "pillars", "dais", "crates", "garden"]
_INDOOR_KINDS: tuple[Kind, ...] = (
    "plain",
    "pit",
    "bridges",
    "pillars",
    "dais",
    "crates",
    "pit",
    "pillars",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A rectangle of tiles at one height."""

    slot: Tile
    column: int
    row: int
    width: int
    height: int
    floor: int
    theme: RoomTheme
    kind: Kind

    @property
    def tiles(self) -> list[Tile]:
        return [
            (x, y)
            for y in range(self.row, self.row + self.height)
            for x in range(self.column, self.column + self.width)
        ]

    def rim(self, tile: Tile) -> int:
        """How many tiles it is from the walls."""
        x, y = tile[0] - self.column, tile[1] - self.row
        return min(x, y, self.width - 1 - x, self.height - 1 - y)

    def middle(self, tile: Tile) -> bool:
        """Whether it is one of the two in the middle of a wall."""
        x, y = (
            tile[0] - self.column - (self.width - 2) // 2,
            tile[1] - self.row - (self.height - 2) // 2,
        )
        return x in (0, 1) or y in (0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationMap:
    """The map without its mark. `start` is a place with a heading in degrees, `goals` are sixteen
    tiles.
    """

    seed: int
    plan: FloorPlan
    start: Tile
    start_heading_deg: int
    goals: tuple[Tile, ...]
    rooms: tuple[Room, ...]

    def with_goal(self, number: int) -> FloorPlan:
        """The plan with a column of light over one of the goal places."""
        x, y = centre(self.goals[number])
        look = self.plan.tiles[self.goals[number]]
        top = 208 if look.ceiling_flat == SKY else look.ceiling - look.floor - 24
        marks = tuple(
            PlacedThing(kind=GOAL_MARK, x=x, y=y, height=height) for height in range(24, top, 40)
        )
        return replace(self.plan, things=(*self.plan.things, *marks))


def navigation_map(seed: int) -> NavigationMap:
    """The map of this seed. One whose goals cannot all be reached is not handed out: the next
    attempt is drawn instead.
    """
    for attempt in range(100):
        drawn = _RoomBuilder(random.Random(derive(seed, "navigation", attempt)), seed).build()
        reached = WalkMap(drawn.plan).distances(drawn.start)
        if len(drawn.goals) == GOALS and all(goal in reached for goal in drawn.goals):
            return drawn
    raise AssertionError(f"no navigation map for seed {seed} in 100 attempts")


@lru_cache(maxsize=64)
def far_goals(seed: int) -> tuple[int, ...]:
    """Goals whose way on foot is `FAR_TILES` or longer; the farthest where a map has none."""
    drawn = navigation_map(seed)
    ways = WalkMap(drawn.plan).distances(drawn.start)
    far = tuple(number for number, goal in enumerate(drawn.goals) if ways[goal] >= FAR_TILES)
    return far or (max(range(len(drawn.goals)), key=lambda number: ways[drawn.goals[number]]),)


class _RoomBuilder:
    def __init__(self, rng: random.Random, seed: int) -> None:
        self._rng, self._seed = rng, seed
        self._tiles: dict[Tile, TileLook] = {}
        self._things: list[PlacedThing] = []
        self._doors: dict[Tile, list[Tile]] = {}
        self._kept: set[Tile] = set()

    def build(self) -> NavigationMap:
        rooms = self._rooms()
        for room in rooms.values():
            self._lay(room)
        self._links(rooms)
        for room in rooms.values():
            self._furnish(room)
        start, leap = self._island(rooms)
        goals = self._goals(rooms)
        self._landmarks(rooms)
        x, y = centre(start)
        self._things.append(PlacedThing(kind=START, x=x, y=y, angle_deg=0))
        plan = FloorPlan(
            columns=CHASM_WIDTH + SLOT_COLUMNS * SLOT_WIDTH,
            rows=SLOT_ROWS * SLOT_HEIGHT,
            tiles=self._tiles,
            things=tuple(self._things),
            leaps=(leap,),
            actors=_ACTORS,
        )
        return NavigationMap(
            seed=self._seed,
            plan=plan,
            start=start,
            start_heading_deg=0,
            goals=goals,
            rooms=tuple(rooms.values()),
        )

    # ------------------------------------------------------------------------------------------
    # rooms

    def _rooms(self) -> dict[Tile, Room]:
        """One in each slot, around the slot's middle, heights within a flight of stairs of their
        neighbours'.
        """
        rng = self._rng
        slots = [(column, row) for row in range(SLOT_ROWS) for column in range(SLOT_COLUMNS)]
        outside = set(rng.sample(slots, 6))
        heights: dict[Tile, int] = {}
        rooms: dict[Tile, Room] = {}
        themes = rng.sample(INDOOR, len(INDOOR)) + rng.sample(INDOOR, len(INDOOR))
        for slot in slots:
            beside = [
                heights[near]
                for near in ((slot[0] - 1, slot[1]), (slot[0], slot[1] - 1))
                if near in heights
            ]
            low, high = max([0, *(h - 48 for h in beside)]), min([112, *(h + 48 for h in beside)])
            heights[slot] = rng.randrange(low, max(low, high) + 1, 16) // 16 * 16
            width, height = rng.randint(6, 8), rng.randint(5, 7)
            column = CHASM_WIDTH + slot[0] * SLOT_WIDTH + rng.randint(1, SLOT_WIDTH - 2 - width)
            row = slot[1] * SLOT_HEIGHT + rng.randint(1, SLOT_HEIGHT - 2 - height)
            air = slot in outside
            theme = rng.choice(OPEN_AIR) if air else themes.pop()
            kind: Kind = (
                rng.choice(("garden", "pit", "plain", "garden"))
                if air
                else rng.choice(_INDOOR_KINDS)
            )
            rooms[slot] = Room(
                slot=slot,
                column=column,
                row=row,
                width=width,
                height=height,
                floor=heights[slot],
                theme=theme,
                kind=kind,
            )
        return rooms

    def _lay(self, room: Room) -> None:
        theme = room.theme
        ceiling = (
            SKY_HEIGHT if theme.open_air else room.floor + self._rng.choice((128, 144, 160, 192))
        )
        for tile in room.tiles:
            inner = room.rim(tile) > 0
            lit = not theme.open_air and room.rim(tile) == 1 and (tile[0] + tile[1]) % 3 == 0
            self._tiles[tile] = TileLook(
                floor=room.floor,
                ceiling=ceiling - (8 if lit else 0),
                floor_flat=theme.floor if inner else theme.rim,
                ceiling_flat=theme.glow if lit else theme.ceiling,
                wall=theme.accent if room.middle(tile) else theme.wall,
                riser=theme.riser,
                light=min(255, theme.light + (48 if lit else 0) - (0 if inner else 16)),
            )

    # ------------------------------------------------------------------------------------------
    # corridors

    def _links(self, rooms: dict[Tile, Room]) -> None:
        """A tree over all rooms, then some ways round."""
        pairs = [
            (slot, (slot[0] + dx, slot[1] + dy)) for slot in rooms for dx, dy in ((1, 0), (0, 1))
        ]
        pairs = [pair for pair in pairs if pair[1] in rooms]
        self._rng.shuffle(pairs)
        group = {slot: slot for slot in rooms}

        def head(slot: Tile) -> Tile:
            return slot if group[slot] == slot else head(group[slot])

        for slot, other in pairs:
            apart = head(slot) != head(other)
            if apart or self._rng.random() < 0.45:
                group[head(slot)] = head(other)
                self._link(rooms[slot], rooms[other])

    def _link(self, room: Room, other: Room) -> None:
        """Two tiles wide, straight, with a step on each tile where the rooms differ in height."""
        across = room.slot[1] == other.slot[1]
        first, last = (
            (room.column + room.width, other.column)
            if across
            else (room.row + room.height, other.row)
        )
        low = max(room.row, other.row) if across else max(room.column, other.column)
        ends = [(r.row + r.height if across else r.column + r.width) for r in (room, other)]
        side = self._rng.randint(low, min(ends) - 2)
        length, rise = last - first, other.floor - room.floor
        theme = self._rng.choice((room.theme, other.theme))
        theme = self._rng.choice(INDOOR) if theme.open_air else theme
        top = max(room.floor, other.floor) + self._rng.choice((88, 96, 112))
        for number in range(length):
            floor = room.floor + round(rise * (number + 1) / (length + 1) / 8) * 8
            for wide in (0, 1):
                tile = (first + number, side + wide) if across else (side + wide, first + number)
                glows = number == length // 2
                self._tiles[tile] = TileLook(
                    floor=floor,
                    ceiling=top,
                    floor_flat=theme.floor,
                    ceiling_flat=theme.glow if glows else theme.ceiling,
                    wall=theme.wall,
                    riser=theme.riser,
                    light=theme.light + (24 if glows else -24),
                )
        for wide in (0, 1):
            near = (first - 1, side + wide) if across else (side + wide, first - 1)
            far = (last, side + wide) if across else (side + wide, last)
            self._doors.setdefault(room.slot, []).append(near)
            self._doors.setdefault(other.slot, []).append(far)

    # ------------------------------------------------------------------------------------------
    # furniture of rooms

    def _furnish(self, room: Room) -> None:
        doors = set(self._doors.get(room.slot, ()))
        if room.kind == "pit":
            self._sink([tile for tile in room.tiles if room.rim(tile) >= 2], room)
        elif room.kind == "bridges":
            kept = self._crossing(room, doors)
            self._sink([tile for tile in room.tiles if tile not in kept], room)
        elif room.kind == "pillars":
            east, north = room.column + room.width - 2, room.row + room.height - 2
            inset = [(x, y) for x in (room.column + 1, east) for y in (room.row + 1, north)]
            for tile in inset:
                del self._tiles[tile]
        elif room.kind == "dais":
            for tile in room.tiles:
                if (up := 16 * min(room.rim(tile) - 1, 2)) > 0:
                    look = self._tiles[tile]
                    self._tiles[tile] = replace(
                        look,
                        floor=look.floor + up,
                        floor_flat=room.theme.rim,
                        light=look.light + 16,
                    )
        elif room.kind == "crates":
            for tile in self._rng.sample([tile for tile in room.tiles if room.rim(tile) == 1], 4):
                look = self._tiles[tile]
                flat, side = self._rng.choice((("CRATOP1", "CRATE2"), ("CRATOP2", "CRATE1")))
                self._tiles[tile] = replace(
                    look, floor=look.floor + self._rng.choice((32, 64)), floor_flat=flat, riser=side
                )
        self._lamps(room, doors)

    def _sink(self, tiles: list[Tile], room: Room) -> None:
        flat = self._rng.choice(DEPTHS)
        for tile in tiles:
            self._tiles[tile] = replace(
                self._tiles[tile],
                floor=room.floor - PIT_DEPTH,
                floor_flat=flat,
                wall=room.theme.wall,
                deadly=True,
                light=max(self._tiles[tile].light - 24, 112),
            )

    def _crossing(self, room: Room, doors: set[Tile]) -> set[Tile]:
        """Walkways from every door to a place in the middle."""
        mx, my = room.column + room.width // 2 - 1, room.row + room.height // 2 - 1
        middle = {(mx + dx, my + dy) for dx in range(2) for dy in range(2)}
        ways = set(middle)
        for x, y in doors:
            if x in (room.column, room.column + room.width - 1):
                ways |= {(c, y) for c in range(min(x, mx), max(x, mx + 1) + 1)}
                ways |= {
                    (c, r) for c in (mx, mx + 1) for r in range(min(y, my), max(y, my + 1) + 1)
                }
            if y in (room.row, room.row + room.height - 1):
                ways |= {(x, r) for r in range(min(y, my), max(y, my + 1) + 1)}
                ways |= {
                    (c, r) for r in (my, my + 1) for c in range(min(x, mx), max(x, mx + 1) + 1)
                }
        return ways & set(room.tiles)

    def _lamps(self, room: Room, doors: set[Tile]) -> None:
        corners = [
            (room.column + dx * (room.width - 1), room.row + dy * (room.height - 1))
            for dx in (0, 1)
            for dy in (0, 1)
        ]
        for tile in corners if room.kind != "garden" else self._rng.sample(room.tiles, 4):
            self._stand(room.theme.lamp, tile, doors)

    def _stand(self, kind: int, tile: Tile, doors: set[Tile]) -> bool:
        look = self._tiles.get(tile)
        if look is None or look.deadly or tile in doors or tile in self._kept:
            return False
        self._kept.add(tile)
        self._things.append(place_thing(kind, tile, solid=True))
        return True

    # ------------------------------------------------------------------------------------------
    # island, goals, landmarks

    def _island(self, rooms: dict[Tile, Room]) -> tuple[Tile, tuple[Tile, Tile]]:
        """A chasm along the west of the map, the island in it, and a ledge with a door into one of
        the adjacent rooms.
        """
        rng = self._rng
        room = rooms[0, rng.randint(1, SLOT_ROWS - 2)]
        side = room.row + rng.randint(1, room.height - 3)
        first, last = max(1, side - 6), min(SLOT_ROWS * SLOT_HEIGHT - 1, side + 8)
        rock = TileLook(
            floor=CHASM_DEPTH,
            ceiling=SKY_HEIGHT,
            floor_flat="LAVA1",
            ceiling_flat=SKY,
            wall="ROCK4",
            riser="ASHWALL4",
            light=176,
            deadly=True,
        )
        for y in range(first, last):
            for x in range(CHASM_WIDTH - 1):
                self._tiles[x, y] = rock
        drop = rng.choice((0, DROP_UNITS))
        ledge = replace(
            rock, floor=room.floor, floor_flat="FLOOR5_4", riser="BIGBRIK2", light=208, deadly=False
        )
        island = replace(
            ledge, floor=room.floor + drop, floor_flat="GRASS1", riser="ROCK4", light=224
        )
        for y in range(side - 1, side + 3):
            for x in range(1, 4):
                self._tiles[x, y] = island
            self._tiles[4 + GAP_TILES, y] = self._tiles[5 + GAP_TILES, y] = ledge
        for x in range(CHASM_WIDTH - 1, room.column):
            for y in (side, side + 1):
                inside = replace(
                    ledge,
                    ceiling=room.floor + 112,
                    ceiling_flat=room.theme.ceiling,
                    wall=room.theme.wall,
                )
                self._tiles[x, y] = replace(
                    inside, floor_flat=room.theme.floor, riser=room.theme.riser, light=176
                )
        doors = self._doors.setdefault(room.slot, [])
        doors += [(room.column, side), (room.column, side + 1)]
        for tile in doors[-2:]:
            self._clear(room, tile)
        for x, y in ((1, side - 1), (1, side + 2)):
            self._stand(BLUE_TORCH if drop else RED_TORCH, (x, y), set())
        leap = ((3, side), (4 + GAP_TILES, side))
        return (1, side), leap

    def _clear(self, room: Room, tile: Tile) -> None:
        """A door that was added last is free of things."""
        self._things = [thing for thing in self._things if (thing.x, thing.y) != centre(tile)]
        self._kept.discard(tile)
        if tile not in self._tiles or self._tiles[tile].deadly:
            self._lay(replace(room, kind="plain"))
            self._things = [
                t
                for t in self._things
                if (int(t.x // TILE_UNITS), int(t.y // TILE_UNITS)) not in room.tiles
            ]

    def _goals(self, rooms: dict[Tile, Room]) -> tuple[Tile, ...]:
        """One in each of sixteen rooms, on free floor, away from doors."""
        plan = FloorPlan(columns=999, rows=999, tiles=self._tiles, things=tuple(self._things))
        walk = WalkMap(plan)
        goals: list[Tile] = []
        for slot in self._rng.sample(sorted(rooms), len(rooms)):
            room, doors = rooms[slot], set(self._doors.get(slot, ()))
            free = [
                tile
                for tile in room.tiles
                if tile in walk.tiles and tile not in doors and self._roomy(walk, tile)
            ]
            if free and len(goals) < GOALS:
                tile = self._rng.choice([tile for tile in free if room.rim(tile) > 0] or free)
                self._kept.add(tile)
                self._tiles[tile] = replace(self._tiles[tile], floor_flat="GATE1", light=240)
                goals.append(tile)
        return tuple(sorted(goals))

    @staticmethod
    def _roomy(walk: WalkMap, tile: Tile) -> bool:
        return sum(1 for _, cost in walk.ways(tile) if cost == 1.0) >= 2

    def _landmarks(self, rooms: dict[Tile, Room]) -> None:
        kinds = self._rng.sample(LANDMARKS, len(LANDMARKS))
        for room in rooms.values():
            doors = set(self._doors.get(room.slot, ()))
            near = {(x + dx, y + dy) for x, y in doors for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            places = [
                tile
                for tile in room.tiles
                if tile not in near and tile not in self._kept and tile in self._tiles
            ]
            places = [
                tile
                for tile in places
                if room.kind not in ("bridges",) and not self._tiles[tile].deadly
            ]
            if places:
                self._stand(kinds.pop(), self._rng.choice(places), doors)
