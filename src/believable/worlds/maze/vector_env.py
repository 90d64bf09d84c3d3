"""Many rounds of the maze in one Gymnasium environment:
`gymnasium.make_vec("believable/Maze-Player-v1", num_envs=256)`.

Seeds, observations, rewards and ends are those of Gymnasium's `SyncVectorEnv` around the single
environment, to the last bit; a round that is over begins anew with the next step. Needs the extra
`fast`; `vectorization_mode="sync"` does without.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from believable.core.seeds import generator
from believable.worlds.maze import env
from believable.worlds.maze.batch_minds import decide_opponent, decide_player, forget, mix_temper
from believable.worlds.maze.batch_rounds import (
    CAUGHT,
    COS,
    HIT,
    INTEGERS,
    KILLED,
    N_WORDS,
    REALS,
    SIN,
    compiled,
    in_view,
    put_back,
    round_type,
    settings_row,
    step_round,
)
from believable.worlds.maze.grid import TILE
from believable.worlds.maze.rules import MazeRound, MazeRules, new_round
from believable.worlds.maze.temper import CALM, preset

REACH, PATCH, AIM_STEP_DEG = env.REACH, env.PATCH, env.AIM_STEP_DEG
CALM_VIEW_TILES, CALM_VIEW_DEG = CALM.view_tiles, CALM.view_deg


class _MazeRounds(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """The common parts of both sides: seeding, restarting, the end of a round."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (declared so by Gymnasium)
    choices: tuple[int, ...]
    #: The side that the package plays.
    scripted: str

    def __init__(
        self, num_envs: int = 1, settings: MazeRules | None = None, preset_name: str = "frustrated"
    ) -> None:
        self.num_envs = num_envs
        self._settings = settings or MazeRules()
        self._numbers = settings_row(self._settings, preset(preset_name))
        self._rounds = np.zeros(num_envs, round_type(self._settings))
        self.single_observation_space = gymnasium.spaces.Box(-1.0, 1.0, (env.FEATURES,), np.float32)
        self.single_action_space = gymnasium.spaces.MultiDiscrete(list(self.choices))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._generators = [np.random.default_rng() for _ in range(num_envs)]
        self._over = np.zeros(num_envs, np.bool_)
        self._observed = np.zeros((num_envs, env.FEATURES), np.float32)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        seeds = (
            [seed + i for i in range(self.num_envs)]
            if isinstance(seed, int)
            else seed or [None] * self.num_envs
        )
        for i, own_seed in enumerate(seeds):
            if own_seed is not None:
                self._generators[i], _ = seeding.np_random(own_seed)
        round_seeds = self._begin_rounds(np.ones(self.num_envs, np.bool_))
        return self._observed.copy(), round_seeds

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        rewards = np.zeros(self.num_envs)
        begun = self._over.copy()
        self._advance(np.asarray(actions, np.int64), begun, rewards)
        infos = self._begin_rounds(begun) if begun.any() else {}
        self._over = self._rounds["tick"] >= self._settings.round_ticks
        if not begun.all():
            infos |= {"score": np.where(begun, 0, self._rounds["score"]), "_score": ~begun}
        return (
            self._observed.copy(),
            rewards,
            np.zeros(self.num_envs, np.bool_),
            self._over.copy(),
            infos,
        )

    def _begin_rounds(self, chosen: NDArray[np.bool_]) -> dict[str, Any]:
        seeds = np.zeros(self.num_envs, np.int64)
        for i in np.flatnonzero(chosen).tolist():
            seeds[i] = self._generators[i].integers(2**31)
            _put(
                self._rounds,
                i,
                self._numbers,
                new_round(int(seeds[i]), self._settings),
                self.scripted,
            )
            self._see(i)
        self._over[chosen] = False
        return {"seed": seeds, "_seed": chosen}

    def _advance(
        self, actions: NDArray[np.int64], over: NDArray[np.bool_], rewards: NDArray[np.float64]
    ) -> None:
        raise NotImplementedError

    def _see(self, i: int) -> None:
        raise NotImplementedError


class MazePlayerRounds(_MazeRounds):
    """Armed players, each against a separate frustrated opponent."""

    choices, scripted = env.MazePlayerEnv.choices, "opponent"

    def _advance(
        self, actions: NDArray[np.int64], over: NDArray[np.bool_], rewards: NDArray[np.float64]
    ) -> None:
        _step_players(self._rounds, self._numbers, actions, over, rewards, self._observed)

    def _see(self, i: int) -> None:
        _see_as_player(self._rounds[i], self._numbers[0], self._observed[i])


class MazeOpponentRounds(_MazeRounds):
    """Fast, unarmed opponents, each against a separate scripted player."""

    choices, scripted = env.MazeOpponentEnv.choices, "player"

    def _advance(
        self, actions: NDArray[np.int64], over: NDArray[np.bool_], rewards: NDArray[np.float64]
    ) -> None:
        _step_opponents(self._rounds, self._numbers, actions, over, rewards, self._observed)

    def _see(self, i: int) -> None:
        _see_as_opponent(self._rounds[i], self._numbers[0], self._observed[i])


def _put(
    rounds: NDArray[Any], i: int, numbers: NDArray[Any], game: MazeRound, scripted: str
) -> None:
    """Begin a round in row i. `scripted` names the side that is not acted for: `opponent` or
    `player`.
    """
    grid = game.grid
    for name in (*INTEGERS, *REALS):
        rounds[name][i] = 0
    rounds["blocked"][i] = np.frombuffer(grid.blocked, np.uint8)
    rounds["free"][i, : len(grid.free)] = grid.free
    state: tuple[int, ...] = generator(game.seed, scripted).getstate()[1]
    rounds["words"][i], rounds["word"][i] = state[:N_WORDS], state[N_WORDS]
    rounds["width"][i], rounds["n_free"][i] = grid.width, len(grid.free)
    rounds["player_start"][i], rounds["opponent_start"][i] = game.player_start, game.opponent_start
    _begin(rounds[i], numbers[0])


