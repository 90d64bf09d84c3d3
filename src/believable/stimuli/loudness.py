"""Loudness of sound by ITU-R BS.1770."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from believable.stimuli.recipe import SOUND_RATE_HZ, Chain

STEP_S, STEPS_PER_BLOCK = 0.1, 4
ABSOLUTE_GATE_LUFS, RELATIVE_GATE_LU = -70.0, -10.0
#: The standard's filters at 48 kHz, a shelf for the head, then a high pass; and their output, step
#: by step.
WEIGHTING: Chain = (
    ("aformat", "sample_fmts=dblp"),
    (
        "biquad",
        "b0=1.53512485958697:b1=-2.69169618940638:b2=1.19839281085285"
        ":a0=1:a1=-1.69065929318241:a2=0.73248077421585",
    ),
    ("biquad", "b0=1:b1=-2:b2=1:a0=1:a1=-1.99004745483398:a2=0.99007225036621"),
    ("asetnsamples", f"n={round(STEP_S * SOUND_RATE_HZ)}:p=0"),
)


def gated_loudness(steps: Iterator[Any]) -> float | None:
    """Loudness of weighted sound that arrives step by step: the mean power of those blocks that
    pass both gates.
    """
    length = round(STEP_S * SOUND_RATE_HZ)
    energies = np.array(
        [float(np.sum(step.to_ndarray() ** 2)) for step in steps if step.samples == length]
    )
    if energies.size < STEPS_PER_BLOCK:
        return None
    power = sliding_window_view(energies, STEPS_PER_BLOCK).sum(axis=1) / (STEPS_PER_BLOCK * length)
    power = power[power > _power(ABSOLUTE_GATE_LUFS)]
    if not power.size:
        return None
    power = power[power > np.mean(power) * 10 ** (RELATIVE_GATE_LU / 10)]
    return -0.691 + 10 * math.log10(float(np.mean(power)))


def _power(lufs: float) -> float:
    return float(10 ** ((lufs + 0.691) / 10))
