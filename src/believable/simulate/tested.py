"""How a simulated person takes device checks and quality tests."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from believable.instruments.contract import Act
from believable.instruments.tracing.perform import samples

#: A hand is this far behind what it follows.
LAG_MS = (250, 700)
#: It looks this often whether to go on turning.
LOOK_MS = 125
#: Change of level from one look to the next that is noticed.
NOTICED = 0.004
#: Chance of a needless or a missing notch at one look: for somebody careful, and for somebody who is not.
SLIP_CHANCE, CARELESS_SLIP_CHANCE = 0.04, 0.95


def checked(device: Mapping[str, Any], rng: random.Random, care: float) -> dict[str, Any]:
    """What is answered to a device check. Somebody careful counts right."""
    answers: dict[str, Any] = {}
    if device["tones"] is not None:
        answers["heard"] = device["tones"] + (0 if rng.random() < care else rng.choice((-1, 1)))
    if device["wheel"]:
        answers["wheel"] = True
    return answers


def retried(trial: Mapping[str, Any]) -> Mapping[str, Any]:
    """The page after an attempt that was wrong: a device check has other tones to count."""
    device = trial.get("device")
    if not device or not device["later"]:
        return trial
    count, *later = device["later"]
    return {**trial, "device": {**device, "tones": count, "later": later}}


def followed(signal: Mapping[str, Any], rng: random.Random, care: float) -> Sequence[Act]:
    """RankTrace of the signal: late, with slips, and by the careless mostly at random."""
    slip = SLIP_CHANCE if rng.random() < care else CARELESS_SLIP_CHANCE
    lag_ms = rng.randint(*LAG_MS)
    duration_ms = signal["duration_ms"]
    times_ms, levels = zip(*signal["corners"], strict=True)
    made: list[tuple[int, float]] = []
    value = 0
    for at_ms in range(LOOK_MS, duration_ms, LOOK_MS):
        now, before = np.interp((at_ms - lag_ms, at_ms - lag_ms - LOOK_MS), times_ms, levels)
        change = float(now - before)
        direction = 0 if abs(change) < NOTICED else 1 if change > 0 else -1
        if rng.random() < slip:
            direction = rng.choice((-1, 0, 1))
        if direction:
            value += direction
            made.append((at_ms, value))
    return samples(made, duration_ms, 0, "wheel")
