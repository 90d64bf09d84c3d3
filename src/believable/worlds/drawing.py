"""How each kind of world looks: one `draw` per kind, giving a scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from believable.replay.records import Replay
from believable.worlds.arena.draw import draw as draw_arena
from believable.worlds.maze.draw import draw as draw_maze
from believable.worlds.scene import Scene
from believable.worlds.town.draw import draw as draw_town

DRAW: Mapping[str, Callable[[Replay], Scene]] = {"arena": draw_arena, "maze": draw_maze, "town": draw_town}


def draw(replay: Replay) -> Scene:
    """The scene of a recording, by the kind of its world."""
    return DRAW[replay.world.kind](replay)
