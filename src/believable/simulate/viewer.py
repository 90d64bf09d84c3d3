"""How a simulated person watches a video: events in media time, with the small mishaps of real playback."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from believable.simulate.client import Participant
from believable.simulate.pace import Pace

#: Watched time is reported in pieces of at most this length.
INTERVAL_MS = 5_000
STALL_CHANCE = 0.08
LOOK_AWAY_CHANCE = 0.06
#: Used when the medium's length is not known to the server.
UNKNOWN_LENGTH_MS = 6_000


async def watch(browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any]) -> None:
    """Watch every medium of the trial from beginning to end."""
    for medium in trial["media"]:
        await browser.open_medium(medium["url"])
        await _play(browser, pace, rng, medium["duration_ms"] or UNKNOWN_LENGTH_MS)


async def _play(browser: Participant, pace: Pace, rng: random.Random, length_ms: int) -> None:
    browser.note("media.ready", duration_ms=length_ms)
    await pace.sleep(rng.randint(300, 1500))
    browser.note("media.play", media_ms=0)
    at_ms = 0
    while at_ms < length_ms:
        piece_ms = min(INTERVAL_MS, length_ms - at_ms)
        await pace.sleep(piece_ms)
        browser.note("media.interval", from_ms=at_ms, to_ms=at_ms + piece_ms, rate=1)
        at_ms += piece_ms
        if at_ms < length_ms and rng.random() < STALL_CHANCE:
            browser.note("media.stall", media_ms=at_ms)
            await pace.sleep(rng.randint(150, 1200))
            browser.note("media.resume", media_ms=at_ms)
        if rng.random() < LOOK_AWAY_CHANCE:
            browser.note("page.blur")
            browser.note("page.focus")
        await browser.flush()
    browser.note("media.ended", media_ms=length_ms)
    await browser.flush()
