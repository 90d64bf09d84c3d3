"""Light's κ: several raters through all their pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from believable.stats.agreement.interval import coefficient, jackknife_se, unseen_share
from believable.stats.agreement.ratings import Coded, IntArray, code_labels
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray


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
        return undefined(
            f"needs two raters and a complete row, got {raters} rater(s) and {n} row(s)",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    agreeing, joint, margins = _pair_sums(codes, len(coded.categories))
    value = _light(agreeing, joint, n)
    if value is None:
        return undefined(
            "a pair of raters used one and the same category throughout",
            method=method,
            n=n,
            level=level,
            notes=notes,
        )
    left = [_light(agreeing - same, joint_left, n - 1) for same, joint_left in _without_each(codes, margins)]
    known = np.array([value if one is None else one for one in left]) if n > 2 else np.zeros(n)
    expected = float(joint.mean())
    at_one = 1 - unseen_share(n, level=level) / (1 - expected) if expected < 1 else None
    return coefficient(
        value, jackknife_se(known), n=n, level=level, method=method, at_one=at_one, notes=notes
    )


def _complete(coded: Coded) -> tuple[IntArray, tuple[str, ...]]:
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
