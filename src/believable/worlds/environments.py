"""The Gymnasium environments of our worlds. Gymnasium knows their ids as soon as this module is
imported, also by name:
`gymnasium.make("believable.worlds.environments:believable/DoomNavigate-v1")`. What one needs is
loaded when it is made.
"""

from __future__ import annotations

from believable.core.errors import MissingExtra

try:
    import gymnasium
except ImportError as error:
    raise MissingExtra(what="training environments", extra="worlds") from error

#: Ids with the place of the environment.
ENVIRONMENTS = {
    "believable/Maze-Player-v1": "believable.worlds.maze.env:MazePlayerEnv",
    "believable/Maze-Opponent-v1": "believable.worlds.maze.env:MazeOpponentEnv",
    "believable/DoomNavigate-v1": "believable.worlds.doom.training:DoomNavigateEnv",
    "believable/DoomNavigationAgents-v1": (
        "believable.worlds.doom.navigation.navigation_env:NavigationEnv"
    ),
    "believable/DoomDeathmatch-v1": "believable.worlds.doom.training:DoomDeathmatchEnv",
}
#: The same by the batch, compiled.
BATCHES = {
    "believable/Maze-Player-v1": "believable.worlds.maze.vector_env:MazePlayerRounds",
    "believable/Maze-Opponent-v1": "believable.worlds.maze.vector_env:MazeOpponentRounds",
}


for _name, _place in ENVIRONMENTS.items():
    gymnasium.register(id=_name, entry_point=_place, vector_entry_point=BATCHES.get(_name))
