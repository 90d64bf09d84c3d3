from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.contracts.registries import PROTOCOLS
from believable.contracts.trial import Block
from believable.core.errors import MissingExtra, NotFound, Refused
from believable.protocols import READY_STUDIES
from believable.recordings.file import read
from believable.study.load import load
from believable.study.records import Study


def test_the_new_study_is_complete_and_sound(demo: Path) -> None:
    definition = load(demo)
    assert [read(demo / stimulus.file).world.kind for stimulus in definition.study.stimuli] == [
        "maze"
    ] * 4
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
                found |= {question.kind for question in item.all_questions}
        return found

    general = {"choice", "choices", "likert", "long_text", "matrix", "number", "slider", "text"}
    assert kinds(load(demo).study) == general


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(Refused, match=r"exists already and holds mine\.txt"):
        READY_STUDIES["demo"].copy(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_stimuli_may_be_there_before_the_study(tmp_path: Path) -> None:
    """`believable stimuli add my-study …` comes first where recordings come first."""
    own = tmp_path / "mine" / "stimuli" / "own.mp4"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"mine")
    (tmp_path / "mine" / "sources").mkdir()
    result = CliRunner().invoke(
        group, ["new", str(tmp_path / "mine"), "--blank"], standalone_mode=False
    )
    assert result.exception is None, result.output
    assert own.read_bytes() == b"mine"
    assert (tmp_path / "mine" / "study.yaml").is_file()


def test_what_cannot_be_made_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where stimuli need an extra that is not installed, it is named, and there is no half of a
    study.
    """

    def without_extra(*_: object, **__: object) -> None:
        raise MissingExtra(what="making films", extra="video")

    monkeypatch.setattr("believable.protocols.demo.stimuli.write", without_extra)
    result = CliRunner().invoke(group, ["new", str(tmp_path / "mine")], standalone_mode=False)
    assert isinstance(result.exception, MissingExtra)
    assert "video" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_one_way_to_start_is_chosen(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        group, ["new", str(tmp_path / "x"), "--blank", "--protocol", "hntt"], standalone_mode=False
    )
    assert "Give one of them" in str(result.exception)
    result = CliRunner().invoke(
        group, ["new", str(tmp_path / "x"), "--template", "rate-clip"], standalone_mode=False
    )
    assert "Did you mean 'rate-clips'?" in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_languages_are_chosen_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    result = CliRunner().invoke(
        group, ["new", str(folder), "--blank", "--languages", "de"], standalone_mode=False
    )
    assert result.exception is None, result.output
    definition = load(folder)
    assert definition.study.languages == ("de",)
    assert definition.study.title.in_language("de") == "Was halten Sie von diesen Spielern?"
    assert set(definition.pages) == {
        "pages/consent.de.md",
        "pages/task.de.md",
        "pages/thanks.de.md",
    }
    result = CliRunner().invoke(
        group, ["new", str(tmp_path / "x"), "--blank", "--languages", "fr"], standalone_mode=False
    )
    assert "'fr'" in str(result.exception)
    assert not (tmp_path / "x").exists()


def test_the_demo_has_a_plan_of_its_own(demo: Path) -> None:
    """What is written without a wish can be preregistered, simulated and reported as it is."""
    plan = load(demo).study.analysis
    assert plan is not None
    assert list(plan.measures) == ["humanness", "called_human", "certainty", "why"]
    assert [hypothesis.id for hypothesis in plan.hypotheses] == ["H1", "H2"]


def test_an_unknown_protocol_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="Did you mean 'demo'"):
        READY_STUDIES["demmo"].copy(tmp_path / "x")


@pytest.mark.parametrize("name", PROTOCOLS.names)
def test_protocols_are_complete_folders(name: str) -> None:
    assert (PROTOCOLS[name].folder / "study.yaml").is_file()
