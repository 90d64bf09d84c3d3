"""A definition: canonical, hashed, and the same after a round trip."""

from __future__ import annotations

import json

import pytest

from believable.core.errors import InvalidInput, StudyError
from believable.study.definition import Definition, Medium

TIMELINE = """\
- consent: {page: pages/consent.md}
- form: {id: f, questions: [{id: q, prompt: Größe?, choice: {options: [no, yes]}}]}
- block: {order: latin_square, over: condition, each: [watch]}
- finish: {redirect: prolific}
"""
MEDIUM = Medium(digest="0" * 64, bytes=1234, duration_ms=6000, media_type="video/mp4")


def test_a_round_trip_changes_nothing(loaded):
    definition = loaded(TIMELINE).with_media({"h01": MEDIUM})
    again = Definition.from_json(definition.to_json())
    assert again == definition
    assert again.to_json() == definition.to_json()
    assert again.hash == definition.hash
    assert again.study.recruit.platform == "prolific"


def test_json_is_canonical(loaded):
    text = loaded(TIMELINE).to_json()
    assert text == json.dumps(
        json.loads(text), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    assert "Größe" in text


def test_comments_and_key_order_do_not_change_the_hash(loaded):
    one = loaded("- text: {id: a, text: Hello}  # a comment\n- finish:\n")
    other = loaded("- text: {text: Hello, id: a}\n- finish:\n")
    assert one.hash == other.hash


def test_words_pages_and_media_do_change_the_hash(loaded):
    timeline = "- consent: {page: pages/consent.md}\n- finish:\n"
    plain = loaded(timeline)
    hashes = {
        plain.hash,
        loaded(timeline, pages={"pages/consent.md": "Other words\n"}).hash,
        loaded(timeline, extra="resume: forbid\n").hash,
        plain.with_media({"h01": MEDIUM}).hash,
    }
    assert len(hashes) == 4
    assert plain.media == {}


def test_other_json_is_refused():
    with pytest.raises(InvalidInput, match=r"definition: expected JSON, got 'nonsense'"):
        Definition.from_json("nonsense")
    with pytest.raises(
        InvalidInput,
        match=r"expected format 'believable-definition/1', got 'other/2'\. Use the version",
    ):
        Definition.from_json('{"format": "other/2"}')


def test_a_definition_that_cannot_be_read_says_where(loaded):
    broken = loaded(TIMELINE).to_json().replace('"choice"', '"choyce"')
    with pytest.raises(
        StudyError,
        match=(
            r"questions\[0\]\.choyce: unknown kind of question 'choyce'\. Did you mean 'choice'\?"
        ),
    ):
        Definition.from_json(broken)
