"""The ready studies in each of their languages: nothing left out, nothing left in English, and
taken from consent to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from believable.app.new import new
from believable.bundle.read import read
from believable.cli import group
from believable.contracts.record import ANY_LANGUAGE, Record, Text
from believable.contracts.texts import LANGUAGES
from believable.protocols import READY_STUDIES
from believable.protocols.templates import TEMPLATES
from believable.study.load import load

PUBLISHED = ("trace", "replay", "clips", "hntt", "qa")
SPOKEN = (*PUBLISHED, "demo", *TEMPLATES.names)


def texts(value: Any) -> Iterator[Text]:
    if isinstance(value, Text):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)
    elif isinstance(value, Record):
        for name in type(value).model_fields:
            yield from texts(getattr(value, name))


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name = str(request.param)
    (TEMPLATES if name in TEMPLATES else READY_STUDIES)[name].copy(tmp_path / "study")
    return tmp_path / "study"


@pytest.mark.parametrize("folder", SPOKEN, indirect=True)
def test_every_text_is_there_in_every_built_in_language_and_is_translated(folder: Path) -> None:
    study = load(folder).study
    assert study.languages == LANGUAGES
    spoken = [text.root for text in texts(study) if ANY_LANGUAGE not in text.root]
    assert len(spoken) > 5
    assert all(tuple(words) == LANGUAGES for words in spoken)
    assert [words for words in spoken if len(set(words.values())) < len(LANGUAGES)] == []


@pytest.mark.parametrize("folder", SPOKEN, indirect=True)
def test_a_page_is_built_alike_in_every_language(folder: Path) -> None:
    pages = sorted(folder.glob("pages/*.md"))
    originals = [page for page in pages if page.suffixes == [".md"]]
    assert len(pages) == len(LANGUAGES) * len(originals)
    for page in originals:
        for language in LANGUAGES[1:]:
            translated = page.with_suffix(f".{language}.md")
            assert shape(translated) == shape(page), translated.name


def shape(page: Path) -> list[str]:
    """The headings, list entries and paragraphs of a page, and how often each sets words in
    bold.
    """
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. )", page.read_text(encoding="utf-8").strip())
    marks = [re.match(r"# |- |\d+\. |", block) for block in blocks]
    return [
        f"{mark[0] if mark else ''}{block.count('**')}"
        for mark, block in zip(marks, blocks, strict=True)
    ]


@pytest.mark.parametrize("protocol", PUBLISHED)
def test_people_go_through_it_in_german(protocol: str, tmp_path: Path) -> None:
    """The first language of the list is the one of whoever states no wish."""
    folder, target = tmp_path / "study", tmp_path / "bundle"
    new(folder, protocol=protocol, seed=3)
    written = (folder / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(
        written.replace("languages: [en, de]", "languages: [de, en]"), encoding="utf-8"
    )
    crowd = ("--participants", "2", "--drop-out", "0", "--care", "1", "--seed", "2")
    for arguments in (
        ("simulate", str(folder), *crowd),
        ("export", str(folder), "--simulated", "--out", str(target)),
    ):
        result = CliRunner().invoke(group, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.output
    people = list(read(target)["participants"].rows())
    assert [(person["language"], person["outcome"]) for person in people] == [
        ("de", "complete")
    ] * 2
