"""A recording, drawn on a canvas at any speed, with exactly the controls the study allows."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.player import EventKind, Player
from believable.players.video import VIDEO

REPLAY = Player(
    name="replay",
    version=1,
    about=(
        "A recording, drawn on a canvas at any speed, with exactly the controls the study allows."
    ),
    folder=Path(__file__).parent,
    module="player.js",
    style="player.css",
    records=(
        *VIDEO.records,
        EventKind(
            "media.view",
            ("media_ms", "zoom", "follow"),
            "the picture was zoomed, or began or stopped to follow a figure (by its number in the"
            " recording)",
        ),
    ),
)
