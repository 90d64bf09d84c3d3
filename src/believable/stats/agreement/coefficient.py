"""What every agreement coefficient shares: ratings read into numbers, and the interval of 1 −
observed/expected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.deferred import special
from believable.core.errors import InvalidInput
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray, check_squarable

IntArray = NDArray[np.int64]

#: Whole numbers within such a span need no sorting: their distance from the lowest is the code.
_OFFSET_SPAN = 1 << 16
#: Full disagreement of two raters; with more of them a coefficient stays above it.
_LEAST = -1.0
_EXACT_INTEGERS = 1 << 53  # below this floats hold every whole number


@dataclass(frozen=True, slots=True)
class CodedLabels:
    """Labels as whole numbers: `codes[i, j]` indexes `categories`, −1 is a missing cell."""

    codes: IntArray
    categories: tuple[Any, ...]
    numeric: bool


def code_labels(
    ratings: Any, *, name: str, ndim: int, categories: Sequence[Any] | None = None
) -> CodedLabels:
    """Labels of any one kind (numbers or texts), None or NaN for missing, to codes in category
    order.

    Without `categories` the categories are the labels that occur, in ascending order.
    """
    array = _as_array(ratings, name)
    if array.ndim != ndim:
        raise InvalidInput(
            f"{name}: expected {'a flat sequence' if ndim == 1 else 'a table of items × raters'},"
            f" got shape {array.shape}. Give one row per"
            f" item{'' if ndim == 1 else ' and one column per rater'}."
        )
    numeric = array.dtype.kind in "biuf"
    missing = _missing(array)
    if numeric:
        codes, labels = _code_numbers(array, missing, name)
    else:
        codes, labels = _code_texts(array, missing, name)
    if categories is not None:
        codes = _recode(codes, labels, categories, name)
        labels = tuple(categories)
    return CodedLabels(codes, labels, numeric)


def code_pair(
    a: Any, b: Any, *, categories: Sequence[Any] | None = None
) -> tuple[IntArray, IntArray, tuple[Any, ...], bool, int]:
    """Two raters' labels in one coding: codes of both, categories, numeric, and how many pairs were
    incomplete.
    """
    first, second = _as_array(a, "a"), _as_array(b, "b")
    if first.shape != second.shape or first.ndim != 1:
        raise InvalidInput(
            f"a, b: expected two flat sequences of the same length, got shapes {first.shape} and"
            f" {second.shape}. Give one label per item from each rater, None where one is missing."
        )
    both = _stack(first, second)
    coded = code_labels(both, name="a, b", ndim=2, categories=categories)
    complete = (coded.codes >= 0).all(axis=0)
    if complete.all():
        return coded.codes[0], coded.codes[1], coded.categories, coded.numeric, 0
    kept = coded.codes[:, complete]
    used = (
        coded
        if categories is not None
        else code_labels(
            both[:, complete], name="a, b", ndim=2
        )  # a category seen only in dropped pairs is none
    )
    codes = used.codes if categories is None else kept
    return codes[0], codes[1], used.categories, coded.numeric, int((~complete).sum())


def count_table(coded: CodedLabels) -> IntArray:
    """How many raters put each item (row) into each category (column)."""
    items, width = len(coded.codes), len(coded.categories)
    # Missing cells (code −1) go to an extra column, which is dropped.
    cells = coded.codes + np.arange(1, items * (width + 1) + 1, width + 1)[:, None]
    return np.bincount(cells.ravel(), minlength=items * (width + 1)).reshape(items, width + 1)[
        :, 1:
    ]


def pair_counts(counts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Per item: ordered pairs of ratings, and those that agree."""
    rated = counts.sum(axis=1)
    return (rated * (rated - 1)).astype(np.float64), (counts * (counts - 1)).sum(axis=1).astype(
        np.float64
    )


def few_ratings(usable: NDArray[np.bool_]) -> tuple[str, ...]:
    """The note on items that cannot show agreement."""
    few = int((~usable).sum())
    return (f"{few} of {len(usable)} items have fewer than two ratings",) if few else ()


def number_table(ratings: Any, *, name: str) -> FloatArray:
    """A table of numbers, NaN for a missing cell."""
    array = _as_array(ratings, name)
    if array.ndim != 2:
        raise InvalidInput(
            f"{name}: expected a table of rows × columns, got shape {array.shape}. Give equally"
            " long rows."
        )
    missing = _missing(array)
    if array.dtype.kind not in "biuf":
        bad = next(iter(array[~missing]), None)
        raise InvalidInput(
            f"{name}: expected numbers, got {bad!r}. Code the labels as numbers first."
        )
    numbers = array.astype(np.float64)
    if np.isinf(numbers).any():
        place = np.argwhere(np.isinf(numbers))[0]
        raise InvalidInput(
            f"{name}[{place[0]}, {place[1]}]: expected a finite number, got"
            f" {numbers[tuple(place)]}. Give NaN or None for a missing cell."
        )
    check_squarable(numbers, name=name)
    return numbers


