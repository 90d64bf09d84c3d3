"""Ducks on a pond, from above: a world to watch."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.world import World
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene, Shape, Sprite


def draw(recording: Recording) -> Scene:
    duck = (
        Shape(kind="circle", fill="#e8c547", r=0.4),
        Shape(kind="poly", fill="#d1603d", points=((0.6, 0.0), (0.3, -0.15), (0.3, 0.15))),
    )
    sprites = tuple(Sprite(actor=actor.id, shapes=duck) for actor in recording.actors)
    return Scene(
        width=recording.world.width,
        height=recording.world.height,
        background="#8ecae6",
        ground=(),
        sprites=sprites,
    )


POND = World(
    name="pond",
    version=1,
    about="Ducks on a pond, from above.",
    folder=Path(__file__).parent,
    draw=draw,
)
