"""CSV cells: nothing a spreadsheet would run, and every text comes back as it was."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.bundle.cells import (
    csv_line,
    line_writer,
    neutralise,
    read_cell,
    restore_text,
    write_cell,
)
from believable.bundle.tables import Field
from believable.core.errors import InvalidInput

TEXT = Field(name="words", type="string", about="")
DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=40) | st.sampled_from(
    [
        "",
        "'",
        "''",
        "'\"",
        '\'"x"',
        "=1+1",
        "-2",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "a\r\nb",
        "\x00",
        "\ud800",
        "\u202eabc",
        ' x "y" ',
    ]
)


@given(any_text)
def test_every_text_comes_back(text: str) -> None:
    assert restore_text(neutralise(text)) == text
    assert read_cell(TEXT, write_cell(TEXT, text)) == text


@given(any_text)
def test_no_cell_begins_like_a_formula_or_holds_what_cannot_be_stored(text: str) -> None:
    cell = neutralise(text)
    assert cell
    assert not cell.startswith(DANGEROUS)
    assert "\x00" not in cell
    assert "\r" not in cell
    cell.encode("utf-8")


@given(st.lists(any_text, min_size=1, max_size=5))
def test_csv_lines_are_read_back_by_any_reader(texts: list[str]) -> None:
    line = csv_line([neutralise(text) for text in texts])
    rows = list(csv.reader(io.StringIO(line, newline=""), strict=True))
    assert [[restore_text(cell) for cell in row] for row in rows] == [texts]


def test_a_missing_text_is_not_an_empty_text() -> None:
    assert write_cell(TEXT, None) == ""
    assert write_cell(TEXT, "") == "'"
    assert read_cell(TEXT, "") is None
    assert read_cell(TEXT, "'") == ""


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_exactly(number: float) -> None:
    field = Field(name="x", type="number", about="")
    assert read_cell(field, write_cell(field, number)) == number


@given(st.integers(-(2**62), 2**62))
def test_integers_come_back_exactly(number: int) -> None:
    field = Field(name="x", type="integer", about="")
    assert read_cell(field, write_cell(field, number)) == number


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(InvalidInput, match="column x: expected a finite number, got nan"):
        write_cell(Field(name="x", type="number", about=""), float("nan"))
    with pytest.raises(InvalidInput, match="column x: expected integer, got 'twelve'"):
        read_cell(Field(name="x", type="integer", about=""), "twelve")
    with pytest.raises(InvalidInput, match="expected true or false, got 'yes'"):
        read_cell(Field(name="x", type="boolean", about=""), "yes")
    with pytest.raises(InvalidInput, match="The file was changed"):
        restore_text("'\"half")


@given(
    st.none() | any_text,
    st.none()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(2**62), 2**62)
    | st.booleans(),
    st.none() | st.integers(-(2**62), 2**62) | st.booleans(),
    st.none() | st.booleans(),
)
def test_whole_lines_are_written_cell_by_cell(
    words: str | None, number: float | None, count: int | None, yes: bool | None
) -> None:
    fields = [
        TEXT,
        Field(name="number", type="number", about=""),
        Field(name="count", type="integer", about=""),
        Field(name="yes", type="boolean", about=""),
        Field(name="none", type="string", about=""),
    ]
    row = {"words": words, "number": number, "count": count, "yes": yes}
    expected = csv_line([write_cell(field, row.get(field.name)) for field in fields])
    assert line_writer(fields)(row) == expected


def test_a_line_refuses_what_a_cell_refuses() -> None:
    with pytest.raises(InvalidInput, match="column x: expected a finite number"):
        line_writer([Field(name="x", type="number", about="")])({"x": float("inf")})
