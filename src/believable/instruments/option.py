"""One of several things to choose from: the value that is recorded and the words that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from believable.instruments.contract import InvalidAnswer
from believable.study.records import Record, Text, word_or


class Option(Record):
    """In the file either a plain word (`red`), or `{value: red, label: {en: Red, de: Rot}}`."""

    value: str = Field(min_length=1, max_length=100)
    """What is stored."""
    label: Text
    """What people read; the value where it is left out."""

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, given: Any) -> Any:
        if isinstance(given, str) or (isinstance(given, int | float) and not isinstance(given, bool)):
            return {"value": str(given), "label": str(given)}
        if isinstance(given, dict) and "value" in given and "label" not in given:
            return {**given, "label": str(given["value"])}
        return given

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(core_schema, handler, {"type": ["string", "number"]}, required=["value"])


def read_option(options: Sequence[Option], raw: Any) -> str:
    """The chosen value, if it is one of the options."""
    value = str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else raw
    if not isinstance(value, str) or all(option.value != value for option in options):
        raise InvalidAnswer("error.option")
    return value


def repeated_values(options: Sequence[Option], path: str) -> list[tuple[str, str, str]]:
    """Problems for values that occur twice: their answers could not be told apart."""
    counts = Counter(option.value for option in options)
    return [
        (path, f"value {value!r} occurs {count} times.", "Give every option its own value.")
        for value, count in counts.items()
        if count > 1
    ]
