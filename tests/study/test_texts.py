"""The words of the pages."""

from __future__ import annotations

import pytest

from believable.core.errors import NotFound
from believable.study.catalogue import CATALOGUE
from believable.study.texts import REFERENCE_LANGUAGE, Texts, built_in, placeholders


@pytest.mark.parametrize("language", sorted(CATALOGUE))
def test_every_built_in_language_is_complete(language):
    reference = CATALOGUE[REFERENCE_LANGUAGE]
    assert set(CATALOGUE[language]) == set(reference)
    for key, words in CATALOGUE[language].items():
        assert words.strip(), key
        assert placeholders(words) <= placeholders(reference[key]), key


def test_a_study_replaces_words(study_of):
    study = study_of("- finish:\n", extra="texts: {en: {landing.start: Go}}\n")
    texts = Texts(study, "en")
    assert texts["landing.start"] == "Go"
    assert texts["consent.title"] == CATALOGUE["en"]["consent.title"]
    assert len(texts) == len(list(texts)) == len(CATALOGUE["en"])


def test_a_variety_falls_back_on_its_language():
    assert built_in("de-CH") == CATALOGUE["de"]
    assert built_in("fr") == {}


def test_an_unknown_text_is_an_error_that_helps(study_of):
    with pytest.raises(
        NotFound, match=r"unknown text 'landing\.strat' in 'en'\. Did you mean 'landing\.start'\?"
    ):
        Texts(study_of("- finish:\n"), "en")["landing.strat"]


def test_placeholders():
    assert placeholders("{n} of {total}, {{not}}") == {"n", "total"}
