"""The tones of the headphone check as sound: the page plays them without knowing which one is
quieter.

A tone is one period for both ears, which the page repeats: 16-bit samples, left and right in turn,
as Base64. Each begins at a different phase, so equal tones look different.
"""

from __future__ import annotations

import base64
import random
import struct
from collections.abc import Sequence
from math import pi, sin

#: Samples per second, and how many are one period. The tone is low (200 Hz), so that both sides of
#: a loudspeaker pair cancel each other almost everywhere in a room.
RATE_HZ, PERIOD = 8000, 40
LOUDNESS = 0.4
#: Six decibels less.
QUIETER = 0.5
_FULL = 32_767


def row_waves(quiet: int, against: int, tones: int, rng: random.Random) -> list[str]:
    """The tones of a row: `quiet` is softer, `against` has its right side turned over; both from
    0.
    """
    return [
        _wave(LOUDNESS * (QUIETER if tone == quiet else 1), tone == against, rng.random())
        for tone in range(tones)
    ]


def _wave(loudness: float, against: bool, phase: float) -> str:
    left = [
        round(_FULL * loudness * sin(2 * pi * (step / PERIOD + phase))) for step in range(PERIOD)
    ]
    both = [sample for value in left for sample in (value, -value if against else value)]
    return base64.b64encode(struct.pack(f"<{2 * PERIOD}h", *both)).decode("ascii")


def hear_wave(wave: str, *, headphones: bool) -> float:
    """The loudness of a tone with headphones, or in a room in which both sides meet; full loudness
    is 1.
    """
    both: tuple[int, ...] = struct.unpack(f"<{2 * PERIOD}h", base64.b64decode(wave))
    left, right = both[::2], both[1::2]
    levels: Sequence[float] = (
        left if headphones else [(one + other) / 2 for one, other in zip(left, right, strict=True)]
    )
    return max(map(abs, levels)) / _FULL
