"""Slopes and curvature of a smooth function, by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from believable.stats.inputs import FloatArray


def gradient(
    function: Callable[[FloatArray], float], at: FloatArray, lower: FloatArray | None = None
) -> FloatArray:
    """Central differences; forward ones at a lower limit."""
    found = np.empty_like(at)
    for index in range(len(at)):
        step = 1e-5 * max(1.0, abs(float(at[index])))
        up, down = at.copy(), at.copy()
        up[index] += step
        down[index] -= step
        if lower is not None:
            down[index] = max(down[index], lower[index])
        found[index] = (function(up) - function(down)) / (up[index] - down[index])
    return found


def hessian(function: Callable[[FloatArray], float], at: FloatArray) -> FloatArray:
    """Central second differences."""
    size = len(at)
    steps = 1e-3 * np.maximum(1.0, np.abs(at)) * np.eye(size)
    middle = function(at)
    found = np.empty((size, size))
    for i in range(size):
        found[i, i] = (function(at + steps[i]) - 2 * middle + function(at - steps[i])) / steps[i, i] ** 2
        for j in range(i):
            mixed = (
                function(at + steps[i] + steps[j])
                - function(at + steps[i] - steps[j])
                - function(at - steps[i] + steps[j])
                + function(at - steps[i] - steps[j])
            )
            found[i, j] = found[j, i] = mixed / (4 * steps[i, i] * steps[j, j])
    return found
