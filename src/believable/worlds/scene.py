"""What a recording looks like, as plain data.

A world's `draw` describes a recording once as a `Scene`: what stands still, and a sprite for each actor. `display_list`
says what is on screen at a moment: primitives in tiles, drawn by the canvas painter in the browser and by the video
rasteriser alike. The browser has the same function (`players/replay/scene.js`); a test holds the two equal.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from believable.replay.records import UNITS_PER_TILE, Replay, Scalar, State, Track
from believable.worlds.sight import sight

#: A move longer than this in one frame is a jump (a round was reset), not a movement to be smoothed.
JUMP_TILES = 1.5


@dataclass(frozen=True, slots=True)
class Shape:
    """A primitive in tiles. Colours are `#rrggbb` or `#rrggbbaa`. In a sprite, x points where the actor looks.

    `rect` (x, y, w, h) · `circle` (x, y, r) · `poly` (points) · `sector` (x, y, r, from_deg, to_deg) · `view` (r, from_deg,
    to_deg; the part of the sector around the actor that the scene's walls do not hide; placed, it is a `star`: a polygon
    whose first point sees all the others) ·
    `text` (x, y, text, size; left out when wider than w, if w is given) · `bubble` (x, y of its foot, text, size) ·
    `bar` (x, y, w, h; filled to the share `state`/`full`).
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


@dataclass(frozen=True, slots=True)
class Sprite:
    """How one actor is drawn. `shown_when` names a state that must be truthy; of `bubbles`, the first state
    that is set is shown above the actor."""

    actor: str
    shapes: tuple[Shape, ...]
    label: str = ""
    bubbles: tuple[str, ...] = ()
    shown_when: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A recording's looks. `ground` lies below the actors, `above` over them. `left` and `top` are the tile the picture begins
    with where the world has an empty rim. `walls` hide what a `view` does not reach."""

    width: float
    height: float
    background: str
    ground: tuple[Shape, ...]
    sprites: tuple[Sprite, ...]
    above: tuple[Shape, ...] = ()
    left: float = 0.0
    top: float = 0.0
    walls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pose:
    x: float
    y: float
    heading_deg: float


def scene_tree(scene: Scene) -> dict[str, Any]:
    """The scene as JSON values, defaults left out: what the browser receives beside the recording."""
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
    }


def display_list(scene: Scene, replay: Replay, t_ms: float) -> list[Shape]:
    """Everything to paint at a moment of replay time, bottom first, in tiles; all shapes placed and turned."""
    tracks = {track.actor: track for track in replay.tracks}
    frame = min(max(t_ms / replay.timing.frame_ms, 0.0), replay.timing.frames - 1)
    placed: list[Shape] = []
    words: list[Shape] = []
    for sprite in scene.sprites:
        track = tracks.get(sprite.actor)
        pose = None if track is None else pose_at(track, frame)
        if track is None or pose is None or not _is_shown(sprite, track, frame):
            continue
        placed += [_place(shape, pose, track, frame, scene.walls) for shape in sprite.shapes]
        words += _words(sprite, pose, track, frame)
    return [*scene.ground, *placed, *scene.above, *words]


def pose_at(track: Track, frame: float) -> Pose | None:
    """Where the actor is at a (fractional) frame, moving evenly between frames; None while it is not there."""
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
        (track.x[low] + dx * share) / UNITS_PER_TILE, (track.y[low] + dy * share) / UNITS_PER_TILE, heading
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

    def moved(x: float, y: float) -> tuple[float, float]:
        return pose.x + x * cos - y * sin, pose.y + x * sin + y * cos

    if shape.kind == "bar":
        value = state_at(track, shape.state, frame)
        share = min(max(float(value or 0) / shape.full, 0.0), 1.0)
        return Shape("rect", shape.fill, pose.x + shape.x, pose.y + shape.y, shape.w * share, shape.h)
    if shape.kind == "view":
        turn = pose.heading_deg if shape.turns else 0.0
        seen = sight(walls, pose.x, pose.y, shape.r, shape.from_deg + turn, shape.to_deg + turn)
        return Shape("star", shape.fill, points=seen)
    if shape.kind == "rect":
        x, y, w, h = shape.x, shape.y, shape.w, shape.h
        corners = ((x, y), (x + w, y), (x + w, y + h), (x, y + h))
        return Shape("poly", shape.fill, points=tuple(moved(*corner) for corner in corners))
    if shape.kind == "poly":
        return Shape("poly", shape.fill, points=tuple(moved(*point) for point in shape.points))
    x, y = moved(shape.x, shape.y)
    if shape.kind == "sector":
        turn = pose.heading_deg if shape.turns else 0.0
        return Shape(
            "sector", shape.fill, x, y, r=shape.r, from_deg=shape.from_deg + turn, to_deg=shape.to_deg + turn
        )
    return Shape(shape.kind, shape.fill, x, y, r=shape.r, text=shape.text, size=shape.size)


def _words(sprite: Sprite, pose: Pose, track: Track, frame: float) -> Iterator[Shape]:
    if sprite.label:
        yield Shape("text", "#26303a", pose.x, pose.y + 1.1, text=sprite.label, size=0.8)
    said = next((value for key in sprite.bubbles if (value := state_at(track, key, frame))), None)
    if said is not None:
        yield Shape("bubble", "#ffffff", pose.x, pose.y - 0.8, text=str(said), size=0.8)


def _shape_tree(shape: Shape) -> dict[str, Any]:
    tree = asdict(shape)
    return {
        name: value for name, value in tree.items() if name in ("kind", "fill") or value != _DEFAULTS[name]
    }


_DEFAULTS: Mapping[str, Any] = asdict(Shape("", ""))
