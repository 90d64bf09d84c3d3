"""What a record's fields look like in the file."""

from __future__ import annotations

import pytest

from believable.contracts.controls import Controls
from believable.contracts.fields import keys, record_inside, type_words
from believable.contracts.record import Rule
from believable.contracts.trial import Block, Pauses, Question
from believable.pages.finish import Finish, Redirects
from believable.pages.watch import Watch
from believable.study.records import Study


def annotation(record, field):
    return record.model_fields[field].annotation


def test_keys_are_what_is_written():
    assert "kind" not in keys(Watch)
    assert not {"kind", "params"} & set(keys(Question))
    assert keys(Rule)["is"] == "is_"


@pytest.mark.parametrize(
    ("record", "field", "inside"),
    [
        (Watch, "controls", Controls),
        (Watch, "ask", Question),
        (Block, "breaks", Pauses),
        (Finish, "redirect", Redirects),
        (Watch, "skip_if", Rule),
        (Watch, "title", None),
        (Study, "arms", None),
    ],
)
def test_records_inside(record, field, inside):
    assert record_inside(annotation(record, field)) is inside


@pytest.mark.parametrize(
    ("record", "field", "words"),
    [
        (Study, "seed", "a whole number"),
        (Study, "title", "text"),
        (Study, "languages", "a list of texts"),
        (Study, "timeline", "a list of mappings"),
        (Study, "arms", "a mapping"),
        (Block, "order", "fixed or random or latin_square"),
        (Block, "sample", "a whole number"),
        (Watch, "stimulus", "text or a mapping"),
        (Rule, "at_least", "a number"),
        (Rule, "in_", "a list of values"),
    ],
)
def test_type_words(record, field, words):
    assert type_words(annotation(record, field)) == words
