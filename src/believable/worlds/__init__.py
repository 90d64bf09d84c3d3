"""The worlds that can be recorded, drawn and played."""

from __future__ import annotations

from believable.core.registry import Registry
from believable.plugins import registry
from believable.recordings.recording import Recording
from believable.recordings.scene import Scene
from believable.worlds.contract import World

WORLDS: Registry[World] = registry(
    "world", World, __name__, ("maze", "arena", "town", "doom", "gym")
)


def draw(recording: Recording) -> Scene:
    """The scene of a recording, by the kind of its world."""
    return WORLDS[recording.world.kind].draw(recording)
