"""Integrated loudness after ITU-R BS.1770-4: two filters, blocks of 400 ms, two gates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

RATE_HZ = 48_000
BLOCK_S, STEP_S = 0.4, 0.1
ABSOLUTE_GATE_LUFS, RELATIVE_GATE_LU = -70.0, -10.0

#: The standard's filters at 48 kHz: a shelf for the head, then a high pass.
SHELF = (1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585)
HIGH_PASS = (1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)


def integrated_lufs(samples: NDArray[np.float32]) -> float | None:
    """Loudness of `samples` (channels × time at 48 kHz, left and right). None for silence, or for less than one block."""
    block, step = round(BLOCK_S * RATE_HZ), round(STEP_S * RATE_HZ)
    if samples.shape[1] < block:
        return None
    weighted = lfilter(*HIGH_PASS, lfilter(*SHELF, samples.astype(np.float64), axis=1), axis=1)
    sums = np.concatenate([[0.0], np.cumsum(np.sum(weighted**2, axis=0))])
    starts = np.arange(0, samples.shape[1] - block + 1, step)
    power = (sums[starts + block] - sums[starts]) / block
    power = power[power > _power(ABSOLUTE_GATE_LUFS)]
    if not power.size:
        return None
    power = power[power > np.mean(power) * 10 ** (RELATIVE_GATE_LU / 10)]
    return -0.691 + 10 * math.log10(float(np.mean(power)))


def _power(lufs: float) -> float:
    return float(10 ** ((lufs + 0.691) / 10))
