"""How a stimulus is shown: one folder per player, each a record and a browser module with one contract."""

from __future__ import annotations

from believable.core.registry import Registry
from believable.players.contract import Player, Recorded
from believable.players.replay import REPLAY
from believable.players.video import VIDEO

PLAYERS: Registry[Player] = Registry("player", [VIDEO, REPLAY])

__all__ = ["PLAYERS", "Player", "Recorded"]
