"""E-values of shares: the products of bets that `stats.sequential` reads after every judge.

Shares of a study are few distinct numbers. So an e-value is computed from how often each level
occurred (an array whose last axis is the levels), always in the same order: the same shares give
the same bytes, whatever the order of arrival.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from believable.core.errors import InvalidInput
from believable.stats.inputs import FloatArray
from believable.stats.stopping_rule import CHANCE

#: Bets of the symmetric form: on d = share − .5, in both directions.
_SYMMETRIC = np.array([sign * bet for bet in (0.5, 1, 2, 4, 8, 16, 32) for sign in (1, -1)])
#: Bets of the betting form: shares of the capital.
_BETS = np.arange(0.05, 1.0, 0.1)
#: The t form mixes over effects with this variance, in squared standard deviations.
T_SPREAD = 0.5
#: The t form begins with this judge.
T_FIRST = 5
#: A smaller variance of shares counts as this one: less than shares are rounded.
_LEAST_VARIANCE = 1e-4


def count_levels(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct shares in ascending order, and how often each occurred up to each judge
    (studies × judges × levels).
    """
    levels, index = np.unique(shares, return_inverse=True)
    counts = np.zeros((*shares.shape, len(levels)))
    np.put_along_axis(counts, index.reshape(shares.shape)[..., None], 1.0, axis=-1)
    return levels, np.cumsum(counts, axis=-2)


def add_levels(counts: FloatArray, values: FloatArray) -> FloatArray:
    """Sum the values of the levels, as often as each occurred, always in the same order."""
    total = np.zeros(counts.shape[:-1])
    for level, value in enumerate(values):
        total += counts[..., level] * value
    return total


def mix_bets(counts: FloatArray, log_factors: FloatArray) -> FloatArray:
    """Return the log of the mean over bets (columns of `log_factors`) of the products."""
    if counts.ndim == 1:  # one study: all bets at once
        totals = np.zeros(log_factors.shape[1])
        for count, factors in zip(counts, log_factors, strict=True):
            totals += count * factors
        single: FloatArray = np.logaddexp.reduce(totals) - math.log(log_factors.shape[1])
        return single
    mixed = np.full(counts.shape[:-1], -np.inf)
    for factors in log_factors.T:
        np.logaddexp(mixed, add_levels(counts, factors), out=mixed)
    mean: FloatArray = mixed - math.log(log_factors.shape[1])
    return mean


def symmetric_evidence(levels: FloatArray, counts: FloatArray) -> FloatArray:
    return mix_bets(counts, symmetric_factors(levels))


def symmetric_factors(levels: FloatArray) -> FloatArray:
    """Return the log factor of each share (row) under each bet (column)."""
    pushes = (levels - CHANCE)[:, None] * _SYMMETRIC
    log_factors: FloatArray = pushes - np.logaddexp(pushes, -pushes) + math.log(2)
    return log_factors


def capital_evidence(levels: FloatArray, counts: FloatArray, null: float, sign: int) -> FloatArray:
    """Bet that the mean is above the null (sign 1) or below it (−1)."""
    return mix_bets(counts, capital_factors(levels, null, sign))


def capital_factors(levels: FloatArray, null: float, sign: int) -> FloatArray:
    scale = 1 / null if sign > 0 else 1 / (1 - null)
    factors: FloatArray = np.log1p((sign * scale * (levels - null))[:, None] * _BETS)
    return factors


def two_sided_evidence(
    levels: FloatArray, counts: FloatArray, high: float, low: float
) -> FloatArray:
    """Bet that the mean is above `high` or below `low`, half the capital on each."""
    sides = capital_evidence(levels, counts, high, 1), capital_evidence(levels, counts, low, -1)
    either: FloatArray = np.logaddexp(*sides) - math.log(2)
    return either


def t_moments(levels: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return n, the mean, and the sum of squared deviations, which is never quite 0."""
    n = counts.sum(axis=-1)
    mean = add_levels(counts, levels) / np.maximum(n, 1)
    squares = np.zeros(counts.shape[:-1])
    for level, value in enumerate(levels):
        squares += counts[..., level] * (value - mean) ** 2
    return n, mean, np.maximum(squares, n * _LEAST_VARIANCE)


def t_evidence(levels: FloatArray, counts: FloatArray, null: float) -> FloatArray:
    n, mean, squares = t_moments(levels, counts)
    grown = 1 + n * T_SPREAD
    defined = n >= T_FIRST
    ratio = n * (mean - null) ** 2 / np.where(defined, squares, 1.0)
    value = -0.5 * np.log(grown) + n / 2 * (np.log1p(ratio) - np.log1p(ratio / grown))
    return np.where(defined, value, 0.0)


def best_growth(counts: FloatArray, log_factors: FloatArray) -> float:
    n = float(counts.sum())
    return max(float(add_levels(counts, factors)) for factors in log_factors.T) / n if n else 0.0


def t_growth(levels: FloatArray, counts: FloatArray, null: float) -> float:
    n, mean, squares = (float(part) for part in t_moments(levels, counts))
    return 0.5 * math.log1p(n * (mean - null) ** 2 / squares) if n else 0.0


def e_benjamini_hochberg(log_evidence: ArrayLike, *, alpha: float = 0.05) -> tuple[bool, ...]:
    """Choose among many agents those that are distinguishable, by e-BH.

    Says       which of K agents are distinguishable, if at most a share alpha of the chosen ones
               may be chosen falsely.
    Formula    the k agents with the largest evidence, for the largest k with e_(k) ≥ K/(alpha·k)
    Source     Wang & Ramdas (2022).
    Checked    the definition applied to every k in R.
    """
    logs = np.asarray(log_evidence, dtype=np.float64)
    if logs.ndim != 1 or np.isnan(logs).any():
        raise InvalidInput(
            f"log_evidence: expected a flat list of numbers, got shape {logs.shape}. Give one log"
            " e-value per agent."
        )
    k = len(logs)
    order = np.argsort(-logs, kind="stable")
    enough = logs[order] >= math.log(max(k, 1) / alpha) - np.log(np.arange(1, k + 1))
    chosen = np.zeros(k, bool)
    if enough.any():
        chosen[order[: int(np.flatnonzero(enough)[-1]) + 1]] = True
    return tuple(bool(flag) for flag in chosen)
