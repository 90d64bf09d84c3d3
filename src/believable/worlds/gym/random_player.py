"""A player that presses keys without looking, for simulated people and as the simplest of
agents.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import Agent, at_first_view
from believable.contracts.inputs import Input
from believable.worlds.gym.gym_round import INPUTS


@dataclass(frozen=True, slots=True)
class RandomKeys:
    """Keys are held for up to `longest_ticks`, and let go for a tick between."""

    longest_ticks: int = 6


class RandomPresser:
    def __init__(self, params: RandomKeys, seed: int, welcome: Mapping[str, Any]) -> None:
        self._params, self._rng = params, random.Random(seed)
        self._keys = int(welcome["known"]["keys"])
        self._left = 0
        self._pressed = INPUTS.nothing

    def act(self, picture: Mapping[str, Any]) -> Input:
        if self._left <= 0:
            self._left = self._rng.randint(1, self._params.longest_ticks)
            self._pressed = INPUTS.nothing
            return self._pressed
        if not any(self._pressed):
            self._pressed = (self._rng.randint(1, self._keys),)
        self._left -= 1
        return self._pressed


RANDOM = Agent(
    name="gym/random",
    world="gym",
    about="Presses keys without looking.",
    params=RandomKeys,
    needs=("gym",),
    draw=lambda rng: RandomKeys(rng.randint(2, 12)),
    new=at_first_view(RandomPresser),
)
