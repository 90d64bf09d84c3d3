"""Gymnasium environments for either side of the maze, so that others can train players and
opponents.

`believable/Maze-Player-v1`: shoot the opponent and do not get caught.
`believable/Maze-Opponent-v1`: catch the player. Import `believable.environments` to register
them. The other side is a scripted agent of this package.

**Observation** (both sides, float32 in [-1, 1]): the 11 × 11 tiles around oneself (−1 wall, 0 free,
1 fire), own health, own heading as cosine and sine, whether the other is in sight and if so its
relative position and heading, whether the weapons are ready (player only), and the time left.

**Action.** Player: walk −1/0/1 on each axis, aim in 36 directions, shoot, throw. Opponent: head in
36 directions, walk or stay.

**Reward.** Player: points / 100, −1 when caught or killed. Opponent: +1 for a catch, −damage taken
/ 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.contracts.game import Pixels
from believable.core.errors import MissingExtra
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.opponents import FrustratedOpponent, can_see
from believable.worlds.maze.picture import picture_of_round
from believable.worlds.maze.rules import (
    COS,
    SIN,
    TICKS_PER_S,
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


#: Sizes of the parts of an action.
PLAYER_CHOICES = (3, 3, 360 // AIM_STEP_DEG, 2, 2)
OPPONENT_CHOICES = (360 // AIM_STEP_DEG, 2)


class _Maze(MazeEnv):
    """Seeding, the end of a round and pictures are the same for both sides."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (declared so by Gymnasium)
        "render_modes": ["rgb_array"],
        "render_fps": TICKS_PER_S,
    }
    choices: tuple[int, ...]

    def __init__(
        self,
        settings: MazeRules | None = None,
        preset_name: str = "frustrated",
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
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

    def render(self) -> Pixels | None:
        """The whole maze from above."""
        return picture_of_round(self._game) if self.render_mode == "rgb_array" else None


class MazePlayerEnv(_Maze):
    """The armed player against the frustrated opponent."""

    choices = PLAYER_CHOICES

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        score = self._game.score
        rival = self._opponent.decide(self._game, self._events)
        self._events = self._game.step(player_input(action), rival)
        return self._outcome((self._game.score - score) / 100 - float(player_lost(self._events)))

    def _observe(self) -> Observation:
        return observe_player(self._game)


class MazeOpponentEnv(_Maze):
    """The fast, unarmed opponent against the scripted player."""

    choices = OPPONENT_CHOICES

    def step(
        self, action: NDArray[np.int64]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        keys = self._player.decide(self._game, self._events)
        self._events = self._game.step(keys, opponent_input(action))
        return self._outcome(worth_to_opponent(self._events))

    def _observe(self) -> Observation:
        return observe_opponent(self._game)


def player_input(action: NDArray[np.int64]) -> PlayerInput:
    dx, dy, aim, shoot, bomb = (int(part) for part in action)
    return PlayerInput(
        dx=dx - 1, dy=dy - 1, aim_deg=aim * AIM_STEP_DEG, shoot=bool(shoot), bomb=bool(bomb)
    )


def opponent_input(action: NDArray[np.int64]) -> OpponentInput:
    heading, walk = (int(part) for part in action)
    return OpponentInput(heading_deg=heading * AIM_STEP_DEG, walk=bool(walk))


def player_lost(events: Sequence[MazeEvent]) -> bool:
    return any(event.kind in ("caught", "player_killed") for event in events)


def worth_to_opponent(events: Sequence[MazeEvent]) -> float:
    """Not by `sum`, which rounds differently from one version of Python to another."""
    reward = 0.0
    for event in events:
        reward += _worth(event)
    return reward


def observe_player(game: MazeRound) -> Observation:
    sees = in_view(
        game.grid, game.player, game.opponent.x, game.opponent.y, game.settings.player_view_tiles
    )
    ready = (float(game.tick >= game.bullet_ready), float(game.tick >= game.bomb_ready))
    return _features(game, game.player, game.opponent, sees, ready)


def observe_opponent(game: MazeRound) -> Observation:
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
