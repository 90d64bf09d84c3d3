"""The look of a recording, as plain data.

A world's `draw` describes a recording once as a `Scene`: the static shapes, and a sprite for each
actor. `display_list` lists the shapes on screen at a moment: primitives in tiles, drawn by the
canvas painter in the browser and by the video rasteriser alike. The browser has the same function
(`players/replay/scene.js`); a test holds the two equal.

Maps of tiles: equal tiles joined into few rectangles, and what can be seen between walls
(`players/replay/sight.js`).
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

from believable.recordings.recording import UNITS_PER_TILE, Recording, Scalar, State, Track

#: One ray per this number of degrees.
STEP_DEG = 1.0


def tile_rects(rows: Sequence[Sequence[str]], tile: str) -> tuple[tuple[int, int, int, int], ...]:
    """(x, y, width, height) rectangles that cover every such tile exactly once: runs in a row,
    equal runs of rows joined.
    """
    open_runs: dict[tuple[int, int], int] = {}
    rects: list[tuple[int, int, int, int]] = []
    for y, row in enumerate([*rows, ""]):
        runs = _runs(row, tile)
        for run in [run for run in open_runs if run not in runs]:
            top = open_runs.pop(run)
            rects.append((run[0], top, run[1], y - top))
        for run in runs:
            open_runs.setdefault(run, y)
    return tuple(sorted(rects, key=lambda rect: (rect[1], rect[0])))


def _runs(row: Sequence[str], tile: str) -> set[tuple[int, int]]:
    runs: set[tuple[int, int]] = set()
    x = 0
    for value, group in groupby(row):
        length = len(list(group))
        if value == tile:
            runs.add((x, length))
        x += length
    return runs


def sight(
    walls: Sequence[str], x: float, y: float, r: float, from_deg: float, to_deg: float
) -> tuple[tuple[float, float], ...]:
    """The part of a sector that no wall hides, in tiles: its tip, then the end of each ray."""
    count = max(1, math.ceil((to_deg - from_deg) / STEP_DEG))
    points = [(x, y)]
    for number in range(count + 1):
        angle = math.radians(from_deg + (to_deg - from_deg) * number / count)
        dx, dy = math.cos(angle), math.sin(angle)
        far = reach(walls, x, y, dx, dy, r)
        points.append((x + far * dx, y + far * dy))
    return tuple(points)


def reach(walls: Sequence[str], x: float, y: float, dx: float, dy: float, r: float) -> float:
    """How far a ray gets before it meets a wall, `r` at most: from tile to tile, to the nearest
    border each time.
    """
    column, row = math.floor(x), math.floor(y)
    step_x, step_y = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    per_x = math.inf if dx == 0 else abs(1 / dx)
    per_y = math.inf if dy == 0 else abs(1 / dy)
    next_x = math.inf if dx == 0 else ((column + 1 - x) if dx > 0 else (x - column)) * per_x
    next_y = math.inf if dy == 0 else ((row + 1 - y) if dy > 0 else (y - row)) * per_y
    while True:
        if next_x < next_y:
            far, column, next_x = next_x, column + step_x, next_x + per_x
        else:
            far, row, next_y = next_y, row + step_y, next_y + per_y
        if far >= r:
            return r
        inside = 0 <= row < len(walls) and 0 <= column < len(walls[0])
        if not inside or walls[row][column] == "#":
            return far


#: A move longer than this in one frame is a jump (a round was reset), not a movement to be
#: smoothed.
JUMP_TILES = 1.5
#: Half the width of a letter of a name, in heights of the line.
HALF_LETTER = 0.28


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A primitive in tiles. Colours are `#rrggbb` or `#rrggbbaa`. In a sprite, x points where the
    actor looks.

    `rect` (x, y, w, h) · `circle` (x, y, r) · `poly` (points) · `sector` (x, y, r, from_deg,
    to_deg) · `view` (r, from_deg, to_deg; the part of the sector around the actor that the scene's
    walls do not hide; placed, it is a `star`: a polygon whose first point sees all the others) ·
    `text` (x, y, text, size; left out when wider than w, if w is given; `halo` is a colour around
    its letters) · `bubble` (x, y of its foot, text, size) · `bar` (x, y, w, h; filled to the share
    `state`/`full`).
    """

    kind: str
    fill: str
    x: float = 0.0
    y: float = 0.0
    w: float = 0.0
    h: float = 0.0
    r: float = 0.0
    from_deg: float = 0.0
    to_deg: float = 360.0
    points: tuple[tuple[float, float], ...] = ()
    text: str = ""
    size: float = 0.0
    state: str = ""
    full: float = 1.0
    turns: bool = True
    halo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprite:
    """How one actor is drawn. `shown_when` names a state that must be truthy; of `bubbles`, the
    first state that is set is shown above the actor.
    """

    actor: str
    shapes: tuple[Shape, ...]
    label: str = ""
    bubbles: tuple[str, ...] = ()
    shown_when: str = ""


