"""What each trace says in numbers: windows above and below a centre, rising and falling, for every uncertainty at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from believable.analysis.trace.clean import Pair, Windowed
from believable.stats.inputs import FloatArray

Centre = Literal["mean", "neutral"]
CENTRES: tuple[Centre, ...] = ("mean", "neutral")
NEUTRAL = 0.5
EPSILONS = (0.0, 0.05, 0.10, 0.15, 0.20, 0.25)
MEASURES = ("high", "low", "difference", "rises", "falls", "gradient", "mean")

#: As in `traces.counts`: rounding in the last digits does not make a window high or low.
_ROUNDING = 1e-12


def counted(traces: Sequence[Windowed], epsilon: float, centre: Centre) -> dict[str, FloatArray]:
    """Per trace: high, low and difference (of high and low), rises, falls and gradient (their difference), mean.

    The same numbers as `traces.high_low` and `traces.rises_falls`, for all traces of one length at once.
    """
    found = {name: np.empty(len(traces)) for name in MEASURES}
    lengths = np.array([len(one.values) for one in traces], dtype=np.int64)
    for length in np.unique(lengths):
        members = np.flatnonzero(lengths == length).tolist()
        values = np.stack([traces[index].values for index in members])
        for name, numbers in _of_table(values, epsilon, centre).items():
            found[name][members] = numbers
    return found


def differences(pairs: Sequence[Pair], epsilon: float, centre: Centre) -> dict[str, FloatArray]:
    """Per participant: the measure of the first round minus that of the second."""
    first = counted([pair.first for pair in pairs], epsilon, centre)
    second = counted([pair.second for pair in pairs], epsilon, centre)
    return {name: first[name] - second[name] for name in MEASURES}


def _of_table(values: FloatArray, epsilon: float, centre: Centre) -> dict[str, FloatArray]:
    mean = values.mean(axis=1)
    middle = mean if centre == "mean" else np.full(len(values), NEUTRAL)
    limit = epsilon + _ROUNDING * np.maximum(1.0, np.abs(values).max(axis=1))[:, None]
    away, steps = values - middle[:, None], np.diff(values, axis=1)
    high, low = (away > limit).sum(axis=1), (-away > limit).sum(axis=1)
    rises, falls = (steps > limit).sum(axis=1), (-steps > limit).sum(axis=1)
    return {
        "high": high.astype(np.float64),
        "low": low.astype(np.float64),
        "difference": (high - low).astype(np.float64),
        "rises": rises.astype(np.float64),
        "falls": falls.astype(np.float64),
        "gradient": (rises - falls).astype(np.float64),
        "mean": mean,
    }
