"""A round of Doom from above: walls, figures as arrows, items as dots."""

from __future__ import annotations

from believable.recordings.recording import Actor, Recording
from believable.recordings.scene import Scene, Shape, Sprite, tile_rects

_ITEM = (Shape(kind="circle", fill="#8a7a3c", r=0.18),)


def draw(recording: Recording) -> Scene:
    world = recording.world
    walls = tuple(
        Shape(kind="rect", fill="#3b3f46", x=x, y=y, w=w, h=h)
        for x, y, w, h in tile_rects(world.walls, "#")
    )
    order = {"item": 0, "opponent": 1, "player": 2}
    actors = sorted(recording.actors, key=lambda actor: order.get(actor.role, 0))
    return Scene(
        width=world.width,
        height=world.height,
        background="#dcd8cf",
        ground=walls,
        sprites=tuple(_sprite(actor) for actor in actors),
    )


def _sprite(actor: Actor) -> Sprite:
    if actor.role not in ("player", "opponent"):
        return Sprite(actor=actor.id, shapes=_ITEM, shown_when="there")
    colour = "#2f6690" if actor.role == "player" else "#c8553d"
    arrow = Shape(kind="poly", fill="#ffffff", points=((0.4, 0.0), (-0.12, -0.22), (-0.12, 0.22)))
    return Sprite(actor=actor.id, shapes=(Shape(kind="circle", fill=colour, r=0.5), arrow))
