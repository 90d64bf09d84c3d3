"""The degrees of freedom of effects that vary between the levels of a group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from believable.stats.inputs import FloatArray
from believable.stats.models.design import Design, Varying
from believable.stats.regression import INTERCEPT


def degrees_of_freedom(matrices: Design) -> tuple[float | None, ...]:
    """Of each coefficient: None if no group limits it."""
    degrees: list[float | None] = []
    for name, column in zip(matrices.names, matrices.fixed.T, strict=True):
        known = [_levels_known(name, column, group, matrices) for group in matrices.varying]
        limits = [limit for limit in known if limit is not None]
        degrees.append(None if name == INTERCEPT or not limits else min(limits))
    return tuple(degrees)


def _levels_known(name: str, column: FloatArray, group: Varying, matrices: Design) -> float | None:
    """The degrees of freedom that the levels of a group leave for an effect; None if it varies
    freely within them.
    """
    varies = _varies_within(column, group)
    if name in group.names and varies.any():
        return float(varies.sum() - 1)
    if varies.any():
        return None
    constant = sum(not _varies_within(other, group).any() for other in matrices.fixed.T)
    return float(group.levels - constant)


def _varies_within(column: FloatArray, group: Varying) -> NDArray[np.bool_]:
    """For each level of a group: does the column take several values in it?"""
    low, high = np.full(group.levels, np.inf), np.full(group.levels, -np.inf)
    np.minimum.at(low, group.codes, column)
    np.maximum.at(high, group.codes, column)
    return np.asarray(low < high)
