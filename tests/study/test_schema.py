"""The JSON Schema accepts what loads, and rejects what is wrong in form."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from believable.contracts.registries import PROTOCOLS
from believable.core.nodes import parse
from believable.protocols import READY_STUDIES
from believable.study.kinds import annotating, answering, item_kinds
from believable.study.schema import json_schema

PLANTED = Path(__file__).parent / "planted"


@pytest.fixture(scope="module")
def validator():
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def found(validator, tree):
    return [
        (".".join(map(str, error.absolute_path)), error.message)
        for error in validator.iter_errors(tree)
    ]


def test_every_kind_is_in_the_schema():
    definitions = json_schema()["$defs"]
    assert set(definitions["TimelineItem"]["properties"]) == set(item_kinds())
    assert set(answering()) < set(definitions["Question"]["properties"])
    assert set(annotating()) < set(definitions["Annotation"]["else"]["properties"])
    assert not set(annotating()) & set(definitions["Question"]["properties"])


GOOD = """\
- consent: {page: pages/consent.md, require: [adult, {id: video, label: I agree to be filmed.}]}
- text: {text: Welcome}
- form:
    id: about
    questions:
      - {id: a, prompt: A, choice: {options: [red, {value: blue, label: Blue}, 3]}}
      - {id: b, prompt: B, choices: {options: [red, blue]}, required: false}
      - {id: c, prompt: C, likert: {points: 5, labels: [low, high]}}
      - {id: d, prompt: D, matrix: {rows: [calm, {value: tense, label: Tense}]}}
      - {id: e, prompt: E, number: , show_if: {answer: c, at_least: 3}}
      - {id: f, prompt: F, text: }
      - {id: g, prompt: G, long_text: {min_length: 10}}
      - {id: h, prompt: H, slider: {min: 0, max: 10}}
- check: {id: sky, question: {prompt: Sky?, choice: {options: [red, blue]}}, correct: blue, on_fail: fail}
- block:
    order: random
    over: condition
    breaks: {every: 1}
    each:
      - watch: {stimulus: {scenario: garden}, controls: {replay: true, max_views: 2}}
      - rate: {questions: [{id: z, prompt: Z, number: }]}
- watch: {stimulus: h01, skip_if: {answer: about.a, in: [red, blue]}}
- break
- finish: {redirect: {complete: "https://example.org/?code={code}"}}
"""


def test_a_good_study_is_valid_and_loads(validator, loaded):
    assert found(validator, loaded(GOOD, extra="recruit: {closes: 2099-01-31}\n").tree) == []


@pytest.mark.parametrize("name", PROTOCOLS.names)
def test_the_ready_studies_are_valid(validator, name, tmp_path):
    READY_STUDIES[name].copy(tmp_path / name)
    tree, _ = parse((tmp_path / name / "study.yaml").read_bytes(), "study.yaml")
    assert found(validator, tree.plain()) == []


def test_two_languages_are_valid(validator, loaded):
    text = """\
    believable: 1
    title: {en: A study, de: Eine Studie}
    seed: 1
    languages: [en, de]
    texts: {de: {landing.start: Los}}
    timeline:
      - text: {text: {en: Hello, de: Hallo}}
      - finish:
    """
    assert found(validator, loaded(text=text).tree) == []


def test_the_form_of_the_planted_mistakes_is_rejected(validator):
    tree, _ = parse((PLANTED / "study.yaml").read_bytes(), "study.yaml")
    places = [place for place, _ in found(validator, tree.plain())]
    assert sorted(places) == [
        "timeline.1.form.questions.0.likert",
        "timeline.2.check.attempts",
        "timeline.3.block.each.0",
    ]


HEAD = {"believable": 1, "title": "x", "seed": 1}


@pytest.mark.parametrize(
    ("timeline", "place"),
    [
        ([], "timeline"),
        (["watch it"], "timeline.0"),
        ([{"form": None}], "timeline.0.form"),
        ([{"watch": {}, "text": {}}], "timeline.0"),
        ([{"form": {"questions": [{"id": "a", "number": None}]}}], "timeline.0.form"),
        ([{"form": {"id": "f", "questions": [{"id": "a"}]}}], "timeline.0.form.questions.0"),
        ([{"form": {"id": "f", "questions": [{"number": None}]}}], "timeline.0.form.questions.0"),
        ([{"text": {"text": "x", "skip_if": {"is": 3}}}], "timeline.0.text.skip_if"),
        ([{"text": {"text": 5}}], "timeline.0.text.text"),
        ([{"watch": {"id": "2nd"}}], "timeline.0.watch.id"),
        ([{"block": {"each": []}}], "timeline.0.block.each"),
    ],
)
def test_wrong_forms_are_rejected(validator, timeline, place):
    assert place in [where for where, _ in found(validator, {**HEAD, "timeline": timeline})]


def test_every_key_is_described():
    schema = json_schema()
    for name in ("Watch", "Block", "Check", "Recruit", "Rule", "Controls"):
        for key, one in schema["$defs"][name]["properties"].items():
            assert one.get("description"), f"{name}.{key}"
