"""The JSON Schema of `study.yaml` for editors, made from the same records that the file is read
into.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import models_json_schema

from believable.contracts.fields import keys
from believable.contracts.record import LANGUAGE_PATTERN, Record
from believable.contracts.registries import INSTRUMENTS, PROTOCOLS
from believable.contracts.trial import Annotation, Question, TrialBase
from believable.study.kinds import annotating, answering, whole_forms
from believable.study.reading import QUESTION_ID
from believable.study.records import ClipPool, Study

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/{model}"

Schema = dict[str, Any]


def json_schema() -> Schema:
    """Kinds of trials and questions are keys, as in the file."""
    instruments, items = INSTRUMENTS, whole_forms()
    models: Any = [
        (record, "validation")
        for record in (Study, ClipPool, *items.values(), *(kind.params for kind in instruments))
    ]
    refs, whole = models_json_schema(models, by_alias=True, ref_template=_REF)
    definitions: Schema = whole["$defs"]
    for record in items.values():
        _written_trial(definitions[record.__name__], record, named=record.named)
    definitions["TimelineItem"] = _timeline_item(definitions, items)
    bodies = {kind.name: (refs[kind.params, "validation"], kind.about) for kind in instruments}
    questions = {name: bodies[name] for name in answering()}
    definitions["Question"] = _kinds_as_keys(
        definitions["Question"], Question, questions, required=["id"]
    )
    annotations = {name: bodies[name] for name in annotating()}
    definitions["Annotation"] = _annotation(
        _kinds_as_keys(definitions["Annotation"], Annotation, annotations, required=[]),
        sorted(annotations),
    )
    for record in items.values():
        for key in record.answer_keys.values():
            model = f"{record.__name__}Question"
            definitions[model] = _single_question(definitions["Question"])
            definitions[record.__name__]["properties"][key]["$ref"] = _REF.format(model=model)
    for holder, key in (("Study", "timeline"), ("Block", "each")):
        definitions[holder]["properties"][key]["items"] = {
            "$ref": _REF.format(model="TimelineItem")
        }
    definitions["Study"]["properties"]["stimuli"]["items"] = {
        "if": {"required": ["pool"]},
        "then": {"$ref": _REF.format(model="ClipPool")},
        "else": {"$ref": _REF.format(model="Stimulus")},
    }
    definitions["DeclaredPlan"]["properties"]["protocol"]["enum"] = list(PROTOCOLS.names)
    _one_subject_one_test(definitions["Rule"])
    _languages(definitions["Text"])
    for base in ("Record", "TrialBase"):
        definitions.pop(base, None)
    study = definitions.pop("Study")
    return {
        "$schema": DIALECT,
        **study,
        "title": "Study of believable",
        "$defs": dict(sorted(definitions.items())),
    }


def _written_trial(schema: Schema, record: type[TrialBase], *, named: bool) -> None:
    schema["properties"] = {
        key: value for key, value in schema["properties"].items() if key in keys(record)
    }
    required = [
        key for key in schema.get("required", []) if key in keys(record) and (named or key != "id")
    ]
    schema.pop("required", None)
    if required:
        schema["required"] = required


def _timeline_item(definitions: Schema, items: Mapping[str, type[TrialBase]]) -> Schema:
    bodies: Schema = {}
    words: list[str] = []
    for kind, record in items.items():
        body: Schema = {"$ref": _REF.format(model=record.__name__)}
        optional = "required" not in definitions[record.__name__]
        bodies[kind] = _or_nothing(body) if optional else body
        words += [kind] if optional else []
    return {
        "description": "One trial or block; its kind is the key.",
        "type": ["object", "string"],
        "properties": bodies,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
        "if": {"type": "string"},
        "then": {"enum": words},
    }


def _or_nothing(schema: Schema) -> Schema:
    """Not `anyOf`, so that an editor points at the mistake inside and not at the whole."""
    return {"if": {"type": "null"}, "else": schema}


def _kinds_as_keys(
    schema: Schema,
    record: type[Record],
    kinds: dict[str, tuple[Schema, str]],
    *,
    required: list[str],
) -> Schema:
    properties = {key: value for key, value in schema["properties"].items() if key in keys(record)}
    for name, (params, about) in kinds.items():
        properties[name] = {"description": about, **_or_nothing(params)}
    return {
        **schema,
        "properties": properties,
        "required": required,
        "oneOf": [{"required": [name]} for name in kinds],
    }


def _annotation(schema: Schema, words: list[str]) -> Schema:
    """A kind that needs no parameters may be written as a word: `annotate: ranktrace`."""
    mapping = {key: value for key, value in schema.items() if key not in ("type", "required")}
    return {
        "type": ["object", "string"],
        "if": {"type": "string"},
        "then": {"enum": words},
        "else": mapping,
    }


def _single_question(question: Schema) -> Schema:
    about = f"As any question; its id is {QUESTION_ID!r} where it is left out."
    return {
        **{key: value for key, value in question.items() if key != "required"},
        "description": about,
    }


def _one_subject_one_test(rule: Schema) -> None:
    tested = {"oneOf": [{"required": ["answer"]}, {"required": ["arm"]}], "minProperties": 2}
    opened = {"required": ["opened"], "maxProperties": 1}
    rule.update({"oneOf": [tested, opened], "maxProperties": 2})


def _languages(text: Schema) -> None:
    """A text is one string, or one per language."""
    text["anyOf"][1].update({"propertyNames": {"pattern": LANGUAGE_PATTERN}, "minProperties": 1})
