"""The report's folder."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest

from believable.analysis.findings import Analysis
from believable.core.errors import MissingExtra
from believable.report import figure_files
from believable.report.page import write_report


def test_page_figures_tables_and_results_are_written(analysis: Analysis, tmp_path: Path) -> None:
    written = write_report(analysis, tmp_path / "out", formats=("svg", "png"))
    folder = tmp_path / "out"
    assert written.page == folder / "report.html"
    charts = [chart.name for section in analysis.sections for chart in section.charts]
    names = {f"{name}.{form}" for name in [*charts, "flow"] for form in ("svg", "png")}
    assert {path.name for path in (folder / "figures").iterdir()} == names
    assert all(b"var(" not in path.read_bytes() for path in (folder / "figures").glob("*.svg"))
    printed = {table.name for table in analysis.tables if not table.data_only}
    assert {path.stem for path in (folder / "tables").glob("*.tex")} == printed
    with (folder / "tables" / "accuracy.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["p_value"] == "0.0004"
    assert rows[2]["median"] == ""
    assert json.loads((folder / "results.json").read_text())["title"] == analysis.title


def test_simulated_data_are_marked_in_every_file_that_leaves(
    analysis: Analysis, people: Analysis, tmp_path: Path
) -> None:
    write_report(analysis, tmp_path / "simulated", formats=("svg",))
    write_report(people, tmp_path / "people", formats=("svg",))
    files = [
        path
        for path in (tmp_path / "simulated").rglob("*")
        if path.suffix in (".svg", ".tex", ".csv", ".txt")
    ]
    assert len(files) > 10
    for path in files:
        if path.name != "columns.csv":  # what the columns of the others hold
            assert "simulated" in path.read_text("utf-8").lower(), path.name
            other = tmp_path / "people" / path.relative_to(tmp_path / "simulated")
            assert "simulated data" not in other.read_text("utf-8").lower(), path.name


def test_twice_written_is_the_same(analysis: Analysis, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_report(analysis, tmp_path / name, formats=("svg",))
    for path in (tmp_path / "one").rglob("*.*"):
        assert (
            path.read_bytes()
            == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
        )


def test_without_the_extra_the_cure_is_named(
    analysis: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    figure_files.script.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'believable\[report\]'"):
        write_report(analysis, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_script_comes_from_another_process_or_from_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = figure_files.script()
    figure_files.script.cache_clear()
    with figure_files.script_ahead() as made:
        assert made() == expected
        assert made() == expected, "a report over several studies asks again"
    assert not figure_files.script.cache_info().currsize, "another process made it"
    monkeypatch.setattr(sys, "executable", "/bin/false")
    for _ in range(2):
        with figure_files.script_ahead() as made:
            assert made() == expected


def test_a_script_that_nobody_wants_any_more_is_given_up() -> None:
    with pytest.raises(RuntimeError, match="no data"), figure_files.script_ahead():
        raise RuntimeError("no data")
