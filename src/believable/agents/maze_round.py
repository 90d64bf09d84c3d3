"""Play whole rounds: agents against each other, or an opponent against inputs that were logged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from believable.agents.maze_opponent import FrustratedOpponent
from believable.replay.records import Replay
from believable.worlds.maze.record import Recorder
from believable.worlds.maze.rules import Event, OpponentInput, PlayerInput, Round, Settings, new_round


class Player(Protocol):
    def decide(self, game: Round, events: Sequence[Event]) -> PlayerInput: ...


class Opponent(Protocol):
    def decide(self, game: Round, events: Sequence[Event]) -> OpponentInput: ...


class LoggedInputs:
    """A player who repeats what was logged, tick by tick; after the last input it stands still."""

    def __init__(self, inputs: Sequence[PlayerInput]) -> None:
        self._inputs = inputs

    def decide(self, game: Round, events: Sequence[Event]) -> PlayerInput:
        return self._inputs[game.tick] if game.tick < len(self._inputs) else PlayerInput()


def play_round(
    seed: int,
    player: Player,
    opponent: Opponent,
    *,
    agent: str,
    settings: Settings | None = None,
    watch: Callable[[Round, OpponentInput, Sequence[Event]], None] | None = None,
) -> tuple[Replay, tuple[PlayerInput, ...]]:
    """A whole round: its recording, and the player's inputs from which it can be made again."""
    game = new_round(seed, settings)
    recorder = Recorder(game)
    inputs: list[PlayerInput] = []
    events: list[Event] = []
    while not game.over:
        keys, intent = player.decide(game, events), opponent.decide(game, events)
        events = game.step(keys, intent)
        inputs.append(keys)
        mood = opponent.frustration.level if isinstance(opponent, FrustratedOpponent) else None
        recorder.see(keys, intent, events, mood)
        if watch is not None:
            watch(game, intent, events)
    return recorder.finish(agent=agent), tuple(inputs)
