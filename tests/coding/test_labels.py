"""Marks as plain data and back, and what does not fit a codebook."""

from __future__ import annotations

import pytest

from believable.coding.labels import Label, Mark, as_json, from_json, merge_spans, order, problems
from believable.core.errors import InvalidInput
from believable.study.codebook import ready

BOOK = ready("hntt")
TEXT = "It moves smoothly. 🙂"


def test_a_mark_survives_the_way_to_the_server_and_back() -> None:
    labels = (Label("goal", "-", "less", ((0, 2), (5, 9))), Label("intuition", None, "more"))
    mark = Mark(labels=labels, uncertain=True, memo="why?", done=True)
    assert from_json(as_json(mark)) == mark
    assert problems(BOOK, mark, TEXT) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "expected a mapping"),
        ({"labels": [{"code": 3}]}, "expected a mapping with a code"),
        ({"labels": [{"code": "a", "direction": "up"}]}, r"direction: expected \+ or -"),
        ({"labels": [{"code": "a", "side": "left"}]}, "side: expected more or less"),
        ({"labels": [{"code": "a", "spans": [[3, 1]]}]}, "from < to"),
        ({"labels": [{"code": "a", "spans": [[True, 2]]}]}, "span: expected"),
        ({"labels": {}}, "labels: expected a list"),
        ({"discard": 1}, "discard: expected a name"),
        ({"memo": "x" * 20_000}, "memo: expected at most"),
    ],
)
def test_anything_else_is_refused_with_its_place(data: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        from_json(data)


def test_what_does_not_fit_the_codebook_is_named() -> None:
    mark = Mark(
        labels=(
            Label("goal"),
            Label("intuition", "+", "more"),
            Label("gaol", None, None),
            Label("other", None, "more", ((0, 99),)),
        )
    )
    told = problems(BOOK, mark, TEXT)
    assert "goal: a direction is missing" in told
    assert "goal: a side is missing" in told
    assert "intuition: it has no direction" in told
    assert "unknown code 'gaol'" in told
    assert "other: highlighted words lie beyond the text" in told
    assert problems(
        BOOK, Mark(labels=(Label("intuition", None, "more"),), discard="cannot_tell"), TEXT
    ) == ["a discarded text carries codes"]
    two = Mark(labels=(Label("game"), Label("unclear")))
    assert problems(ready("hntt_understood"), two, TEXT) == [
        "2 codes where exactly one is to be picked"
    ]


def test_overlapping_words_are_one_stretch() -> None:
    assert merge_spans([(4, 9), (0, 2), (7, 12), (12, 14)]) == ((0, 2), (4, 14))


def test_labels_stand_in_the_order_of_the_codebook() -> None:
    keys = [
        ("intuition", None, "less"),
        ("smoothness", "-", "more"),
        ("smoothness", "+", "less"),
        ("zzz", None, None),
    ]
    assert [key[0] for key in order(BOOK, keys)] == ["smoothness", "smoothness", "intuition", "zzz"]
    assert order(BOOK, keys)[0] == ("smoothness", "+", "less")
