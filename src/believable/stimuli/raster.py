"""Pictures from display lists: the same shapes the browser's canvas paints, with soft edges, as RGB
arrays.

Own code because it is small: every shape is a signed distance, and a pixel is covered by how far it
lies inside. `render` turns recordings into videos this way, side by side in processes; each appears
whole or not at all.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput, MissingExtra
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, Shape, display_list

if TYPE_CHECKING:
    from PIL import ImageFont

Pixels = NDArray[np.float32]
#: Left, top, width, height.
PixelBox: TypeAlias = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """What part of the world fills the picture: its centre in tiles, and pixels per tile."""

    x: float
    y: float
    px_per_tile: float
    width_px: int
    height_px: int


def whole_world(scene: Scene, width_px: int, height_px: int) -> Camera:
    """The camera that just shows everything. Tiles are whole pixels if possible, so that neighbours
    meet without a seam.
    """
    scale = min(width_px / scene.width, height_px / scene.height)
    whole = math.floor(scale) if scale >= 4 else scale
    return Camera(
        x=scene.left + scene.width / 2,
        y=scene.top + scene.height / 2,
        px_per_tile=whole,
        width_px=width_px,
        height_px=height_px,
    )


class Rasteriser:
    """Paints one recording. Static shapes are painted once."""

    def __init__(self, scene: Scene, replay: Recording, camera: Camera) -> None:
        self._scene, self._replay, self._camera = scene, replay, camera
        empty = np.empty((camera.height_px, camera.width_px, 3), np.float32)
        empty[:] = _rgb(scene.background)
        self._ground = paint(empty, scene.ground, camera)
        self._names = _name_boxes(scene.ground, camera)

    def picture(self, t_ms: float) -> NDArray[np.uint8]:
        """The frame at a moment of replay time, height × width × 3."""
        moving = display_list(self._scene, self._replay, t_ms)[len(self._scene.ground) :]
        painted = paint(self._ground.copy(), moving, self._camera, self._names)
        return np.clip(np.rint(painted), 0, 255).astype(np.uint8)


def paint(
    pixels: Pixels, shapes: Iterable[Shape], camera: Camera, names: Sequence[PixelBox] = ()
) -> Pixels:
    """Paint the shapes onto `pixels`, in place, and return it. Bubbles keep clear of each other and
    of names: of `names`, painted before, and of those among the shapes.
    """
    listed = list(shapes)
    boxes = (
        [*names, *_name_boxes(listed, camera)]
        if any(shape.kind == "bubble" for shape in listed)
        else []
    )
    for shape in listed:
        if shape.kind in ("text", "bubble"):
            _paint_words(pixels, shape, camera, boxes)
        else:
            _paint_shape(pixels, shape, camera)
    return pixels


def _paint_shape(pixels: Pixels, shape: Shape, camera: Camera) -> None:
    scale = camera.px_per_tile
    left_px, top_px = _origin(camera)

    def at(x: float, y: float) -> tuple[float, float]:
        return left_px + x * scale, top_px + y * scale

    if shape.kind == "rect":
        (x0, y0), (x1, y1) = at(shape.x, shape.y), at(shape.x + shape.w, shape.y + shape.h)
        _blend_rect(pixels, (x0, y0, x1, y1), shape.fill)
    elif shape.kind in ("poly", "star"):
        points = [at(x, y) for x, y in shape.points]
        inside = _in_star if shape.kind == "star" else _in_polygon
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        _blend_where(
            pixels,
            (min(xs), min(ys), max(xs), max(ys)),
            shape.fill,
            lambda x, y: inside(points, x, y),
        )
    else:
        (x, y), r = at(shape.x, shape.y), shape.r * scale
        distance = _sector(x, y, r, shape) if shape.kind == "sector" else _disc(x, y, r)
        _blend_where(pixels, (x - r, y - r, x + r, y + r), shape.fill, distance)


def _origin(camera: Camera) -> tuple[int, int]:
    """Where the world's corner lies in the picture, on a whole pixel."""
    scale = camera.px_per_tile
    left, top = camera.width_px / 2 - camera.x * scale, camera.height_px / 2 - camera.y * scale
    return math.floor(left + 0.5), math.floor(top + 0.5)


