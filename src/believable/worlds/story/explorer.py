"""A player of stories: it takes and opens the things it reads about, and walks."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from believable.contracts.agent import Agent
from believable.contracts.inputs import Input
from believable.worlds.story.story_game import INPUTS, TELLER

_WALKS = ("north", "south", "east", "west", "up", "down")
_VERBS = ("take", "open", "examine", "unlock")
_WORD = re.compile(r"\b(?:a|an|the) ([a-z]{3,}(?: [a-z]{3,})?)\b")


@dataclass(frozen=True, slots=True)
class Curiosity:
    """The ticks between two commands, and the share of walks among them."""

    pause_ticks: int = 10
    walks: float = 0.5


def explore(params: Curiosity, seed: int) -> Callable[[Mapping[str, Any]], Input]:
    rng = random.Random(seed)

    def act(view: Mapping[str, Any]) -> Input:
        if view["t"] % params.pause_ticks:
            return INPUTS.nothing
        text = next((line for who, line in reversed(view["lines"]) if who == TELLER), "")
        things = _WORD.findall(text.lower())
        if rng.random() < params.walks or not things:
            return (rng.choice(_WALKS),)
        return (f"{rng.choice(_VERBS)} {rng.choice(things)}",)

    return act


EXPLORER = Agent(
    name="story/explorer",
    world="story",
    about="Takes and opens the things it reads about, and walks.",
    params=Curiosity,
    new=explore,
    draw=lambda rng: Curiosity(rng.randint(6, 20), rng.uniform(0.3, 0.7)),
)
