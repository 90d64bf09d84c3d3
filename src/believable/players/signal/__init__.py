"""The known signal of a quality test, drawn and sounded by the browser itself: there is no file."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.player import EventKind, Player

_AT = ("media_ms",)

SIGNAL = Player(
    name="signal",
    version=1,
    about=(
        "The signal of a quality test: a green surface that gets brighter and darker, or a tone"
        " that gets higher and lower."
    ),
    folder=Path(__file__).parent,
    module="player.js",
    style="player.css",
    records=(
        EventKind("media.ready", ("duration_ms", "width", "height"), "the signal can be shown"),
        EventKind("media.play", _AT, "it began, or went on"),
        EventKind(
            "media.pause",
            ("media_ms", "reason"),
            "it stopped: by the person, or because the page was hidden",
        ),
        EventKind("media.seek", ("from_ms", "to_ms"), "the position was changed"),
        EventKind(
            "media.stall",
            ("media_ms", "error"),
            "there is no sound: the browser does not let it begin",
        ),
        EventKind("media.rate", ("media_ms", "rate"), "the speed was changed"),
        EventKind("media.ended", ("media_ms", "view"), "the end was reached; `view` counts from 1"),
        EventKind(
            "media.interval",
            ("from_ms", "to_ms", "rate"),
            "this part was shown, at this speed; without a jump between them (pause, stall, other"
            " speed) parts touch exactly",
        ),
    ),
)
