"""Tables by columns: every cell is what it would be read as by itself, whichever way the file is
taken apart.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from believable.bundle import column_values
from believable.bundle.cells import csv_line, read_cell, write_cell
from believable.bundle.column_values import BLANKS, table_columns
from believable.bundle.tables import Cell, Field
from believable.core.errors import InvalidInput

FIELDS = [
    Field(name="name", type="string", about=""),
    Field(name="count", type="integer", about=""),
    Field(name="size", type="number", about=""),
    Field(name="kept", type="boolean", about=""),
]

names = st.none() | st.sampled_from(
    ["a", "b", "sim00001", "", "=1", "ä,b", 'x "y"', "two\nlines", "z" * 80]
)
counts = st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-20, 20)
sizes = (
    st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(-999, 9999, places=3).map(float)
)
rows = st.lists(st.tuples(names, counts, sizes, st.none() | st.booleans()), max_size=30)


def same(cell: Cell, value: object) -> bool:
    """Equal to the last bit."""
    if isinstance(cell, float):
        return struct.pack("d", cell) == struct.pack("d", value)
    return type(cell) is type(value) and cell == value


def written(folder: Path, lines: list[list[str]]) -> Path:
    path = folder / "table.csv"
    path.write_bytes(
        "".join(csv_line(cells) for cells in [[field.name for field in FIELDS], *lines]).encode()
    )
    return path


@given(rows, st.sampled_from([1, 60, 1 << 20]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_every_value_comes_back_in_blocks_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[Cell, ...]], block_bytes: int
) -> None:
    path = written(
        tmp_path_factory.getbasetemp(),
        [
            [write_cell(field, cell) for field, cell in zip(FIELDS, row, strict=True)]
            for row in table
        ],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_values, "BLOCK_BYTES", block_bytes)
        columns = table_columns(path, FIELDS)
    for place, column in enumerate(columns):
        values, missing = column.arrays()
        assert len(values) == len(table)
        for value, gone, row in zip(values.tolist(), missing.tolist(), table, strict=True):
            expected = BLANKS[column.field.type] if row[place] is None else row[place]
            assert gone == (row[place] is None)
            assert same(
                (
                    read_cell(column.field, write_cell(column.field, expected))
                    if not gone
                    else expected
                ),
                value,
            )


@pytest.mark.parametrize(
    "cell",
    ["-0", "-0.0", "0.1", ".5", "5.", "-.25", "00012.50", "1e3", "1E-7", " 7 ", "+3", "1_000", "999999999999999",
     "0.00000000000001", "123456789012.345", "9007199254740993", "0.30000000000000004", "-1234567.891234"],
)  # fmt: skip
def test_numbers_are_read_as_python_reads_them(tmp_path: Path, cell: str) -> None:
    """Whatever else stands in the column."""
    lines = [["a", "1", other, "true"] for other in ("17", cell, "2.5", "", "-31.0625")]
    values, missing = table_columns(written(tmp_path, lines), FIELDS)[2].arrays()
    assert struct.pack("d", values[1]) == struct.pack("d", float(cell))
    assert values[[0, 2, 4]].tolist() == [17, 2.5, -31.0625]
    assert missing.tolist() == [False, False, False, True, False]
    assert math.isnan(values[3])


@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "quoted"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b,x1,2,true", "table.csv:4: column count: expected integer, got 'x1'"),
        ("b,-,2,true", "table.csv:4: column count: expected integer, got '-'"),
        ("b,1,1.2.3,true", r"table.csv:4: column size: expected number, got '1\.2\.3'"),
        ("b,1,2-3,true", "table.csv:4: column size: expected number, got '2-3'"),
        ("b,1,2,yes", "table.csv:4: column kept: expected true or false, got 'yes'"),
        ("b,1,2", "table.csv:4: expected 4 cells, got 3"),
        ("b,1,2,true,3", "table.csv:4: expected 4 cells, got 5"),
        ("", "table.csv:4: expected 4 cells, got 0"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, line: str, message: str, quoted: bool
) -> None:
    path = tmp_path / "table.csv"
    first = '"a,\nb",1,2,true' if quoted else "a,1,2,true\nc,1,2,true"
    path.write_text(f"name,count,size,kept\n{first}\n{line}\nd,1,2,true\n")
    with pytest.raises(InvalidInput, match=message):
        table_columns(path, FIELDS)


def test_a_last_line_may_end_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("name,count,size,kept\na,1,2,true\nb,3,4,false")
    assert [column.arrays()[0].tolist() for column in table_columns(path, FIELDS)] == [
        ["a", "b"],
        [1, 3],
        [2, 4],
        [True, False],
    ]


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"name,count,size,kept\na,1,2,true\n\xff\xfe,1,2,true\n")
    with pytest.raises(UnicodeDecodeError):
        table_columns(path, FIELDS)
