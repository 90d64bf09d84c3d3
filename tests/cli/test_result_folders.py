"""`report` and `analyse` never overwrite a file that they did not write, or one that was edited
since.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.cli import group
from believable.core.errors import Conflict


def call(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    room = tmp_path_factory.mktemp("results")
    for command in (
        ["new", room / "study", "--template", "rate-clips"],
        ["simulate", room / "study", "--participants", 4, "--drop-out", 0],
        ["export", room / "study", "--simulated", "--out", room / "bundle"],
    ):
        assert call(*command).exit_code == 0
    return room / "bundle"


COMMANDS = pytest.mark.parametrize(
    "command", [("report", "--formats", ""), ("analyse",)], ids=["report", "analyse"]
)


@COMMANDS
def test_a_folder_with_other_files_is_refused_and_left_alone(
    bundle: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    mine = {"results.json": '{"mine": true}', "methods.txt": "my methods", "notes.txt": "mine"}
    out = tmp_path / "out"
    out.mkdir()
    for name, text in mine.items():
        (out / name).write_text(text, encoding="utf-8")
    result = call(command[0], bundle, "--out", out, *command[1:])
    assert isinstance(result.exception, Conflict), result.output
    assert str(out) in str(result.exception)
    assert {path.name: path.read_text("utf-8") for path in out.iterdir()} == mine


@COMMANDS
def test_edited_results_are_named_and_kept(
    bundle: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    assert call(command[0], bundle, "--out", out, *command[1:]).exception is None
    with (out / "methods.txt").open("a", encoding="utf-8") as file:
        file.write("My own sentence.\n")
    result = call(command[0], bundle, "--out", out, *command[1:])
    assert isinstance(result.exception, Conflict), result.output
    assert "edited: methods.txt" in str(result.exception)
    assert (out / "methods.txt").read_text("utf-8").endswith("My own sentence.\n")


@COMMANDS
def test_results_are_written_again_beside_files_that_were_added(
    bundle: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    assert call(command[0], bundle, "--out", out, *command[1:]).exception is None
    (out / "tables" / "mine.csv").write_text("a,b\n", encoding="utf-8")
    (out / "tables" / "funnel.csv").unlink()
    assert call(command[0], bundle, "--out", out, *command[1:]).exception is None
    assert (out / "tables" / "mine.csv").read_text("utf-8") == "a,b\n"
    assert (out / "tables" / "funnel.csv").is_file()


def test_a_file_with_the_name_of_a_later_result_is_not_overwritten(
    bundle: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert call("analyse", bundle, "--out", out).exception is None
    (out / "report.html").write_text("mine", encoding="utf-8")
    result = call("report", bundle, "--out", out, "--formats", "")
    assert isinstance(result.exception, Conflict), result.output
    assert "report.html" in str(result.exception)
    assert (out / "report.html").read_text("utf-8") == "mine"


def test_several_studies_are_reported_again_into_their_folder(bundle: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    refused = call("report", bundle, bundle, "--out", tmp_path / "mine", "--formats", "")
    assert isinstance(refused.exception, Conflict)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    for _ in range(2):
        result = call("report", bundle, bundle, "--out", out, "--formats", "")
        assert not isinstance(result.exception, Conflict), result.exception
