"""`believable audit`, and what commands leave in the log."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput

STUDY = """\
believable: 1
title: Two words
seed: 1
timeline:
  - form: {id: words, questions: [{id: words, prompt: Words, text: {}}]}
  - finish: {}
"""


def test_the_log_of_a_study_as_csv(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    platform = tmp_path / "prolific.csv"
    platform.write_text("Submission id,Participant id,Status,Completion code\ns1,p1,APPROVED,C1\n")
    run = CliRunner()
    for words in (
        ["simulate", str(folder), "--participants", "2"],
        ["export", str(folder), "--simulated", "--out", str(tmp_path / "bundle")],
        ["user", "add", "anna", "--role", "coder", "--study", str(folder)],
        ["recruit", "links", str(folder), "--count", "2"],
        ["recruit", "match", str(platform), "--study", str(folder)],
        ["audit", str(folder)],
    ):
        result = run.invoke(group, words)
        assert result.exit_code == 0, result.output
    (unreadable := tmp_path / "empty.csv").touch()
    assert (
        run.invoke(group, ["recruit", "match", str(unreadable), "--study", str(folder)]).exit_code
        != 0
    )
    printed = run.invoke(group, ["audit", str(folder)]).output
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [(row["user"], row["kind"], row["what"]) for row in rows] == [
        ("command line", "export", "exported the simulated sessions"),
        ("command line", "account", "added anna as coder of study"),
        ("command line", "change", "made 2 personal links"),
        ("command line", "export", "matched the sessions with prolific.csv"),
        ("command line", "export", "exported the audit log"),
    ]
    file = tmp_path / "log.csv"
    assert (
        "4 lines"
        in run.invoke(group, ["audit", str(folder), "--kind", "export", "--out", str(file)]).output
    )
    assert "exported" in file.read_text()
    wrong = run.invoke(group, ["audit", str(folder), "--kind", "exprt"])
    assert isinstance(wrong.exception, InvalidInput)
    assert "Did you mean 'export'" in str(wrong.exception)


@pytest.mark.parametrize("command", ["audit", "user"])
def test_help_is_there(command: str) -> None:
    assert CliRunner().invoke(group, [command, "--help"]).exit_code == 0
