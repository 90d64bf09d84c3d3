"""A video file, with exactly the controls the study allows."""

from __future__ import annotations

from pathlib import Path

from believable.contracts.player import EventKind, Player

_AT = ("media_ms",)

VIDEO = Player(
    name="video",
    version=1,
    about="A video file, with exactly the controls the study allows.",
    folder=Path(__file__).parent,
    module="player.js",
    style="player.css",
    records=(
        EventKind(
            "media.ready",
            ("duration_ms", "width", "height"),
            "the whole file is there and can be shown",
        ),
        EventKind("media.play", _AT, "playing began"),
        EventKind(
            "media.pause",
            ("media_ms", "reason"),
            "playing stopped: by the person, because the page was hidden, because another player"
            " began, to wait for the others, or for the choice of a flag",
        ),
        EventKind("media.seek", ("from_ms", "to_ms"), "the position was changed"),
        EventKind(
            "media.stall",
            ("media_ms", "error"),
            "playing halted by itself; `error` is set if it cannot continue",
        ),
        EventKind("media.resume", _AT, "playing continued after a stall"),
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
