"""Free text, short and long."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import InvalidAnswer
from believable.instruments.long_text import LONG_TEXT, LongTextParams
from believable.instruments.text import TEXT, TextParams

HOSTILE = [
    "<script>alert(1)</script>",
    "=1+1",
    "\u202etxt.exe",
    "a\nb\tc",
    'O\'Hara \\ "x"',
    "🙂" * 50,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_typed_is_kept_to_the_letter(text: str) -> None:
    assert LONG_TEXT.read(LongTextParams(), text) == text


def test_what_no_database_takes_is_marked() -> None:
    assert LONG_TEXT.read(LongTextParams(), "a\x00b\ud800c") == "a\ufffdb\ufffdc"


def test_a_megabyte_fits_where_the_study_allows_it() -> None:
    text = "ä" * 1_000_000
    assert LONG_TEXT.read(LongTextParams(max_length=1_000_000), text) == text


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("   ", "answer this question"),
        ("ab", "at least 3"),
        ("abcdef", "at most 5"),
        (7, "answer this"),
    ],
)
def test_lengths_count_characters(raw: Any, words: str) -> None:
    with pytest.raises(InvalidAnswer, match=words):
        TEXT.read(TextParams(min_length=3, max_length=5), raw)


def test_space_around_does_not_count_towards_the_least_length() -> None:
    with pytest.raises(InvalidAnswer, match="at least 3"):
        TEXT.read(TextParams(min_length=3), " ab ")


def test_lengths_that_cross_are_a_problem() -> None:
    assert TEXT.check(TextParams(min_length=9, max_length=5))[0][0] == "min_length"
