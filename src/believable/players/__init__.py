"""How a stimulus is shown: one folder per player, each a record and a browser module with one
contract.
"""

from __future__ import annotations

from believable.players.signal import SIGNAL

#: What shows the stimuli of a study. `SIGNAL` keeps the same contract but shows no stimulus: it is
#: the part of a `qa` trial that draws and sounds the known signal, so it is not among them.
BUILT_IN = ("video", "replay")

#: Beginnings of the keys of the texts that players and their surroundings show.
PLAYER_TEXTS = ("media.", "replay.", "overlay.", "watch.")

__all__ = ["BUILT_IN", "PLAYER_TEXTS", "SIGNAL"]
