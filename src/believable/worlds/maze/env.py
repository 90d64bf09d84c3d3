"""Gymnasium environments for either side of the maze, so that others can train players and
opponents.

`believable/Maze-Player-v1`: shoot the opponent and do not get caught.
`believable/Maze-Opponent-v1`: catch the player. Import `believable.worlds.environments` to register
them. The other side is a scripted agent of this package.

**What is observed** (both sides, float32 in [-1, 1]): the 11 × 11 tiles around oneself (−1 wall, 0
free, 1 fire), own health, own heading as cosine and sine, whether the other is in sight and if so
its relative position and heading, whether the weapons are ready (player only), and the time left.

**What is done.** Player: walk −1/0/1 on each axis, aim in 36 directions, shoot, throw. Opponent:
head in 36 directions, walk or stand.

**Reward.** Player: points / 100, −1 when caught or killed. Opponent: +1 for a catch, −damage taken
/ 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import MissingExtra
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.opponents import FrustratedOpponent, can_see
from believable.worlds.maze.rules import (
    COS,
    SIN,
    Figure,
    MazeEvent,
    MazeRound,
    MazeRules,
    OpponentInput,
    PlayerInput,
    in_view,
    new_round,
)
from believable.worlds.maze.scripted_player import ScriptedPlayer
from believable.worlds.maze.temper import CALM, preset

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise MissingExtra(what="training environments", extra="worlds") from error

REACH = 5
PATCH = (2 * REACH + 1) ** 2
FEATURES = PATCH + 10
AIM_STEP_DEG = 10

Observation = NDArray[np.float32]
MazeEnv = gymnasium.Env[Observation, NDArray[np.int64]]


class _Maze(MazeEnv):
    """What both sides share: seeding, observing, the end of a round."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (declared so by Gymnasium)
    choices: tuple[int, ...]

    def __init__(self, settings: MazeRules | None = None, preset_name: str = "frustrated") -> None:
        self._settings = settings or MazeRules()
        self._preset = preset_name
        self.observation_space = spaces.Box(-1.0, 1.0, (FEATURES,), np.float32)
        self.action_space = spaces.MultiDiscrete(list(self.choices))
        self._events: list[MazeEvent] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        round_seed = int(self.np_random.integers(2**31))
        self._game = new_round(round_seed, self._settings)
        self._player = ScriptedPlayer(round_seed)
        self._opponent = FrustratedOpponent(preset(self._preset), round_seed)
        self._events = []
        return self._observe(), {"seed": round_seed}

    def _observe(self) -> Observation:
        raise NotImplementedError

    def _outcome(self, reward: float) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        return self._observe(), reward, False, self._game.over, {"score": self._game.score}


class MazePlayerEnv(_Maze):
    """The armed player against the frustrated opponent."""

    choices = (3, 3, 360 // AIM_STEP_DEG, 2, 2)

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        dx, dy, aim, shoot, bomb = (int(part) for part in action)
        keys = PlayerInput(dx - 1, dy - 1, aim * AIM_STEP_DEG, bool(shoot), bool(bomb))
        score = self._game.score
        self._events = self._game.step(keys, self._opponent.decide(self._game, self._events))
        lost = any(event.kind in ("caught", "player_killed") for event in self._events)
        return self._outcome((self._game.score - score) / 100 - float(lost))

    def _observe(self) -> Observation:
        game = self._game
        sees = in_view(
            game.grid,
            game.player,
            game.opponent.x,
            game.opponent.y,
            game.settings.player_view_tiles,
        )
        ready = (float(game.tick >= game.bullet_ready), float(game.tick >= game.bomb_ready))
        return _features(game, game.player, game.opponent, sees, ready)


class MazeOpponentEnv(_Maze):
    """The fast, unarmed opponent against the scripted player."""

    choices = (360 // AIM_STEP_DEG, 2)

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        heading, walk = (int(part) for part in action)
        self._events = self._game.step(
            self._player.decide(self._game, self._events),
            OpponentInput(heading * AIM_STEP_DEG, bool(walk)),
        )
        reward = 0.0
        for event in (
            self._events
        ):  # not by `sum`, which rounds differently from one version of Python to another
            reward += _worth(event)
        return self._outcome(reward)

    def _observe(self) -> Observation:
        game = self._game
        return _features(game, game.opponent, game.player, can_see(game, CALM), (0.0, 0.0))


def _worth(event: MazeEvent) -> float:
    if event.kind in ("caught", "player_killed"):
        return 1.0
    return -event.amount / 100 if event.kind in ("hit", "blast_hit", "burn") else 0.0


def _features(
    game: MazeRound, own: Figure, other: Figure, sees: bool, extra: Sequence[float]
) -> Observation:
    size = max(game.grid.width, game.grid.height) * TILE
    heading, seen = own.heading_deg, float(sees)
    rest = [
        own.health / game.settings.health,
        COS[heading] / 1000,
        SIN[heading] / 1000,
        seen,
        seen * (other.x - own.x) / size,
        seen * (other.y - own.y) / size,
        seen * COS[other.heading_deg] / 1000,
        *extra,
        1.0 - game.tick / game.settings.round_ticks,
    ]
    return np.concatenate([_patch(game, own), np.asarray(rest, np.float32)])


def _patch(game: MazeRound, own: Figure) -> Observation:
    grid = game.grid
    padded = np.full((grid.height + 2 * REACH, grid.width + 2 * REACH), -1.0, np.float32)
    inner = padded[REACH:-REACH, REACH:-REACH]
    inner[:] = (
        -np.frombuffer(grid.blocked, np.uint8).reshape(grid.height, grid.width).astype(np.float32)
    )
    for tile in game.fires:
        inner[tile // grid.width, tile % grid.width] = 1.0
    row, column = own.y // TILE, own.x // TILE
    return padded[row : row + 2 * REACH + 1, column : column + 2 * REACH + 1].reshape(-1)
