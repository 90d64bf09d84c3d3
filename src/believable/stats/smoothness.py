"""How smoothly something moved: spectral arc length (Balasubramanian et al. 2015) and jerk."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import finite_array

#: Frequencies above this, in Hz, are no movement; beyond the last one whose share of the largest is
#: this, only noise is left.
CUTOFF_HZ, LEAST_SHARE = 10.0, 0.05
#: The spectrum is made this much finer, in powers of two, by zeros after the movement.
PADDING = 4
#: Fewer samples have no third difference, and no spectrum to speak of.
LEAST_SAMPLES = 4


def spectral_arc_length(speed: ArrayLike, hz: float) -> float | None:
    """The length of the speed's spectrum from zero to the highest frequency in it, negative: nearer
    to zero is smoother.

    speed        of the movement, `hz` times a second
    Undefined    fewer than four samples, or nothing moved: None
    Source       Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet (2015), with their
                 cutoff, threshold and padding
    Checked      R (fft) on the same samples
    """
    _check_hz(hz)
    values = finite_array(speed, name="speed")
    if len(values) < LEAST_SAMPLES or not np.any(values):
        return None
    count = 2 ** (math.ceil(math.log2(len(values))) + PADDING)
    heights = np.abs(np.fft.fft(values, count))
    heights = heights / heights.max()
    frequencies = np.arange(0, hz, hz / count)
    slow = frequencies <= CUTOFF_HZ
    frequencies, heights = frequencies[slow], heights[slow]
    enough = np.flatnonzero(heights >= LEAST_SHARE)
    part = slice(enough[0], enough[-1] + 1)
    frequencies, heights = frequencies[part], heights[part]
    if len(frequencies) < 2:
        return None
    width = frequencies[-1] - frequencies[0]
    return float(-np.sum(np.hypot(np.diff(frequencies) / width, np.diff(heights))))


def rms_jerk(places: ArrayLike, hz: float) -> float | None:
    """Root mean square of the third derivative of places, in units per second cubed.

    places       a row per sample, a column per axis, `hz` times a second
    Undefined    fewer than four samples: None
    Checked      R (diff) on the same samples
    """
    _check_hz(hz)
    values = finite_array(places, name="places", ndim=2)
    if len(values) < LEAST_SAMPLES:
        return None
    thirds = np.diff(values, 3, axis=0) * hz**3
    return float(np.sqrt(np.mean(np.sum(thirds**2, axis=1))))


def _check_hz(hz: float) -> None:
    if not hz > 0:
        raise InvalidInput(f"hz: expected samples per second above 0, got {hz}.")
