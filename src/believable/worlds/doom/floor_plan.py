"""A map as a plan of square tiles, and the file that the engine reads: a PWAD whose map is text
(UDMF).

A plan has the height and looks of floor and ceiling of each tile; walls follow from the edges and
differences of tiles. The same plan gives the same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

#: Units of the map on each side of a tile.
TILE_UNITS = 64
#: Open air.
SKY = "F_SKY1"
#: The engine's sector special for a deadly floor.
DEADLY = 115
NOTHING = "-"

#: Column and row of a tile. Rows grow northwards, as the engine's y does.
Tile = tuple[int, int]
#: Floor, ceiling, their looks, light and special.
Sector = tuple[int, int, str, str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileLook:
    """One tile. Heights in map units; `wall` is the texture around it, `riser` that of a step up to
    it.
    """

    floor: int
    ceiling: int
    floor_flat: str
    ceiling_flat: str
    wall: str
    riser: str
    light: int
    deadly: bool = False

    @property
    def sector(self) -> Sector:
        """What tiles must share to be one sector."""
        special = DEADLY if self.deadly else 0
        return self.floor, self.ceiling, self.floor_flat, self.ceiling_flat, self.light, special


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedThing:
    """A thing in the map, by the engine's number of its kind. `height` is above the floor."""

    kind: int
    x: float
    y: float
    angle_deg: int = 0
    height: int = 0
    solid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPlan:
    """A whole map. `tiles` holds the open ones; everything else is rock. `leaps` lead over gaps,
    from tile to tile. `actors` is text that declares our kinds of things.
    """

    columns: int
    rows: int
    tiles: Mapping[Tile, TileLook]
    things: tuple[PlacedThing, ...]
    leaps: tuple[tuple[Tile, Tile], ...] = ()
    actors: str = ""

    def wad(self) -> bytes:
        """The file for the engine."""
        lumps = [("MAP01", b""), ("TEXTMAP", _textmap(self).encode()), ("ENDMAP", b"")]
        if self.actors:
            lumps.insert(0, ("DECORATE", self.actors.encode()))
        return pwad(lumps)


def centre(tile: Tile) -> tuple[float, float]:
    """The middle of a tile in map units."""
    return (tile[0] + 0.5) * TILE_UNITS, (tile[1] + 0.5) * TILE_UNITS


def place_thing(kind: int, tile: Tile, *, solid: bool = False) -> PlacedThing:
    """Put a thing in the middle of a tile."""
    x, y = centre(tile)
    return PlacedThing(kind=kind, x=x, y=y, solid=solid)


