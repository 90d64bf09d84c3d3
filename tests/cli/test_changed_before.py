"""A study that is changed after its plan was registered and before its first session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_changed_study import NEW, OLD, believe, change, take_part


def results_of(study: Path, out: Path, command: str = "analyse", *options: str) -> dict[str, Any]:
    believe(command, study, "--out", out, *options)
    results: dict[str, Any] = json.loads((out / "results.json").read_text())
    return results


def early(results: dict[str, Any]) -> list[str]:
    return [words for words in results["deviations"] if "before its first session" in words]


def statuses(results: dict[str, Any]) -> set[str]:
    return {finding["status"] for section in results["sections"] for finding in section["findings"]}


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = tmp_path_factory.mktemp("before") / "study"
    believe("new", study, "--template", "rate-clips")
    text = (study / "study.yaml").read_text()
    (study / "study.yaml").write_text(text.replace("n: 40}", "n: 10}"))
    believe("preregister", study)
    # Simulated sessions begin in the past.
    record = study / "preregistration" / "registration.json"
    record.write_text(
        json.dumps(json.loads(record.read_text()) | {"registered_on": "2020-01-01T00:00:00+00:00"})
    )
    return study


def test_an_unchanged_study_has_no_such_deviation(registered: Path, tmp_path: Path) -> None:
    take_part(registered, 12, 1)
    results = results_of(registered, tmp_path / "report")
    assert early(results) == []
    assert results["deviations"] == []
    assert "confirmatory" in statuses(results)


@pytest.fixture(scope="module")
def changed(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    study = tmp_path_factory.mktemp("changed") / "study"
    shutil.copytree(registered, study, ignore=shutil.ignore_patterns(".believable"))
    change(study)
    take_part(study, 12, 1)
    return study


def test_wording_and_media_changed_before_the_first_session_are_a_deviation(
    changed: Path, tmp_path: Path
) -> None:
    results = results_of(changed, tmp_path / "report")
    (words,) = early(results)
    assert "2 changes" in words
    assert OLD in words
    assert NEW in words
    assert "media of stimulus east script" in words
    assert "confirmatory" not in statuses(results)


def test_a_blinded_report_names_no_stimulus_of_the_change(changed: Path, tmp_path: Path) -> None:
    results = results_of(changed, tmp_path / "report", "report", "--formats", "", "--blinded")
    assert any(
        "definition changed: in words after unblinding" in words for words in results["deviations"]
    )
    assert "east" not in json.dumps(results["deviations"])


def test_the_changed_study_can_be_registered_again(changed: Path) -> None:
    assert "differs from the one that was registered" in believe("preregister", changed)
    believe("preregister", changed, "--again")
    assert len(list((changed / "preregistration" / "earlier").iterdir())) == 1
    assert "differs" not in believe("preregister", changed)


def test_an_edited_definition_is_refused(registered: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(registered, tmp_path / "study"))
    path = study / "preregistration" / "definition.json"
    path.write_text(path.read_text().replace(OLD, NEW))
    assert "it is not the study that was registered" in believe("preregister", study)
