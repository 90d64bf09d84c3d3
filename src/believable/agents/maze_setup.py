"""What a round of the maze is set up with: maze, opponent, length. With the player's inputs it gives the whole round."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from believable.agents.maze_opponent import FrustratedOpponent, ShortestPathChaser
from believable.agents.temper import PRESETS, constant, preset
from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.worlds.maze.rules import TICKS_PER_S, Round, Settings, new_round

CHASER = "chaser"
#: Opponents by name. A number between 0 and 1 is one, too: frustration held there.
OPPONENTS = (*PRESETS, CHASER)
#: A practice has no end of its own; after an hour it would have one.
PRACTICE_TICKS = 3600 * TICKS_PER_S


@dataclass(frozen=True, slots=True)
class RoundSetup:
    """`opponent` is a name of `OPPONENTS`, or a level of frustration that never moves."""

    maze_seed: int
    agent_seed: int
    opponent: str | float
    size: int = 21
    ticks: int = 60 * TICKS_PER_S
    practice: bool = False

    @property
    def agent(self) -> str:
        """The opponent's name in recordings."""
        return self.opponent if isinstance(self.opponent, str) else f"frustration-{self.opponent:g}"

    def settings(self) -> Settings:
        return Settings(size=self.size, round_ticks=PRACTICE_TICKS if self.practice else self.ticks)

    def game(self) -> Round:
        return new_round(self.maze_seed, self.settings())

    def rival(self) -> FrustratedOpponent | ShortestPathChaser:
        """A fresh opponent."""
        return opponent(self.opponent, self.agent_seed)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> RoundSetup:
        return cls(**json.loads(text))


def opponent(name: str | float, seed: int) -> FrustratedOpponent | ShortestPathChaser:
    """An opponent by name or by its level of frustration."""
    if not isinstance(name, str):
        return FrustratedOpponent(constant(name), seed)
    if name == CHASER:
        return ShortestPathChaser()
    if name not in PRESETS:
        raise InvalidInput(f"unknown opponent {name!r}. {did_you_mean(name, OPPONENTS)}")
    return FrustratedOpponent(preset(name), seed)