Distance = Callable[[Pixels, Pixels], Pixels]


def _blend_where(
    pixels: Pixels, box: tuple[float, float, float, float], fill: str, distance: Distance
) -> None:
    """Blend `fill` over the part of the picture inside `box`, as far as each pixel's centre lies
    inside the shape.
    """
    x0, y0 = max(0, math.floor(box[0]) - 1), max(0, math.floor(box[1]) - 1)
    part = pixels[y0 : math.ceil(box[3]) + 1, x0 : math.ceil(box[2]) + 1]
    if box[2] < 0 or box[3] < 0 or part.size == 0:
        return
    y, x = np.mgrid[0 : part.shape[0], 0 : part.shape[1]].astype(np.float32)
    cover = np.clip(0.5 - distance(x + np.float32(x0 + 0.5), y + np.float32(y0 + 0.5)), 0.0, 1.0)
    part += (cover * _alpha(fill))[..., None] * (_rgb(fill) - part)


def _blend_rect(pixels: Pixels, box: tuple[float, float, float, float], fill: str) -> None:
    """An upright rectangle: each edge pixel is covered by exactly its share."""
    height, width = pixels.shape[:2]
    across = _coverage(width, box[0], box[2])
    down = _coverage(height, box[1], box[3])
    xs, ys = np.flatnonzero(across), np.flatnonzero(down)
    if not len(xs) or not len(ys):
        return
    part = pixels[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]
    cover = np.outer(down[ys[0] : ys[-1] + 1], across[xs[0] : xs[-1] + 1])
    part += (cover * _alpha(fill))[..., None] * (_rgb(fill) - part)


def _coverage(count: int, low: float, high: float) -> NDArray[np.float32]:
    edges = np.arange(count + 1, dtype=np.float64)
    inside = np.clip(edges, low, high)
    return np.diff(inside).astype(np.float32)


def _disc(cx: float, cy: float, r: float) -> Distance:
    return lambda x, y: np.asarray(np.hypot(x - np.float32(cx), y - np.float32(cy)) - np.float32(r))


def _sector(cx: float, cy: float, r: float, shape: Shape) -> Distance:
    """A slice of a disc, clockwise from `from_deg` to `to_deg` (y points down)."""
    span = shape.to_deg - shape.from_deg

    def distance(x: Pixels, y: Pixels) -> Pixels:
        round_part = _disc(cx, cy, r)(x, y)
        if span >= 360:
            return round_part
        after_start = -_side(shape.from_deg, x - np.float32(cx), y - np.float32(cy))
        before_end = _side(shape.to_deg, x - np.float32(cx), y - np.float32(cy))
        join = np.maximum if span <= 180 else np.minimum
        return np.asarray(np.maximum(round_part, join(after_start, before_end)))

    return distance


def _side(angle_deg: float, x: Pixels, y: Pixels) -> Pixels:
    """Signed distance from a ray's line, positive clockwise of it."""
    angle = math.radians(angle_deg)
    return np.asarray(np.float32(math.cos(angle)) * y - np.float32(math.sin(angle)) * x)


def _in_polygon(points: list[tuple[float, float]], x: Pixels, y: Pixels) -> Pixels:
    """Signed distance to a convex polygon: the farthest of its edges' half-planes."""
    area = sum(
        x0 * y1 - x1 * y0
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True)
    )
    sign = 1.0 if area >= 0 else -1.0
    far = np.full_like(x, -np.inf)
    for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        if length:
            nx, ny = sign * (y1 - y0) / length, -sign * (x1 - x0) / length
            far = np.maximum(
                far, (x - np.float32(x0)) * np.float32(nx) + (y - np.float32(y0)) * np.float32(ny)
            )
    return far