@dataclass(frozen=True, slots=True)
class Readout:
    """Text that a page writes next to or over the picture. `score`: the value of an actor's state
    next to the page's text `text`. `left`: the time that is left. `news`: the text that is called
    `text` + value of the state, large over the picture.
    """

    kind: str
    text: str
    actor: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A recording's looks. `ground` lies below the actors, `above` over them. `left` and `top` are
    the tile the picture begins with where the world has an empty rim. `walls` limit a `view`.
    `readouts` are written by pages, in the participant's language; films have none.
    """

    width: float
    height: float
    background: str
    ground: tuple[Shape, ...]
    sprites: tuple[Sprite, ...]
    above: tuple[Shape, ...] = ()
    left: float = 0.0
    top: float = 0.0
    walls: tuple[str, ...] = ()
    readouts: tuple[Readout, ...] = ()


@dataclass(frozen=True, slots=True)
class Pose:
    x: float
    y: float
    heading_deg: float


def scene_tree(scene: Scene) -> dict[str, Any]:
    """The scene as JSON values, defaults left out: the browser receives it with the recording."""
    return {
        "width": scene.width,
        "height": scene.height,
        "left": scene.left,
        "top": scene.top,
        "background": scene.background,
        "ground": [_shape_tree(shape) for shape in scene.ground],
        "sprites": [
            asdict(sprite) | {"shapes": [_shape_tree(shape) for shape in sprite.shapes]}
            for sprite in scene.sprites
        ],
        "above": [_shape_tree(shape) for shape in scene.above],
        **({"walls": list(scene.walls)} if scene.walls else {}),
        **({"readouts": [asdict(readout) for readout in scene.readouts]} if scene.readouts else {}),
    }


def display_list(scene: Scene, recording: Recording, t_ms: float) -> list[Shape]:
    """Everything to paint at a moment of recording time, bottom first, in tiles; all shapes placed
    and turned.
    """
    tracks = {track.actor: track for track in recording.tracks}
    frame = min(max(t_ms / recording.timing.frame_ms, 0.0), recording.timing.frames - 1)
    placed: list[Shape] = []
    words: list[Shape] = []
    for sprite in scene.sprites:
        track = tracks.get(sprite.actor)
        pose = None if track is None else pose_at(track, frame)
        if track is None or pose is None or not _is_shown(sprite, track, frame):
            continue
        placed += [_place(shape, pose, track, frame, scene.walls) for shape in sprite.shapes]
        words += _words(sprite, pose, track, frame)
    return [*scene.ground, *placed, *scene.above, *_stack(words)]


def _stack(words: list[Shape]) -> list[Shape]:
    """Names that would overlap are placed one below the other, the topmost actor's name first."""
    names: list[Shape] = []
    moved: list[Shape] = []
    for word in reversed(words):
        if word.kind == "text":
            while any(_touch(name, word) for name in names):
                word = replace(word, y=word.y + word.size)
            names.append(word)
        moved.append(word)
    return moved[::-1]


def _touch(name: Shape, other: Shape) -> bool:
    letters = len(name.text) + len(other.text)
    return (
        abs(name.y - other.y) < 0.9 * other.size
        and abs(name.x - other.x) < HALF_LETTER * other.size * letters
    )


