"""Cohen's κ: two coders, each with individual habits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.stats.agreement.coefficient import (
    IntArray,
    code_pair,
    coefficient,
    no_items,
    unseen_share,
)
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of

Weights = Literal["linear", "quadratic"]


def cohen_kappa(
    a: Any,
    b: Any,
    weights: Weights | None = None,
    *,
    categories: Sequence[Any] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Do two coders agree beyond what their habits would give by chance?

    Formula     κ = (p_o − p_e)/(1 − p_e) with p_o = Σ w_ij p_ij and p_e = Σ w_ij p_i· p_·j; w is
                the identity, or 1 − |i − j|/(q − 1) ("linear"), or 1 − (i − j)²/(q − 1)²
                ("quadratic") on category positions.
    Range       −1 to 1; 1 is full agreement, 0 is chance, below 0 is less than chance. Higher is
                better.
    Interval    jackknife over items, on the scale log(1 − κ), Student's t; it ends at −1. `se` is
                the Fleiss–Cohen–Everitt standard error, with which the interval of quadratic κ of
                60 items covers 93 % only.
    Test        statistic = κ / (its standard error under chance only), normal; two-sided p_value.
    Missing     a pair with a missing label is left out and noted.
    Undefined   no complete pair; both coders use one and the same category throughout (p_e = 1).
    Categories  weighted κ needs the order: numbers are taken ascending, texts need `categories`.
                Give `categories` also when a point of the scale was never used, or the distances
                shrink.
    Source      Cohen 1960, 1968; Fleiss, Cohen & Everitt 1969.
    Checked     R irr 0.84.1 (value, z), vcd 1.4 (standard error), psych 2.2.9, scikit-learn.
    """
    check_level(level)
    one_of(weights, (None, "linear", "quadratic"), name="weights")
    first, second, labels, numeric, incomplete = code_pair(a, b, categories=categories)
    if weights is not None and not numeric and categories is None and len(labels) > 2:
        raise InvalidInput(
            f"weights: {weights!r} needs ordered categories, got the texts {list(labels)!r}. "
            "Give their order with categories=[...]."
        )
    method = f"cohen_kappa ({weights or 'unweighted'}; log-scale jackknife interval)"
    notes = (f"{incomplete} incomplete pairs left out",) if incomplete else ()
    n = len(first)
    if n == 0:
        return no_items(method, level, notes=notes)
    share = _joint_shares(first, second, len(labels))
    weight = _weight_matrix(len(labels), weights)
    value, se, z = _kappa(share, weight, n)
    if value is None:
        reason = "both raters used one and the same category throughout, so chance agreement is 1"
        return undefined(reason, method=method, n=n, level=level, notes=notes)
    expected = float(share.sum(axis=1) @ share.sum(axis=0))
    at_one = 1 - unseen_share(n, level=level) / (1 - expected) if expected < 1 else None
    p_value = None if z is None else float(2 * special.ndtr(-abs(z)))
    return coefficient(
        value,
        _jackknife_se(share * n, weight, value) if n > 2 else se,
        n=n,
        level=level,
        method=method,
        at_one=at_one,
        notes=notes,
        statistic=z,
        p_value=p_value,
        reported_se=se,
    )


def shared_kappas(share: FloatArray) -> FloatArray:
    """Unweighted κ of many tables of shares `[table, first, second]` at once; NaN where p_e = 1."""
    observed = share.diagonal(axis1=1, axis2=2).sum(axis=1)
    expected = np.vecdot(share.sum(axis=2), share.sum(axis=1))
    defined = expected < 1 - 1e-15
    return np.asarray(
        np.divide(observed - expected, 1 - expected, out=np.full(len(share), np.nan), where=defined)
    )


def _joint_shares(first: IntArray, second: IntArray, width: int) -> FloatArray:
    counts = np.bincount(first * width + second, minlength=width * width)
    return counts.reshape(width, width) / len(first)


def _weight_matrix(width: int, weights: Weights | None) -> FloatArray:
    if weights is None or width < 2:
        return np.eye(width)
    distance = np.abs(np.subtract.outer(np.arange(width), np.arange(width))) / (width - 1)
    return 1 - (distance if weights == "linear" else distance**2)


def _jackknife_se(counts: FloatArray, weight: FloatArray, value: float) -> float:
    """From κ without each item; items in the same cell of the table leave the same κ."""
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    i, j = np.nonzero(counts)
    times, gone = counts[i, j], weight[i, j]
    n = float(rows.sum())
    observed = (float((weight * counts).sum()) - gone) / (n - 1)
    expected = (
        float(rows @ weight @ columns) - (weight @ columns)[i] - (rows @ weight)[j] + gone
    ) / (n - 1) ** 2
    usable = expected < 1 - 1e-12
    left = np.full(len(times), value)
    left[usable] = (observed[usable] - expected[usable]) / (1 - expected[usable])
    around = left - float(times @ left) / n
    return math.sqrt((n - 1) / n * float(times @ (around * around)))


def _kappa(
    share: FloatArray, weight: FloatArray, n: int
) -> tuple[float | None, float, float | None]:
    """κ, its standard error, and z under chance only; None where p_e = 1."""
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed = float((weight * share).sum())
    expected = float(rows @ weight @ columns)
    if expected >= 1 - 1e-15:
        return None, 0.0, None
    value = (observed - expected) / (1 - expected)
    # The mean weight of each category against the other rater's habits.
    means = np.add.outer(weight @ columns, rows @ weight)
    spread = (share * (weight * (1 - expected) - means * (1 - observed)) ** 2).sum()
    centre = observed * expected - 2 * expected + observed
    se = math.sqrt(max(float(spread) - centre**2, 0.0) / n) / (1 - expected) ** 2
    null = float((np.outer(rows, columns) * (weight - means) ** 2).sum()) - expected**2
    if null <= 1e-15:
        return value, se, None
    return value, se, value * (1 - expected) * math.sqrt(n / null)
