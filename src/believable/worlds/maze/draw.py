"""The maze from above: dark walls, the player with its field of vision, the opponent, bullets, bombs and fire."""

from __future__ import annotations

from believable.replay.records import Actor, Replay, Timing, World
from believable.replay.tiles import tile_rects
from believable.worlds.scene import Scene, Shape, Sprite

PLAYER_VIEW_DEG = 110.0
PLAYER_VIEW_TILES = 7.0


def draw(replay: Replay) -> Scene:
    world = replay.world
    walls = tuple(Shape("rect", "#38434f", x, y, w, h) for x, y, w, h in tile_rects(world.walls, "#"))
    order = {"fire": 0, "bomb": 1, "opponent": 2, "player": 3, "bullet": 4}
    actors = sorted(replay.actors, key=lambda actor: order.get(actor.role, 5))
    sprites = tuple(_sprite(actor) for actor in actors)
    return Scene(world.width, world.height, "#f4f1ea", (), sprites, above=walls, walls=world.walls)


def live_scene(walls: tuple[str, ...]) -> Scene:
    """The looks of a round that is being played: one sprite for each role, in the order they are drawn."""
    world = World("maze", len(walls[0]), len(walls), walls)
    actors = tuple(Actor(role, role, role) for role in _SHAPES)
    return draw(Replay(world=world, actors=actors, timing=Timing(1, 1), tracks=()))


def _sprite(actor: Actor) -> Sprite:
    return Sprite(actor.id, _SHAPES.get(actor.role, _OTHER))


_HALF = PLAYER_VIEW_DEG / 2
_SHAPES = {
    "player": (
        Shape("view", "#f2c14e4d", r=PLAYER_VIEW_TILES, from_deg=-_HALF, to_deg=_HALF),
        Shape("circle", "#2f6690", r=0.32),
        Shape("poly", "#ffffff", points=((0.28, 0.0), (0.02, -0.15), (0.02, 0.15))),
        Shape("rect", "#00000030", -0.4, -0.58, 0.8, 0.1, turns=False),
        Shape("bar", "#5b8c5a", -0.4, -0.58, 0.8, 0.1, state="health", full=100.0, turns=False),
    ),
    "opponent": (
        Shape("circle", "#c8553d", r=0.36),
        Shape("circle", "#ffffff", 0.16, -0.13, r=0.09),
        Shape("circle", "#ffffff", 0.16, 0.13, r=0.09),
        Shape("rect", "#00000030", -0.4, -0.58, 0.8, 0.1, turns=False),
        Shape("bar", "#c8553d", -0.4, -0.58, 0.8, 0.1, state="health", full=100.0, turns=False),
    ),
    "bullet": (Shape("circle", "#22303c", r=0.09),),
    "bomb": (Shape("circle", "#22303c", r=0.2), Shape("circle", "#f2c14e", 0.1, -0.1, r=0.06)),
    "fire": (Shape("circle", "#e4572e80", r=0.48), Shape("circle", "#f2c14e99", r=0.28)),
}
_OTHER = (Shape("circle", "#8f5aa8", r=0.3),)
