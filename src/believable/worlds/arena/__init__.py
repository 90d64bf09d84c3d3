"""An open arena from above: low walls, movers as arrows in the direction of their gaze."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.world import World
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects

MOVERS = ("#2f6690", "#c8553d", "#5b8c5a", "#8f5aa8")


def draw(recording: Recording) -> Scene:
    world = recording.world
    walls = tuple(
        Shape(kind="rect", fill="#5b6770", x=x, y=y, w=w, h=h)
        for x, y, w, h in tile_rects(world.walls, "#")
    )
    sprites = tuple(
        Sprite(
            actor=actor.id,
            shapes=(
                Shape(kind="circle", fill="#00000026", x=0.05, y=0.08, r=0.46, turns=False),
                Shape(kind="circle", fill=MOVERS[number % len(MOVERS)], r=0.42),
                Shape(
                    kind="poly", fill="#ffffff", points=((0.36, 0.0), (-0.12, -0.22), (-0.12, 0.22))
                ),
            ),
            label="" if actor.role == "mover" else actor.name,
        )
        for number, actor in enumerate(recording.actors)
    )
    return Scene(
        width=world.width, height=world.height, background="#e9edf0", ground=walls, sprites=sprites
    )


ARENA = World(
    name="arena",
    version=1,
    about="An open arena from above: low walls, movers as arrows that show where they look.",
    folder=Path(__file__).parent,
    draw=draw,
)