def complete_rows(table: FloatArray) -> tuple[FloatArray, tuple[str, ...]]:
    """The rows without a missing cell, and a note when some were left out."""
    complete = ~np.isnan(table).any(axis=1)
    left_out = int((~complete).sum())
    if not left_out:
        return table, ()
    return table[complete], (f"{left_out} of {len(table)} rows left out for a missing cell",)


def too_small(
    table: FloatArray,
    *,
    method: str,
    level: float,
    notes: tuple[str, ...],
    least_rows: int = 2,
    rows: str = "items",
    columns: str = "raters",
) -> Estimate | None:
    """The undefined answer for a table with too few rows or fewer than two columns; None when it is
    large enough.
    """
    n, k = table.shape
    if n >= least_rows and k >= 2:
        return None
    least = {2: "two", 3: "three"}[least_rows]
    reason = f"needs at least {least} {rows} and two {columns}, got {n} and {k}"
    return undefined(reason, method=method, n=n, level=level, notes=notes)


def _as_array(values: Any, name: str) -> NDArray[Any]:
    if not isinstance(values, np.ndarray):
        values = [list(row) if _is_row(row) else row for row in values]
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.empty(0, dtype="V1")
        if array.dtype.kind in "UV":  # numpy turns a missing cell among texts into the text "nan"
            array = _object_array(values, name)
    else:
        array = values
    return _unwrap(array, name) if array.dtype.kind == "O" else array


def _is_row(row: Any) -> bool:
    return isinstance(row, Iterable) and not isinstance(row, (str, bytes, np.ndarray))


def _object_array(values: Sequence[Any], name: str) -> NDArray[Any]:
    rows = [row for row in values if isinstance(row, (list, np.ndarray))]
    if rows and (len(rows) != len(values) or len({len(row) for row in rows}) != 1):
        lengths = sorted({len(row) for row in rows})
        raise InvalidInput(
            f"{name}: expected equally long rows, got lengths {lengths}. Give None where a rating"
            " is missing."
        )
    return np.array(values, dtype=object)


