"""Krippendorff's α: any number of raters, any level of measurement, missing cells allowed."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.stats.agreement.coefficient import (
    CodedLabels,
    IntArray,
    code_labels,
    coefficient,
    count_table,
    jackknife_se,
    no_items,
    unseen_share,
)
from believable.stats.estimate import Estimate, check_level, undefined
from believable.stats.inputs import FloatArray, one_of

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]

_CELLS_AT_ONCE = 4_000_000
#: If there are at most this many distinct values, units are counted in a table of values; otherwise
#: their values are listed.
_FEW_VALUES = 24


class _Pairable(Protocol):
    """The values in units with at least two, seen as sums over units and over distinct values."""

    sizes: FloatArray  # values per unit
    values: FloatArray  # the distinct values, ascending
    counts: FloatArray  # how often each occurs

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        """Per unit: the sum of this quantity over its values."""

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        """Per distinct value: the sum of this quantity over the units that hold it, as often as
        they do.
        """

    def cubes_left(self) -> FloatArray:
        """Per unit: Σ counts³ when the unit is gone."""

    def disagreements(
        self, level: Measurement, scores: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Per unit: the sum of δ² over its ordered pairs. Per distinct value: the sum of δ² to all
        values.

        `scores` are those of the distinct values: see `_scores`.
        """


