"""How a simulated person watches a video: events in media time, with the small mishaps of real playback."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from typing import Any

from believable.simulate.client import Participant
from believable.simulate.pace import Pace

#: Watched time is reported in pieces of at most this length.
INTERVAL_MS = 5_000
STALL_CHANCE = 0.08
LOOK_AWAY_CHANCE = 0.06
#: Used when a file does not state its length.
UNKNOWN_LENGTH_MS = 6_000


async def watch(browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any]) -> None:
    """Watch every medium of the trial from beginning to end."""
    for medium in trial["media"]:
        beginning = await browser.open_medium(medium["url"])
        await _play(browser, pace, rng, length_ms(beginning) or UNKNOWN_LENGTH_MS)


def length_ms(beginning: bytes) -> int | None:
    """The playing time an MP4 file states in its movie header; None where there is none to be found."""
    at = beginning.find(b"mvhd") + 4
    if at < 4 or len(beginning) < at + 32:
        return None
    wide = beginning[at] == 1  # 64-bit times
    scale, length = struct.unpack_from(">IQ" if wide else ">II", beginning, at + (20 if wide else 12))
    return round(1000 * length / scale) if scale else None


async def _play(browser: Participant, pace: Pace, rng: random.Random, until_ms: int) -> None:
    browser.note("media.ready", duration_ms=until_ms, width=640, height=360)
    await pace.sleep(rng.randint(300, 1500))
    browser.note("media.play", media_ms=0)
    at_ms = 0
    while at_ms < until_ms:
        piece_ms = min(INTERVAL_MS, until_ms - at_ms)
        await pace.sleep(piece_ms)
        browser.note("media.interval", from_ms=at_ms, to_ms=at_ms + piece_ms, rate=1)
        at_ms += piece_ms
        if at_ms < until_ms and rng.random() < STALL_CHANCE:
            browser.note("media.stall", media_ms=at_ms)
            await pace.sleep(rng.randint(150, 1200))
            browser.note("media.resume", media_ms=at_ms)
        if rng.random() < LOOK_AWAY_CHANCE:
            browser.note("page.blur")
            browser.note("page.focus")
        await browser.flush()
    browser.note("media.ended", media_ms=until_ms, view=1)
    await browser.flush()
