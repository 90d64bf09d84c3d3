"""The maze from above: walls that throw a shadow, the player with its view, the opponent, shots,
explosions and fire.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from believable.recordings.recording import Actor, Recording
from believable.recordings.scene import Readout, Scene, Shape, Sprite, tile_rects

PLAYER_VIEW_DEG = 110.0
PLAYER_VIEW_TILES = 7.0


def draw(recording: Recording) -> Scene:
    world = recording.world
    states = {state.key for track in recording.tracks for state in track.states}
    return _scene(
        world.walls,
        recording.actors,
        _readouts(recording),
        fog="fog" in states,
        mood="furious" in states,
    )


def _scene(
    walls: tuple[str, ...],
    actors: Iterable[Actor],
    readouts: tuple[Readout, ...],
    *,
    fog: bool,
    mood: bool,
) -> Scene:
    ordered = sorted(actors, key=lambda actor: _ORDER.get(actor.role, len(_ORDER)))
    sprites = [sprite for actor in ordered for sprite in _sprites(actor, fog, mood)]
    if fog:  # the player's field of vision is light, and is below everything seen in it
        sprites = [
            *(
                Sprite(actor=actor.id, shapes=(_LIT,))
                for actor in ordered
                if actor.role == "player"
            ),
            *sprites,
        ]
    # Walls are at the bottom: no figure enters them, and bars of health are not cut off.
    ground = (
        *_shadows(walls),
        *(
            Shape(kind="rect", fill="#38434f", x=x, y=y, w=w, h=h)
            for x, y, w, h in tile_rects(walls, "#")
        ),
    )
    return Scene(
        width=len(walls[0]),
        height=len(walls),
        background=_DARK if fog else _FLOOR,
        ground=ground,
        sprites=tuple(sprites),
        walls=walls,
        readouts=readouts,
    )


def _shadows(walls: tuple[str, ...]) -> list[Shape]:
    """Where a wall ends above a floor, one strip for each run of tiles."""
    strips: list[Shape] = []
    for y, (row, below) in enumerate(pairwise(walls)):
        edges = [
            x
            for x, (tile, under) in enumerate(zip(row, below, strict=True))
            if tile == "#" != under
        ]
        for x in edges:
            if x - 1 not in edges:
                width = next(step for step in range(1, len(row) + 1) if x + step not in edges)
                strips.append(Shape(kind="rect", fill="#00000026", x=x, y=y + 1, w=width, h=0.16))
    return strips


def _readouts(recording: Recording) -> tuple[Readout, ...]:
    """What happened, in words; score and time as well where the score was kept."""
    player = next((actor.id for actor in recording.actors if actor.role == "player"), "")
    keys = {
        state.key for track in recording.tracks if track.actor == player for state in track.states
    }
    scored = (Readout("left", "play.time"), Readout("score", "play.score", player, "score"))
    return (
        *(scored if "score" in keys else ()),
        *((Readout("news", "play.", player, "news"),) if "news" in keys else ()),
    )


def live_scene(walls: tuple[str, ...], *, fog: bool = False, mood: bool = False) -> Scene:
    """The looks of a round that is being played: sprites for each role, in the order they are
    drawn.
    """
    return _scene(walls, (Actor(role, role, role) for role in _SHAPES), (), fog=fog, mood=mood)


def _sprites(actor: Actor, fog: bool, mood: bool) -> list[Sprite]:
    """An actor's figure, and over it the faces of its moods, each for the state it is called by."""
    shapes = _SHAPES.get(actor.role, _OTHER)
    figure = Sprite(
        actor=actor.id,
        shapes=tuple(shape for shape in shapes if not (fog and shape.kind == "view")),
    )
    if not mood or actor.role != "opponent":
        return [figure]
    return [
        figure,
        *(Sprite(actor=actor.id, shapes=face, shown_when=state) for state, face in _FACES.items()),
    ]


_FLOOR, _DARK = "#f4f1ea", "#9b978f"
_HALF = PLAYER_VIEW_DEG / 2
_BAR_BACK = Shape(kind="rect", fill="#00000030", x=-0.4, y=-0.62, w=0.8, h=0.1, turns=False)
_BAR = replace(_BAR_BACK, kind="bar", state="health", full=100.0)


