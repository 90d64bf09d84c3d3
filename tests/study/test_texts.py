"""The words of the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

import believable.contracts
from believable.contracts.texts import LANGUAGES, REFERENCE_LANGUAGE, Texts, built_in, placeholders
from believable.core.errors import NotFound

FOLDER = Path(believable.contracts.__file__).parent / "languages"


def test_the_languages_are_those_of_the_folder() -> None:
    assert LANGUAGES[0] == REFERENCE_LANGUAGE
    assert sorted(LANGUAGES) == sorted(file.stem for file in FOLDER.iterdir())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_is_yaml_and_is_read_as_yaml_reads_it(language: str) -> None:
    assert YAML(typ="safe").load(
        (FOLDER / f"{language}.yaml").read_text(encoding="utf-8")
    ) == built_in(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_is_complete_in_the_same_order_and_fills_in_the_same_things(
    language: str,
) -> None:
    reference, texts = built_in(REFERENCE_LANGUAGE), built_in(language)
    assert list(texts) == list(reference)
    assert {key: placeholders(text) for key, text in texts.items()} == {
        key: placeholders(text) for key, text in reference.items()
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_loosely_spaced(language: str) -> None:
    for key, text in built_in(language).items():
        assert text, key
        assert text == " ".join(text.split()), key


def test_languages_differ() -> None:
    same = [key for key, text in built_in("en").items() if built_in("de")[key] == text]
    assert set(same) <= {"media.pause", "media.label", "media.seek", "certainty.3"}


def test_a_study_replaces_words(study_of):
    study = study_of("- finish:\n", extra="texts: {en: {landing.start: Go}}\n")
    texts = Texts(study, "en")
    assert texts["landing.start"] == "Go"
    assert texts["consent.title"] == built_in("en")["consent.title"]
    assert len(texts) == len(list(texts)) == len(built_in("en"))


def test_a_variety_falls_back_on_its_language():
    assert built_in("de-CH") == built_in("de")
    assert built_in("fr") == {}


def test_an_unknown_text_is_an_error_that_helps(study_of):
    with pytest.raises(
        NotFound, match=r"unknown text 'landing\.strat' in 'en'\. Did you mean 'landing\.start'\?"
    ):
        Texts(study_of("- finish:\n"), "en")["landing.strat"]


def test_placeholders():
    assert placeholders("{n} of {total}, {{not}}") == {"n", "total"}
