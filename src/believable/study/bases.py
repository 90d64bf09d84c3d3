"""What every record of a study is made of: frozen, strict, with texts in one or several languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, RootModel, model_validator
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
