"""Krippendorff's α: any number of raters, any level of measurement, missing cells allowed."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.stats.agreement.interval import coefficient, jackknife_se, no_items, unseen_share
from believable.stats.agreement.ratings import Coded, IntArray, code_labels, count_table
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]

_CELLS_AT_ONCE = 4_000_000
_FEW_VALUES = 24


class _Pairable(Protocol):
    """The values in units with at least two, seen as sums over units and over distinct values."""

    sizes: FloatArray  # values per unit
    values: FloatArray  # the distinct values, ascending
    counts: FloatArray  # how often each occurs

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        """Per unit: the sum of this quantity over its values."""

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        """Per distinct value: the sum of this quantity over the units that hold it, as often as they do."""

    def powers_lost(self, power: int) -> FloatArray:
        """Per unit: by how much Σ counts^power falls when the unit goes."""

    def equal_pairs(self) -> FloatArray:
        """Per unit: its ordered pairs of equal values, each value with itself included."""

    def ratio_within(self) -> FloatArray:
        """Per unit: the sum of ratio distances over its ordered pairs."""


class _Counted:
    """Few distinct values: a table of units × values, everything a matrix product."""

    def __init__(self, table: FloatArray, values: FloatArray) -> None:
        self.table, self.values = table, values
        self.sizes, self.counts = table.sum(axis=1), table.sum(axis=0)

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        return np.asarray(self.table @ per_value)

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        return np.asarray(per_unit @ self.table)

    def powers_lost(self, power: int) -> FloatArray:
        return np.asarray((self.counts**power - (self.counts - self.table) ** power).sum(axis=1))

    def equal_pairs(self) -> FloatArray:
        return np.asarray(np.einsum("uv,uv->u", self.table, self.table))

    def ratio_within(self) -> FloatArray:
        distance = _ratio_distance(self.values[:, None], self.values[None, :])
        return np.asarray(np.einsum("uv,uv->u", self.table @ distance, self.table))


class _Listed:
    """Many distinct values (continuous ratings): a list of values with the unit of each."""

    def __init__(self, code: IntArray, unit: IntArray, sizes: FloatArray, values: FloatArray) -> None:
        self.code, self.unit, self.sizes, self.values = code, unit, sizes, values
        self.counts = np.bincount(code, minlength=len(values)).astype(np.float64)

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.unit, per_value[self.code], minlength=len(self.sizes)))

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.code, per_unit[self.unit], minlength=len(self.values)))

    def _held(self) -> tuple[IntArray, IntArray, FloatArray]:
        keys, times = np.unique(self.unit * len(self.values) + self.code, return_counts=True)
        return keys // len(self.values), keys % len(self.values), times.astype(np.float64)

    def powers_lost(self, power: int) -> FloatArray:
        unit, code, times = self._held()
        lost = self.counts[code] ** power - (self.counts[code] - times) ** power
        return np.asarray(np.bincount(unit, lost, minlength=len(self.sizes)))

    def equal_pairs(self) -> FloatArray:
        unit, _, times = self._held()
        return np.asarray(np.bincount(unit, times**2, minlength=len(self.sizes)))

    def ratio_within(self) -> FloatArray:
        within, each = np.zeros(len(self.sizes)), self.values[self.code]
        for lag in range(1, int(self.sizes.max())):  # values of a unit stand together, so all pairs are lags
            same = self.unit[lag:] == self.unit[:-lag]
            distance = 2 * _ratio_distance(each[:-lag][same], each[lag:][same])
            within += np.bincount(self.unit[lag:][same], distance, minlength=len(within))
        return within


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
    data, notes = _pairable(coded)
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


def _pairable(coded: Coded) -> tuple[_Pairable, tuple[str, ...]]:
    codes, width = coded.codes, len(coded.categories)
    numbers = np.array(coded.categories if coded.numeric else range(width), dtype=np.float64)
    if width <= _FEW_VALUES:
        table = count_table(coded).astype(np.float64)
        keep = table.sum(axis=1) >= 2
        found: _Pairable = _counted(table if keep.all() else table[keep], numbers)
    else:
        present = codes >= 0
        keep = present.sum(axis=1) >= 2
        found = _listed(codes, present & keep[:, None], keep, numbers)
    few = len(keep) - int(keep.sum())
    return found, (f"{few} of {len(keep)} units have fewer than two values",) if few else ()


def _counted(table: FloatArray, numbers: FloatArray) -> _Counted:
    used = table.any(axis=0)  # a value seen only in units of one rating is not part of the data
    return _Counted(table, numbers) if used.all() else _Counted(table[:, used], numbers[used])


def _listed(
    codes: IntArray, cells: NDArray[np.bool_], keep: NDArray[np.bool_], numbers: FloatArray
) -> _Listed:
    rows, columns = np.nonzero(cells)
    code = codes[rows, columns]
    used = np.bincount(code, minlength=len(numbers)) > 0
    sizes = cells.sum(axis=1)[keep].astype(np.float64)
    return _Listed((np.cumsum(used) - 1)[code], (np.cumsum(keep) - 1)[rows], sizes, numbers[used])


def _alpha(data: _Pairable, level: Measurement) -> tuple[float, FloatArray]:
    """α, and α without each unit."""
    within, to_all = _disagreements(data, level)
    total = float(data.sizes.sum())
    per_unit = within / (data.sizes - 1)
    observed, expected = float(per_unit.sum()), float(data.counts @ to_all)
    alpha = 1 - (total - 1) * observed / expected
    left = total - data.sizes
    observed_left = observed - per_unit
    if level == "ordinal":
        observed_left, expected_left = _ordinal_left(data, observed_left)
    else:
        # Taking a unit out removes its distances to all values twice; its inner ones were then removed twice.
        expected_left = expected - 2 * data.unit_sum(to_all) + within
    usable = expected_left > 1e-12 * expected
    ratio = np.divide(observed_left, expected_left, out=np.zeros(len(left)), where=usable)
    return float(alpha), np.where(usable, 1 - (left - 1) * ratio, alpha)


def _disagreements(data: _Pairable, level: Measurement) -> tuple[FloatArray, FloatArray]:
    """Per unit: the sum of δ² over its ordered pairs. Per distinct value: the sum of δ² to all values."""
    if level == "nominal":
        return data.sizes**2 - data.equal_pairs(), data.counts.sum() - data.counts
    if level == "ratio":
        return data.ratio_within(), _ratio_to_all(data)
    scores = _centred(data.values if level == "interval" else _mid_ranks(data.counts))[0]
    sums, squares = data.unit_sum(scores), data.unit_sum(scores**2)
    n, total, square = data.counts.sum(), float(data.counts @ scores), float(data.counts @ scores**2)
    within = np.maximum(2 * (data.sizes * squares - sums**2), 0.0)
    within[within < 1e-13 * data.sizes**2] = 0.0
    return within, n * scores**2 - 2 * scores * total + square


def _ordinal_left(data: _Pairable, observed_left: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ordinal distances are ranks among the values left, so they move too when a unit goes.

    Expected: exact, n(n³ − Σ t³)/6 over the values left. Observed: to first order in the removed unit.
    """
    scores, scale = _centred(_mid_ranks(data.counts))
    weight = data.sizes / (data.sizes - 1)
    unit_mean = data.unit_sum(scores) / data.sizes
    pull = scores * data.value_sum(weight) - data.value_sum(weight * unit_mean)
    # Removing one value lowers the ranks above it by one and its own by half.
    above = pull[::-1].cumsum()[::-1] - pull
    shift = 4 * (above + pull / 2) / scale
    observed_moved = np.maximum(observed_left - data.unit_sum(shift), 0.0)
    left = data.counts.sum() - data.sizes
    cubes = float((data.counts**3).sum()) - data.powers_lost(3)
    return observed_moved, left * (left**3 - cubes) / 6 / scale**2


def _ratio_to_all(data: _Pairable) -> FloatArray:
    if data.values[0] < 0:
        raise InvalidInput(
            f"ratings: ratio α needs values of 0 or more, got {data.values[0]}. "
            "Use level='interval' for signed values."
        )
    to_all = np.empty(len(data.values))
    step = max(1, _CELLS_AT_ONCE // len(data.values))
    for start in range(0, len(data.values), step):
        block = data.values[start : start + step, None]
        to_all[start : start + step] = _ratio_distance(block, data.values[None, :]) @ data.counts
    return to_all


def _ratio_distance(a: FloatArray, b: FloatArray) -> FloatArray:
    total = a + b
    share = np.divide(a - b, total, out=np.zeros(np.broadcast(a, b).shape), where=total > 0)
    return share * share


def _centred(scores: FloatArray) -> tuple[FloatArray, float]:
    """Scores around their mean, the farthest at ±1, so that differences of squares keep their digits; and the scale."""
    around = scores - scores.mean()
    scale = float(np.abs(around).max())
    return around / scale, scale


def _mid_ranks(counts: FloatArray) -> FloatArray:
    return np.asarray(np.cumsum(counts) - counts / 2, dtype=np.float64)
