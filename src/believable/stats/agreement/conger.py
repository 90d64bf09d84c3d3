"""Conger's κ: several distinct raters, each with habits of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from believable.stats.agreement.interval import coefficient, jackknife_se, no_items, unseen_share
from believable.stats.agreement.ratings import IntArray, code_labels, count_table, few_ratings, pair_counts
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray


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
    return np.stack(
        [np.bincount(column[column >= 0], minlength=width) for column in codes.T], dtype=np.float64
    )


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
