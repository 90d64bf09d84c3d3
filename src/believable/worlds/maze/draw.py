"""The maze from above: walls that throw a shadow, the player with its view, the opponent, shots, explosions and fire."""

from __future__ import annotations

import math
from itertools import pairwise

from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing
from believable.recordings.scene import Readout, Scene, Shape, Sprite, tile_rects

PLAYER_VIEW_DEG = 110.0
PLAYER_VIEW_TILES = 7.0


def draw(recording: Recording) -> Scene:
    world = recording.world
    walls = tuple(Shape("rect", "#38434f", x, y, w, h) for x, y, w, h in tile_rects(world.walls, "#"))
    actors = sorted(recording.actors, key=lambda actor: _ORDER.get(actor.role, len(_ORDER)))
    sprites = tuple(_sprite(actor) for actor in actors)
    # Walls lie below: nobody enters them, and bars of health are not cut off.
    ground = (*_shadows(world.walls), *walls)
    return Scene(
        world.width, world.height, "#f4f1ea", ground, sprites, walls=world.walls, readouts=_readouts(recording)
    )


def _shadows(walls: tuple[str, ...]) -> list[Shape]:
    """Where a wall ends above a floor, one strip for each run of tiles."""
    strips: list[Shape] = []
    for y, (row, below) in enumerate(pairwise(walls)):
        edges = [x for x, (tile, under) in enumerate(zip(row, below, strict=True)) if tile == "#" != under]
        for x in edges:
            if x - 1 not in edges:
                width = next(step for step in range(1, len(row) + 1) if x + step not in edges)
                strips.append(Shape("rect", "#00000026", x, y + 1, width, 0.16))
    return strips


def _readouts(recording: Recording) -> tuple[Readout, ...]:
    """What happened, in words; score and time as well where the score was kept."""
    player = next((actor.id for actor in recording.actors if actor.role == "player"), "")
    keys = {state.key for track in recording.tracks if track.actor == player for state in track.states}
    scored = (Readout("left", "play.time"), Readout("score", "play.score", player, "score"))
    return (
        *(scored if "score" in keys else ()),
        *((Readout("news", "play.", player, "news"),) if "news" in keys else ()),
    )


def live_scene(walls: tuple[str, ...]) -> Scene:
    """The looks of a round that is being played: one sprite for each role, in the order they are drawn."""
    world = RecordedWorld("maze", len(walls[0]), len(walls), walls)
    actors = tuple(Actor(role, role, role) for role in _SHAPES)
    return draw(Recording(world=world, actors=actors, timing=Timing(1, 1), tracks=()))


def _sprite(actor: Actor) -> Sprite:
    return Sprite(actor.id, _SHAPES.get(actor.role, _OTHER))


_HALF = PLAYER_VIEW_DEG / 2
_BAR = (-0.4, -0.62, 0.8, 0.1)


def _spikes(fill: str, count: int, inner: float, outer: float) -> tuple[Shape, ...]:
    """A disc with pointed rays around it; each ray is a triangle, since films draw no polygons with dents."""
    rays: list[Shape] = []
    for step in range(count):
        angle, half = 2 * math.pi * step / count, math.pi / count
        corners = ((outer, angle), (0.98 * inner, angle + half), (0.98 * inner, angle - half))
        points = tuple((round(r * math.cos(turn), 3), round(r * math.sin(turn), 3)) for r, turn in corners)
        rays.append(Shape("poly", fill, points=points))
    return (Shape("circle", fill, r=inner), *rays)


def _triangle(fill: str, *points: tuple[float, float], turns: bool = False) -> Shape:
    return Shape("poly", fill, points=points, turns=turns)


