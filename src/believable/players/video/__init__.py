"""A video file, with exactly the controls the study allows."""

from __future__ import annotations

from pathlib import Path

from believable.players.contract import Player, Recorded

_AT = ("media_ms",)

VIDEO = Player(
    name="video",
    version=1,
    about="A video file, with exactly the controls the study allows.",
    folder=Path(__file__).parent,
    module="player.js",
    style="player.css",
    records=(
        Recorded(
            "media.ready", ("duration_ms", "width", "height"), "the whole file is there and can be shown"
        ),
        Recorded("media.play", _AT, "playing began"),
        Recorded(
            "media.pause",
            ("media_ms", "reason"),
            "playing stopped: by the person, because the page was hidden, another player began, or it waits for the others",
        ),
        Recorded("media.seek", ("from_ms", "to_ms"), "the position was changed"),
        Recorded(
            "media.stall",
            ("media_ms", "error"),
            "playing halted by itself; `error` is set when it cannot go on",
        ),
        Recorded("media.resume", _AT, "playing went on after a stall"),
        Recorded("media.rate", ("media_ms", "rate"), "the speed was changed"),
        Recorded("media.ended", ("media_ms", "view"), "the end was reached; `view` counts from 1"),
        Recorded(
            "media.interval",
            ("from_ms", "to_ms", "rate"),
            "this part was shown, at this speed; without a jump between them (pause, stall, other speed) parts touch exactly",
        ),
    ),
)
