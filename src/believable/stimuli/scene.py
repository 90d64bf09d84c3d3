"""The places of the demonstration clips: seen from above, drawn with soft edges into RGB arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

WIDTH_PX = 640
HEIGHT_PX = 360
CELL_PX = 20
COLUMNS = WIDTH_PX // CELL_PX
ROWS = HEIGHT_PX // CELL_PX

Picture = NDArray[np.float32]
Colour = tuple[int, int, int]

#: A mover keeps this far from walls, so that its body never overlaps them.
CLEARANCE_PX = 16.0


@dataclass(frozen=True, slots=True)
class Box:
    """A solid thing with rounded corners: left, top, width, height."""

    x: float
    y: float
    w: float
    h: float
    corner: float = 8.0


@dataclass(frozen=True, slots=True)
class Place:
    """One scenario: its floor, its walls, and the colours that make it recognisable."""

    floor: Colour
    groove: Colour
    solid: Colour
    accent: Colour
    boxes: tuple[Box, ...]


PLACES: Mapping[str, Place] = MappingProxyType(
    {
        "atrium": Place(
            (233, 226, 214), (221, 212, 197), (158, 120, 93), (94, 161, 178),
            (
                Box(270, 130, 100, 100, 50), Box(100, 70, 40, 40, 20), Box(500, 70, 40, 40, 20),
                Box(100, 250, 40, 40, 20), Box(500, 250, 40, 40, 20), Box(200, 20, 40, 80), Box(400, 260, 40, 80),
            ),
        ),
        "garden": Place(
            (205, 222, 180), (194, 213, 167), (86, 130, 84), (120, 176, 201),
            (
                Box(60, 60, 180, 30, 15), Box(400, 60, 180, 30, 15), Box(60, 270, 180, 30, 15),
                Box(400, 270, 180, 30, 15), Box(250, 145, 140, 70, 35), Box(120, 150, 60, 60, 30), Box(460, 150, 60, 60, 30),
            ),
        ),
        "harbour": Place(
            (201, 208, 214), (188, 196, 204), (171, 96, 74), (70, 112, 146),
            (
                Box(60, 60, 120, 50, 4), Box(240, 40, 50, 120, 4), Box(360, 60, 120, 50, 4), Box(540, 60, 50, 110, 4),
                Box(60, 200, 50, 110, 4), Box(170, 250, 140, 50, 4), Box(370, 180, 60, 130, 4), Box(490, 250, 90, 60, 4),
            ),
        ),
        "library": Place(
            (226, 213, 196), (215, 200, 180), (111, 78, 60), (186, 74, 62),
            (
                Box(80, 60, 30, 100, 4), Box(80, 210, 30, 100, 4), Box(190, 40, 30, 100, 4), Box(190, 190, 30, 120, 4),
                Box(420, 60, 30, 120, 4), Box(420, 230, 30, 90, 4), Box(530, 60, 30, 100, 4), Box(530, 210, 30, 100, 4),
                Box(280, 150, 80, 60, 14),
            ),
        ),
    }
)  # fmt: skip


def free_cells(place: Place) -> NDArray[np.bool_]:
    """Which cells a mover's centre may stand on, as a `ROWS` × `COLUMNS` grid."""
    y, x = np.mgrid[0:ROWS, 0:COLUMNS].astype(np.float32) * CELL_PX + CELL_PX / 2
    free = (
        (x > CLEARANCE_PX)
        & (x < WIDTH_PX - CLEARANCE_PX)
        & (y > CLEARANCE_PX)
        & (y < HEIGHT_PX - CLEARANCE_PX)
    )
    for box in place.boxes:
        free &= _distance_to(box, x, y) > CLEARANCE_PX
    return np.asarray(free, np.bool_)


def draw_place(place: Place) -> Picture:
    """The empty scene, 0–255, `HEIGHT_PX` × `WIDTH_PX` × 3."""
    y, x = np.mgrid[0:HEIGHT_PX, 0:WIDTH_PX].astype(np.float32)
    picture = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.float32)
    picture[:] = place.floor
    on_groove = (x % (2 * CELL_PX) < 1.0) | (y % (2 * CELL_PX) < 1.0)
    picture[on_groove] = place.groove
    light = 1.0 - 0.16 * np.hypot((x - WIDTH_PX / 2) / WIDTH_PX, (y - HEIGHT_PX / 2) / HEIGHT_PX)
    picture *= light[..., None]
    for box in place.boxes:
        _blend(picture, 0.28 * _cover(_distance_to(box, x - 5, y - 7), soft_px=9.0), (30, 30, 40))
    for number, box in enumerate(place.boxes):
        outside = _distance_to(box, x, y)
        _blend(picture, _cover(outside), _shade(place.solid, 0.82))
        _blend(
            picture, _cover(_distance_to(box, x, y + 3) + 2.0), place.accent if number == 0 else place.solid
        )
        _blend(picture, 0.25 * _cover(np.abs(outside + 6.0) - 1.0), (255, 255, 255))
    return picture


def disc(
    picture: Picture,
    x: float,
    y: float,
    radius_px: float,
    colour: Colour,
    *,
    opacity: float = 1.0,
    soft_px: float = 1.0,
) -> None:
    """Paint a filled circle onto `picture`, touching only the pixels around it."""
    reach = int(radius_px + soft_px + 2)
    left, top = max(0, int(x) - reach), max(0, int(y) - reach)
    part = picture[top : int(y) + reach + 1, left : int(x) + reach + 1]
    if part.size == 0:
        return
    rows, columns = np.mgrid[0 : part.shape[0], 0 : part.shape[1]].astype(np.float32)
    distance = np.hypot(columns + (left - x), rows + (top - y)) - radius_px
    _blend(part, opacity * _cover(distance, soft_px=soft_px), colour)


def _distance_to(box: Box, x: Picture, y: Picture) -> Picture:
    """Signed distance to the outline, negative inside."""
    corner = min(box.corner, box.w / 2, box.h / 2)
    across = np.abs(x - (box.x + box.w / 2)) - (box.w / 2 - corner)
    down = np.abs(y - (box.y + box.h / 2)) - (box.h / 2 - corner)
    outside = np.hypot(np.maximum(across, 0), np.maximum(down, 0))
    return np.asarray(outside + np.minimum(np.maximum(across, down), 0) - corner, np.float32)


def _cover(distance: Picture, *, soft_px: float = 1.0) -> Picture:
    return np.asarray(np.clip(0.5 - distance / soft_px, 0.0, 1.0), np.float32)


def _blend(picture: Picture, cover: Picture, colour: Colour) -> None:
    picture += cover[..., None] * (np.array(colour, np.float32) - picture)


def _shade(colour: Colour, factor: float) -> Colour:
    return (int(colour[0] * factor), int(colour[1] * factor), int(colour[2] * factor))
