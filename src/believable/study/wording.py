"""The meaning of a record's validation error, in a sentence: message and fix."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic_core import ErrorDetails

from believable.contracts.record import ID_PATTERN, LANGUAGE_PATTERN
from believable.core.nodes import Node
from believable.core.registry import did_you_mean

RULE_TESTS = ("is", "is_not", "in", "at_least", "at_most", "answered")

_PATTERNS = {
    ID_PATTERN: ("expected an id", "Use a letter, then letters, digits or _, at most 64."),
    LANGUAGE_PATTERN: ("expected a language code", "Use a code such as en, de or pt-BR."),
}


#: Words that YAML takes for something else; said once for a whole list of them.
UNQUOTED = (
    "expected words, got true or false without quotes.",
    'Put each in quotes: ["true", "false"].',
)


def shown(value: Any) -> str:
    """A value of the file as its author would recognise it."""
    if isinstance(value, Node):
        value = value.value
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:56]}…{text[-1]}"


def unknown(what: str, name: str, known: Any) -> tuple[str, str]:
    """`unknown condition 'humen'.`, `Did you mean 'human'?`"""
    return f"unknown {what} {shown(name)}.", did_you_mean(name, known)


def missing(key: str, about: str) -> tuple[str, str]:
    return f"{key!r} is missing.", f"Add `{key}: …` ({about})." if about else f"Add `{key}: …`."


def describe_error(error: ErrorDetails, node: Node) -> tuple[str, str]:
    """Message and cure for an error found at `node`."""
    kind, context = error["type"], error.get("ctx", {})
    got = f"got {shown(node)}"
    if kind == "literal_error":
        return _literal(str(context["expected"]), node, got)
    if kind == "string_pattern_mismatch":
        expected, cure = _PATTERNS.get(
            str(context["pattern"]), (f"expected text like {context['pattern']}", "")
        )
        return f"{expected}, {got}.", cure
    if kind in _BOUNDS:
        sign, key = _BOUNDS[kind]
        return f"expected {sign} {context[key]:g}, {got}.", "Change the number."
    if kind == "too_short":
        return (
            (
                f"expected at least {_count(context['min_length'], 'entry', 'entries')}, got"
                f" {context['actual_length']}."
            ),
            "Add to the list.",
        )
    if kind == "too_long":
        return (
            (
                f"expected at most {_count(context['max_length'], 'entry', 'entries')}, got"
                f" {context['actual_length']}."
            ),
            "Shorten the list.",
        )
    if kind == "string_too_short":
        return (
            f"expected at least {_count(context['min_length'], 'character', 'characters')}, {got}.",
            "Write something.",
        )
    if kind == "string_too_long":
        return (
            f"expected at most {_count(context['max_length'], 'character', 'characters')}, {got}.",
            "Shorten it.",
        )
    if isinstance(node.value, bool) and kind in ("model_type", "model_attributes_type"):
        return UNQUOTED
    if kind in _TYPES:
        expected, cure = _TYPES[kind]
        return f"expected {expected}, {got}.", cure
    if kind == "union_tag_invalid":
        shapes = " or ".join(
            f"a {name}" for name in re.findall(r"'([^']*)'", str(context["expected_tags"]))
        )
        return f"expected {shapes}, {got}.", "Write it that way."
    if kind == "rule_subject":
        return (
            "a rule looks at one answer, at one arm, or at what was opened.",
            "Give one of `answer: trial.question`, `arm: name` and `opened: plan`.",
        )
    if kind == "rule_opened":
        return "a rule on what was opened has no test.", "Leave the test out: `{opened: plan}`."
    if kind == "rule_test":
        return "a rule has exactly one test.", f"Give one of: {', '.join(RULE_TESTS)}."
    return f"{error['msg']}, {got}.", "See the study-file reference."


def _count(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"


def _literal(expected: str, node: Node, got: str) -> tuple[str, str]:
    names = re.findall(r"'([^']*)'", expected)
    if not names:
        return f"expected {expected}, {got}.", f"Write {expected}."
    if isinstance(node.value, str):
        return f"expected {expected}, {got}.", did_you_mean(node.value, names)
    return f"expected {expected}, {got}.", f"Choose one of: {', '.join(names)}."


_BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}
_MAPPING = ("a mapping", "Write `key: value` lines below it.")
_NUMBER = ("a number", "Write a number without quotes.")
_TYPES = {
    "string_type": ("text", "Put it in quotes."),
    "text_type": ("text, or one text per language", "Put it in quotes, or write {en: …, de: …}."),
    "int_type": ("a whole number", "Write a number without quotes or decimals."),
    "int_from_float": ("a whole number", "Write a number without decimals."),
    "float_type": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": ("true or false", "Write true or false, without quotes."),
    "tuple_type": ("a list", "Write [one, two] or one `- entry` per line."),
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "moment": ("a date and time", "Write it as 2027-01-31T18:00:00Z."),
}