class _Counted:
    """Few distinct values: a table of units × values, everything a matrix product."""

    def __init__(self, table: FloatArray, sizes: FloatArray, values: FloatArray) -> None:
        self.table, self.sizes, self.values = table, sizes, values
        self.counts = np.asarray(
            np.ones(len(table)) @ table
        )  # on small tables half the time of `sum`

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        return np.asarray(self.table @ per_value)

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        return np.asarray(per_unit @ self.table)

    def cubes_left(self) -> FloatArray:
        left = self.counts - self.table
        return np.asarray(
            (left * left * left) @ np.ones(len(self.values))
        )  # a float's ** 3 is slow

    def disagreements(
        self, level: Measurement, scores: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if level == "nominal":
            equal = np.einsum("uv,uv->u", self.table, self.table)
            return self.sizes * self.sizes - equal, np.add.reduce(self.counts) - self.counts
        distance = _distances(level, scores)
        within = np.einsum("uv,uv->u", self.table @ distance, self.table)
        return np.asarray(within), np.asarray(distance @ self.counts)


class _ListedValues:
    """Many distinct values (continuous ratings): a list of values with the unit of each."""

    def __init__(
        self, code: IntArray, unit: IntArray, sizes: FloatArray, values: FloatArray
    ) -> None:
        self.code, self.unit, self.sizes, self.values = code, unit, sizes, values
        self.counts = np.bincount(code, minlength=len(values)).astype(np.float64)

    def unit_sum(self, per_value: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.unit, per_value[self.code], minlength=len(self.sizes)))

    def value_sum(self, per_unit: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(self.code, per_unit[self.unit], minlength=len(self.values)))

    def cubes_left(self) -> FloatArray:
        unit, code, times = self._held()
        lost = self.counts[code] ** 3 - (self.counts[code] - times) ** 3
        return np.asarray(
            (self.counts**3).sum() - np.bincount(unit, lost, minlength=len(self.sizes))
        )

    def disagreements(
        self, level: Measurement, scores: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if level == "nominal":
            return self.sizes**2 - self._equal_pairs(), self.counts.sum() - self.counts
        if level == "ratio":
            return self._ratio_within(), self._ratio_to_all()
        sums, squares = self.unit_sum(scores), self.unit_sum(scores**2)
        n, total, square = (
            self.counts.sum(),
            float(self.counts @ scores),
            float(self.counts @ scores**2),
        )
        within = np.maximum(2 * (self.sizes * squares - sums**2), 0.0)
        within[within < 1e-13 * self.sizes**2] = 0.0
        return within, n * scores**2 - 2 * scores * total + square

    def _held(self) -> tuple[IntArray, IntArray, FloatArray]:
        keys, times = np.unique(self.unit * len(self.values) + self.code, return_counts=True)
        return keys // len(self.values), keys % len(self.values), times.astype(np.float64)

    def _equal_pairs(self) -> FloatArray:
        """Per unit: its ordered pairs of equal values, each value with itself included."""
        unit, _, times = self._held()
        return np.asarray(np.bincount(unit, times**2, minlength=len(self.sizes)))

    def _ratio_within(self) -> FloatArray:
        within, each = np.zeros(len(self.sizes)), self.values[self.code]
        for lag in range(
            1, int(self.sizes.max())
        ):  # the values of a unit are adjacent, so all pairs are lags
            same = self.unit[lag:] == self.unit[:-lag]
            distance = 2 * _ratio_distance(each[:-lag][same], each[lag:][same])
            within += np.bincount(self.unit[lag:][same], distance, minlength=len(within))
        return within

    def _ratio_to_all(self) -> FloatArray:
        to_all = np.empty(len(self.values))
        step = max(1, _CELLS_AT_ONCE // len(self.values))
        for start in range(0, len(self.values), step):
            block = self.values[start : start + step, None]
            to_all[start : start + step] = (
                _ratio_distance(block, self.values[None, :]) @ self.counts
            )
        return to_all


def krippendorff_alpha(
    ratings: Any, level: Measurement = "nominal", *, confidence: float = 0.95
) -> Estimate:
    """Would other raters of the same kind have given the same data?

    Formula     α = 1 − D_o/D_e: mean squared difference within units over that between all values,
                δ² being 0/1 (nominal), (rank difference)² (ordinal), (c − k)² (interval), ((c −
                k)/(c + k))² (ratio).
    Range       ≤ 1; 1 is perfect, 0 is chance, below 0 is systematic disagreement. Customary: ≥ .80
                to rely on, ≥ .667 for tentative conclusions.
    Input       rows are units, columns raters. `level` is the level of measurement, as in the
                literature; `confidence` is the level of the interval. Ordinal and higher need
                numbers.
    Interval    jackknife over units, scale log(1 − α), Student's t. At α = 1 the lower bound is 1 −
                u/D, u the largest share of disagreeing units that none seen leaves possible, D the
                chance that two of all values differ: where one code is rare, a few unseen
                disagreements weigh much.
    Missing     allowed; units with fewer than two values carry no information and are noted.
    Caution     ratio distances from a zero to anything else are all 1: with many zeros the interval
                covers less (about 92 % instead of 95 % when a tenth of the values are zeros and
                there are 40 units).
    Undefined   no unit with two values; all values equal (D_e = 0).
    Cost        nominal, ordinal, interval: linear in the table (closed forms), also for continuous
                values; ratio: square of the number of distinct values, in blocks of bounded memory.
    Source      Krippendorff 2011, 2019. Own code: the PyPI package is GPL and its memory grows with
                the square of the number of distinct values.
    Checked     R irr 0.84.1 `kripp.alpha`, Python krippendorff 0.9.0, Krippendorff's 2011 example.
    """
    check_level(confidence)
    one_of(level, ("nominal", "ordinal", "interval", "ratio"), name="level")
    method = f"krippendorff_alpha ({level}; log-scale jackknife interval)"
    coded = code_labels(ratings, name="ratings", ndim=2)
    if level != "nominal" and not coded.numeric and len(coded.categories):
        raise InvalidInput(
            f"ratings: {level} α needs numbers, got the label {coded.categories[0]!r}. Code the"
            " labels as numbers in their order, or use level='nominal'."
        )
    data, notes = _pairable(coded)
    units = len(data.sizes)
    if units == 0:
        return no_items(method, confidence, notes=notes)
    if len(data.values) < 2:
        reason = "all values are the same, so there is no disagreement to expect"
        return undefined(reason, method=method, n=units, level=confidence, notes=notes)
    alpha, without_each = _alpha(data, level)
    return coefficient(
        alpha,
        jackknife_se(without_each) if units > 1 else 0.0,
        n=units,
        level=confidence,
        method=method,
        at_one=1 - unseen_share(units, level=confidence) / _chance_of_two_values(data.counts),
        notes=notes,
    )


def _chance_of_two_values(counts: FloatArray) -> float:
    """The chance that two of all values, drawn without replacement, are not the same one."""
    total = float(counts.sum())
    return 1 - float(counts @ (counts - 1)) / (total * (total - 1))


def _pairable(coded: CodedLabels) -> tuple[_Pairable, tuple[str, ...]]:
    codes, width = coded.codes, len(coded.categories)
    numbers = np.array(coded.categories if coded.numeric else range(width), dtype=np.float64)
    if width <= _FEW_VALUES:
        pairable, units = _count_values(count_table(coded).astype(np.float64), numbers)
    else:
        present = codes >= 0
        keep = present.sum(axis=1) >= 2
        pairable, units = _list_values(codes, present & keep[:, None], keep, numbers), len(keep)
    few = units - len(pairable.sizes)
    return pairable, (f"{few} of {units} units have fewer than two values",) if few else ()


def _count_values(table: FloatArray, numbers: FloatArray) -> tuple[_Pairable, int]:
    units, sizes = len(table), table @ np.ones(len(numbers))
    if units and np.minimum.reduce(sizes) < 2:
        keep = sizes >= 2
        table, sizes = table[keep], sizes[keep]
    counted = _Counted(table, sizes, numbers)
    if counted.counts.all():
        return counted, units
    used = counted.counts > 0  # a value seen only in units of one rating is not part of the data
    return _Counted(np.ascontiguousarray(table[:, used]), sizes, numbers[used]), units


def _list_values(
    codes: IntArray, cells: NDArray[np.bool_], keep: NDArray[np.bool_], numbers: FloatArray
) -> _ListedValues:
    rows, columns = np.nonzero(cells)
    code = codes[rows, columns]
    used = np.bincount(code, minlength=len(numbers)) > 0
    sizes = cells.sum(axis=1)[keep].astype(np.float64)
    return _ListedValues(
        (np.cumsum(used) - 1)[code], (np.cumsum(keep) - 1)[rows], sizes, numbers[used]
    )


def _alpha(data: _Pairable, level: Measurement) -> tuple[float, FloatArray]:
    """α, and α without each unit."""
    if level == "ratio" and data.values[0] < 0:
        raise InvalidInput(
            f"ratings: ratio α needs values of 0 or more, got {data.values[0]}. Use"
            " level='interval' for signed values."
        )
    scores, scale = _scores(data, level)
    within, to_all = data.disagreements(level, scores)
    # Reductions by ufunc: the methods of the same name cost twice as much on small tables.
    total = float(np.add.reduce(data.counts))
    partners = data.sizes - 1
    per_unit = within / partners
    observed, expected = float(np.add.reduce(per_unit)), float(data.counts @ to_all)
    alpha = 1 - (total - 1) * observed / expected
    left, observed_left = total - data.sizes, observed - per_unit
    if level == "ordinal":
        observed_left = np.maximum(
            observed_left - _ordinal_moves(data, scores, scale, partners), 0.0
        )
        expected_left = (left * left * left - data.cubes_left()) * left / (6 * scale * scale)
    else:
        # Taking a unit out removes its distances to all values twice; its inner ones were then
        # removed twice.
        expected_left = expected - 2 * data.unit_sum(to_all) + within
    if np.minimum.reduce(expected_left) > 1e-12 * expected:
        return alpha, 1 - (left - 1) * observed_left / expected_left
    usable = expected_left > 1e-12 * expected
    ratio = np.divide(observed_left, expected_left, out=np.zeros(len(left)), where=usable)
    return alpha, np.where(usable, 1 - (left - 1) * ratio, alpha)


def _ordinal_moves(
    data: _Pairable, scores: FloatArray, scale: float, partners: FloatArray
) -> FloatArray:
    """Per unit: by how much the others' observed disagreement falls because ordinal distances are
    ranks.

    Ranks are counted among the values left, so they move too when a unit goes; to first order in
    that unit.
    """
    pull = scores * data.value_sum(data.sizes / partners) - data.value_sum(
        data.unit_sum(scores) / partners
    )
    # Removing one value lowers the ranks above it by one and its own by half.
    up_to = pull.cumsum()
    return data.unit_sum((up_to[-1] - up_to + pull / 2) * (4 / scale))


def _distances(level: Measurement, scores: FloatArray) -> FloatArray:
    """δ² between all distinct values."""
    if level == "ratio":
        return _ratio_distance(scores[:, None], scores[None, :])
    difference = scores[:, None] - scores
    return difference * difference


def _ratio_distance(a: FloatArray, b: FloatArray) -> FloatArray:
    total = a + b
    share = np.divide(a - b, total, out=np.zeros(np.broadcast(a, b).shape), where=total > 0)
    return share * share


def _scores(data: _Pairable, level: Measurement) -> tuple[FloatArray, float]:
    """What distances are taken of: the values, for ordinal ones their mid-ranks; and the unit they
    are measured in.

    Squared differences are taken of scores brought to −1…1, so that they keep their digits.
    """
    if level in ("nominal", "ratio"):
        return data.values, 1.0
    scores = data.counts.cumsum() - data.counts / 2 if level == "ordinal" else data.values
    low, high = float(scores[0]), float(scores[-1])
    scale = (high - low) / 2
    return np.asarray((scores - (low + high) / 2) / scale), scale
