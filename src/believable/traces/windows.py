"""Traces in windows of a few seconds, and on a common scale."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray, finite_array, one_of


def windows(trace: ArrayLike, *, per: int = 12) -> FloatArray:
    """Means over consecutive, non-overlapping windows of `per` points (12 bins of 250 ms are 3 s).

    The last window may be partial: it is kept when at least half full. A trace of less than half a window is an error.
    """
    values = finite_array(trace, name="trace")
    if per < 1:
        raise InvalidInput(f"per: expected at least 1 point per window, got {per}.")
    full, rest = divmod(len(values), per)
    means = values[: full * per].reshape(full, per).mean(axis=1)
    if rest and 2 * rest >= per:
        means = np.append(means, values[full * per :].mean())
    if not len(means):
        raise InvalidInput(
            f"trace: expected at least half a window ({(per + 1) // 2} points), got {len(values)}. "
            "Give a longer trace or a smaller per."
        )
    return np.asarray(means, dtype=np.float64)


def normalise(trace: ArrayLike, *, constant: float = 0.0) -> FloatArray:
    """The trace from its minimum at 0 to its maximum at 1.

    A constant trace has no range: it becomes `constant` throughout. The default 0 is what `inactive_outliers` needs
    (an untouched trace is inactive); give 0.5 for high/low counts against the neutral centre and for display.
    """
    values = finite_array(trace, name="trace", least=1)
    low, high = values.min(), values.max()
    if low == high:
        return np.full(len(values), constant)
    scaled = (values - low) / (high - low)
    # Subnormal ranges can round outside; the promise is [0, 1].
    return np.asarray(np.clip(scaled, 0.0, 1.0))


def btrace_values(windows: ArrayLike, *, rule: Literal["sign", "mean", "minmax"] = "sign") -> FloatArray:
    """Window means of a BTrace in [−1, 1] as values in [0, 1], for high/low counts and display.

    sign    not believable 0, nothing or a tie .5, believable 1 (the default: the only rule consistent with the
            published result for the neutral centre);  mean  (x + 1)/2;  minmax  as `normalise`, constant .5
    """
    values = finite_array(windows, name="windows", least=1)
    one_of(rule, ("sign", "mean", "minmax"), name="rule")
    if np.abs(values).max() > 1:
        place = int(np.argmax(np.abs(values)))
        raise InvalidInput(f"windows[{place}]: expected a mean of labels −1 and 1, got {values[place]:g}.")
    if rule == "minmax":
        return normalise(values, constant=0.5)
    return np.asarray(((np.sign(values) if rule == "sign" else values) + 1) / 2)
