"""Kappas of raters with habits of their own: Cohen's for two, Light's and Conger's for several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.stats.agreement.coefficient import (
    CodedLabels,
    IntArray,
    code_labels,
    code_pair,
    coefficient,
    count_table,
    few_ratings,
    jackknife_se,
    no_items,
    pair_counts,
    unseen_share,
)
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of

Weights = Literal["linear", "quadratic"]


def cohen_kappa(
    a: Any, b: Any, weights: Weights | None = None, *, categories: Sequence[Any] | None = None, level: float = 0.95
) -> Estimate:
    """Do two coders agree beyond what their habits would give by chance?

    Formula     κ = (p_o − p_e)/(1 − p_e) with p_o = Σ w_ij p_ij and p_e = Σ w_ij p_i· p_·j; w is the identity, or
                1 − |i − j|/(q − 1) ("linear"), or 1 − (i − j)²/(q − 1)² ("quadratic") on category positions.
    Range       ≤ 1; 1 is full agreement, 0 is chance, below 0 is less than chance. Higher is better.
    Interval    jackknife over items, on the scale log(1 − κ), Student's t. `se` is the Fleiss–Cohen–Everitt standard
                error, with which the interval of quadratic κ of 60 items covers 93 % only.
    Test        statistic = κ / (its standard error under chance only), normal; two-sided p_value.
    Missing     a pair with a missing label is left out and noted.
    Undefined   no complete pair; both coders use one and the same category throughout (p_e = 1).
    Categories  weighted κ needs the order: numbers are taken ascending, texts need `categories`. Give
                `categories` also when a point of the scale was never used, or the distances shrink.
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
    expected = (float(rows @ weight @ columns) - (weight @ columns)[i] - (rows @ weight)[j] + gone) / (n - 1) ** 2
    usable = expected < 1 - 1e-12
    left = np.full(len(times), value)
    left[usable] = (observed[usable] - expected[usable]) / (1 - expected[usable])
    around = left - float(times @ left) / n
    return math.sqrt((n - 1) / n * float(times @ (around * around)))


def _kappa(share: FloatArray, weight: FloatArray, n: int) -> tuple[float | None, float, float | None]:
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


def light_kappa(ratings: Any, *, categories: Sequence[Any] | None = None, level: float = 0.95) -> Estimate:
    """The mean of Cohen's κ over all pairs of raters.

    Range       ≤ 1, 0 is chance, higher is better.
    Interval    jackknife over items, scale log(1 − κ), Student's t.
    Missing     rows with a missing cell are left out and noted.
    Undefined   fewer than two raters or complete rows; a pair of raters whose chance agreement is 1.
    Source      Light 1971; Conger 1980. Checked: R irr 0.84.1 `kappam.light`.
    """
    check_level(level)
    method = "light_kappa (log-scale jackknife interval)"
    coded = code_labels(ratings, name="ratings", ndim=2, categories=categories)
    codes, notes = _complete(coded)
    n, raters = codes.shape
    if raters < 2 or n < 1:
        reason = f"needs two raters and a complete row, there are {raters} and {n}"
        return undefined(reason, method=method, n=n, level=level, notes=notes)
    agreeing, joint, margins = _pair_sums(codes, len(coded.categories))
    value = _light(agreeing, joint, n)
    if value is None:
        return undefined(
            "a pair of raters used one and the same category throughout", method=method, n=n, level=level, notes=notes
        )
    left = [_light(agreeing - same, joint_left, n - 1) for same, joint_left in _without_each(codes, margins)]
    known = np.array([value if kappa_left is None else kappa_left for kappa_left in left]) if n > 2 else np.zeros(n)
    expected = float(joint.mean())
    at_one = 1 - unseen_share(n, level=level) / (1 - expected) if expected < 1 else None
    return coefficient(value, jackknife_se(known), n=n, level=level, method=method, at_one=at_one, notes=notes)


def _complete(coded: CodedLabels) -> tuple[IntArray, tuple[str, ...]]:
    complete = np.asarray((coded.codes >= 0).all(axis=1))
    left_out = int((~complete).sum())
    notes = (f"{left_out} of {len(complete)} rows left out for a missing cell",) if left_out else ()
    return coded.codes[complete], notes


