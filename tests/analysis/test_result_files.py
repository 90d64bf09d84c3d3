"""Results as files: JSON that holds everything, CSV at full precision, the same bytes for the same
analysis.
"""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from believable.analysis.findings import Column, Table
from believable.analysis.result_files import MARK_COLUMN, plain, results_json, table_csv, write
from believable.analysis.run import run


@pytest.fixture(scope="module")
def analysis(studies):
    return run(studies.judges(12))


def test_everything_is_written_and_read_back(analysis, tmp_path):
    written = write(analysis, tmp_path)
    assert all(path.is_file() for path in written)
    whole = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert whole["format"] == "believable-results/1"
    assert [section["name"] for section in whole["sections"]] == [
        section.name for section in analysis.sections
    ]
    finding = whole["sections"][1]["findings"][0]
    assert finding["estimate"]["value"] == analysis.findings[0].estimate.value
    assert finding["status"] == "exploratory"
    names = {path.stem for path in (tmp_path / "tables").glob("*.csv")}
    assert names == {"funnel", "exclusions", "columns", *(table.name for table in analysis.tables)}
    methods = (tmp_path / "methods.txt").read_text(encoding="utf-8")
    assert methods == "\n\n".join([*analysis.source.marks, analysis.methods]) + "\n"
    assert methods.startswith("These are simulated participants")


def test_a_csv_has_the_full_precision_of_the_table(analysis):
    table = next(table for table in analysis.tables if table.name == "accuracy")
    rows = list(csv.DictReader(io.StringIO(table_csv(table))))
    assert float(rows[0]["mean"]) == table.column("mean")[0]


def test_every_column_is_explained_in_one_place(analysis, tmp_path):
    write(analysis, tmp_path)
    text = (tmp_path / "tables" / "columns.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["table"], row["column"]) for row in rows} == {
        (table.name, name)
        for table in analysis.tables
        for name in (*(column.name for column in table.columns), MARK_COLUMN)
    }


def test_the_same_analysis_gives_the_same_bytes(analysis, tmp_path):
    first, second = write(analysis, tmp_path / "a"), write(analysis, tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_text_that_a_spreadsheet_would_run_is_neutralised():
    table = Table(
        name="t",
        title="T",
        columns=(Column(name="a", title="A"), Column(name="b", title="B", form="flag")),
        rows=(("=1+1", True), (None, None), ("x, y", False)),
    )
    assert table_csv(table) == 'a,b\n\'=1+1,true\n,\n"x, y",false\n'


def test_infinite_bounds_and_marks_fit_into_json():
    table = Table(
        name="t",
        title="T",
        columns=(),
        rows=(),
        undefined={(0, "a"): "why"},
        marked=frozenset({(1, "b"), (0, "b")}),
    )
    assert plain(table)["undefined"] == {"0.a": "why"}
    assert plain(table)["marked"] == ["0.b", "1.b"]
    assert plain((math.inf, -math.inf, 1.5)) == ["inf", "-inf", 1.5]


def test_json_is_valid_everywhere(analysis):
    json.loads(
        results_json(analysis), parse_constant=lambda name: pytest.fail(f"{name} is no JSON")
    )
