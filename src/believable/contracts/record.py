"""What every record of a study is made of: frozen, strict, texts in one or several languages; rules
and whether they hold.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

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


@functools.cache
def _texts_below_fields(module: str) -> Mapping[str, Mapping[str, str]]:
    """Class → field → the string below it in the source."""
    return {
        node.name: {
            field.target.id: inspect.cleandoc(text.value.value)
            for field, text in pairwise(node.body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        }
        for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module])))
        if isinstance(node, ast.ClassDef)
    }


class Described(BaseModel):
    """Each field is described by the string below it, which is read on demand. Pydantic can do so
    for every class as it is made, which was a tenth of the time in which a server starts.
    """

    #: Records whose fields this one has, too, if it was built at run time; the last one counts.
    fields_from: ClassVar[tuple[type[Described], ...]] = ()

    @classmethod
    def descriptions(cls) -> Mapping[str, str]:
        """Field → its description; fields without one are left out."""
        texts = {
            name: text for record in cls.fields_from for name, text in record.descriptions().items()
        }
        for base in reversed(cls.__mro__):
            if issubclass(base, Described):
                texts |= _texts_below_fields(base.__module__).get(base.__name__, {})
        own = {
            name: field.description or texts.get(name, "")
            for name, field in cls.model_fields.items()
        }
        return {name: text for name, text in own.items() if text}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        reference = handler(core_schema)
        properties = handler.resolve_ref_schema(reference).get("properties", {})
        for name, text in cls.descriptions().items():
            key = cls.model_fields[name].alias or name
            properties[key if key in properties else name].setdefault("description", text)
        return reference


class Record(Described):
    """Base of every record: unknown keys are errors, and nothing changes after parsing."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    #: Fields that the browsers of participants never get.
    lab_only: ClassVar[frozenset[str]] = frozenset()


def word_or(
    reference: JsonSchemaValue,
    handler: GetJsonSchemaHandler,
    word: JsonSchemaValue,
    *,
    required: Sequence[str] = (),
) -> JsonSchemaValue:
    """The JSON Schema of a record that may also be written as a single word."""
    written_out = handler.resolve_ref_schema(reference)
    mapping = dict(written_out)
    if required:
        mapping["required"] = list(required)
    written_out.clear()
    written_out["anyOf"] = [word, mapping]
    return reference


#: Words that differ from turn to turn: `{First|Second}`.
_BY_TURN = re.compile(r"\{([^{}|]+(?:\|[^{}|]+)+)\}")


class Text(RootModel[dict[str, str]]):
    """Words shown to participants: one string, or one per language. In titles and texts of pages
    inside a block, `{First|Second}` is another word in each turn.
    """

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
        return word_or(handler(core_schema), handler, {"type": "string", "minLength": 1})

    def in_language(self, language: str) -> str:
        """The words in `language`. The checker has made sure that they exist."""
        return self.root[language] if language in self.root else self.root[ANY_LANGUAGE]

    def in_turn(self, language: str, turn: int) -> str:
        """The same on the page of one turn, counted from 1: of `{First|Second} game` the part that
        belongs to it.
        """
        return _BY_TURN.sub(lambda match: match[1].split("|")[turn - 1], self.in_language(language))

    @property
    def turns(self) -> frozenset[int]:
        """The number of variants in its `{…|…}`; empty without any."""
        return frozenset(
            part.count("|") + 1 for words in self.root.values() for part in _BY_TURN.findall(words)
        )


def _shape(value: Any) -> str:
    return (
        "mapping"
        if isinstance(value, dict | BaseModel)
        else "list"
        if isinstance(value, tuple)
        else "word"
    )


#: Choose between a word, a list and a mapping by the form of the value, so an error describes the
#: intended form.
BY_SHAPE = Discriminator(_shape)


class Rule(Record):
    """A condition on an earlier answer (`answer: trial.question`) or on an arm (`arm: name`), with
    exactly one test; or, for a question, on an opened overlay of its page's player (`opened:
    plan`), which needs no test.

    `answer: trial.question.item` looks at one row of a matrix. Where several options were ticked,
    `is` and `in` ask whether the value is among them. Without an answer only `is_not` and
    `answered: false` hold.
    """

    answer: str | None = None
    """The answer to look at: `trial.question`, or `trial.question.row` of a matrix. Without a dot:
    on this page.
    """
    arm: str | None = None
    """The arm to look at."""
    opened: Literal["plan", "log", "any"] | None = None
    """Holds if this overlay of this page's player was opened, as recorded; `any`: plan or log."""
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
        (field,) = self._written_keys() - RULE_SUBJECTS
        return field.rstrip("_"), getattr(self, field)

    def _written_keys(self) -> set[str]:
        return {name for name in self.model_fields_set if getattr(self, name) is not None}

    @model_validator(mode="after")
    def _one_subject_one_test(self) -> Rule:
        keys = self._written_keys()
        if len(keys & RULE_SUBJECTS) != 1:
            raise PydanticCustomError(
                "rule_subject", "a rule looks at an answer, an arm, or what was opened"
            )
        if "opened" in keys and keys != {"opened"}:
            raise PydanticCustomError("rule_opened", "a rule on what was opened has no test")
        if "opened" not in keys and len(keys - RULE_SUBJECTS) != 1:
            raise PydanticCustomError("rule_test", "a rule has exactly one test")
        return self


RULE_SUBJECTS = frozenset({"answer", "arm", "opened"})


def holds(
    rule: Rule, answers: Mapping[str, Any], arms: Mapping[str, str], opened: Collection[str] = ()
) -> bool:
    """`answers` maps `trial.question` to the latest answer (`None`: asked and left open), `opened`
    holds the opened overlays of the page's player. See `Rule` for the tests.
    """
    if rule.opened is not None:
        return bool(opened) if rule.opened == "any" else rule.opened in opened
    if rule.answer is None:
        return arm_holds(rule, arms)
    return _passes(rule, _looked_up(rule.answer, answers))


def arm_holds(rule: Rule, arms: Mapping[str, str]) -> bool:
    return rule.arm is not None and _passes(rule, arms.get(rule.arm))


def _looked_up(reference: str, answers: Mapping[str, Any]) -> Any:
    if reference in answers:
        return answers[reference]
    question, _, item = reference.rpartition(".")
    whole = answers.get(question)
    return whole.get(item) if isinstance(whole, Mapping) else None


def _passes(rule: Rule, answer: Any) -> bool:
    test, value = rule.test
    if test == "answered":
        return (answer is not None) is value
    if test == "is_not":
        return not _is(answer, value)
    if answer is None:
        return False
    if test == "is":
        return _is(answer, value)
    if test == "in":
        return any(_is(answer, option) for option in value)
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    return bool(answer >= value if test == "at_least" else answer <= value)


def _is(answer: Any, value: Any) -> bool:
    """Equal; of several ticked options, one of them. Numbers and number-like option values are the
    same (`5` and `"5"`).
    """
    if isinstance(answer, list | tuple) and not isinstance(value, list | tuple):
        return any(_is(choice, value) for choice in answer)
    if isinstance(answer, list | tuple):
        return sorted(map(str, answer)) == sorted(map(str, value))
    if isinstance(value, bool) or isinstance(answer, bool):
        return answer is value
    if isinstance(answer, str) and isinstance(value, int | float):
        return answer == str(value)
    return bool(answer == value)
