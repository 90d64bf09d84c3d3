"""`believable report`: from a study or a bundle to a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.app.study_data import DataOptions
from believable.cli import group
from believable.core.clock import WallClock
from believable.core.errors import InvalidInput, NotFound
from believable.store import audit_log
from believable.store.engine import Store
from tests.quick_studies import simulate_little


def call(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reported") / "study"
    assert call("new", str(made), "--protocol", "hntt").exit_code == 0
    simulate_little(made)
    assert call("simulate", str(made), "--participants", "6", "--drop-out", "0").exit_code == 0
    return made


def test_a_study_becomes_a_page_with_figures_and_tables(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = call("report", str(folder), "--out", str(out), "--formats", "svg")
    assert result.exit_code == 0, result.output
    assert "simulated sessions analysed" in result.output
    html = (out / "report.html").read_text()
    assert "Simulated data" in html
    assert "Demonstration stimuli" in html
    assert {path.suffix for path in (out / "figures").iterdir()} == {".svg"}
    assert (out / "tables" / "accuracy.csv").is_file()
    assert (out / "tables" / "accuracy.tex").is_file()
    assert json.loads((out / "results.json").read_text())["source"]["simulated"] is True


def test_a_bundle_gives_the_same_results(folder: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    assert call("export", str(folder), "--simulated", "--out", str(bundle)).exit_code == 0
    for source, name in ((folder, "one"), (bundle, "two")):
        assert (
            call("report", str(source), "--out", str(tmp_path / name), "--formats", "").exit_code
            == 0
        )
    assert (tmp_path / "one" / "results.json").read_bytes() == (
        tmp_path / "two" / "results.json"
    ).read_bytes()
    assert (tmp_path / "one" / "report.html").read_bytes() == (
        tmp_path / "two" / "report.html"
    ).read_bytes()


def test_blinded_means_no_name_in_any_file(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "blind"
    assert (
        call("report", str(folder), "--out", str(out), "--formats", "svg", "--blinded").exit_code
        == 0
    )
    for path in out.rglob("*.*"):
        text = path.read_text()
        assert "standin_human" not in text, path
        assert "pair_01_human" not in text, path
    assert "Conditions are shown as letters" in (out / "report.html").read_text()


def results_of(folder: Path) -> tuple[list[str], set[str], set[str]]:
    """Deviations, and the outcomes of confirmatory and of exploratory findings."""
    results = json.loads((folder / "results.json").read_text())
    found = [finding for section in results["sections"] for finding in section["findings"]]
    confirmatory, exploratory = (
        {finding["outcome"] for finding in found if finding["status"] == status}
        for status in ("confirmatory", "exploratory")
    )
    return results["deviations"], confirmatory, exploratory


def test_a_changed_plan_is_a_deviation_in_the_report(folder: Path, tmp_path: Path) -> None:
    registered = tmp_path / "study"
    for path in folder.rglob("*"):
        if path.is_file():
            target = registered / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    assert call("preregister", str(registered)).exit_code == 0
    assert (
        call(
            "report", str(registered), "--out", str(tmp_path / "before"), "--formats", ""
        ).exit_code
        == 0
    )
    before = (tmp_path / "before" / "report.html").read_text()
    assert 'class="finding confirmatory"' in before
    deviations, confirmatory, exploratory = results_of(tmp_path / "before")
    assert not any("registered" in line for line in deviations), deviations
    assert "uncertainty" in confirmatory - exploratory
    definition = registered / "study.yaml"
    changed = definition.read_text().replace("margin: 0.1", "margin: 0.2")
    definition.write_text(
        changed.replace("secondary: [uncertainty, familiarity]", "secondary: [familiarity]")
    )
    assert (
        call(
            "simulate", str(registered), "--participants", "7", "--drop-out", "0", "--seed", "2"
        ).exit_code
        == 0
    )
    assert (
        call("report", str(registered), "--out", str(tmp_path / "after"), "--formats", "").exit_code
        == 0
    )
    after = (tmp_path / "after" / "report.html").read_text()
    assert "Deviations from the plan" in after
    assert "margin: registered 0.1, now 0.2." in after
    assert 'class="finding exploratory"' in after, "what the plan does not name is exploration"
    deviations, confirmatory, exploratory = results_of(tmp_path / "after")
    assert any("margin: registered 0.1, now 0.2." in line for line in deviations)
    assert any("uncertainty" in line for line in deviations)
    assert "uncertainty" in exploratory - confirmatory
    assert "familiarity" in confirmatory


def test_whoever_reads_the_results_unblinded_is_in_the_log(folder: Path, tmp_path: Path) -> None:
    def log() -> list[tuple[str, str, str | None]]:
        with Store.open(DataOptions().settings([folder]).url, clock=WallClock()) as store:
            return [(one.user, one.what, one.study) for one in store.read(audit_log.recent_audit)]

    entry = ("command line", "read the results of the simulated sessions unblinded", "study")
    before = log().count(entry)
    out = str(tmp_path / "out")
    assert call("report", str(folder), "--out", out, "--formats", "", "--blinded").exit_code == 0
    assert log().count(entry) == before
    assert call("report", str(folder), "--out", out, "--formats", "").exit_code == 0
    assert entry in log()[:2], "beside the line that says what was exported"
    assert log().count(entry) == before + 1
    assert call("analyse", str(folder), "--out", out).exit_code == 0
    assert log().count(entry) == before + 2


def test_nobody_yet_and_wrong_formats_are_told(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    assert call("new", str(empty), "--protocol", "hntt").exit_code == 0
    assert isinstance(call("report", str(empty)).exception, NotFound)
    assert isinstance(call("report", str(folder), "--formats", "gif").exception, InvalidInput)
    assert isinstance(call("report", str(tmp_path / "nowhere")).exception, NotFound)