def _pair_sums(codes: IntArray, width: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per pair of raters: how many items agree, Σ_c p_ic·p_jc; and each rater's counts of the categories."""
    first, second = np.triu_indices(codes.shape[1], k=1)
    margins = np.stack([np.bincount(column, minlength=width) for column in codes.T]).astype(np.float64)
    agreeing = (codes[:, first] == codes[:, second]).sum(axis=0).astype(np.float64)
    return agreeing, _chance(margins, len(codes)), margins


def _chance(margins: FloatArray, n: int) -> FloatArray:
    first, second = np.triu_indices(len(margins), k=1)
    return np.asarray((margins @ margins.T)[first, second] / n**2)


def _without_each(codes: IntArray, margins: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """For each item: which pairs agree on it, and the chance agreement of the pairs without it."""
    first, second = np.triu_indices(codes.shape[1], k=1)
    if len(codes) < 2:
        return
    raters = np.arange(codes.shape[1])
    for item in codes:
        left = margins.copy()
        left[raters, item] -= 1
        yield (item[first] == item[second]).astype(np.float64), _chance(left, len(codes) - 1)


def _light(agreeing: FloatArray, chance: FloatArray, n: int) -> float | None:
    if (chance >= 1 - 1e-15).any():
        return None
    return float(((agreeing / n - chance) / (1 - chance)).mean())


def conger_kappa(ratings: Any, *, categories: Sequence[Any] | None = None, level: float = 0.95) -> Estimate:
    """Agreement of several distinct raters beyond chance, chance from each rater's own habits (Fleiss' "exact" κ).

    Formula     (p_o − p_e)/(1 − p_e), p_o the mean share of agreeing pairs of ratings of an item, p_e the mean over
                all pairs of raters of Σ_c p_ic·p_jc. Two raters, no missing cell: Cohen's κ.
    Range       ≤ 1, 0 is chance, higher is better.
    Interval    jackknife over items, scale log(1 − κ), Student's t.
    Missing     allowed (Gwet's extension): p_o over items with two ratings or more, a rater's shares over all items
                that rater rated; a rater without any rating is left out.
    Undefined   fewer than two raters, no item with two ratings, or one category throughout.
    Source      Conger 1980; Gwet 2014. Checked: R irr 0.84.1 `kappam.fleiss(exact = TRUE)`, irrCAC (missing cells).
    """
    check_level(level)
    method = "conger_kappa (log-scale jackknife interval)"
    coded = code_labels(ratings, name="ratings", ndim=2, categories=categories)
    counts = count_table(coded)
    some = counts.any(axis=1)
    codes, counts = coded.codes[some], counts[some]
    pairs, agreeing = pair_counts(counts)
    usable = pairs > 0
    notes = few_ratings(usable)
    if not usable.any():
        return no_items(method, level, notes=notes)
    shares = np.divide(agreeing, pairs, out=np.zeros(len(pairs)), where=usable)
    margins = _margins(codes, len(coded.categories))
    n, expected = len(codes), _conger_chance(margins)
    if expected >= 1 - 1e-15:
        reason = "one category was used throughout, so chance agreement is 1"
        return undefined(reason, method=method, n=n, level=level, notes=notes)

    def kappa(total: float, items: int, chance: float) -> float:
        return (total / items - chance) / (1 - chance)

    total, items = float(shares.sum()), int(usable.sum())
    value = kappa(total, items, expected)
    left = [_conger_chance(margins_left) for margins_left in _margins_without_each(codes, margins)]
    known = [
        kappa(total - share, items - used, chance) if items > used and chance < 1 - 1e-15 else value
        for share, used, chance in zip(shares, usable, left, strict=True)
    ]
    return coefficient(
        value,
        jackknife_se(np.array(known)) if items > 2 else 0.0,
        n=n,
        level=level,
        method=method,
        at_one=1 - unseen_share(items, level=level) / (1 - expected),
        notes=notes,
    )


def _margins(codes: IntArray, width: int) -> FloatArray:
    """How often each rater (row) used each category."""
    return np.stack([np.bincount(column[column >= 0], minlength=width) for column in codes.T], dtype=np.float64)


def _margins_without_each(codes: IntArray, margins: FloatArray) -> Iterator[FloatArray]:
    for item in codes:
        raters = np.flatnonzero(item >= 0)
        left = margins.copy()
        left[raters, item[raters]] -= 1
        yield left


def _conger_chance(margins: FloatArray) -> float:
    """The mean over all pairs of raters of the agreement their habits would give by chance."""
    rated = margins.sum(axis=1)
    shares = margins[rated > 0] / rated[rated > 0, None]
    raters, pooled = len(shares), shares.sum(axis=0)
    return float((pooled @ pooled - (shares * shares).sum()) / (raters * (raters - 1))) if raters > 1 else 1.0