def _in_star(points: list[tuple[float, float]], x: Pixels, y: Pixels) -> Pixels:
    """Signed distance to a polygon whose first point, the tip, sees all the others, which lie in
    order around it.
    """
    (cx, cy), rim = points[0], np.asarray(points[1:], np.float64)
    away = rim - (cx, cy)
    turned = np.unwrap(np.arctan2(away[:, 1], away[:, 0]))
    angle = np.arctan2(y - cy, x - cx)
    angle = turned[0] + np.mod(angle - turned[0], 2 * math.pi)
    # Beside the star the nearer of its two straight edges counts.
    angle = np.where(angle > (turned[-1] + turned[0]) / 2 + math.pi, angle - 2 * math.pi, angle)
    piece = np.clip(np.searchsorted(turned, angle, side="right") - 1, 0, len(rim) - 2)
    start, edge = rim[piece], np.diff(rim, axis=0)[piece]
    length = np.maximum(np.hypot(edge[..., 0], edge[..., 1]), 1e-9)
    beyond = ((x - start[..., 0]) * edge[..., 1] - (y - start[..., 1]) * edge[..., 0]) / length
    before = _side(math.degrees(turned[0]), x - np.float32(cx), y - np.float32(cy))
    after = _side(math.degrees(turned[-1]), x - np.float32(cx), y - np.float32(cy))
    wide = turned[-1] - turned[0] > math.pi
    beside = (np.minimum if wide else np.maximum)(-before, after)
    return np.asarray(np.maximum(beyond, beside), np.float32)


# ------------------------------------------------------------------------------------------ words


def _name_boxes(shapes: Iterable[Shape], camera: Camera) -> list[PixelBox]:
    """Positions of texts."""
    scale, (left_px, top_px) = camera.px_per_tile, _origin(camera)
    boxes = []
    for shape in shapes:
        if shape.kind != "text":
            continue
        cover = _words(shape.text, max(11, round(shape.size * scale)), False)[1]
        if not shape.w or cover.shape[1] <= shape.w * scale:
            height, width = cover.shape
            boxes.append(
                (
                    left_px + shape.x * scale - width / 2,
                    top_px + shape.y * scale - height / 2,
                    width,
                    height,
                )
            )
    return boxes


def bubble_place(
    foot: tuple[float, float],
    size: tuple[int, int],
    scale: float,
    names: Sequence[PixelBox],
    room: tuple[int, int],
) -> tuple[int, int]:
    """Left and top: above the figure, unless that covers a name; then below, right or left of it,
    wherever it covers least. The browser's painter does the same (`bubblePlace`).
    """
    (x, y), (w, h) = foot, size
    middles = (
        (x, y - h / 2),
        (x, y + 2.4 * scale + h / 2),
        (x + scale + w / 2, y + 0.8 * scale),
        (x - scale - w / 2, y + 0.8 * scale),
    )
    places = [
        (_within(across, w, room[0]) - w / 2, _within(down, h, room[1]) - h / 2)
        for across, down in middles
    ]
    left, top = min(
        places, key=lambda place: sum(_shared_pixels((*place, w, h), name) for name in names)
    )
    return round(left), round(top)


def _within(middle: float, length: float, room: int) -> float:
    return room / 2 if length >= room else min(max(middle, length / 2), room - length / 2)


def _shared_pixels(a: PixelBox, b: PixelBox) -> float:
    """How many pixels two boxes share."""
    across = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    down = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0.0


