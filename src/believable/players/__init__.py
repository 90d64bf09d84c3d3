"""How a stimulus is shown: one folder per player, each a record and a browser module with one
contract.
"""

from __future__ import annotations

from believable.core.registry import Registry
from believable.players.contract import EventKind, Player
from believable.players.signal import SIGNAL
from believable.plugins import registry

#: What shows the stimuli of a study: which one follows from the file. `SIGNAL` keeps the same
#: contract but shows no stimulus: it is the part of a `qa` trial that draws and sounds the known
#: signal, so it is not among them.
PLAYERS: Registry[Player] = registry("player", Player, __name__, ("video", "replay"))

#: Beginnings of the texts that players, and what stands around them on a page, show.
PLAYER_TEXTS = ("media.", "replay.", "overlay.", "watch.")

__all__ = ["PLAYERS", "PLAYER_TEXTS", "SIGNAL", "EventKind", "Player"]
