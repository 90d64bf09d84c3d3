"""Model formulas as in R's lme4: `flag ~ condition * order + (1 | participant) + (1 + condition |
scenario)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.stats.inputs import FloatArray, check_squarable
from believable.stats.regression import INTERCEPT, check_rank

_NAME = re.compile(r"^[^\W\d]\w*$")
_RANDOM = re.compile(r"\(([^()|]*)(\|\|?)([^()|]*)\)")
_POWER = re.compile(r"\(([^()|]*)\)\s*(?:\^|\*\*)\s*(\d+)")
_CURE = "Write it like 'flag ~ condition + (1 | participant)'."


@dataclass(frozen=True, slots=True)
class RandomPart:
    """One `( … | group)`: which columns vary between the levels of `group` (several names: their
    combination).
    """

    group: tuple[str, ...]
    intercept: bool
    slopes: tuple[str, ...]

    @property
    def label(self) -> str:
        return ":".join(self.group)


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A parsed formula; `terms` are the fixed ones, each the names whose product it is, lower
    orders first.
    """

    text: str
    response: str
    intercept: bool
    terms: tuple[tuple[str, ...], ...]
    random: tuple[RandomPart, ...]


def parse(text: str) -> Formula:
    """The formula, or an error that names the part that cannot be read."""
    sides = text.split("~")
    if len(sides) != 2:
        raise InvalidInput(f"formula: expected one '~', got {text!r}. {_CURE}")
    response = _name(sides[0].strip(), text)
    random = tuple(part for match in _RANDOM.finditer(sides[1]) for part in _random(match, text))
    rest = _POWER.sub(lambda match: _power(match, text), _RANDOM.sub("", sides[1]))
    if "(" in rest or "|" in rest:
        raise InvalidInput(
            f"formula: cannot read {rest.strip()!r} of {text!r}. Random parts are (1 | group) or "
            "(1 + slope | group), powers (a + b)^2; parentheses serve nothing else."
        )
    intercept, terms = _sum(rest, text)
    return Formula(text=text, response=response, intercept=intercept, terms=terms, random=random)


def _power(match: re.Match[str], text: str) -> str:
    """`(a + b + c)^2`: the columns and their products of up to that many different ones."""
    names = [_name(name.strip(), text) for name in match[1].split("+")]
    sizes = range(1, min(int(match[2]), len(names)) + 1)
    if not sizes:
        raise InvalidInput(
            f"formula: expected a power of 1 or more, got {match.group()!r} in {text!r}. {_CURE}"
        )
    return " + ".join(":".join(chosen) for size in sizes for chosen in combinations(names, size))


def _random(match: re.Match[str], text: str) -> list[RandomPart]:
    left, bar, right = match.groups()
    group = tuple(_name(name.strip(), text) for name in right.split(":"))
    intercept, terms = _sum(left, text)
    if any(len(term) > 1 for term in terms):
        raise InvalidInput(
            f"formula: interactions as random slopes are not supported, got {match.group()!r}. "
            "Compute the product as a column of its own."
        )
    slopes = tuple(term[0] for term in terms)
    if not intercept and not slopes:
        raise InvalidInput(f"formula: nothing varies in {match.group()!r}. {_CURE}")
    if bar == "||":
        first = [RandomPart(group, True, ())] if intercept else []
        return first + [RandomPart(group, False, (slope,)) for slope in slopes]
    return [RandomPart(group, intercept, slopes)]


def _sum(side: str, text: str) -> tuple[bool, tuple[tuple[str, ...], ...]]:
    """The terms of one side in the order of their degree, and whether there is an intercept."""
    intercept, terms = True, []
    pieces = [piece.strip() for piece in re.sub(r"-\s*1\b", "+ 0", side).split("+")]
    for piece in filter(None, pieces):
        if piece in ("0", "1"):
            intercept = piece == "1"
            continue
        factors = [
            tuple(_name(name.strip(), text) for name in factor.split(":"))
            for factor in piece.split("*")
        ]
        for size in range(1, len(factors) + 1):
            terms += [sum(chosen, ()) for chosen in combinations(factors, size)]
    unique = list(dict.fromkeys(terms))
    return intercept, tuple(sorted(unique, key=len))