def tile_at(x: float, y: float) -> Tile:
    return int(x // TILE_UNITS), int(y // TILE_UNITS)


# ---------------------------------------------------------------------------------------------- the
# text


@dataclass(frozen=True, slots=True)
class _Edge:
    """A side of a tile: from where to where, the tile to the right of it and the one behind."""

    start: Tile
    end: Tile
    front: TileLook
    back: TileLook | None

    def joins(self, other: _Edge) -> bool:
        straight = (self.end[0] - self.start[0] == 0) == (other.end[0] - other.start[0] == 0)
        return (
            self.end == other.start
            and straight
            and (self.front, self.back) == (other.front, other.back)
        )


def _textmap(plan: FloorPlan) -> str:
    sectors = {
        sector: number
        for number, sector in enumerate(dict.fromkeys(t.sector for t in plan.tiles.values()))
    }
    edges = list(_walls(plan))
    corners = {
        corner: number
        for number, corner in enumerate(dict.fromkeys(c for e in edges for c in (e.start, e.end)))
    }
    blocks: list[str] = ['namespace = "zdoom";']
    blocks += [
        _block("vertex", x=float(x * TILE_UNITS), y=float(y * TILE_UNITS)) for x, y in corners
    ]
    sides: list[str] = []
    for edge in edges:
        front = len(sides)
        sides.append(_side(edge, sectors, edge.front, edge.back))
        line: dict[str, object] = {
            "v1": corners[edge.start],
            "v2": corners[edge.end],
            "sidefront": front,
        }
        if edge.back is None:
            line["blocking"] = True
        else:
            sides.append(_side(edge, sectors, edge.back, edge.front))
            line |= {
                "sideback": front + 1,
                "twosided": True,
                "dontpegbottom": True,
                "dontpegtop": True,
            }
        blocks.append(_block("linedef", **line))
    blocks += sides
    blocks += [
        _block(
            "sector",
            heightfloor=floor,
            heightceiling=ceiling,
            texturefloor=flat,
            textureceiling=above,
            lightlevel=light,
            **({"special": special} if special else {}),
        )
        for floor, ceiling, flat, above, light, special in sectors
    ]
    blocks += [
        _block(
            "thing",
            x=float(t.x),
            y=float(t.y),
            **({"height": float(t.height)} if t.height else {}),
            angle=t.angle_deg,
            type=t.kind,
            skill1=True,
            skill2=True,
            skill3=True,
            skill4=True,
            skill5=True,
            single=True,
            coop=True,
            dm=True,
        )
        for t in plan.things
    ]
    return "\n".join(blocks) + "\n"


def _block(name: str, **fields: object) -> str:
    listed = " ".join(f"{key} = {_value(value)};" for key, value in fields.items())
    return f"{name} {{ {listed} }}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _side(edge: _Edge, sectors: Mapping[Sector, int], own: TileLook, other: TileLook | None) -> str:
    """One side of a wall: solid if nothing is behind, else a step up below and a lintel above."""
    (x0, y0), (x1, y1) = edge.start, edge.end
    along = (x0 if x1 > x0 else -x0) if y0 == y1 else (y0 if y1 > y0 else -y0)
    fields: dict[str, object] = {"sector": sectors[own.sector], "offsetx": along * TILE_UNITS % 256}
    if other is None:
        return _block("sidedef", **fields, texturemiddle=own.wall)
    if other.floor > own.floor:
        fields["texturebottom"] = other.riser
    if other.ceiling < own.ceiling and not (other.ceiling_flat == own.ceiling_flat == SKY):
        fields["texturetop"] = other.wall if own.ceiling_flat == SKY else own.wall
    return _block("sidedef", **fields)


def _walls(plan: FloorPlan) -> Iterator[_Edge]:
    """Where tiles end or differ, straight pieces as one. The front is to the right; it is the open
    side, or the western or southern of two.
    """
    for row in range(plan.rows + 1):  # between the tiles of two rows
        yield from _runs([_horizontal(plan, column, row) for column in range(plan.columns)])
    for column in range(plan.columns + 1):
        yield from _runs([_vertical(plan, column, row) for row in range(plan.rows)])


def _horizontal(plan: FloorPlan, column: int, row: int) -> _Edge | None:
    below, above = plan.tiles.get((column, row - 1)), plan.tiles.get((column, row))
    west, east = (column, row), (column + 1, row)
    if below is not None and below != above:
        return _Edge(west, east, below, above)
    return _Edge(east, west, above, None) if above is not None and below is None else None


def _vertical(plan: FloorPlan, column: int, row: int) -> _Edge | None:
    left, right = plan.tiles.get((column - 1, row)), plan.tiles.get((column, row))
    south, north = (column, row), (column, row + 1)
    if left is not None and left != right:
        return _Edge(north, south, left, right)
    return _Edge(south, north, right, None) if right is not None and left is None else None


def _runs(edges: Sequence[_Edge | None]) -> Iterator[_Edge]:
    """Neighbours that look alike, joined; some run forwards along the row and some backwards."""
    run: _Edge | None = None
    for edge in edges:
        if run is not None and edge is not None and run.joins(edge):
            run = _Edge(run.start, edge.end, run.front, run.back)
        elif run is not None and edge is not None and edge.joins(run):
            run = _Edge(edge.start, run.end, run.front, run.back)
        else:
            if run is not None:
                yield run
            run = edge
    if run is not None:
        yield run


def pwad(lumps: Sequence[tuple[str, bytes]]) -> bytes:
    """A file of the engine's with these parts."""
    body, directory, at = b"".join(content for _, content in lumps), b"", 12
    for name, content in lumps:
        directory += struct.pack("<ii8s", at, len(content), name.encode())
        at += len(content)
    return struct.pack("<4sii", b"PWAD", len(lumps), at) + body + directory
