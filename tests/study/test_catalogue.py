"""The built-in words: every language is a complete set."""

from __future__ import annotations

import pytest

from believable.study.catalogue import CATALOGUE
from believable.study.texts import placeholders


@pytest.mark.parametrize("language", sorted(CATALOGUE))
def test_each_language_is_complete_and_fills_in_the_same_things(language: str) -> None:
    reference, texts = CATALOGUE["en"], CATALOGUE[language]
    assert set(texts) == set(reference)
    assert {key: placeholders(text) for key, text in texts.items()} == {
        key: placeholders(text) for key, text in reference.items()
    }


@pytest.mark.parametrize("language", sorted(CATALOGUE))
def test_no_text_is_empty_or_loosely_spaced(language: str) -> None:
    for key, text in CATALOGUE[language].items():
        assert text, key
        assert text == " ".join(text.split()), key


def test_languages_differ() -> None:
    same = [key for key, text in CATALOGUE["en"].items() if CATALOGUE["de"][key] == text]
    assert set(same) <= {"media.pause", "media.label", "media.seek", "certainty.3"}
