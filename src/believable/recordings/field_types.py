"""Whether the values of a record read from outside are of the kinds its fields declare.

Frozen records take whatever they are given. Content from a file is compared with the declared types
once, so that everything after it may rely on them.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

#: Larger entries of a column are no measurement, and lose their last digits in a browser.
LARGEST = 2**53
#: Seeds may be larger; larger numbers are neither counts nor measurements.
LARGEST_SINGLE = 2**128

#: Reports a wrong value at a path.
Compare = Callable[[Any, str], Iterator[str]]


def misfits(value: Any, kind: Any, place: str) -> Iterator[str]:
    """Values of the wrong type, as `place: expected …, got …`.

    >>> list(misfits((1, "x"), tuple[int, ...], "x"))
    ["x[1]: expected a whole number, got 'x'"]
    """
    return _comparer(kind)(value, place)


@cache
def _comparer(kind: Any) -> Compare:
    """How values of a declared type are compared. Found out once per type."""
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record(kind)
    if origin in (Union, types.UnionType):
        return _any_of(kind, parts)
    if origin is tuple:
        return _list(parts[0]) if parts[-1] is Ellipsis else _compare_fixed(parts)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(parts[1])
    return _plain(kind)


def _record(kind: Any) -> Compare:
    hints = get_type_hints(kind)
    parts = [(field.name, _comparer(hints[field.name])) for field in fields(kind)]

    def compare(value: Any, place: str) -> Iterator[str]:
        for name, part in parts:
            yield from part(getattr(value, name), f"{place}.{name}" if place else name)

    return compare


_WORDS: Mapping[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "nothing",
}
_EXACT: Mapping[Any, frozenset[type]] = {
    str: frozenset({str}),
    int: frozenset({int}),
    float: frozenset({int, float}),
    bool: frozenset({bool}),
    type(None): frozenset({type(None)}),
}


def _types_of(kind: Any) -> frozenset[type] | None:
    """The types of plain values that will do; None for anything that is not plain."""
    if get_origin(kind) in (Union, types.UnionType):
        each = [_types_of(part) for part in get_args(kind)]
        return (
            frozenset().union(*(part for part in each if part is not None))
            if None not in each
            else None
        )
    return _EXACT.get(kind)


def _words_of(kind: Any) -> str:
    return " or ".join(_WORDS.get(part, "a list") for part in get_args(kind) or (kind,))


def _plain(kind: Any) -> Compare:
    allowed, words = _types_of(kind), _words_of(kind)
    assert allowed is not None, f"no comparison is known for {kind!r}"
    anything = str in allowed  # a value of any kind, such as telemetry of another program

    def compare(value: Any, place: str) -> Iterator[str]:
        if type(value) not in allowed:
            yield f"{place}: expected {words}, got {str(value)[:60]!r}"
        elif type(value) in (int, float) and not _countable(value, anything):
            yield f"{place}: expected a finite number of a sensible size, got {str(value)[:60]}"
        elif (
            type(value) is str
            and not value.isascii()
            and any("\ud800" <= letter <= "\udfff" for letter in value)
        ):
            yield f"{place}: holds half of a character, which no file can keep"

    return compare


def _countable(value: float, anything: bool) -> bool:
    if type(value) is float and anything:
        return math.isfinite(value)
    return abs(value) <= LARGEST_SINGLE  # also false for values that are not numbers


def _any_of(union: Any, kinds: tuple[Any, ...]) -> Compare:
    if _types_of(union) is not None:
        return _plain(union)
    (inner,) = (kind for kind in kinds if kind is not type(None))
    compare_inner = _comparer(inner)
    return lambda value, place: iter(()) if value is None else compare_inner(value, place)


def _list(kind: Any) -> Compare:
    allowed, compare_entry = _types_of(kind), _comparer(kind)

    def compare(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, tuple):
            yield f"{place}: expected a list, got {str(value)[:60]!r}"
            return
        # Columns have an entry for every frame: all at once if they are plain numbers, as nearly
        # always.
        if allowed is not None and set(map(type, value)) <= {int} <= allowed:
            if value and str not in allowed and not -LARGEST <= min(value) <= max(value) <= LARGEST:
                yield f"{place}: expected numbers within ±2⁵³"
            return
        for index, entry in enumerate(value):
            yield from compare_entry(entry, f"{place}[{index}]")

    return compare


def _compare_fixed(kinds: tuple[Any, ...]) -> Compare:
    comparers = [_comparer(kind) for kind in kinds]

    def compare(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, tuple) or len(value) != len(comparers):
            yield f"{place}: expected {len(comparers)} entries, got {str(value)[:60]!r}"
            return
        for index, (entry, comparer) in enumerate(zip(value, comparers, strict=True)):
            yield from comparer(entry, f"{place}[{index}]")

    return compare


def _mapping(kind: Any) -> Compare:
    compare_value, compare_key = _comparer(kind), _comparer(str)

    def compare(value: Any, place: str) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f"{place}: expected names with values, got {str(value)[:60]!r}"
            return
        for key, entry in value.items():
            yield from compare_key(key, f"{place}, a name")
            yield from compare_value(entry, f"{place}.{key}")

    return compare
