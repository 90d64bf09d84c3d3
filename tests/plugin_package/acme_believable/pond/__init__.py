"""Ducks on a pond, from above: a world to watch."""

from __future__ import annotations

from pathlib import Path

from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, Shape, Sprite
from believable.worlds.contract import World


def draw(recording: Recording) -> Scene:
    duck = (
        Shape("circle", "#e8c547", r=0.4),
        Shape("poly", "#d1603d", points=((0.6, 0.0), (0.3, -0.15), (0.3, 0.15))),
    )
    sprites = tuple(Sprite(actor.id, duck) for actor in recording.actors)
    return Scene(recording.world.width, recording.world.height, "#8ecae6", (), sprites)


POND = World(
    name="pond",
    version=1,
    about="Ducks on a pond, from above.",
    folder=Path(__file__).parent,
    draw=draw,
)
