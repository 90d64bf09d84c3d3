"""What a record's fields look like in the file: their keys, the records inside them, and a word for their type."""

from __future__ import annotations

import datetime
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from believable.study.records import Annotation, Qa, Question, Record, Text, TrialBase

#: Fields of the records that are not keys of the file: a trial's and a question's kind is written as a key instead.
_HIDDEN: dict[type[Record], frozenset[str]] = {
    TrialBase: frozenset({"kind"}),
    Qa: frozenset({"annotate"}),
    Question: frozenset({"kind", "params"}),
    Annotation: frozenset({"kind", "params"}),
}


def keys(record: type[Record]) -> dict[str, str]:
    """The keys that may be written for a record, each with its field."""
    hidden = frozenset[str]().union(*(names for base, names in _HIDDEN.items() if issubclass(record, base)))
    return {field.alias or name: name for name, field in record.model_fields.items() if name not in hidden}


def record_inside(annotation: Any) -> type[Record] | None:
    """The record that a field holds: itself, optionally, in a list, or as one of its forms."""
    return next(_records(annotation), None)


def _records(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        if issubclass(annotation, Record):
            yield annotation
        return
    for argument in typing.get_args(annotation):
        yield from _records(argument)


def type_words(annotation: Any) -> str:
    """`a whole number`, `text`, `a list`: what an author has to write."""
    origin = typing.get_origin(annotation)
    arguments = [one for one in typing.get_args(annotation) if one is not types.NoneType]
    if origin is Annotated:
        return type_words(arguments[0])
    if origin is Literal:
        return " or ".join(str(one) for one in arguments)
    if origin in (typing.Union, types.UnionType):
        words = dict.fromkeys(type_words(one) for one in arguments)
        if "a number" in words:
            words.pop("a whole number", None)
        return " or ".join(words)
    if origin is tuple:
        return f"a list of {_plural(arguments[0])}"
    if origin is dict:
        return "a mapping"
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return "a mapping"
    return _WORDS.get(annotation, "a value")


def _plural(annotation: Any) -> str:
    words = type_words(annotation)
    return _PLURALS.get(words, words)


_WORDS: dict[Any, str] = {
    str: "text",
    Text: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    datetime.datetime: "a date and time",
}
_PLURALS = {
    "a value": "values",
    "text": "texts",
    "a whole number": "whole numbers",
    "a number": "numbers",
    "a mapping": "mappings",
}
