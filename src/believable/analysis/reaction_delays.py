"""Each person's delay before pressing a key, and the moment of the stimulus that was on screen that
long before a press.

A person's delay is the median of their practice trials between `EARLIEST_MS` and `LATEST_MS`. A
faster press was not an answer to the onset (simple reactions take 150 ms or more). A slower one is
recorded as no press. With fewer than `LEAST_TRIALS` usable trials the delay is missing. The median
resists one lapse in three trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.viewed_actions import Stretches

EARLIEST_MS = 100.0
LATEST_MS = 3000.0
LEAST_TRIALS = 3
#: Moments of the medium are stored in whole milliseconds.
ROUNDING_MS = 1.0


@dataclass(frozen=True, slots=True)
class ReactionDelay:
    """One person's delay in wall time. `trials` counts the trials from which it was computed; 0 if
    it is the declared default.
    """

    delay_ms: float
    trials: int

    @property
    def is_measured(self) -> bool:
        return self.trials > 0


def median_delay(delays_ms: list[float]) -> ReactionDelay | None:
    """The delay from these trials; None if too few of them can be used."""
    usable = [delay for delay in delays_ms if EARLIEST_MS <= delay <= LATEST_MS]
    return (
        ReactionDelay(float(np.median(usable)), len(usable))
        if len(usable) >= LEAST_TRIALS
        else None
    )


def measured_delays(data: Data) -> Mapping[str, ReactionDelay]:
    """By session. Bundles of older versions have no such table, so it is empty for them."""
    if "reactions" not in data.bundle.tables:
        return {}
    trials: dict[str, list[float]] = defaultdict(list)
    for row in data.table("reactions").rows():
        if row["delay_ms"] is not None:
            trials[str(row["session"])].append(float(row["delay_ms"]))
    known = {session: median_delay(delays) for session, delays in trials.items()}
    return {session: delay for session, delay in known.items() if delay is not None}


def stood_still(played: Stretches, media_ms: float) -> bool:
    """Whether the medium was not running at this moment, as in a pause: play intervals end here."""
    begun = played.from_ms - ROUNDING_MS <= media_ms
    return not bool((begun & (media_ms < played.to_ms - ROUNDING_MS)).any())


def moment_before(played: Stretches, media_ms: float, delay_ms: float) -> float:
    """The moment of the medium that was on screen `delay_ms` of wall time before `media_ms` first
    was, while it played.

    Stretches are in the order of playing. If it played for less time than that, it is the start of
    the first stretch; if it never showed `media_ms`, it is `media_ms` itself.
    """
    inside = np.flatnonzero(
        (played.from_ms - ROUNDING_MS <= media_ms) & (media_ms <= played.to_ms + ROUNDING_MS)
    )
    if not len(inside):
        return media_ms
    at_ms, left_ms = media_ms, delay_ms
    for index in range(int(inside[0]), -1, -1):
        since_ms, rate = float(played.from_ms[index]), float(played.rate[index])
        at_ms = (
            min(at_ms, float(played.to_ms[index]))
            if index == inside[0]
            else float(played.to_ms[index])
        )
        shown_ms = max(0.0, at_ms - since_ms) / rate
        if shown_ms >= left_ms:
            return at_ms - left_ms * rate
        left_ms -= shown_ms
        at_ms = since_ms
    return at_ms
