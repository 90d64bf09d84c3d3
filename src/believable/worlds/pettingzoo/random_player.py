"""A player that presses legal keys at random, for simulated people and as the simplest agent."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.worlds.gym.gym_round import INPUTS


@dataclass(frozen=True, slots=True)
class RandomMoves:
    """Keys are held for up to `longest_ticks`, and let go for as long."""

    longest_ticks: int = 6


class RandomMover:
    def __init__(self, params: RandomMoves, seed: int, welcome: Mapping[str, Any]) -> None:
        self._params, self._rng = params, random.Random(seed)
        self._keys = range(1, len(welcome["known"]["keys"]) + 1)
        self._left = 0
        self._pressed = INPUTS.nothing

    def act(self, view: Mapping[str, Any]) -> Input:
        self._left -= 1
        if self._left > 0:
            return self._pressed
        self._left = self._rng.randint(1, self._params.longest_ticks)
        legal = self._keys if view["legal"] is None else view["legal"]
        if any(self._pressed) or not legal:
            self._pressed = INPUTS.nothing
        else:
            self._pressed = (self._rng.choice(legal),)
        return self._pressed


RANDOM = Agent(
    name="pettingzoo/random",
    world="pettingzoo",
    about="Presses legal keys at random.",
    params=RandomMoves,
    needs=("gym",),
    draw=lambda rng: RandomMoves(rng.randint(2, 12)),
    new=at_first_view(RandomMover),
)
