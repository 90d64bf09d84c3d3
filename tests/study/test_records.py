"""The records: frozen, strict about forms, texts by language."""

from __future__ import annotations

import datetime

import pytest
from pydantic import ValidationError

from believable.contracts.record import Rule, Text
from believable.pages.watch import Watch
from believable.study.records import Recruit


def test_texts_in_a_language():
    assert Text("Hello").in_language("de") == "Hello"
    assert Text({"en": "Hello", "de": "Hallo"}).in_language("de") == "Hallo"


def test_records_do_not_change():
    watch = Watch(id="w")
    with pytest.raises(ValidationError, match="frozen"):
        watch.id = "other"  # type: ignore[misc]


def test_a_rule_knows_its_test():
    assert Rule.model_validate({"answer": "a.b", "in": ("x",)}).test == ("in", ("x",))
    assert Rule.model_validate({"answer": "a.b", "is": "", "in": None}).test == ("is", "")
    with pytest.raises(
        ValidationError, match="a rule looks at an answer, an arm, or what was opened"
    ):
        Rule.model_validate({"arm": None, "is": "x"})


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2027-01-31", datetime.datetime(2027, 1, 31, tzinfo=datetime.UTC)),
        ("2027-01-31T18:00:00Z", datetime.datetime(2027, 1, 31, 18, tzinfo=datetime.UTC)),
        ("2027-01-31 18:00:00+01:00", datetime.datetime(2027, 1, 31, 17, tzinfo=datetime.UTC)),
    ],
)
def test_closing_dates_are_utc_unless_they_say_otherwise(written, moment):
    assert Recruit(closes=written).closes == moment
