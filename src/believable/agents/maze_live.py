"""A round while it is played: inputs come in with numbers and wished ticks, the round decides when each one counts.

Pure: no clock, no network. The changes it hands out are all that has to be kept; with the setup they give the round again,
tick by tick, on any machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from believable.agents.maze_opponent import FrustratedOpponent
from believable.agents.maze_setup import RoundSetup
from believable.replay.records import Replay
from believable.worlds.maze.record import Recorder
from believable.worlds.maze.rules import Event, OpponentInput, PlayerInput

#: An input is not kept for a tick farther ahead than this.
LONGEST_LEAD_TICKS = 30
#: What the player can see or hear of what happens.
TOLD = frozenset(
    ["shot", "throw", "hit", "blast", "blast_hit", "burn", "hurt", "caught", "opponent_killed", "player_killed", "reset"]
)

Change = list[int]


@dataclass(frozen=True, slots=True)
class NumberedInput:
    """What keys and mouse said. `number` grows with each; `tick` is when the page would like it to count."""

    number: int
    tick: int
    keys: PlayerInput


def change_of(tick: int, number: int, keys: PlayerInput) -> Change:
    """As it is stored: tick, number, direction, aim, triggers."""
    return [tick, number, keys.dx, keys.dy, keys.aim_deg, int(keys.shoot), int(keys.bomb)]


def keys_of(change: Sequence[int]) -> PlayerInput:
    _, _, dx, dy, aim_deg, shoot, bomb = change
    return PlayerInput(dx, dy, aim_deg, bool(shoot), bool(bomb))


class LiveRound:
    """One round. `step` goes on by a tick; `take_changes` gives what was applied since the last time."""

    def __init__(self, setup: RoundSetup) -> None:
        self.setup = setup
        self.game = setup.game()
        self._rival = setup.rival()
        self._events: list[Event] = []
        self._waiting: list[NumberedInput] = []
        self._keys = PlayerInput()
        self._changes: list[Change] = []
        self._recorder: Recorder | None = None
        self.received = 0
        self.applied = 0

    @classmethod
    def rebuilt(
        cls, setup: RoundSetup, changes: Sequence[Sequence[int]], tick: int, *, record: bool = False
    ) -> LiveRound:
        """The round as it stood at `tick`, from what was applied."""
        made = cls(setup)
        if record:
            made._recorder = Recorder(made.game)
        by_tick = {change[0]: change for change in changes}
        while made.game.tick < tick:
            change = by_tick.get(made.game.tick)
            if change is not None:
                made._keys, made.applied = keys_of(change), change[1]
            made._step()
        made.received = made.applied
        return made

    @property
    def over(self) -> bool:
        return self.game.over

    def receive(self, given: NumberedInput) -> None:
        """Keep an input until its tick. One that came before is not taken twice."""
        if given.number <= self.received:
            return
        self.received = given.number
        latest = self.game.tick + LONGEST_LEAD_TICKS
        self._waiting.append(given if given.tick <= latest else replace(given, tick=latest))

    def release(self) -> None:
        """Nothing is pressed any more, and nothing waits: the connection is gone, or the page asked for a pause."""
        self._waiting.clear()
        self._set(PlayerInput(aim_deg=self._keys.aim_deg), self.received)

    def step(self) -> list[Event]:
        """One tick, with the inputs whose time has come. A trigger that was pulled for a moment counts, however late it comes."""
        tick = self.game.tick
        due = [one for one in self._waiting if one.tick <= tick]
        if due:
            self._waiting = [one for one in self._waiting if one.tick > tick]
            last = due[-1]
            pulled = last.keys if len(due) == 1 else _pulled(due)
            self._set(pulled, last.number)
            events = self._step()
            if pulled != last.keys:
                self._set(last.keys, last.number)
            return events
        return self._step()

    def _set(self, keys: PlayerInput, number: int) -> None:
        self.applied = number
        if keys == self._keys:
            return
        self._keys = keys
        change = change_of(self.game.tick, number, keys)
        if self._changes and self._changes[-1][0] == change[0]:
            self._changes[-1] = change
        else:
            self._changes.append(change)

    def _step(self) -> list[Event]:
        intent: OpponentInput = self._rival.decide(self.game, self._events)
        self._events = self.game.step(self._keys, intent)
        if self._recorder is not None:
            mood = self._rival.frustration.level if isinstance(self._rival, FrustratedOpponent) else None
            self._recorder.see(self._keys, intent, self._events, mood)
        return self._events

    def take_changes(self) -> list[Change]:
        """What was applied since the last time, all of it before the current tick."""
        taken = [change for change in self._changes if change[0] < self.game.tick]
        self._changes = self._changes[len(taken) :]
        return taken

    def recording(self) -> Replay:
        """The round so far, of one that was rebuilt with `record`."""
        assert self._recorder is not None
        whole = self._recorder.finish(agent=self.setup.agent)
        return replace(whole, provenance={**whole.provenance, "agent_seed": self.setup.agent_seed})

    # -------------------------------------------------------------------------------------- for the page

    def snapshot(self) -> dict[str, Any]:
        """What the page draws, and what it needs to predict the player's own moves. Nothing of the opponent's inside."""
        game = self.game
        player, rival = game.player, game.opponent
        return {
            "t": game.tick,
            "p": (player.x, player.y, player.heading_deg, player.health),
            "o": (rival.x, rival.y, rival.heading_deg, rival.health),
            "m": [(m.id, m.kind == "bomb", m.x, m.y, m.vx, m.vy, m.ticks_left) for m in game.missiles],
            "f": list(game.fires),
            "s": game.score,
            "n": self.applied,
            "r": (game.bullet_ready, game.bomb_ready, game.missiles_made),
            "e": [event.kind for event in self._events if event.kind in TOLD],
        }


def _pulled(due: Sequence[NumberedInput]) -> PlayerInput:
    """The keys of the last one, with every trigger that was pulled since."""
    shoot, bomb = any(one.keys.shoot for one in due), any(one.keys.bomb for one in due)
    return replace(due[-1].keys, shoot=shoot, bomb=bomb)


def record_round(setup: RoundSetup, changes: Sequence[Sequence[int]], tick: int) -> Replay:
    """The recording of a round, made again from its setup and its inputs."""
    return LiveRound.rebuilt(setup, changes, tick, record=True).recording()
