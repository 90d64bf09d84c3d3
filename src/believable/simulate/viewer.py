"""How a simulated person watches: events in media time, with the small mishaps of real playback."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from believable.core.registry import Registry
from believable.instruments.contract import Act, Instrument
from believable.simulate.behaviour.contract import Mind, Seen
from believable.simulate.client import Participant
from believable.simulate.pace import Pace
from believable.simulate.shown import Shown, aimed, length_ms, log_in, look_at

__all__ = ["length_ms", "watch", "watch_signal"]

#: Watched time is reported in pieces of at most this length (of real time).
INTERVAL_MS = 5_000
STALL_CHANCE = 0.08
LOOK_AWAY_CHANCE = 0.06
#: Chance that somebody opens a part of the overlay before playing.
OPENS_CHANCE = 0.6
#: Recordings are small and read whole; of a video the beginning says how long it is.
WHOLE_BYTES = 64 * 1024 * 1024
BEGINNING_BYTES = 65_536


async def watch(
    browser: Participant,
    pace: Pace,
    rng: random.Random,
    trial: Mapping[str, Any],
    instruments: Registry[Instrument[Any]],
    recognise: Callable[[bytes, Shown], Seen] = lambda content, shown: Seen(None, shown.length_ms),
    mind: Mind | None = None,
) -> list[Seen]:
    """Watch every medium of the trial from beginning to end, and annotate where the page asks for it."""
    watched = []
    for number, medium in enumerate(trial["media"]):
        content, shown = await _look(browser, medium)
        seen = recognise(content, shown)
        player = {"player": number} if trial.get("several") else {}
        annotate = trial.get("annotate")
        own = mind.acts(annotate["kind"], seen) if mind is not None and annotate is not None else None
        acts = (
            own if own is not None else aimed(_acts(trial, rng, shown.length_ms, instruments), shown.log, rng)
        )
        rate = (trial.get("controls") or {}).get("speed") or 1
        opened = await _play(browser, pace, rng, trial, shown.length_ms, rate, acts, player)
        watched.append(replace(seen, opened=opened))
    return watched


def _acts(
    trial: Mapping[str, Any], rng: random.Random, duration_ms: int, instruments: Registry[Instrument[Any]]
) -> Sequence[Act]:
    """What this person does while watching; nothing where nothing is annotated."""
    annotate = trial.get("annotate")
    if annotate is None:
        return ()
    instrument = instruments[annotate["kind"]]
    return instrument.perform(instrument.params.model_validate(annotate["params"]), rng, duration_ms)


async def watch_signal(
    browser: Participant, pace: Pace, rng: random.Random, trial: Mapping[str, Any], acts: Sequence[Act]
) -> None:
    """Watch the signal of a quality test, doing `acts` on the way."""
    await _play(browser, pace, rng, trial, trial["signal"]["duration_ms"], 1, acts, {})


async def _look(browser: Participant, medium: Mapping[str, Any]) -> tuple[bytes, Shown]:
    whole = medium.get("player") == "replay"
    content = await browser.open_medium(medium["url"], WHOLE_BYTES if whole else BEGINNING_BYTES)
    shown = look_at(content)
    if medium.get("log"):
        shown = Shown(shown.length_ms, log_in(await browser.open_medium(medium["log"], WHOLE_BYTES)))
    return content, shown


async def _play(
    browser: Participant,
    pace: Pace,
    rng: random.Random,
    trial: Mapping[str, Any],
    until_ms: int,
    rate: float,
    acts: Sequence[Act],
    player: Mapping[str, int],
) -> frozenset[str]:
    """`player` goes into every event of the player, where the page has several. Returns what was opened beside it."""
    browser.note("media.ready", duration_ms=until_ms, width=640, height=360, **player)
    await pace.sleep(rng.randint(300, 1500))
    opened = [
        which
        for which, there in (trial.get("overlay") or {}).items()
        if there and rng.random() < OPENS_CHANCE
    ]
    for which in opened:
        browser.note("overlay.open", which=which, media_ms=0)
    browser.note("media.play", media_ms=0, **player)
    at_ms, waiting = 0, deque(acts)
    while at_ms < until_ms:
        piece_ms = min(round(INTERVAL_MS * rate), until_ms - at_ms)
        await _act_until(browser, pace, at_ms, at_ms + piece_ms, rate, waiting)
        browser.note("media.interval", from_ms=at_ms, to_ms=at_ms + piece_ms, rate=rate, **player)
        at_ms += piece_ms
        if at_ms < until_ms and rng.random() < STALL_CHANCE:
            browser.note("media.stall", media_ms=at_ms, **player)
            await pace.sleep(rng.randint(150, 1200))
            browser.note("media.resume", media_ms=at_ms, **player)
        if rng.random() < LOOK_AWAY_CHANCE:
            browser.note("page.blur")
            browser.note("page.focus")
        await browser.send()
    browser.note("media.ended", media_ms=until_ms, view=1, **player)
    await browser.send()
    return frozenset(opened)


async def _act_until(
    browser: Participant, pace: Pace, from_ms: int, to_ms: int, rate: float, waiting: deque[Act]
) -> None:
    """Let the medium run, doing what is to be done on the way."""
    at_ms = from_ms
    while waiting and waiting[0].media_ms < to_ms:
        act = waiting.popleft()
        await pace.sleep(round(max(0, act.media_ms - at_ms) / rate))
        at_ms = max(at_ms, act.media_ms)
        browser.note(act.kind, **act.data)
    await pace.sleep(round((to_ms - at_ms) / rate))