def pose_at(track: Track, frame: float) -> Pose | None:
    """Where the actor is at a (fractional) frame, moving evenly between frames; None while it is
    not there.
    """
    at = frame - track.first_frame
    if at < 0 or at > len(track.x) - 1 + 1e-9:
        return None
    low = min(int(at), len(track.x) - 1)
    high = min(low + 1, len(track.x) - 1)
    share = at - low
    dx, dy = track.x[high] - track.x[low], track.y[high] - track.y[low]
    if math.hypot(dx, dy) > JUMP_TILES * UNITS_PER_TILE:
        dx = dy = 0
    heading = 0.0
    if track.heading:
        turn = (track.heading[high] - track.heading[low] + 180) % 360 - 180
        heading = (track.heading[low] + turn * share) % 360
    return Pose(
        (track.x[low] + dx * share) / UNITS_PER_TILE,
        (track.y[low] + dy * share) / UNITS_PER_TILE,
        heading,
    )


def state_at(track: Track, key: str, frame: float) -> Scalar:
    """The value of a state at a frame; None before it was first set."""
    value: Scalar = None
    for state in _up_to(track, frame):
        if state.key == key:
            value = state.value
    return value


def _up_to(track: Track, frame: float) -> tuple[State, ...]:
    return track.states[: bisect.bisect_right(track.states, frame, key=lambda state: state.frame)]


def _is_shown(sprite: Sprite, track: Track, frame: float) -> bool:
    return not sprite.shown_when or bool(state_at(track, sprite.shown_when, frame))


def _place(shape: Shape, pose: Pose, track: Track, frame: float, walls: tuple[str, ...]) -> Shape:
    angle = math.radians(pose.heading_deg) if shape.turns else 0.0
    cos, sin = math.cos(angle), math.sin(angle)

    def move_point(x: float, y: float) -> tuple[float, float]:
        return pose.x + x * cos - y * sin, pose.y + x * sin + y * cos

    if shape.kind == "bar":
        value = state_at(track, shape.state, frame)
        share = min(max(float(value or 0) / shape.full, 0.0), 1.0)
        return Shape(
            kind="rect",
            fill=shape.fill,
            x=pose.x + shape.x,
            y=pose.y + shape.y,
            w=shape.w * share,
            h=shape.h,
        )
    if shape.kind == "view":
        turn = pose.heading_deg if shape.turns else 0.0
        seen = sight(walls, pose.x, pose.y, shape.r, shape.from_deg + turn, shape.to_deg + turn)
        return Shape(kind="star", fill=shape.fill, points=seen)
    if shape.kind == "rect":
        x, y, w, h = shape.x, shape.y, shape.w, shape.h
        corners = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
        return Shape(
            kind="poly", fill=shape.fill, points=tuple(move_point(*corner) for corner in corners)
        )
    if shape.kind == "poly":
        return Shape(
            kind="poly", fill=shape.fill, points=tuple(move_point(*point) for point in shape.points)
        )
    x, y = move_point(shape.x, shape.y)
    if shape.kind == "sector":
        turn = pose.heading_deg if shape.turns else 0.0
        return Shape(
            kind="sector",
            fill=shape.fill,
            x=x,
            y=y,
            r=shape.r,
            from_deg=shape.from_deg + turn,
            to_deg=shape.to_deg + turn,
        )
    return Shape(
        kind=shape.kind, fill=shape.fill, x=x, y=y, r=shape.r, text=shape.text, size=shape.size
    )


def _words(sprite: Sprite, pose: Pose, track: Track, frame: float) -> Iterator[Shape]:
    if sprite.label:
        yield Shape(
            kind="text",
            fill="#26303a",
            x=pose.x,
            y=pose.y + 1.1,
            text=sprite.label,
            size=0.8,
            halo="#ffffffb3",
        )
    said = next((value for key in sprite.bubbles if (value := state_at(track, key, frame))), None)
    if said is not None:
        yield Shape(
            kind="bubble", fill="#ffffff", x=pose.x, y=pose.y - 0.8, text=str(said), size=0.8
        )


def _shape_tree(shape: Shape) -> dict[str, Any]:
    tree = asdict(shape)
    return {
        name: value
        for name, value in tree.items()
        if name in ("kind", "fill") or value != _DEFAULTS[name]
    }


_DEFAULTS: Mapping[str, Any] = asdict(Shape(kind="", fill=""))
