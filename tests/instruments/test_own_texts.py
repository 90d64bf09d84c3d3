"""Sentences that a package brings: found in the participant's language, and checked by name."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from believable.contracts.instrument import Instrument, InvalidAnswer, check_instrument
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.texts import Texts
from believable.core.errors import InvalidInput
from believable.study.load import load, problems
from tests.how_to import write_package

STUDY = """\
believable: 1
title: {en: Faces, de: Gesichter, fr: Visages}
seed: 7
languages: [%s]
timeline:
  - consent: {text: "1", require: [agree]}
  - form: {id: mood, questions: [{id: face, prompt: "?", smiley: {}}]}
  - finish: {}
"""


@pytest.fixture
def smiley(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instrument[Any]]:
    """The instrument of the package, with its files in a folder of this test."""
    monkeypatch.syspath_prepend(str(write_package(tmp_path / "package", "instrument")))
    instrument = importlib.import_module("acme_believable.smiley").SMILEY
    folder = shutil.copytree(instrument.folder, tmp_path / "smiley")
    yield replace(instrument, folder=folder)
    for name in [name for name in sys.modules if name.startswith("acme_believable")]:
        del sys.modules[name]


def study_in(folder: Path, *languages: str) -> Path:
    folder.mkdir()
    (folder / "study.yaml").write_text(
        STUDY.replace("{en: Faces, de: Gesichter, fr: Visages}", '"7"') % ", ".join(languages)
    )
    return folder


def test_a_refusal_speaks_the_language_of_the_participant(
    smiley: Instrument[Any], tmp_path: Path
) -> None:
    check_instrument(smiley)
    with pytest.raises(InvalidAnswer) as refused:
        smiley.read(smiley.params(), "angry")
    with INSTRUMENTS.including(smiley):
        study = load(study_in(tmp_path / "study", "en", "de")).study
        said = {
            language: Texts(study, language)[refused.value.key].format(**refused.value.values)
            for language in ("en", "de", "de-CH", "fr")
        }
    german, english = "Bitte wählen Sie eines der 3 Gesichter.", "Please pick one of the 3 faces."
    assert said == {"en": english, "de": german, "de-CH": german, "fr": english}


def test_a_study_can_replace_a_sentence_of_a_part(smiley: Instrument[Any], tmp_path: Path) -> None:
    folder = study_in(tmp_path / "study", "en")
    with (folder / "study.yaml").open("a") as file:
        file.write("texts: {en: {smiley.pick: 'One of {n}, please.'}}\n")
    with INSTRUMENTS.including(smiley):
        assert problems(folder) == []
        assert Texts(load(folder).study, "en")["smiley.pick"] == "One of {n}, please."


def test_a_language_that_a_part_lacks_is_a_warning_that_names_both(
    smiley: Instrument[Any], tmp_path: Path
) -> None:
    (smiley.folder / "texts" / "de.yaml").unlink()
    check_instrument(smiley)
    with INSTRUMENTS.including(smiley):
        (found,) = problems(study_in(tmp_path / "study", "en", "de"))
    assert found.severity == "warning"
    assert "'smiley' has no text in 'de' for smiley.pick" in str(found)


@pytest.mark.parametrize(
    ("language", "text", "complaint"),
    [
        ("en", None, "texts/ has no en.yaml"),
        ("en", "error.option: Choose.\n", "'error.option' is a built-in text"),
        ("en", "other: Choose.\n", r"InvalidAnswer\('smiley.pick'\), which is no built-in text"),
        ("en", "smiley.pick: Pick {m}.\n", "without a value for m"),
        ("en", "smiley.pick: [1]\n", r"smiley/texts/en.yaml:1 smiley.pick: expected a sentence"),
        ("en", "smiley.pick: {\n", "smiley/texts/en.yaml:"),
        ("de", "smiley.pikc: Bitte.\n", "texts/de.yaml has no 'smiley.pick'"),
        ("de", "smiley.pick: Bitte {x}.\n", "has the placeholders x, expected n"),
        ("de", "smiley.pick: 'Bitte {'\n", "the braces do not match"),
    ],
)
def test_wrong_sentences_are_named(
    smiley: Instrument[Any], language: str, text: str | None, complaint: str
) -> None:
    file = smiley.folder / "texts" / f"{language}.yaml"
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
        if language == "en":
            (smiley.folder / "texts" / "de.yaml").unlink()
    with pytest.raises(InvalidInput, match=complaint):
        check_instrument(smiley)
