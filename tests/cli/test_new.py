from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import NotFound, Refused
from believable.instruments import INSTRUMENTS
from believable.study.load import load
from believable.study.progress import questions_of
from believable.study.protocols import PROTOCOLS, copy
from believable.study.records import Block, Study


def test_the_new_study_is_complete_and_sound(demo: Path) -> None:
    definition = load(demo, instruments=INSTRUMENTS)
    assert all((demo / stimulus.file).stat().st_size > 10_000 for stimulus in definition.study.stimuli)
    result = CliRunner().invoke(group, ["check", str(demo)], standalone_mode=False)
    assert result.return_value == 0, result.output


def test_the_demo_shows_every_general_question_kind(demo: Path) -> None:
    def kinds(study: Study) -> set[str]:
        items, found = list(study.timeline), set()
        while items:
            item = items.pop()
            if isinstance(item, Block):
                items += item.each
            else:
                found |= {question.kind for question in questions_of(item)}
        return found

    general = {"choice", "choices", "likert", "long_text", "matrix", "number", "slider", "text"}
    assert kinds(load(demo, instruments=INSTRUMENTS).study) == general


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(Refused, match="not an empty folder"):
        copy("demo", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_an_unknown_protocol_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="Did you mean 'demo'"):
        copy("demmo", tmp_path / "x")


@pytest.mark.parametrize("name", PROTOCOLS.names)
def test_protocols_are_complete_folders(name: str) -> None:
    assert (PROTOCOLS[name].folder / "study.yaml").is_file()
