"""Krippendorff's α: any number of raters, any level of measurement, missing cells allowed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.stats.agreement.interval import coefficient, jackknife_se, no_items, unseen_share
from believable.stats.agreement.ratings import IntArray, code_labels
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class _Pairable:
    """The values in units with at least two: flat, with the unit of each, and the counts per distinct value."""

    code: IntArray
    unit: IntArray
    sizes: FloatArray
    values: FloatArray
    counts: FloatArray


def krippendorff_alpha(ratings: Any, level: Measurement = "nominal", *, confidence: float = 0.95) -> Estimate:
    """Would other raters of the same kind have given the same data?

    Formula     α = 1 − D_o/D_e: mean squared difference within units over that between all values, δ² being
                0/1 (nominal), (rank difference)² (ordinal), (c − k)² (interval), ((c − k)/(c + k))² (ratio).
    Range       ≤ 1; 1 is perfect, 0 is chance, below 0 is systematic disagreement. Customary: ≥ .80 to rely on,
                ≥ .667 for tentative conclusions.
    Input       rows are units, columns raters. `level` is the level of measurement, as in the literature;
                `confidence` is the level of the interval. Ordinal and higher need numbers.
    Interval    jackknife over units, scale log(1 − α), Student's t.
    Missing     allowed; units with fewer than two values carry no information and are noted.
    Caution     ratio distances from a zero to anything else are all 1: with many zeros the interval covers less
                (about 92 % instead of 95 % when a tenth of the values are zeros and there are 40 units).
    Undefined   no unit with two values; all values equal (D_e = 0).
    Cost        nominal, ordinal, interval: linear in the table (closed forms), also for continuous values; ratio: square
                of the number of distinct values, in blocks of bounded memory.
    Source      Krippendorff 2011, 2019. Own code: the PyPI package is GPL and its memory grows with the square of
                the number of distinct values.
    Checked     R irr 0.84.1 `kripp.alpha`, Python krippendorff 0.9.0, Krippendorff's 2011 example.
    """
    check_level(confidence)
    one_of(level, ("nominal", "ordinal", "interval", "ratio"), name="level")
    method = f"krippendorff_alpha ({level}; log-scale jackknife interval)"
    coded = code_labels(ratings, name="ratings", ndim=2)
    if level != "nominal" and not coded.numeric and len(coded.categories):
        raise InvalidInput(
            f"ratings: {level} α needs numbers, got the label {coded.categories[0]!r}. Code the labels as numbers in "
            "their order, or use level='nominal'."
        )
    data, notes = _pairable(coded.codes, coded.categories, numeric=coded.numeric)
    units = len(data.sizes)
    if units == 0:
        return no_items(method, confidence, notes=notes)
    if len(data.values) < 2:
        return undefined(
            "all values are the same, so there is no disagreement to expect",
            method=method,
            n=units,
            level=confidence,
            notes=notes,
        )
    alpha, without_each = _alpha(data, level)
    return coefficient(
        alpha,
        jackknife_se(without_each) if units > 1 else 0.0,
        n=units,
        level=confidence,
        method=method,
        at_one=1 - unseen_share(units, level=confidence),
        notes=notes,
    )


def _pairable(
    codes: IntArray, categories: tuple[Any, ...], *, numeric: bool
) -> tuple[_Pairable, tuple[str, ...]]:
    present = codes >= 0
    sizes = present.sum(axis=1)
    keep = sizes >= 2
    few = int((~keep).sum())
    notes = (f"{few} of {len(codes)} units have fewer than two values",) if few else ()
    rows, columns = np.nonzero(present & keep[:, None])
    unit = np.cumsum(keep) - 1
    counts = np.bincount(codes[rows, columns], minlength=len(categories))
    used = counts > 0  # a value seen only in units of one rating is not part of the data
    code = (np.cumsum(used) - 1)[codes[rows, columns]]
    numbers = (
        np.array(categories, dtype=np.float64) if numeric else np.arange(len(categories), dtype=np.float64)
    )
    return _Pairable(
        code, unit[rows], sizes[keep].astype(float), numbers[used], counts[used].astype(float)
    ), notes


def _alpha(data: _Pairable, level: Measurement) -> tuple[float, FloatArray]:
    """α, and α without each unit."""
    within, to_all = _disagreements(data, level)
    total = float(data.sizes.sum())
    per_unit = within / (data.sizes - 1)
    observed, expected = float(per_unit.sum()), float(data.counts @ to_all)
    alpha = 1 - (total - 1) * observed / expected
    left = total - data.sizes
    observed_left = observed - per_unit
    # Taking a unit out removes its distances to all values twice, and its inner distances were then removed twice.
    expected_left = expected - 2 * _sum_by_unit(data, to_all[data.code]) + within
    if level == "ordinal":
        observed_left, expected_left = _ordinal_left(data, observed_left)
    with np.errstate(divide="ignore", invalid="ignore"):
        without_each = 1 - (left - 1) * observed_left / expected_left
    usable = expected_left > 1e-12 * expected
    return float(alpha), np.where(usable, without_each, alpha)


def _disagreements(data: _Pairable, level: Measurement) -> tuple[FloatArray, FloatArray]:
    """Per unit: the sum of δ² over its ordered pairs. Per distinct value: the sum of δ² to all values."""
    if level == "nominal":
        same = _equal_pairs(data)
        return data.sizes**2 - same, data.counts.sum() - data.counts
    if level == "ratio":
        return _ratio(data)
    scores = data.values if level == "interval" else _mid_ranks(data.counts)
    # Centred and scaled, so that the difference of squares below keeps its digits.
    scores = (scores - scores.mean()) / np.abs(scores - scores.mean()).max()
    each = scores[data.code]
    sums, squares = _sum_by_unit(data, each), _sum_by_unit(data, each**2)
    n, total, square = data.counts.sum(), float(data.counts @ scores), float(data.counts @ scores**2)
    within = np.maximum(2 * (data.sizes * squares - sums**2), 0.0)
    within[within < 1e-13 * data.sizes**2] = 0.0
    return within, n * scores**2 - 2 * scores * total + square


def _ordinal_left(data: _Pairable, observed_left: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ordinal distances are ranks among the values left, so they move too when a unit goes.

    Expected: exact, n(n³ − Σ t³)/6 over the values left. Observed: to first order in the removed unit.
    """
    ranks = _mid_ranks(data.counts)
    scale = np.abs(ranks - ranks.mean()).max()
    each = (ranks[data.code] - ranks.mean()) / scale
    unit_mean = _sum_by_unit(data, each) / data.sizes
    weight = data.sizes / (data.sizes - 1)
    pull = np.bincount(
        data.code, weight[data.unit] * (each - unit_mean[data.unit]), minlength=len(data.counts)
    )
    # Removing one value lowers the ranks above it by one and its own by half.
    above = pull[::-1].cumsum()[::-1] - pull
    shift = 4 * (above + pull / 2) / scale
    observed_moved = np.maximum(observed_left - _sum_by_unit(data, shift[data.code]), 0.0)
    left = data.counts.sum() - data.sizes
    keys, times = np.unique(data.unit * len(data.counts) + data.code, return_counts=True)
    held = data.counts[keys % len(data.counts)]
    lost = np.bincount(keys // len(data.counts), held**3 - (held - times) ** 3, minlength=len(data.sizes))
    cubes = float((data.counts**3).sum()) - lost
    return observed_moved, left * (left**3 - cubes) / 6 / scale**2


def _ratio(data: _Pairable) -> tuple[FloatArray, FloatArray]:
    if data.values[0] < 0:
        raise InvalidInput(
            f"ratings: ratio α needs values of 0 or more, got {data.values[0]}. Use level='interval' for signed values."
        )
    to_all = np.empty(len(data.values))
    step = max(1, _CELLS_AT_ONCE // len(data.values))
    for start in range(0, len(data.values), step):
        block = data.values[start : start + step, None]
        to_all[start : start + step] = _ratio_distance(block, data.values[None, :]) @ data.counts
    within = np.zeros(len(data.sizes))
    for first, second, unit in _pairs_within(data):
        within += np.bincount(unit, 2 * _ratio_distance(first, second), minlength=len(within))
    return within, to_all


def _ratio_distance(a: FloatArray, b: FloatArray) -> FloatArray:
    total = a + b
    share = np.divide(a - b, total, out=np.zeros(np.broadcast(a, b).shape), where=total > 0)
    return share * share


def _pairs_within(data: _Pairable) -> list[tuple[FloatArray, FloatArray, IntArray]]:
    """Every unordered pair of values inside a unit: first values, second values, unit; grouped by their distance."""
    values = data.values[data.code]
    found = []
    for lag in range(1, int(data.sizes.max())):
        same: NDArray[np.bool_] = data.unit[lag:] == data.unit[:-lag]
        found.append((values[:-lag][same], values[lag:][same], data.unit[lag:][same]))
    return found


def _equal_pairs(data: _Pairable) -> FloatArray:
    """Per unit: Σ over values of (how often the unit holds it)²."""
    keys, times = np.unique(data.unit * len(data.counts) + data.code, return_counts=True)
    squares = np.bincount(keys // len(data.counts), times.astype(float) ** 2, minlength=len(data.sizes))
    return np.asarray(squares, dtype=np.float64)


def _mid_ranks(counts: FloatArray) -> FloatArray:
    return np.asarray(np.cumsum(counts) - counts / 2, dtype=np.float64)


def _sum_by_unit(data: _Pairable, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(data.unit, values, minlength=len(data.sizes)), dtype=np.float64)
