"""The parameters of random effects: from a flat vector to relative Cholesky blocks, and back to SDs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from believable.stats.inputs import FloatArray
from believable.stats.models.design import Varying
from believable.stats.models.records import RandomCorrelation, RandomSd

SINGULAR_BELOW = 1e-4
"""A relative standard deviation below this counts as none, as in lme4."""


def standardised(varying: tuple[Varying, ...]) -> tuple[tuple[Varying, ...], list[FloatArray]]:
    """Columns of mean square 1, so that an optimiser meets one scale; and the factors they were divided by."""
    scales = [np.sqrt((v.values**2).mean(axis=0)) for v in varying]
    scales = [np.where(scale > 0, scale, 1.0) for scale in scales]
    scaled = tuple(replace(v, values=v.values / scale) for v, scale in zip(varying, scales, strict=True))
    return scaled, scales


def unscaled(block: FloatArray, scale: FloatArray) -> FloatArray:
    """The Cholesky block of the columns before they were divided."""
    return block / scale[:, None]


def start(varying: tuple[Varying, ...]) -> FloatArray:
    """The identity for every group."""
    return np.concatenate([np.eye(v.width)[np.tril_indices(v.width)] for v in varying])


def lower_limits(varying: tuple[Varying, ...]) -> FloatArray:
    """Zero for diagonal entries, none for the others."""
    parts = [np.where(np.eye(v.width)[np.tril_indices(v.width)] == 1, 0.0, -np.inf) for v in varying]
    return np.concatenate(parts)


def blocks(theta: FloatArray, varying: tuple[Varying, ...]) -> list[FloatArray]:
    """The lower-triangular k × k block of each group."""
    found, at = [], 0
    for v in varying:
        block = np.zeros((v.width, v.width))
        count = v.width * (v.width + 1) // 2
        block[np.tril_indices(v.width)] = theta[at : at + count]
        found.append(block)
        at += count
    return found


def is_singular(theta: FloatArray, varying: tuple[Varying, ...]) -> bool:
    """Is a diagonal entry (practically) zero?"""
    return any(float(np.diagonal(block).min()) < SINGULAR_BELOW for block in blocks(theta, varying))


def describe(
    covariances: list[FloatArray], varying: tuple[Varying, ...]
) -> tuple[tuple[RandomSd, ...], tuple[RandomCorrelation, ...]]:
    """Standard deviations and correlations from the k × k covariance of each group."""
    sds: list[RandomSd] = []
    correlations: list[RandomCorrelation] = []
    for covariance, v in zip(covariances, varying, strict=True):
        spread = [math.sqrt(max(float(covariance[i, i]), 0.0)) for i in range(v.width)]
        sds += [RandomSd(v.group, name, sd, v.levels) for name, sd in zip(v.names, spread, strict=True)]
        for i in range(v.width):
            for j in range(i):
                both = spread[i] * spread[j]
                value = float(covariance[i, j]) / both if both > 0 else None
                correlations.append(RandomCorrelation(v.group, (v.names[j], v.names[i]), value))
    return tuple(sds), tuple(correlations)