def _paint_words(pixels: Pixels, shape: Shape, camera: Camera, names: list[PixelBox]) -> None:
    size_px = max(11, round(shape.size * camera.px_per_tile))
    words, cover = _words(shape.text, size_px, shape.kind == "bubble")
    if shape.w and words.shape[1] > shape.w * camera.px_per_tile:
        return
    left_px, top_px = _origin(camera)
    x = left_px + shape.x * camera.px_per_tile - cover.shape[1] / 2
    rise = 1.0 if shape.kind == "bubble" else 0.5
    y = top_px + shape.y * camera.px_per_tile - cover.shape[0] * rise
    left, top = round(x), round(y)
    if shape.kind == "bubble":
        foot = left_px + shape.x * camera.px_per_tile, top_px + shape.y * camera.px_per_tile
        size, room = (cover.shape[1], cover.shape[0]), (pixels.shape[1], pixels.shape[0])
        if not all(
            -camera.px_per_tile <= at <= most + camera.px_per_tile
            for at, most in zip(foot, room, strict=True)
        ):
            return  # an invisible actor
        left, top = bubble_place(foot, size, camera.px_per_tile, names, room)
        names.append((left, top, *size))
    x0, y0 = max(0, left), max(0, top)
    part = pixels[y0 : max(0, top + cover.shape[0]), x0 : max(0, left + cover.shape[1])]
    if part.size == 0:
        return
    rows, columns = (
        slice(y0 - top, y0 - top + part.shape[0]),
        slice(x0 - left, x0 - left + part.shape[1]),
    )
    if shape.kind == "bubble":
        part += 0.92 * (_rgb(shape.fill) - part)
    if shape.halo:
        part += (
            _around(words, size_px // 8)[rows, columns, None]
            * _alpha(shape.halo)
            * (_rgb(shape.halo) - part)
        )
    ink = _rgb("#26303a" if shape.kind == "bubble" else shape.fill)
    part += words[rows, columns, None] * (ink - part)


def _around(words: Pixels, reach: int) -> Pixels:
    """The letters, and the pixels within this distance of them."""
    rows, columns = words.shape
    wide = np.pad(words, reach)
    steps = range(2 * reach + 1)
    shifted: Pixels = np.maximum.reduce(
        [wide[y : y + rows, x : x + columns] for y in steps for x in steps]
    )
    return shifted


def _pillow() -> tuple[Any, Any, Any]:
    """The parts of Pillow that draw text: an optional part, which a server and a study without
    films do not need.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(what="writing text into pictures", extra="video") from None
    return Image, ImageDraw, ImageFont


@functools.lru_cache(maxsize=512)
def _words(text: str, size_px: int, in_bubble: bool) -> tuple[Pixels, Pixels]:
    """Ink coverage of a line of text, and an array of its size; a bubble has room around it and
    breaks long lines.
    """
    Image, ImageDraw, ImageFont = _pillow()
    font = ImageFont.load_default(size_px)
    shown = _in_lines(_drawable(text, font), 36) if in_bubble else text
    left, top, right, bottom = ImageDraw.Draw(Image.new("L", (1, 1))).multiline_textbbox(
        (0, 0), shown, font=font
    )
    margin = size_px // 2 if in_bubble else 1
    image = Image.new(
        "L", (math.ceil(right - left) + 2 * margin, math.ceil(bottom - top) + 2 * margin), 0
    )
    ImageDraw.Draw(image).multiline_text((margin - left, margin - top), shown, fill=255, font=font)
    cover = np.asarray(image, np.float32) / np.float32(255)
    return cover, np.ones_like(cover)


def _drawable(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> str:
    """The text without characters that the font cannot draw (emoji); never empty, so that the
    bubble still shows that an actor spoke.
    """
    missing = bytes(font.getmask("\U0010fffd"))
    kept = "".join(
        c for c in text if c.isspace() or c.isascii() or bytes(font.getmask(c)) != missing
    )
    return kept.strip() or "…"


def _in_lines(text: str, width: int) -> str:
    lines: list[str] = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines[:4])


@functools.lru_cache(maxsize=256)
def _rgb(colour: str) -> Pixels:
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.float32)


def _alpha(colour: str) -> np.float32:
    return np.float32(int(colour[7:9], 16) / 255 if len(colour) == 9 else 1.0)


def watermark(text: str, width_px: int, height_px: int) -> NDArray[np.uint8]:
    """Half-transparent white with a dark rim, so that it reads on any ground; RGBA, even sides, for
    a frame of this size.
    """
    Image, ImageDraw, ImageFont = _pillow()
    font = ImageFont.load_default(max(10, height_px // 28))
    left, top, right, bottom = ImageDraw.Draw(Image.new("L", (1, 1))).textbbox(
        (0, 0), text, font=font, stroke_width=2
    )
    size = tuple(2 * math.ceil(side / 2) for side in (right - left, bottom - top))
    if size[0] > width_px or min(size) < 2:
        raise InvalidInput(
            f"watermark: {text!r} needs {size[0]} pixels of {width_px}. Write fewer words or choose"
            " a larger size."
        )
    image = Image.new("RGBA", size, (0, 0, 0, 0))
    ImageDraw.Draw(image).text(
        (-left, -top),
        text,
        font=font,
        fill=(255, 255, 255, 150),
        stroke_width=2,
        stroke_fill=(0, 0, 0, 110),
    )
    return np.asarray(image)
