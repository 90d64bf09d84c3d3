"""Records as JSON values and back, so that a run can be interrupted and resumed.

A class lists the attributes that it saves and annotates them:

    class Counter:
        SAVED = ("count",)
        count: int

`save(counter, counter.SAVED)` returns them, and `restore(counter, tree)` sets them again. Numbers
keep their type: a resumed run writes the same bytes as one that was not interrupted.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def save(owner: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_tree(getattr(owner, name)) for name in names}


def restore(owner: Any, tree: Mapping[str, Any]) -> None:
    """Set the saved attributes. Their annotations say which records they contain."""
    kind: Any = type(owner)
    for name, value in tree.items():
        setattr(owner, name, from_tree(_hints(kind)[name], value))


def to_tree(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: to_tree(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {name: to_tree(part) for name, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    return [to_tree(part) for part in value] if isinstance(value, list | tuple) else value


def from_tree(kind: Any, tree: Any) -> Any:
    """Build a value of this type from JSON values."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (kind,) = (part for part in parts if part is not NoneType)
        return None if tree is None else from_tree(kind, tree)
    if is_dataclass(kind):
        make: Any = kind
        return make(**{name: from_tree(_hints(make)[name], part) for name, part in tree.items()})
    if origin is None or origin is Literal:
        return tree
    if origin is Counter:
        return Counter(tree)
    if issubclass(origin, Mapping):
        return {name: from_tree(parts[1], part) for name, part in tree.items()}
    if origin is tuple and Ellipsis not in parts:
        return tuple(map(from_tree, parts, tree))
    return origin(from_tree(parts[0], part) for part in tree)
