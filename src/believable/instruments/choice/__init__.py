"""One of several options, without an order between them; and what an option is, for all instruments
that have some.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from believable.contracts.instrument import AnswerColumn, Instrument, InvalidAnswer
from believable.contracts.record import Record, Text, word_or


class AnswerOption(Record):
    """In the file either a plain word (`red`), or `{value: red, label: {en: Red, de: Rot}}`."""

    value: str = Field(min_length=1, max_length=100)
    """The stored value."""
    label: Text
    """The text for participants; the value by default."""

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, raw: Any) -> Any:
        if isinstance(raw, str) or (isinstance(raw, int | float) and not isinstance(raw, bool)):
            return {"value": str(raw), "label": str(raw)}
        if isinstance(raw, dict) and "value" in raw and "label" not in raw:
            return {**raw, "label": str(raw["value"])}
        return raw

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(
            super().__get_pydantic_json_schema__(core_schema, handler),
            handler,
            {"type": ["string", "number"]},
            required=["value"],
        )


def read_option(options: Sequence[AnswerOption], raw: Any) -> str:
    """The chosen value, if it is one of the options."""
    value = str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else raw
    if not isinstance(value, str) or all(option.value != value for option in options):
        raise InvalidAnswer("error.option")
    return value


def repeated_values(options: Sequence[AnswerOption], path: str) -> list[tuple[str, str, str]]:
    """Problems for values that occur twice: their answers could not be distinguished."""
    counts = Counter(option.value for option in options)
    return [
        (path, f"value {value!r} occurs {count} times.", "Give every option its own value.")
        for value, count in counts.items()
        if count > 1
    ]


class ChoiceParams(Record):
    """`shuffle` shows the options in a different order in each session; the order shown is
    recorded.
    """

    options: tuple[AnswerOption, ...] = Field(min_length=2)
    """What can be chosen: words, or values with labels."""
    shuffle: bool = False
    """Each session sees them in a different order."""


def read(params: ChoiceParams, raw: Any) -> str:
    return read_option(params.options, raw)


def simulate(params: ChoiceParams, rng: random.Random) -> str:
    return rng.choice(params.options).value


def check(params: ChoiceParams) -> Sequence[tuple[str, str, str]]:
    return repeated_values(params.options, "options")


def options(params: ChoiceParams) -> Sequence[str]:
    return [option.value for option in params.options]


CHOICE = Instrument(
    name="choice",
    version=1,
    about="One of several options.",
    params=ChoiceParams,
    records=(AnswerColumn("value", "string", "value of the chosen option"),),
    folder=Path(__file__).parent,
    scale="nominal",
    read=read,
    simulate=simulate,
    examples=(
        ChoiceParams.model_validate({"options": ["red", "green", "blue"]}),
        ChoiceParams.model_validate(
            {
                "options": [{"value": "y", "label": "Yes"}, {"value": "n", "label": "No"}],
                "shuffle": True,
            }
        ),
    ),
    check=check,
    options=options,
)