def _spikes(fill: str, count: int, inner: float, outer: float) -> tuple[Shape, ...]:
    """A disc with pointed rays around it; each ray is a triangle, since films draw no polygons with
    dents.
    """
    rays: list[Shape] = []
    for step in range(count):
        angle, half = 2 * math.pi * step / count, math.pi / count
        corners = ((outer, angle), (0.98 * inner, angle + half), (0.98 * inner, angle - half))
        points = tuple(
            (round(r * math.cos(turn), 3), round(r * math.sin(turn), 3)) for r, turn in corners
        )
        rays.append(Shape(kind="poly", fill=fill, points=points))
    return (Shape(kind="circle", fill=fill, r=inner), *rays)


def _triangle(fill: str, *points: tuple[float, float], turns: bool = False) -> Shape:
    return Shape(kind="poly", fill=fill, points=points, turns=turns)


_SHAPES = {
    "player": (
        Shape(kind="view", fill="#f2c14e4d", r=PLAYER_VIEW_TILES, from_deg=-_HALF, to_deg=_HALF),
        Shape(kind="circle", fill="#00000028", x=0.04, y=0.07, r=0.34, turns=False),
        Shape(
            kind="poly",
            fill="#22303c",
            points=((0.1, 0.12), (0.52, 0.12), (0.52, 0.21), (0.1, 0.21)),
        ),
        Shape(
            kind="poly",
            fill="#2f6690",
            points=(
                (-0.2, -0.34),
                (0.08, -0.34),
                (0.18, -0.2),
                (0.18, 0.2),
                (0.08, 0.34),
                (-0.2, 0.34),
                (-0.28, 0.2),
                (-0.28, -0.2),
            ),
        ),
        Shape(
            kind="poly",
            fill="#24506f",
            points=((-0.2, -0.12), (0.12, -0.12), (0.12, 0.12), (-0.2, 0.12)),
        ),
        Shape(kind="circle", fill="#e8c39e", x=0.26, y=0.17, r=0.08),
        Shape(kind="circle", fill="#e8c39e", x=0.16, y=-0.28, r=0.08),
        Shape(kind="circle", fill="#e8c39e", x=0.02, r=0.17),
        Shape(kind="circle", fill="#4a3728", x=-0.04, r=0.15),
        _BAR_BACK,
        replace(_BAR, fill="#5b8c5a"),
    ),
    "opponent": (
        Shape(kind="circle", fill="#00000028", x=0.04, y=0.07, r=0.38, turns=False),
        *_spikes("#8f2d1c", 9, 0.31, 0.42),
        Shape(kind="circle", fill="#c8553d", r=0.33),
        Shape(
            kind="poly",
            fill="#3a120b",
            points=((0.2, -0.16), (0.33, -0.08), (0.33, 0.08), (0.2, 0.16)),
        ),
        Shape(kind="poly", fill="#ffffff", points=((0.22, -0.12), (0.31, -0.07), (0.22, -0.03))),
        Shape(kind="poly", fill="#ffffff", points=((0.22, 0.12), (0.31, 0.07), (0.22, 0.03))),
        Shape(kind="circle", fill="#ffffff", x=0.08, y=-0.16, r=0.1),
        Shape(kind="circle", fill="#ffffff", x=0.08, y=0.16, r=0.1),
        Shape(kind="circle", fill="#22130f", x=0.13, y=-0.15, r=0.05),
        Shape(kind="circle", fill="#22130f", x=0.13, y=0.15, r=0.05),
        _BAR_BACK,
        replace(_BAR, fill="#c8553d"),
    ),
    "bullet": (
        Shape(kind="circle", fill="#f2a03d80", r=0.13),
        Shape(kind="circle", fill="#22303c", r=0.08),
    ),
    "bomb": (
        Shape(kind="circle", fill="#22303c", r=0.2),
        Shape(kind="circle", fill="#5c6b78", x=-0.06, y=-0.07, r=0.06),
        Shape(kind="circle", fill="#f2c14e", x=0.13, y=-0.15, r=0.06, turns=False),
    ),
    "fire": (
        Shape(kind="circle", fill="#e4572e70", r=0.48),
        _triangle("#e4572e", (-0.36, 0.38), (-0.26, -0.2), (0.08, 0.38)),
        _triangle("#e4572e", (-0.2, 0.38), (-0.02, -0.44), (0.2, 0.38)),
        _triangle("#e4572e", (-0.06, 0.38), (0.26, -0.26), (0.36, 0.38)),
        _triangle("#f2c14e", (-0.18, 0.38), (-0.02, -0.1), (0.16, 0.38)),
    ),
    "flash": (_triangle("#f7d774", (0.48, 0.02), (1.0, 0.16), (0.48, 0.3), turns=True),),
    "spark": (*_spikes("#ffffffc0", 7, 0.22, 0.56), *_spikes("#f2c14e", 5, 0.12, 0.32)),
    "burst": (
        Shape(kind="circle", fill="#e4572e50", r=1.4),
        *_spikes("#f28c38", 11, 0.7, 1.25),
        *_spikes("#f7e08a", 8, 0.35, 0.75),
    ),
    "fall": (
        *_spikes("#a92b2b", 12, 0.6, 0.85),
        Shape(kind="circle", fill="#ffffff", r=0.5),
        Shape(
            kind="poly",
            fill="#a92b2b",
            points=((-0.28, -0.2), (-0.2, -0.28), (0.28, 0.2), (0.2, 0.28)),
            turns=False,
        ),
        Shape(
            kind="poly",
            fill="#a92b2b",
            points=((-0.28, 0.2), (-0.2, 0.28), (0.28, -0.2), (0.2, -0.28)),
            turns=False,
        ),
    ),
}
_LIT = Shape(kind="view", fill=_FLOOR, r=PLAYER_VIEW_TILES, from_deg=-_HALF, to_deg=_HALF)