def _name(name: str, text: str) -> str:
    if not _NAME.match(name):
        raise InvalidInput(
            f"formula: expected the name of a column, got {name!r} in {text!r}. {_CURE}"
        )
    return name


Table = Mapping[str, Sequence[Any] | NDArray[Any]]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Varying:
    """The columns that vary by group: row r belongs to level codes[r] and has values[r] as its
    columns.
    """

    group: str
    names: tuple[str, ...]
    codes: IntArray
    levels: int
    values: FloatArray

    @property
    def width(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Everything a fit needs; `notes` say what became of groups with too few levels."""

    formula: Formula
    response: FloatArray
    names: tuple[str, ...]
    fixed: FloatArray
    varying: tuple[Varying, ...]
    notes: tuple[str, ...]


def design(
    formula: Formula, table: Table, *, levels: Mapping[str, Sequence[str]], least_levels: int
) -> Design:
    """The design of `formula` on `table`.

    Numbers and truth values enter as they are, everything else as a category in treatment coding
    against its first level (sorted, or in the order of `levels`), named `column[level]`. A group
    with fewer than `least_levels` levels becomes a fixed category, with one level it is dropped; a
    note says so.
    """
    columns = _Columns(table, levels)
    response = columns.numeric(formula.response)
    kept, extra, notes = _enough_levels(formula, columns, least_levels)
    names, blocks = _fixed_columns(formula, extra, columns)
    fixed = np.column_stack(blocks) if blocks else np.empty((columns.n, 0))
    if fixed.shape[1] == 0:
        raise InvalidInput(
            f"formula: no fixed term in {formula.text!r}. Keep at least the intercept."
        )
    if fixed.shape[1] >= columns.n:
        raise InvalidInput(
            f"table: expected more than {fixed.shape[1]} rows for {fixed.shape[1]} coefficients, "
            f"got {columns.n}. Leave terms out or give more data."
        )
    check_rank(np.asarray(np.linalg.qr(fixed, mode="r")), names, place="formula")
    varying = tuple(_varying(part, columns) for part in kept)
    return Design(
        formula=formula,
        response=response,
        names=tuple(names),
        fixed=fixed,
        varying=varying,
        notes=notes,
    )


class _Columns:
    """The table's columns by name, checked once."""

    def __init__(self, table: Table, levels: Mapping[str, Sequence[str]]) -> None:
        self._table, self._levels = table, levels
        lengths = {name: len(column) for name, column in table.items()}
        if len(set(lengths.values())) > 1:
            raise InvalidInput(f"table: expected columns of one length, got {lengths}.")
        self.n = next(iter(lengths.values()), 0)
        if self.n == 0:
            raise InvalidInput("table: expected at least one row, got none.")
        for name in levels:
            self.raw(name)

    def raw(self, name: str) -> NDArray[Any]:
        if name not in self._table:
            raise InvalidInput(
                f"formula: unknown column {name!r}. {did_you_mean(name, list(self._table))}"
            )
        array = np.asarray(self._table[name])
        if array.ndim != 1:
            raise InvalidInput(
                f"table[{name!r}]: expected one value per row, got shape {array.shape}."
            )
        return array

    def is_numeric(self, name: str) -> bool:
        return name not in self._levels and self.raw(name).dtype.kind in "biuf"

    def numeric(self, name: str) -> FloatArray:
        array = self.raw(name)
        if array.dtype.kind not in "biuf":
            raise InvalidInput(
                f"table[{name!r}]: expected numbers, got {array[:3].tolist()}. Code them as"
                " numbers."
            )
        values = array.astype(np.float64)
        wrong = ~np.isfinite(values)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInput(
                f"table[{name!r}][{row}]: expected a finite number, got {values[row]}. "
                "Leave rows with missing values out (and count them) before the call."
            )
        check_squarable(values, name=f"table[{name!r}]")
        return values

    def categories(self, name: str) -> tuple[list[str], IntArray]:
        """The levels in order and, for each row, the index of its level."""
        array = self.raw(name)
        if array.dtype.kind == "O":
            missing = [
                index for index, value in enumerate(array) if value is None or value != value
            ]
            if missing:
                raise InvalidInput(
                    f"table[{name!r}][{missing[0]}]: expected a label, got {array[missing[0]]!r}. "
                    "Leave rows with missing values out (and count them) before the call."
                )
            array = array.astype(str)
        elif array.dtype.kind == "f":
            self.numeric(name)
        distinct, codes = np.unique(array, return_inverse=True)
        labels = [str(level) for level in distinct]
        if name not in self._levels:
            return labels, codes.astype(np.int64)
        wanted = [str(level) for level in self._levels[name]]
        unknown = [label for label in labels if label not in wanted]
        if unknown or len(set(wanted)) != len(wanted):
            raise InvalidInput(f"levels[{name!r}]: expected each of {labels} once, got {wanted}.")
        present = [label for label in wanted if label in labels]
        place = {label: index for index, label in enumerate(present)}
        return present, np.array([place[label] for label in labels], dtype=np.int64)[codes]

    def code_column(self, name: str) -> list[tuple[str, FloatArray]]:
        """A numeric column as it is, a category as its treatment contrasts."""
        if self.is_numeric(name):
            return [(name, self.numeric(name))]
        labels, codes = self.categories(name)
        return [
            (f"{name}[{label}]", (codes == index).astype(np.float64))
            for index, label in enumerate(labels)
            if index > 0
        ]

    def group(self, names: tuple[str, ...]) -> tuple[int, IntArray]:
        """The number of levels that occur and each row's level, for one column or a combination."""
        parts = [self.categories(name)[1] for name in names]
        joined = reduce(lambda whole, part: whole * (int(part.max()) + 1) + part, parts)
        labels, codes = np.unique(joined, return_inverse=True)
        return len(labels), codes.astype(np.int64)


def _enough_levels(
    formula: Formula, columns: _Columns, least_levels: int
) -> tuple[list[RandomPart], list[str], tuple[str, ...]]:
    kept: list[RandomPart] = []
    extra: list[str] = []
    notes: list[str] = []
    for part in formula.random:
        count = columns.group(part.group)[0]
        if count >= max(least_levels, 2):
            kept.append(part)
        elif count == 1:
            notes.append(f"{part.label} has 1 level: its random part was dropped")
        elif len(part.group) > 1:
            raise InvalidInput(
                f"formula: {part.label} has {count} levels, too few to vary at random. Leave it out"
                f" or set least_levels={count}."
            )
        else:
            notes.append(
                f"{part.label} has {count} levels, fewer than {least_levels}: it became a fixed"
                " effect instead of a random one"
            )
            extra.append(part.group[0])
    return kept, list(dict.fromkeys(extra)), tuple(dict.fromkeys(notes))


def _fixed_columns(
    formula: Formula, extra: list[str], columns: _Columns
) -> tuple[list[str], list[FloatArray]]:
    names, blocks = ([INTERCEPT], [np.ones(columns.n)]) if formula.intercept else ([], [])
    terms = [*formula.terms, *((name,) for name in extra if (name,) not in formula.terms)]
    for term in terms:
        absent = [name for name in term if len(term) > 1 and (name,) not in terms]
        if absent:
            raise InvalidInput(
                f"formula: the interaction {':'.join(term)} stands without {absent[0]!r}. Write"
                f" {'*'.join(term)}."
            )
        if not formula.intercept and len(term) == 1 and not columns.is_numeric(term[0]):
            raise InvalidInput(
                f"formula: a category ({term[0]!r}) without an intercept has no reference level."
                " Keep the intercept."
            )
        for name, values in _product(term, columns):
            names.append(name)
            blocks.append(values)
    return names, blocks


def _product(term: tuple[str, ...], columns: _Columns) -> list[tuple[str, FloatArray]]:
    coded = columns.code_column(term[0])
    for name in term[1:]:
        coded = [
            (f"{left}:{right}", x * y)
            for left, x in coded
            for right, y in columns.code_column(name)
        ]
    return coded


def _varying(part: RandomPart, columns: _Columns) -> Varying:
    count, codes = columns.group(part.group)
    coded = [(INTERCEPT, np.ones(columns.n))] if part.intercept else []
    for slope in part.slopes:
        coded += columns.code_column(slope)
    names = tuple(name for name, _ in coded)
    return Varying(
        group=part.label,
        names=names,
        codes=codes,
        levels=count,
        values=np.column_stack([values for _, values in coded]),
    )
