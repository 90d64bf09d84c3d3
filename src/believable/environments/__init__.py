"""The Gymnasium environments of our worlds. `import believable.environments` registers them, as
other packages do; `gymnasium.register_envs(believable.environments)` may follow, so that tools do
not take the import for unused. What an environment needs is loaded when it is made.

    import gymnasium
    import believable.environments

    gymnasium.register_envs(believable.environments)
    env = gymnasium.make("believable/Maze-Player-v1", render_mode="rgb_array")

The maze for two agents at once has the parallel API of PettingZoo:

    from believable.environments import maze_v1

    env = maze_v1.parallel_env(render_mode="rgb_array")

or, from PettingZoo 1.26 on, `pettingzoo.make("parallel", "believable/Maze-v1")`.
"""

from __future__ import annotations

from contextlib import suppress

from believable.core.errors import MissingExtra

try:
    import gymnasium
except ImportError as error:
    raise MissingExtra(what="training environments", extra="worlds") from error

#: Ids with the place of the environment.
ENVIRONMENTS = {
    "believable/Maze-Player-v1": "believable.worlds.maze.env:MazePlayerEnv",
    "believable/Maze-Opponent-v1": "believable.worlds.maze.env:MazeOpponentEnv",
    "believable/DoomNavigationAgents-v1": (
        "believable.worlds.doom.navigation.navigation_env:NavigationEnv"
    ),
    "believable/DoomDeathmatch-v1": "believable.worlds.doom.training:DoomDeathmatchEnv",
}


for _name, _place in ENVIRONMENTS.items():
    gymnasium.register(id=_name, entry_point=_place)

with suppress(ImportError, AttributeError):  # PettingZoo is optional; old ones have no registry
    import pettingzoo

    pettingzoo.register(
        "parallel", "believable/Maze-v1", "believable.worlds.maze.parallel:MazeParallelEnv"
    )
