"""What every record of a study is made of: frozen, strict, with texts in one or several languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    RootModel,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

ID_PATTERN = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
LANGUAGE_PATTERN = r"^[a-z]{2,3}(-[A-Z]{2})?$"
Id: TypeAlias = Annotated[str, Field(pattern=ID_PATTERN)]
Language: TypeAlias = Annotated[str, Field(pattern=LANGUAGE_PATTERN)]

#: The language key of a text that was given once, without naming a language.
ANY_LANGUAGE = ""


class Record(BaseModel):
    """Base of every record: unknown keys are errors, and nothing changes after parsing."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def word_or(
    core_schema: CoreSchema,
    handler: GetJsonSchemaHandler,
    word: JsonSchemaValue,
    *,
    required: Sequence[str] = (),
) -> JsonSchemaValue:
    """The JSON Schema of a record that may also be written as a single word."""
    reference = handler(core_schema)
    written_out = handler.resolve_ref_schema(reference)
    mapping = dict(written_out)
    if required:
        mapping["required"] = list(required)
    written_out.clear()
    written_out["anyOf"] = [word, mapping]
    return reference


class Text(RootModel[dict[str, str]]):
    """Words shown to participants: one string, or one per language."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {ANY_LANGUAGE: value}
        if not isinstance(value, dict):
            raise PydanticCustomError("text_type", "text")
        return value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(core_schema, handler, {"type": "string", "minLength": 1})

    def in_language(self, language: str) -> str:
        """The words in `language`. The checker has made sure that they exist."""
        return self.root[language] if language in self.root else self.root[ANY_LANGUAGE]


def _shape(value: Any) -> str:
    return (
        "mapping" if isinstance(value, dict | BaseModel) else "list" if isinstance(value, tuple) else "word"
    )


#: Chooses between a word, a list and a mapping by how it is written, so that an error speaks of what was meant.
BY_SHAPE = Discriminator(_shape)


class Rule(Record):
    """A condition on an earlier answer (`answer: trial.question`) or on an arm (`arm: name`), with exactly one test; or, for a
    question, on what was opened beside the player of its page (`opened: plan`), which needs no test.

    `answer: trial.question.item` looks at one row of a matrix. Where several options were ticked, `is` and `in` ask whether
    the value is among them. Without an answer only `is_not` and `answered: false` hold.
    """

    answer: str | None = None
    """The answer to look at: `trial.question`, or `trial.question.row` of a matrix. Without a dot: on this page."""
    arm: str | None = None
    """The arm to look at."""
    opened: Literal["plan", "log", "any"] | None = None
    """Holds when this was opened beside the player of this page, as recorded; `any`: plan or log."""
    is_: Any = Field(default=None, alias="is")
    """Holds when the answer is this."""
    is_not: Any = None
    """Holds when the answer is anything else, or there is none."""
    in_: tuple[Any, ...] | None = Field(default=None, alias="in")
    """Holds when the answer is one of these."""
    at_least: int | float | None = None
    """Holds when the answer is this number or more."""
    at_most: int | float | None = None
    """Holds when the answer is this number or less."""
    answered: bool | None = None
    """Holds when there is an answer (`true`) or none (`false`)."""

    @property
    def test(self) -> tuple[str, Any]:
        """The name of the test in the file (`is`, `in`, …) and its value."""
        (field,) = self._given() - RULE_SUBJECTS
        return field.rstrip("_"), getattr(self, field)

    def _given(self) -> set[str]:
        return {name for name in self.model_fields_set if getattr(self, name) is not None}

    @model_validator(mode="after")
    def _one_subject_one_test(self) -> Rule:
        given = self._given()
        if len(given & RULE_SUBJECTS) != 1:
            raise PydanticCustomError("rule_subject", "a rule looks at an answer, an arm, or what was opened")
        if "opened" in given and given != {"opened"}:
            raise PydanticCustomError("rule_opened", "a rule on what was opened has no test")
        if "opened" not in given and len(given - RULE_SUBJECTS) != 1:
            raise PydanticCustomError("rule_test", "a rule has exactly one test")
        return self


RULE_SUBJECTS = frozenset({"answer", "arm", "opened"})


class TrialBase(Record):
    id: Id
    """Name of the trial in the data and in rules. Made from the kind where it is left out; forms and checks need one."""
    skip_if: Rule | None = None
    """Passed over when this rule holds."""
