"""The known signal of a quality test, drawn and sounded by the browser itself: there is no file."""

from __future__ import annotations

from pathlib import Path

from believable.players.contract import Player, Recorded

_AT = ("media_ms",)

SIGNAL = Player(
    name="signal",
    version=1,
    about="The signal of a quality test: a green surface that gets brighter and darker, or a tone that gets higher and lower.",
    folder=Path(__file__).parent,
    module="player.js",
    style="player.css",
    records=(
        Recorded("media.ready", ("duration_ms", "width", "height"), "the signal can be shown"),
        Recorded("media.play", _AT, "it began, or went on"),
        Recorded(
            "media.pause", ("media_ms", "reason"), "it stopped: by the person, or because the page was hidden"
        ),
        Recorded("media.seek", ("from_ms", "to_ms"), "the position was changed"),
        Recorded(
            "media.stall", ("media_ms", "error"), "there is no sound: the browser does not let it begin"
        ),
        Recorded("media.rate", ("media_ms", "rate"), "the speed was changed"),
        Recorded("media.ended", ("media_ms", "view"), "the end was reached; `view` counts from 1"),
        Recorded(
            "media.interval",
            ("from_ms", "to_ms", "rate"),
            "this part was shown, at this speed; without a jump between them (pause, stall, other speed) parts touch exactly",
        ),
    ),
)