def _brows(
    fill: str, inner: tuple[float, float], outer: tuple[float, float], thick: float
) -> tuple[Shape, ...]:
    """One over each eye, drawn together in the middle."""
    (x0, y0), (x1, y1) = inner, outer
    corners = ((x0, y0), (x0 + thick, y0), (x1 + thick, y1), (x1, y1))
    return tuple(
        Shape(kind="poly", fill=fill, points=tuple((x, side * y) for x, y in corners))
        for side in (-1, 1)
    )


_HEALTH = tuple(
    shape for shape in _SHAPES["opponent"] if shape.kind == "bar" or shape.fill == "#00000030"
)
#: The opponent's face by the state that shows it; at ease it is as ever.
_FACES = {
    "tense": (
        Shape(kind="circle", fill="#c8553d", r=0.33),
        Shape(
            kind="poly",
            fill="#3a120b",
            points=((0.22, -0.13), (0.29, -0.11), (0.29, 0.11), (0.22, 0.13)),
        ),
        *(Shape(kind="circle", fill="#ffffff", x=0.07, y=side * 0.16, r=0.09) for side in (-1, 1)),
        *(Shape(kind="circle", fill="#22130f", x=0.11, y=side * 0.14, r=0.05) for side in (-1, 1)),
        *_brows("#5e1c10", (0.16, 0.03), (0.07, 0.3), 0.06),
        *_HEALTH,
    ),
    "furious": (
        *_spikes("#5e0f08", 13, 0.34, 0.56),
        Shape(kind="circle", fill="#d3220f", r=0.35),
        Shape(
            kind="poly",
            fill="#2a0703",
            points=((0.15, -0.24), (0.35, -0.13), (0.35, 0.13), (0.15, 0.24)),
        ),
        *(
            _triangle("#ffffff", (0.16, at - 0.06), (0.28, at), (0.16, at + 0.06), turns=True)
            for at in (-0.15, 0.0, 0.15)
        ),
        *(Shape(kind="circle", fill="#ffe14d", x=0.03, y=side * 0.17, r=0.11) for side in (-1, 1)),
        *(Shape(kind="circle", fill="#22130f", x=0.08, y=side * 0.14, r=0.045) for side in (-1, 1)),
        *_brows("#2a0703", (0.15, 0.02), (-0.02, 0.33), 0.1),
        *_HEALTH,
    ),
}
_OTHER = (Shape(kind="circle", fill="#8f5aa8", r=0.3),)
#: Bottom first.
_ORDER = {
    role: place
    for place, role in enumerate(
        ("fire", "fall", "bomb", "opponent", "player", "flash", "bullet", "spark", "burst")
    )
}
