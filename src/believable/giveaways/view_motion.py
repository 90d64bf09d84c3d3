"""How the view of a film turns: the sideways shift between pictures, and steps of its rate.

No recording is needed, so films of any game can be compared. Near things shift more than far ones;
the upper part of the picture, where far things are, is read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from believable.motion.decision_grid import find_grid
from believable.motion.motion_track import Floats

#: Pictures are read at this size; the part between these shares of the height.
WIDTH, HEIGHT = 320, 180
TOP, BOTTOM, STRIPS = 0.1, 0.6, 6
#: The most that the view turns between two pictures, in pixels.
REACH = 70
#: The rate before and after a step is the middle one of this number of pictures.
SPAN = 3
#: Smaller steps are noise; larger ones are as good as this, because single shifts are uncertain.
LEAST_STEP, MOST_STEP = 1.5, 5.0
#: Two steps are further apart than the span, so faster clocks would be found in anything.
FASTEST_CLOCK_HZ = 7.5


def view_turns(pictures: NDArray[np.uint8]) -> Floats:
    """Return the sideways shift from each picture to the next, in pixels; the first is 0.

    The shift at which the edges of both pictures correlate most, over strips of rows, refined by a
    parabola.
    """
    height = pictures.shape[1]
    borders = np.linspace(TOP * height, BOTTOM * height, STRIPS + 1).astype(int)
    edges = np.diff(pictures[:, borders[0] : borders[-1]].astype(np.float32), axis=2)
    width = edges.shape[2]
    reach = min(REACH, width - 2)
    shifts = np.arange(-reach, reach + 1)
    alike = np.zeros((len(pictures) - 1, len(shifts)))
    for first, last in zip(borders[:-1] - borders[0], borders[1:] - borders[0], strict=True):
        strip = edges[:, first:last]
        spectrum = np.fft.rfft(strip, 2 * width, axis=2)
        product = np.fft.irfft((spectrum[1:] * np.conj(spectrum[:-1])).sum(1), 2 * width, axis=1)
        energy = np.cumsum((strip**2).sum(1), axis=1, dtype=np.float64)
        energy = np.concatenate([np.zeros((len(strip), 1)), energy], axis=1)
        for number, shift in enumerate(shifts):
            right, left = max(0, shift), max(0, -shift)
            before = energy[:-1, width - right] - energy[:-1, left]
            after = energy[1:, width - left] - energy[1:, right]
            scale = np.sqrt(np.maximum(before * after, 1e-6))
            alike[:, number] += product[:, shift] / scale / STRIPS
    best = np.clip(alike.argmax(1), 1, len(shifts) - 2)
    rows = np.arange(len(alike))
    left_of, top, right_of = (alike[rows, best + step] for step in (-1, 0, 1))
    bend = left_of - 2 * top + right_of
    part = np.where(bend < 0, 0.5 * (left_of - right_of) / np.where(bend == 0, 1.0, bend), 0.0)
    return np.asarray(np.r_[0.0, shifts[best] + np.clip(part, -0.5, 0.5)])


def turn_steps(turns: Floats) -> Floats:
    """Return the size of each step of the turning rate at its picture, 0 elsewhere."""
    n = len(turns)
    padded = np.r_[np.full(SPAN, turns[0]), turns, np.full(SPAN, turns[-1])]
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, SPAN), axis=1)
    sizes = np.abs(middle[SPAN : SPAN + n] - middle[:n])
    around = np.lib.stride_tricks.sliding_window_view(np.pad(sizes, 2), 5).max(1)
    highest = (sizes >= around) & (sizes > LEAST_STEP)
    # of equal neighbors the first one counts
    highest[1:] &= ~highest[:-1]
    return np.asarray(np.where(highest, np.minimum(sizes, MOST_STEP), 0.0))


def view_behavior(turns: Floats, hz: float) -> dict[str, float]:
    """Return features of the view's turning, in picture widths and seconds."""
    rate = np.abs(turns) * hz / WIDTH
    found = {
        "view_turn_rate": float(rate.mean()),
        "view_turn_top": float(np.percentile(rate, 95)),
        "view_turn_change": float(np.abs(np.diff(turns)).mean()) * hz / WIDTH,
        "view_straight": float((np.abs(turns) < 0.5).mean()),
    }
    steps = turn_steps(turns)
    grid = find_grid(steps, hz, fastest_hz=FASTEST_CLOCK_HZ)
    if grid is not None:
        found["view_grid_evidence"] = grid.evidence
    return found
