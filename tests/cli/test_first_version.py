"""Studies, databases and bundles of the first version (database revision 0007) open, and running
studies of it can be revised.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
from pathlib import Path

import pytest

from believable.bundle.read import read
from tests.cli.test_changed_study import believe, take_part

DATA = Path(__file__).parents[1] / "data" / "first_version"
#: As the first version itself reported it.
FOUND = {"value": 1.5, "low": -1.4927554210361564, "high": 4.492755421036156}
OLD, NEW = "How human-like did it act?", "How much did it act like a person?"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with tarfile.open(DATA / "study.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    with sqlite3.connect(tmp_path / "study" / ".believable" / "believable.db") as database:
        assert database.execute("select version_num from alembic_version").fetchone() == ("0007",)
    return tmp_path / "study"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with tarfile.open(DATA / "bundle.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "bundle"


def test_a_bundle_is_analysed_with_the_same_result(bundle: Path, tmp_path: Path) -> None:
    assert "versions" not in read(bundle).tables
    believe("analyse", bundle, "--out", tmp_path / "results")
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    (estimate,) = (
        finding["estimate"] for section in results["sections"] for finding in section["findings"]
    )
    assert {name: estimate[name] for name in FOUND} == pytest.approx(FOUND)


def test_a_bundle_is_published(bundle: Path, tmp_path: Path) -> None:
    told = believe(
        "publish",
        bundle,
        "--out",
        tmp_path / "release",
        "--licence",
        "CC0-1.0",
        "--formats",
        "",
        "--redact",
        "all",
    )
    people = read(tmp_path / "release" / "bundle")["participants"]
    assert len(people) == 8, told
    assert all(cell is None for cell in people["duration_ms"].cells())


def test_a_database_opens_and_a_change_of_its_study_needs_a_reason(
    study: Path, tmp_path: Path
) -> None:
    assert "0 problems" in believe("check", study)
    before = believe("report", study, "--out", tmp_path / "before", "--formats", "")
    assert "8 sessions analysed" in before
    (study / "study.yaml").write_text((study / "study.yaml").read_text().replace(OLD, NEW))
    told = believe("check", study)
    for words in ("changed after 8 sessions began", OLD, NEW, "believable revise"):
        assert words in told
    believe("revise", study, "--reason", "The prompt was unclear.")
    assert "0 problems" in believe("check", study)
    take_part(study, 4, 9)
    believe("report", study, "--out", tmp_path / "after", "--formats", "")
    results = json.loads((tmp_path / "after" / "results.json").read_text())
    assert any(
        "version 2, with 4 of 12 sessions, has 1 change" in words for words in results["deviations"]
    )
