"""The worlds that can be recorded, drawn and played."""

from __future__ import annotations

from believable.contracts.registries import WORLDS
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene

#: In the order in which they are listed.
BUILT_IN = ("maze", "arena", "town", "doom", "gym", "pettingzoo", "story")


def draw(recording: Recording) -> Scene:
    """Return the scene of a recording; an empty one if its world shows pictures only."""
    world = recording.world
    scene = WORLDS[world.kind].draw
    return (
        Scene(width=world.width, height=world.height, background="#1b1e23", ground=(), sprites=())
        if scene is None
        else scene(recording)
    )