_SHAPES = {
    "player": (
        Shape("view", "#f2c14e4d", r=PLAYER_VIEW_TILES, from_deg=-_HALF, to_deg=_HALF),
        Shape("circle", "#00000028", 0.04, 0.07, r=0.34, turns=False),
        Shape("poly", "#22303c", points=((0.1, 0.12), (0.52, 0.12), (0.52, 0.21), (0.1, 0.21))),
        Shape(
            "poly", "#2f6690",
            points=(
                (-0.2, -0.34), (0.08, -0.34), (0.18, -0.2), (0.18, 0.2), (0.08, 0.34), (-0.2, 0.34), (-0.28, 0.2), (-0.28, -0.2),
            ),
        ),
        Shape("poly", "#24506f", points=((-0.2, -0.12), (0.12, -0.12), (0.12, 0.12), (-0.2, 0.12))),
        Shape("circle", "#e8c39e", 0.26, 0.17, r=0.08),
        Shape("circle", "#e8c39e", 0.16, -0.28, r=0.08),
        Shape("circle", "#e8c39e", 0.02, r=0.17),
        Shape("circle", "#4a3728", -0.04, r=0.15),
        Shape("rect", "#00000030", *_BAR, turns=False),
        Shape("bar", "#5b8c5a", *_BAR, state="health", full=100.0, turns=False),
    ),
    "opponent": (
        Shape("circle", "#00000028", 0.04, 0.07, r=0.38, turns=False),
        *_spikes("#8f2d1c", 9, 0.31, 0.42),
        Shape("circle", "#c8553d", r=0.33),
        Shape("poly", "#3a120b", points=((0.2, -0.16), (0.33, -0.08), (0.33, 0.08), (0.2, 0.16))),
        Shape("poly", "#ffffff", points=((0.22, -0.12), (0.31, -0.07), (0.22, -0.03))),
        Shape("poly", "#ffffff", points=((0.22, 0.12), (0.31, 0.07), (0.22, 0.03))),
        Shape("circle", "#ffffff", 0.08, -0.16, r=0.1),
        Shape("circle", "#ffffff", 0.08, 0.16, r=0.1),
        Shape("circle", "#22130f", 0.13, -0.15, r=0.05),
        Shape("circle", "#22130f", 0.13, 0.15, r=0.05),
        Shape("rect", "#00000030", *_BAR, turns=False),
        Shape("bar", "#c8553d", *_BAR, state="health", full=100.0, turns=False),
    ),
    "bullet": (Shape("circle", "#f2a03d80", r=0.13), Shape("circle", "#22303c", r=0.08)),
    "bomb": (
        Shape("circle", "#22303c", r=0.2), Shape("circle", "#5c6b78", -0.06, -0.07, r=0.06),
        Shape("circle", "#f2c14e", 0.13, -0.15, r=0.06, turns=False),
    ),
    "fire": (
        Shape("circle", "#e4572e70", r=0.48),
        _triangle("#e4572e", (-0.36, 0.38), (-0.26, -0.2), (0.08, 0.38)),
        _triangle("#e4572e", (-0.2, 0.38), (-0.02, -0.44), (0.2, 0.38)),
        _triangle("#e4572e", (-0.06, 0.38), (0.26, -0.26), (0.36, 0.38)),
        _triangle("#f2c14e", (-0.18, 0.38), (-0.02, -0.1), (0.16, 0.38)),
    ),
    "flash": (_triangle("#f7d774", (0.48, 0.02), (1.0, 0.16), (0.48, 0.3), turns=True),),
    "spark": (*_spikes("#ffffffc0", 7, 0.22, 0.56), *_spikes("#f2c14e", 5, 0.12, 0.32)),
    "burst": (Shape("circle", "#e4572e50", r=1.4), *_spikes("#f28c38", 11, 0.7, 1.25), *_spikes("#f7e08a", 8, 0.35, 0.75)),
    "fall": (
        *_spikes("#a92b2b", 12, 0.6, 0.85), Shape("circle", "#ffffff", r=0.5),
        Shape("poly", "#a92b2b", points=((-0.28, -0.2), (-0.2, -0.28), (0.28, 0.2), (0.2, 0.28)), turns=False),
        Shape("poly", "#a92b2b", points=((-0.28, 0.2), (-0.2, 0.28), (0.28, -0.2), (0.2, -0.28)), turns=False),
    ),
}  # fmt: skip
_OTHER = (Shape("circle", "#8f5aa8", r=0.3),)
#: Bottom first.
_ORDER = {
    role: place
    for place, role in enumerate(("fire", "fall", "bomb", "opponent", "player", "flash", "bullet", "spark", "burst"))
}
