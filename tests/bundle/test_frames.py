"""Tables as pandas, polars and Arrow: every cell and every type, also if values are missing."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pyarrow.parquet
import pytest

from believable.bundle import frames, memory
from believable.bundle.package import PARQUET
from believable.bundle.read import Bundle, ColumnTable, read
from believable.bundle.tables import BY_NAME, CODING_TABLES, DAY_COLUMNS, VERSIONS
from believable.bundle.write import write
from believable.core.errors import InvalidInput, MissingExtra
from believable.report.anonymise import ExactFacts, anonymise
from believable.report.precision import PRECISIONS

DAY = datetime.date(2026, 11, 18)


@pytest.fixture
def bundle() -> Bundle:
    people = [
        {"session": "s1", "started_on": "2026-11-18", "duration_ms": 2**53 + 1},
        {"session": "s2", "language": "<b>en</b>"},
    ]
    answers = [
        {"session": "s1", "trial": "t", "question": "q", "kind": "likert", "value_number": 2.5},
        {"session": "s2", "trial": "t", "question": "q", "kind": "text", "value_text": "why"},
        {"session": "s2", "trial": "t", "question": "c", "kind": "choice", "correct": False},
    ]
    return memory.bundle({"participants": people, "answers": answers})


def cells(table: ColumnTable) -> list[dict[str, Any]]:
    """The rows as conversions should have them: days are dates."""
    return [
        {
            name: datetime.date.fromisoformat(str(value))
            if name in DAY_COLUMNS and value is not None
            else value
            for name, value in row.items()
        }
        for row in table
    ]


def test_rows_are_iterated(bundle: Bundle) -> None:
    assert [row["session"] for row in bundle["participants"]] == ["s1", "s2"]


@pytest.mark.parametrize("name", ["participants", "answers", "traces"])
def test_polars_and_arrow_have_every_cell(bundle: Bundle, name: str) -> None:
    table = bundle[name]
    assert table.to_polars().to_dicts() == cells(table)
    assert table.to_arrow().to_pylist() == cells(table)
    assert pyarrow.table(table) == table.to_arrow()
    assert polars.DataFrame(table).to_dicts() == cells(table)
    assert list(table.to_polars().columns) == list(table.columns)


@pytest.mark.parametrize("name", ["participants", "answers", "traces"])
def test_pandas_has_every_cell(bundle: Bundle, name: str) -> None:
    table = bundle[name]
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    assert len(frame) == len(table)
    plain = frame.astype(object).where(frame.notna(), None).to_dict("records")
    days = [column for column in frame if column in DAY_COLUMNS]
    for row in plain:
        row.update({column: row[column] and row[column].date() for column in days})
    assert plain == cells(table)


def test_types_stay_if_values_are_missing(bundle: Bundle) -> None:
    people, answers = bundle["participants"], bundle["answers"]
    frame = people.to_pandas()
    assert str(frame["duration_ms"].dtype) == "Int64"
    assert frame["duration_ms"][0] == 2**53 + 1  # a float could not hold it
    assert str(frame["number"].dtype) == "int64"
    assert str(frame["included"].dtype) == "bool"
    assert str(frame["started_on"].dtype) == "datetime64[s]"
    assert str(answers.to_pandas()["correct"].dtype) == "boolean"
    assert str(answers.to_pandas()["value_number"].dtype) == "float64"
    assert people.to_polars()["duration_ms"].dtype == polars.Int64
    assert people.to_polars()["started_on"].to_list() == [DAY, None]
    assert answers.to_arrow().schema.field("correct").type == pyarrow.bool_()
    assert people.to_arrow().schema.field("started_on").type == pyarrow.date32()


def test_a_frame_may_be_changed_and_the_table_stays(bundle: Bundle) -> None:
    frame = bundle["participants"].to_pandas()
    frame.loc[0, "number"] = 99
    assert bundle["participants"]["number"].cells() == (1, 2)


def test_days_are_declared_columns() -> None:
    declared = {
        field.name
        for table in (*BY_NAME.values(), *CODING_TABLES, VERSIONS)
        for field in table.fields
        if field.name.endswith("_on")
    }
    assert declared == DAY_COLUMNS


def test_a_wrong_day_is_named() -> None:
    made = memory.bundle({"participants": [{"session": "s1", "started_on": "yesterday"}]})
    with pytest.raises(InvalidInput, match=r"column started_on, row 1: .*'yesterday'"):
        made["participants"].to_polars()


def test_a_missing_library_is_named(bundle: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(frames, "import_module", missing)
    for convert in ("to_pandas", "to_polars", "to_arrow", "__arrow_c_stream__"):
        with pytest.raises(MissingExtra, match=r"believable\[frames\]"):
            getattr(bundle["answers"], convert)()


def test_a_notebook_shows_tables_with_escaped_text(bundle: Bundle) -> None:
    shown = bundle["participants"]._repr_html_()
    assert "participants: 2 rows" in shown
    assert "&lt;b&gt;en&lt;/b&gt;" in shown
    assert "<b>en" not in shown
    assert "<td>participants</td><td>2</td>" in bundle._repr_html_()
    many = memory.bundle({"participants": [{"session": f"s{n}"} for n in range(50)]})
    assert many["participants"]._repr_html_().count("<tr>") == frames.SHOWN_ROWS + 1


def test_parquet_has_the_values_of_the_csv_files(making: Any, tmp_path: Path) -> None:
    for name, parquet in (("plain", False), ("both", True)):
        write(making.study(), [making.session(1)], tmp_path / name, parquet=parquet)
    plain, both = read(tmp_path / "plain"), read(tmp_path / "both")
    assert not (tmp_path / "plain" / PARQUET).exists()
    files = {path.stem: path for path in (tmp_path / "both" / PARQUET).iterdir()}
    assert files.keys() == both.tables.keys() - {"codebook"}
    for name, file in files.items():
        assert pyarrow.parquet.read_table(file).equals(plain[name].to_arrow())
    sums = (tmp_path / "both" / "SHA256SUMS").read_text()
    assert all(f"{PARQUET}/{name}.parquet" in sums for name in files)
    files["answers"].write_bytes(b"other")
    with pytest.raises(InvalidInput, match=r"answers\.parquet: its checksum"):
        read(tmp_path / "both")


def test_parquet_is_never_released(making: Any, tmp_path: Path) -> None:
    write(making.study(), [making.session(1)], tmp_path / "b", parquet=True)
    with pytest.raises(InvalidInput, match="Parquet files cannot be anonymised"):
        anonymise(tmp_path / "b", PRECISIONS[0], key=b"k", facts=ExactFacts())
