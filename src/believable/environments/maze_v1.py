"""The maze with two seats, as PettingZoo names its environments: `maze_v1.parallel_env()`."""

from __future__ import annotations

from believable.worlds.maze.parallel import MazeParallelEnv as parallel_env

__all__ = ["parallel_env"]
