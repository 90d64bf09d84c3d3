"""An open arena from above: low walls, movers as arrows that show where they look."""

from __future__ import annotations

from believable.replay.records import Replay
from believable.replay.tiles import tile_rects
from believable.worlds.scene import Scene, Shape, Sprite

MOVERS = ("#2f6690", "#c8553d", "#5b8c5a", "#8f5aa8")


def draw(replay: Replay) -> Scene:
    world = replay.world
    walls = tuple(Shape("rect", "#5b6770", x, y, w, h) for x, y, w, h in tile_rects(world.walls, "#"))
    sprites = tuple(
        Sprite(
            actor.id,
            (
                Shape("circle", "#00000026", 0.05, 0.08, r=0.46, turns=False),
                Shape("circle", MOVERS[number % len(MOVERS)], r=0.42),
                Shape("poly", "#ffffff", points=((0.36, 0.0), (-0.12, -0.22), (-0.12, 0.22))),
            ),
            label="" if actor.role == "mover" else actor.name,
        )
        for number, actor in enumerate(replay.actors)
    )
    return Scene(world.width, world.height, "#e9edf0", walls, sprites)
