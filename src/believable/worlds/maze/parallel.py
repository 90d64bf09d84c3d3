"""The maze for two agents at once, as a parallel environment of PettingZoo.

Observations, actions and rewards of each seat are those of the Gymnasium environments in `env.py`.
Needs the extra `worlds`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from believable.contracts.game import Pixels
from believable.core.errors import MissingExtra
from believable.worlds.maze.env import (
    FEATURES,
    OPPONENT_CHOICES,
    PLAYER_CHOICES,
    Observation,
    observe_opponent,
    observe_player,
    opponent_input,
    player_input,
    player_lost,
    worth_to_opponent,
)
from believable.worlds.maze.picture import picture_of_round
from believable.worlds.maze.rules import TICKS_PER_S, MazeRules, new_round

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingExtra(what="environments with two agents", extra="worlds") from error

PLAYER, OPPONENT = "player", "opponent"


class MazeParallelEnv(ParallelEnv[str, Observation, NDArray[np.int64]]):
    """The armed player and the fast, unarmed opponent."""

    metadata: dict[str, Any] = {  # noqa: RUF012 (declared so by PettingZoo)
        "name": "believable_maze_v1",
        "render_modes": ["rgb_array"],
        "render_fps": TICKS_PER_S,
    }

    def __init__(self, settings: MazeRules | None = None, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.possible_agents = [PLAYER, OPPONENT]
        self.agents: list[str] = []
        self._settings = settings or MazeRules()
        self._rng = np.random.default_rng()
        self._observation_spaces = {
            seat: spaces.Box(-1.0, 1.0, (FEATURES,), np.float32) for seat in self.possible_agents
        }
        self._action_spaces = {
            PLAYER: spaces.MultiDiscrete(list(PLAYER_CHOICES)),
            OPPONENT: spaces.MultiDiscrete(list(OPPONENT_CHOICES)),
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self._action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        round_seed = int(self._rng.integers(2**31))
        self._game = new_round(round_seed, self._settings)
        self.agents = list(self.possible_agents)
        return self._observe(), {seat: {"seed": round_seed} for seat in self.agents}

    def step(
        self, actions: dict[str, NDArray[np.int64]]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        game, score = self._game, self._game.score
        events = game.step(player_input(actions[PLAYER]), opponent_input(actions[OPPONENT]))
        rewards = {
            PLAYER: (game.score - score) / 100 - float(player_lost(events)),
            OPPONENT: worth_to_opponent(events),
        }
        seats = self.agents
        outcome = (
            self._observe(),
            rewards,
            dict.fromkeys(seats, False),
            dict.fromkeys(seats, game.over),
            {seat: {"score": game.score} for seat in seats},
        )
        if game.over:
            self.agents = []
        return outcome

    def _observe(self) -> dict[str, Observation]:
        return {PLAYER: observe_player(self._game), OPPONENT: observe_opponent(self._game)}

    def render(self) -> Pixels | None:
        return picture_of_round(self._game) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Nothing is held."""