def _unwrap(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Objects as floats when every present one is a number (None becomes NaN); texts stay
    objects.
    """
    flat = array.ravel()
    missing = _missing(flat)
    present = [value for value, gone in zip(flat, missing, strict=True) if not gone]
    if all(isinstance(value, (int, float, bool, np.number, np.bool_)) for value in present):
        return np.array(
            [np.nan if gone else value for value, gone in zip(flat, missing, strict=True)],
            dtype=np.float64,
        ).reshape(array.shape)
    if not all(isinstance(value, str) for value in present):
        kinds = sorted({type(value).__name__ for value in present})
        raise InvalidInput(
            f"{name}: expected labels of one kind, got {', '.join(kinds)}. Give all numbers or all"
            " texts."
        )
    return array


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array), dtype=bool)
    if array.dtype.kind != "O":
        return np.zeros(array.shape, dtype=bool)
    flags = [
        value is None or (isinstance(value, float) and value != value) for value in array.ravel()
    ]
    return np.array(flags, dtype=bool).reshape(array.shape)


def _stack(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    kinds = {array.dtype.kind in "biuf" for array in (first, second) if array.size}
    if len(kinds) > 1:
        return np.array([first.tolist(), second.tolist()], dtype=object)
    return np.stack([first, second])


def _code_numbers(
    array: NDArray[Any], missing: NDArray[np.bool_], name: str
) -> tuple[IntArray, tuple[Any, ...]]:
    numbers = array.astype(np.int64, copy=False) if array.dtype.kind in "bi" else array
    least, most = (np.fmin, np.fmax) if array.dtype.kind == "f" else (np.minimum, np.maximum)
    low = float(least.reduce(numbers, axis=None)) if array.size else math.nan
    if math.isnan(low):  # every cell is missing
        return np.full(array.shape, -1, dtype=np.int64), ()
    high = float(most.reduce(numbers, axis=None))
    if math.isinf(low) or math.isinf(high):
        raise InvalidInput(
            f"{name}: expected finite labels, got infinity. Give NaN or None for a missing label."
        )
    if high - low < _OFFSET_SPAN and low.is_integer() and abs(low) < _EXACT_INTEGERS:
        signed = numbers.astype(np.int64) if numbers.dtype.kind == "u" else numbers
        whole = _code_whole_numbers(signed, missing, int(low), int(high))
        if whole is not None:
            return whole
    values, inverse = np.unique(numbers[~missing], return_inverse=True)
    return _scatter(inverse, missing), tuple(values.tolist())


def _code_whole_numbers(
    numbers: NDArray[Any], missing: NDArray[np.bool_], low: int, high: int
) -> tuple[IntArray, tuple[Any, ...]] | None:
    """Small whole numbers need no sorting: their distance from the lowest is the code. None when
    some are not whole.
    """
    span = high - low + 1
    if numbers.dtype.kind == "f":
        above = numbers - low
        above[missing] = -1
        codes = above.astype(np.int64)
        if not (codes == above).all():
            return None
        times = np.bincount((codes + 1).ravel(), minlength=span + 1)[1:]
    else:
        codes = numbers - low if low else numbers
        times = np.bincount(codes.ravel(), minlength=span)
    used = times.nonzero()[0]
    if len(used) < span:
        place = np.full(span + 1, -1, dtype=np.int64)  # the last place serves the code −1
        place[used] = np.arange(len(used))
        codes = place[codes]
    return codes, tuple((used + low).tolist())


def _code_texts(
    array: NDArray[Any], missing: NDArray[np.bool_], name: str
) -> tuple[IntArray, tuple[Any, ...]]:
    present = array[~missing]
    blank = next((label for label in present.tolist() if not label.strip()), None)
    if blank is not None:
        kind = "spaces only" if blank else "an empty text"
        raise InvalidInput(f"{name}: expected a label, got {kind}. Give None for a missing label.")
    index = {label: code for code, label in enumerate(sorted(set(present.tolist())))}
    inverse = np.fromiter(
        (index[label] for label in present.tolist()), dtype=np.int64, count=len(present)
    )
    return _scatter(inverse, missing), tuple(index)


def _scatter(inverse: IntArray, missing: NDArray[np.bool_]) -> IntArray:
    if not missing.any():
        return inverse.reshape(missing.shape)
    codes = np.full(missing.shape, -1, dtype=np.int64)
    codes[~missing] = inverse
    return codes


def _recode(
    codes: IntArray, labels: tuple[Any, ...], categories: Sequence[Any], name: str
) -> IntArray:
    position = {label: place for place, label in enumerate(categories)}
    if len(position) != len(categories):
        raise InvalidInput(
            f"categories: expected each label once, got {list(categories)!r}. Remove the repeated"
            " one."
        )
    unknown = [label for label in labels if label not in position]
    if unknown:
        raise InvalidInput(
            f"{name}: label {unknown[0]!r} is not among the categories {list(categories)!r}. "
            "Add it to categories or correct the label."
        )
    places = np.array([position[label] for label in labels] + [-1], dtype=np.int64)
    return places[codes]


def coefficient(
    value: float,
    se: float,
    *,
    n: int,
    level: float,
    method: str,
    at_one: float | None,
    notes: tuple[str, ...] = (),
    statistic: float | None = None,
    p_value: float | None = None,
    reported_se: float | None = None,
) -> Estimate:
    """A coefficient between −1 and 1, with its interval on the scale log(1 − value), Student's t
    with n − 1.

    That scale keeps the bounds below 1 and holds its level where the plain Wald interval falls
    short (high agreement, few items). They end at −1, which no such coefficient can pass.
    `reported_se` is the standard error of the literature if the interval rests on another. With
    perfect agreement the data have no error to measure: the lower bound is then `at_one`.
    """
    if n < 2:
        return one_item(value, method, level, notes=notes)
    extra = {
        "n": n,
        "level": level,
        "method": method,
        "notes": notes,
        "statistic": statistic,
        "p_value": p_value,
    }
    if value >= 1 - 1e-12:
        low = 0.0 if at_one is None else max(at_one, _LEAST)
        return Estimate(value=1.0, low=low, high=1.0, se=0.0, **extra)  # type: ignore[arg-type]
    if se <= 1e-12:
        reason = "every item contributes the same, so the sampling error cannot be estimated"
        return without_interval(value, reason, method=method, n=n, level=level, notes=notes)
    t = float(special.stdtrit(n - 1, 1 - (1 - level) / 2))
    spread = math.exp(min(t * se / (1 - value), 700.0))
    low, high = max(1 - (1 - value) * spread, min(_LEAST, value)), 1 - (1 - value) / spread
    shown = se if reported_se is None else reported_se
    return Estimate(value=value, low=low, high=high, se=shown, **extra)  # type: ignore[arg-type]


def unseen_share(n: int, *, level: float) -> float:
    """The largest share of disagreeing items that n agreeing ones leave possible (Wilson's upper
    bound at 0).
    """
    z = float(special.ndtri(1 - (1 - level) / 2))
    return z * z / (n + z * z)


def jackknife_se(leave_one_out: FloatArray) -> float:
    """The standard error from the values without each item."""
    n = len(leave_one_out)
    centred = leave_one_out - np.add.reduce(leave_one_out) / n
    return math.sqrt((n - 1) / n * float(np.dot(centred, centred)))


def one_item(value: float, method: str, level: float, *, notes: tuple[str, ...] = ()) -> Estimate:
    """The answer when a single item can be compared."""
    reason = "one item says nothing about the sampling error"
    return without_interval(value, reason, method=method, n=1, level=level, notes=notes)


def no_items(method: str, level: float, *, notes: tuple[str, ...] = ()) -> Estimate:
    """The answer when nothing can be compared."""
    return undefined(
        "no item has two ratings to compare", method=method, n=0, level=level, notes=notes
    )
