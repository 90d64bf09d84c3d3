"""Do two traces move in the same direction at the same time?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from believable.core.errors import InvalidInput
from believable.stats.agreement import cohen_kappa
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, finite_array

_NO_INTERVAL = "the steps of one trace depend on each other; take the interval over annotators"


def sda(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> float:
    """Signed differential agreement: do two traces rise, fall and rest together?

    Formula     mean over steps of +1 where the signs of both first differences are equal (both zero included),
                −1 where not; a difference of at most `tolerance` counts as zero.
    Range       −1 (never together) to 1 (always). Higher is better; two unrelated traces are well below 0, since
                three directions rarely coincide by chance.
    Lengths     both are cut to the shorter. Fewer than two common points: InvalidInput.
    Source      Booth & Narayanan 2020; used on annotation reliability by Barthet et al.
    Checked     the published crowdworker values of the auditory test, the green-intensity data.
    """
    first, second = _steps(a, b, tolerance)
    return float(np.where(first == second, 1.0, -1.0).mean())


def direction_kappa(a: ArrayLike, b: ArrayLike, *, tolerance: float = 0.0) -> Estimate:
    """Cohen's κ of the directions (falls, rests, rises) of two traces, step by step.

    Range       ≤ 1; 0 is what two annotators with the same habits reach by chance.
    Interval    none: the steps of one trace depend on each other. Take it over annotators.
    Undefined   both traces move in one and the same direction throughout (both constant, say).
    Lengths     as `sda`. Checked: scikit-learn, the published values of the auditory test.
    """
    first, second = _steps(a, b, tolerance)
    method = "direction_kappa"
    found = cohen_kappa(first, second)
    if found.value is None:
        reason = "both traces move in one and the same direction throughout, so chance agreement is 1"
        return undefined(reason, method=method, n=len(first))
    return without_interval(found.value, _NO_INTERVAL, method=method, n=len(first))


def lag_ms(a: ArrayLike, truth: ArrayLike, *, max_ms: float, step_ms: float) -> Estimate:
    """By how many milliseconds does an annotation trail what is annotated?

    Formula     the shift 0, step, 2·step … up to `max_ms` with the highest Pearson correlation of the trace, moved
                back by that much, with the truth; the smallest of equals.
    Range       0 to max_ms. A value of max_ms says that the search was too short.
    Undefined   one of the two does not vary. Fewer than three points left at the largest shift: InvalidInput.
    """
    first, second = _common(a, truth, names=("a", "truth"))
    if not (math.isfinite(step_ms) and step_ms > 0 and math.isfinite(max_ms) and max_ms >= 0):
        raise InvalidInput(
            f"max_ms, step_ms: expected 0 or more and more than 0, got {max_ms} and {step_ms}."
        )
    most = int(max_ms / step_ms + 1e-9)
    if len(first) - most < 3:
        raise InvalidInput(
            f"max_ms: expected at least 3 points left after the largest shift, got {len(first)} points and "
            f"{most} steps. Shorten the search."
        )
    scores = [correlation(first[shift:], second[: len(second) - shift]) for shift in range(most + 1)]
    known = [(score, shift) for shift, score in enumerate(scores) if score is not None]
    if not known:
        return undefined("one of the two traces does not vary", method="lag_ms", n=len(first))
    best = max(score for score, _ in known)
    shift = next(shift for score, shift in known if score >= best - 1e-12)
    return without_interval(
        shift * step_ms, _NO_INTERVAL, method="lag_ms (highest correlation)", n=len(first)
    )


def correlation(x: FloatArray, y: FloatArray) -> float | None:
    """Pearson's r of two arrays of one length; None when one does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    dx, dy = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return float(dx @ dy) / scale if scale > 0 else None


def _steps(a: ArrayLike, b: ArrayLike, tolerance: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise InvalidInput(f"tolerance: expected 0 or more, got {tolerance}.")
    first, second = _common(a, b, names=("a", "b"))
    if len(first) < 2:
        raise InvalidInput(
            f"a, b: expected at least 2 common points, got {len(first)}. A direction needs a step."
        )
    return _signs(first, tolerance), _signs(second, tolerance)


def _signs(trace: FloatArray, tolerance: float) -> NDArray[np.int64]:
    step = np.diff(trace)
    return np.where(np.abs(step) <= tolerance, 0, np.sign(step)).astype(np.int64)


def _common(a: ArrayLike, b: ArrayLike, *, names: tuple[str, str]) -> tuple[FloatArray, FloatArray]:
    first, second = finite_array(a, name=names[0]), finite_array(b, name=names[1])
    length = min(len(first), len(second))
    return first[:length], second[:length]
