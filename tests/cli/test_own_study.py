"""A study of one's own design, none of the protocols, all the way: new, check, simulate, power,
preregister, report, publish.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.cli import group


def believable(*words: str) -> Result:
    result = CliRunner().invoke(group, list(words), standalone_mode=False)
    assert result.exception is None, f"{words}: {result.exception}\n{result.output}"
    return result


@pytest.mark.slow
def test_from_a_blank_study_to_its_release(tmp_path: Path) -> None:
    study, report = tmp_path / "mine", tmp_path / "report"
    believable("new", str(study), "--blank")
    assert believable("check", str(study)).return_value == 0
    text = believable(
        "power", str(study), "--participants", "12", "--studies", "10", "--workers", "1"
    ).output
    assert all(name in text for name in ("H1", "H2", "H3")), text
    assert "4.8  Humanness, first: mean (--truth humanness_first=…)" in text, (
        "what is assumed is printed"
    )
    believable("preregister", str(study))
    documents = (study / "preregistration" / "osf.md").read_text("utf-8")
    assert "Mean of the question 'humanness' by condition" in documents
    assert "will be compared by linear mixed models" in documents
    assert "10 times for each number of participants (12)" in documents
    assert "Humanness, first: mean 4.8" in documents
    assert "Power for H1 (p below alpha): 12 participants" in documents
    believable("simulate", str(study), "--participants", "20")
    believable("report", str(study), "--out", str(report), "--formats", "")
    page = (report / "report.html").read_text("utf-8")
    assert all(name in page for name in ("Humanness", "Preference", "Reasons", "H1", "H2", "H3"))
    results = json.loads((report / "results.json").read_text("utf-8"))
    assert "human and an agent" not in results["methods"]
    release = tmp_path / "release"
    believable(
        "publish",
        str(study),
        "--out",
        str(release),
        "--licence",
        "CC-BY-4.0",
        "--redact",
        "all",
        "--formats",
        "",
    )
    assert (release / "README.md").is_file()
    with next(release.rglob("*judgements*.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = [
        row
        for row in rows
        if row["question"] == "preferred" and row["value_text"] in ("first", "second")
    ]
    assert chosen
    assert all(
        {row["chosen_condition"], row["other_conditions"]} <= {"first", "second", "third"}
        for row in chosen
    )
    assert {row["condition"] for row in rows if row["question"] == "humanness"} == {
        "first",
        "second",
        "third",
    }
