"""The parts of the picture: streets and lawns, floors, walls, furniture, water, and people."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from believable.recordings.recording import Place, RecordedObject, RecordedWorld
from believable.recordings.scene import Shape, tile_rects
from believable.worlds.town.map import town_data

#: Rooms by their names: the colour of the floor, and whether it is tiled; others have boards.
FLOORS = {
    "bathroom": ("#e3edf1", True),
    "kitchen": ("#efe8da", True),
    "bakehouse": ("#eee3d2", True),
    "shop": ("#f1e9dc", True),
    "bedroom": ("#e9d8bf", False),
    "living room": ("#e6d2b3", False),
    "café": ("#e4cfb4", False),
    "storeroom": ("#ddd6c9", False),
    "reading room": ("#dccdb8", False),
    "hall": ("#e2cdae", False),
}
FLOOR = "#e6dac6"
LAWN, STREET, KERB = "#e3ead6", "#d6cfc3", "#c7beb0"
WALL, WALL_FACE, LINE = "#a3927c", "#84745f", "#0000000f"
STREET_TILES = 1.5
#: Water on several tiles is drawn as one: colours from the rim to the middle, and their sizes.
WATERS = {
    "pond": (("#9fae86", 1.0), ("#7fb0cf", 0.9), ("#93c0db", 0.62), ("#b2d3e6", 0.25)),
    "fountain": (
        ("#b9ab95", 1.0),
        ("#7fb6d6", 0.82),
        ("#a3cce4", 0.5),
        ("#cfc4b2", 0.26),
        ("#e8f3f8", 0.14),
    ),
}
WOOD, BREAD = "#b58f66", "#c98f4e"
COATS = ("#c8553d", "#2f6690", "#5b8c5a", "#8f5aa8", "#c48a1b", "#3c6e71")
HAIR = ("#5a3b28", "#2b2523", "#a8742f", "#3a2b26", "#8c8680", "#1f1b1a")
SKIN = ("#f0c8a4", "#a9714b", "#f2d0b0", "#d9a578", "#eec39c", "#b98054")
RING = ("#f4c542", "#fffbe9")


def figure(number: int, *, ringed: bool) -> tuple[Shape, ...]:
    """Draw shoulders in the colour of the person, hair, and a face that looks ahead. A ring marks
    the followed person.
    """
    coat, hair, skin = (colours[number % len(COATS)] for colours in (COATS, HAIR, SKIN))
    turns = [math.tau * part / 20 for part in range(20)]
    ring = [
        Shape(kind="circle", fill=fill, r=r, turns=False)
        for fill, r in zip(RING, (0.92, 0.82), strict=True)
    ]
    return (
        *(ring if ringed else ()),
        Shape(kind="circle", fill="#00000026", x=0.06, y=0.1, r=0.6, turns=False),
        Shape(kind="circle", fill=skin, x=0.3, y=-0.54, r=0.15),
        Shape(kind="circle", fill=skin, x=0.3, y=0.54, r=0.15),
        Shape(
            kind="poly",
            fill=coat,
            points=tuple((0.4 * math.cos(turn), 0.68 * math.sin(turn)) for turn in turns),
        ),
        Shape(kind="circle", fill=hair, x=-0.02, y=0.0, r=0.36),
        Shape(kind="circle", fill=skin, x=0.12, y=0.0, r=0.26),
        Shape(kind="circle", fill="#26303a", x=0.26, y=-0.11, r=0.055),
        Shape(kind="circle", fill="#26303a", x=0.26, y=0.11, r=0.055),
    )


def streets(world: RecordedWorld, lots: Sequence[Place]) -> Iterator[Shape]:
    """Draw streets below each row of lots and to the right of each column but the last, with a path
    to every door.
    """
    rights = sorted({x + w for lot in lots for x, _, w, _ in lot.rects})
    bottoms = sorted({y + h for lot in lots for _, y, _, h in lot.rects})
    ways = [
        *(
            Shape(
                kind="rect",
                fill=STREET,
                x=right + 0.75,
                y=0,
                w=STREET_TILES,
                h=bottoms[-1] + STREET_TILES,
            )
            for right in rights[:-1]
        ),
        *(
            Shape(kind="rect", fill=STREET, x=0, y=bottom + 0.3, w=world.width, h=STREET_TILES)
            for bottom in bottoms
        ),
    ]
    for way in ways:
        yield replace(way, fill=KERB, x=way.x - 0.1, y=way.y - 0.1, w=way.w + 0.2, h=way.h + 0.2)
    for thing in world.objects:
        if thing.kind == "door" and thing.y + 1 in bottoms:
            yield Shape(kind="rect", fill=STREET, x=thing.x + 0.05, y=thing.y + 1, w=0.9, h=0.4)
    yield from ways


def floor(room: Place) -> Iterator[Shape]:
    fill, tiled = FLOORS.get(room.name, (FLOOR, False))
    for x, y, w, h in room.rects:
        yield Shape(kind="rect", fill=fill, x=x, y=y, w=w, h=h)
        yield from (
            Shape(kind="rect", fill=LINE, x=x, y=y + step, w=w, h=0.05) for step in range(1, h)
        )
        if tiled:
            yield from (
                Shape(kind="rect", fill=LINE, x=x + step, y=y, w=0.05, h=h) for step in range(1, w)
            )


def walls(rows: Sequence[str]) -> Iterator[Shape]:
    """Draw walls a little from the south: the face of each lower end is visible."""
    yield from (
        Shape(kind="rect", fill=WALL, x=x, y=y, w=w, h=h) for x, y, w, h in tile_rects(rows, "#")
    )
    below = [*rows[1:], "." * len(rows[0])] if rows else []
    faces = [
        "".join(
            "#" if wall == "#" != under else "." for wall, under in zip(row, beneath, strict=True)
        )
        for row, beneath in zip(rows, below, strict=True)
    ]
    yield from (
        Shape(kind="rect", fill=WALL_FACE, x=x, y=y + h - 0.3, w=w, h=0.3)
        for x, y, w, h in tile_rects(faces, "#")
    )


def furniture(things: Sequence[RecordedObject]) -> Iterator[Shape]:
    for kind, rings in WATERS.items():
        for place in sorted({thing.place or "" for thing in things if thing.kind == kind}):
            tiles = [
                (thing.x, thing.y)
                for thing in things
                if thing.kind == kind and (thing.place or "") == place
            ]
            (left, right), (top, bottom) = (
                (min(side), max(side) + 1) for side in zip(*tiles, strict=True)
            )
            for fill, share in rings:
                yield Shape(
                    kind="circle",
                    fill=fill,
                    x=(left + right) / 2,
                    y=(top + bottom) / 2,
                    r=share * (right - left + 0.3) / 2,
                )
    for thing in things:
        if thing.kind not in WATERS:
            baked = thing.kind == "display shelf" and (thing.place or "").startswith("bakery")
            for shape in _looks().get(
                thing.kind, (Shape(kind="rect", fill=WOOD, x=0.12, y=0.12, w=0.76, h=0.76),)
            ):
                fill = BREAD if baked and shape.kind == "circle" else shape.fill
                yield replace(
                    shape, fill=fill, x=round(thing.x + shape.x, 3), y=round(thing.y + shape.y, 3)
                )


@functools.cache
def _looks() -> dict[str, tuple[Shape, ...]]:
    return {
        kind: tuple(
            Shape(kind="circle", fill=fill, x=x, y=y, r=size[0])
            if len(size) == 1
            else Shape(kind="rect", fill=fill, x=x, y=y, w=size[0], h=size[1])
            for fill, x, y, *size in parts
        )
        for kind, parts in town_data("furniture_looks.yaml").items()
    }
