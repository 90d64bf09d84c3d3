"""Records as an author would write them in a study file."""

from __future__ import annotations

import io
from typing import Any

from ruamel.yaml import YAML

from believable.study.records import ANY_LANGUAGE, Record


def as_yaml(params: Record) -> str:
    """Parameters as an author would write them, without what is the default anyway."""
    tree = _plain(params.model_dump(mode="json", exclude_defaults=True))
    if tree == {}:
        return "{}\n"
    writer, text = YAML(), io.StringIO()
    writer.dump(tree, text)
    return text.getvalue()


def _plain(value: Any) -> Any:
    """As a person writes it: texts in one language as strings, options named like their value as one word, 18.0 as 18."""
    if isinstance(value, dict):
        if set(value) == {ANY_LANGUAGE}:
            return value[ANY_LANGUAGE]
        plain = {key: _plain(one) for key, one in value.items()}
        same = set(plain) == {"value", "label"} and plain["value"] == plain["label"]
        return plain["value"] if same else plain
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [_plain(one) for one in value] if isinstance(value, list) else value