@compiled
def _begin(game: Any, settings: Any) -> None:
    """A new round whose walls, places and chance are put down already."""
    blocked = game.blocked
    for tile in range(blocked.shape[0]):
        n = 0
        if not blocked[tile]:
            for other in (tile + 1, tile + game.width, tile - 1, tile - game.width):
                if not blocked[other]:
                    game.ways[tile, n] = other
                    n += 1
        game.n_ways[tile] = n
    game.known[:] = False
    game.visited[:] = -1
    game.level = game.temper_level = settings.start
    mix_temper(game)
    put_back(game, settings, 0)
    forget(game, 0)
    game.player_goal = game.noticed_tick = -1


@compiled
def _step_players(
    rounds: Any, numbers: Any, actions: Any, over: Any, rewards: Any, observed: Any
) -> None:
    """A tick of every round that is not over, for those who act as players."""
    settings = numbers[0]
    for i in range(actions.shape[0]):
        if over[i]:
            continue
        game = rounds[i]
        score = game.score
        heading, walk, face = decide_opponent(game, settings)
        action = actions[i]
        aim = action[2] * AIM_STEP_DEG
        step_round(
            game,
            settings,
            action[0] - 1,
            action[1] - 1,
            aim,
            action[3] != 0,
            action[4] != 0,
            heading,
            walk,
            face,
        )
        lost = False
        for k in range(game.n_events):
            lost = lost or game.events[k, 0] in (CAUGHT, KILLED)
        rewards[i] = (game.score - score) / 100 - np.float64(lost)
        _see_as_player(game, settings, observed[i])


@compiled
def _step_opponents(
    rounds: Any, numbers: Any, actions: Any, over: Any, rewards: Any, observed: Any
) -> None:
    """A tick of every round that is not over, for those who act as opponents."""
    settings = numbers[0]
    for i in range(actions.shape[0]):
        if over[i]:
            continue
        game = rounds[i]
        dx, dy, aim, shoot, bomb = decide_player(game, settings)
        heading = actions[i, 0] * AIM_STEP_DEG
        step_round(game, settings, dx, dy, aim, shoot, bomb, heading, actions[i, 1] != 0, heading)
        reward = 0.0
        for k in range(game.n_events):
            kind = game.events[k, 0]
            if kind in (CAUGHT, KILLED):
                reward += 1.0
            elif kind == HIT:
                reward += -game.events[k, 3] / 100
        rewards[i] = reward
        _see_as_opponent(game, settings, observed[i])


@compiled
def _see_as_player(game: Any, settings: Any, out: Any) -> None:
    tiles = np.float64(settings.player_view_tiles)
    seen = np.float64(
        in_view(
            game,
            settings,
            game.player_x,
            game.player_y,
            game.player_deg,
            game.opponent_x,
            game.opponent_y,
            tiles,
            360.0,
        )
    )
    _patch(game, settings, game.player_x, game.player_y, out)
    rest = out[PATCH:]
    size = game.width * TILE
    rest[0] = game.player_health / settings.health
    rest[1], rest[2] = COS[game.player_deg] / 1000, SIN[game.player_deg] / 1000
    rest[3] = seen
    rest[4] = seen * (game.opponent_x - game.player_x) / size
    rest[5] = seen * (game.opponent_y - game.player_y) / size
    rest[6] = seen * COS[game.opponent_deg] / 1000
    rest[7] = np.float64(game.tick >= game.bullet_ready)
    rest[8] = np.float64(game.tick >= game.bomb_ready)
    rest[9] = 1.0 - game.tick / settings.round_ticks


@compiled
def _see_as_opponent(game: Any, settings: Any, out: Any) -> None:
    seen = np.float64(
        in_view(
            game,
            settings,
            game.opponent_x,
            game.opponent_y,
            game.opponent_deg,
            game.player_x,
            game.player_y,
            CALM_VIEW_TILES,
            CALM_VIEW_DEG,
        )
    )
    _patch(game, settings, game.opponent_x, game.opponent_y, out)
    rest = out[PATCH:]
    size = game.width * TILE
    rest[0] = game.opponent_health / settings.health
    rest[1], rest[2] = COS[game.opponent_deg] / 1000, SIN[game.opponent_deg] / 1000
    rest[3] = seen
    rest[4] = seen * (game.player_x - game.opponent_x) / size
    rest[5] = seen * (game.player_y - game.opponent_y) / size
    rest[6] = seen * COS[game.player_deg] / 1000
    rest[7] = rest[8] = 0.0
    rest[9] = 1.0 - game.tick / settings.round_ticks


@compiled
def _patch(game: Any, settings: Any, x: int, y: int, out: Any) -> None:
    """The tiles around a place: −1 wall or outside, 0 free, 1 fire."""
    width, blocked, fires = game.width, game.blocked, game.fires
    height = blocked.shape[0] // width
    top, left = y // TILE - REACH, x // TILE - REACH
    at = 0
    for row in range(top, top + 2 * REACH + 1):
        for column in range(left, left + 2 * REACH + 1):
            if row < 0 or row >= height or column < 0 or column >= width:
                out[at] = -1.0
            else:
                tile = row * width + column
                out[at] = 1.0 if fires[tile] >= 0 else -np.float32(blocked[tile])
            at += 1
