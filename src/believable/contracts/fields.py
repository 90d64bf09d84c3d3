"""The form of a record in the file: its keys, the records inside it, words for the types, and
itself as YAML.
"""

from __future__ import annotations

import datetime
import io
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from ruamel.yaml import YAML

from believable.contracts.record import ANY_LANGUAGE, Record, Text
from believable.contracts.trial import Annotation, Question, TrialBase

#: A question's kind is written as a key instead.
_HIDDEN = frozenset({"kind", "params"})


def keys(record: type[Record]) -> dict[str, str]:
    """The keys that may be written for a record, each with its field."""
    if issubclass(record, TrialBase):
        hidden = record.hidden_keys
    else:
        hidden = _HIDDEN if issubclass(record, Question | Annotation) else frozenset()
    return {
        field.alias or name: name
        for name, field in record.model_fields.items()
        if name not in hidden
    }


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
    arguments = [
        argument for argument in typing.get_args(annotation) if argument is not types.NoneType
    ]
    if origin is Annotated:
        return type_words(arguments[0])
    if origin is Literal:
        return " or ".join(str(argument) for argument in arguments)
    if origin in (typing.Union, types.UnionType):
        words = dict.fromkeys(type_words(argument) for argument in arguments)
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


def as_yaml(params: Record) -> str:
    """Parameters as an author would write them, without defaults."""
    tree = _plain(params.model_dump(mode="json", exclude_defaults=True))
    if tree == {}:
        return "{}\n"
    writer, text = YAML(), io.StringIO()
    writer.dump(tree, text)
    return text.getvalue()


def _plain(value: Any) -> Any:
    """As a person writes it: texts in one language as strings, options named like their value as
    one word, 18.0 as 18.
    """
    if isinstance(value, dict):
        if set(value) == {ANY_LANGUAGE}:
            return value[ANY_LANGUAGE]
        plain = {key: _plain(entry) for key, entry in value.items()}
        same = set(plain) == {"value", "label"} and plain["value"] == plain["label"]
        return plain["value"] if same else plain
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


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
