"""An open arena from above: low walls, movers as arrows that show where they look."""

from __future__ import annotations

from pathlib import Path

from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects
from believable.worlds.contract import World

MOVERS = ("#2f6690", "#c8553d", "#5b8c5a", "#8f5aa8")


def draw(recording: Recording) -> Scene:
    world = recording.world
    walls = tuple(
        Shape("rect", "#5b6770", x, y, w, h) for x, y, w, h in tile_rects(world.walls, "#")
    )
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
        for number, actor in enumerate(recording.actors)
    )
    return Scene(world.width, world.height, "#e9edf0", walls, sprites)


ARENA = World(
    name="arena",
    version=1,
    about="An open arena from above: low walls, movers as arrows that show where they look.",
    folder=Path(__file__).parent,
    draw=draw,
)
