"""Values as CSV cells and back, exactly. Text that a spreadsheet would run, or that tools mangle,
is neutralised.

The rule, the same in every text column:
- nothing (no value) is an empty cell;
- text that is empty, or begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe, gets
  one apostrophe in front;
- text holding control characters, carriage returns, bidirectional overrides or half characters is
  written as an apostrophe and the text as a JSON string (`'"…"`), so that nothing invisible is left
  in the file.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence

from believable.bundle.tables import Cell, Field
from believable.core.errors import InvalidInput

#: What spreadsheets take for a formula, the full-width forms some of them also take, and our own
#: mark.
_DANGEROUS_START = tuple("=+-@\t\r\n'＝＋－＠")

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff]"
)

_QUOTES_NEEDED = re.compile(r'[,"\n\r]|^\s|\s\Z')


def write_cell(field: Field, value: Cell) -> str:
    """The cell for a value of this column."""
    if value is None:
        return ""
    if field.type == "string":
        return neutralise(str(value))
    if field.type == "boolean":
        return "true" if value else "false"
    if field.type == "integer":
        return str(int(value))
    number = float(value)
    if not math.isfinite(number):
        raise InvalidInput(
            f"column {field.name}: expected a finite number, got {value!r}. Leave the cell empty"
            " and say why."
        )
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def read_cell(field: Field, cell: str) -> Cell:
    """The value that `write_cell` wrote."""
    if cell == "":
        return None
    if field.type == "string":
        return restore_text(cell)
    if field.type == "boolean":
        if cell not in ("true", "false"):
            raise InvalidInput(f"column {field.name}: expected true or false, got {cell!r}.")
        return cell == "true"
    try:
        return int(cell) if field.type == "integer" else float(cell)
    except ValueError:
        raise InvalidInput(
            f"column {field.name}: expected {field.type}, got {cell[:40]!r}."
        ) from None


def neutralise(text: str) -> str:
    """Text as a cell that no spreadsheet runs and no reader changes."""
    if _INVISIBLE.search(text):
        return "'" + json.dumps(text)
    if text == "" or text.startswith(_DANGEROUS_START):
        return "'" + text
    return text


def restore_text(cell: str) -> str:
    """The text before it was neutralised."""
    if not cell.startswith("'"):
        return cell
    if cell.startswith("'\""):
        try:
            return str(json.loads(cell[1:]))
        except ValueError:
            raise InvalidInput(
                f"cell {cell[:40]!r}: expected a JSON string after the apostrophe. The file was"
                " changed."
            ) from None
    return cell[1:]


def csv_line(cells: Sequence[str]) -> str:
    """One line of CSV. Quotes only where needed; ends with a line feed."""
    return ",".join(map(_quote, cells)) + "\n"


def line_writer(fields: Sequence[Field]) -> Callable[[Mapping[str, Cell]], str]:
    """Rows of a table as lines of CSV: what `csv_line` makes of their `write_cell`, found out once
    per column.

    Tables have millions of cells, mostly numbers, which need no quotes, and names that repeat.
    """
    columns = [(field.name, _column_writer(field)) for field in fields]

    def line(row: Mapping[str, Cell]) -> str:
        value_of = row.get
        return (
            ",".join(
                [
                    "" if (value := value_of(name)) is None else write(value)
                    for name, write in columns
                ]
            )
            + "\n"
        )

    return line


def _column_writer(field: Field) -> Callable[[Cell], str]:
    def plain(value: Cell) -> str:
        return write_cell(field, value)

    def number(value: Cell) -> str:
        if type(value) is float and math.isfinite(value) and not value.is_integer():
            return repr(value)
        return write_cell(field, value)

    def integer(value: Cell) -> str:
        return str(value) if type(value) is int else write_cell(field, value)

    def text(value: Cell) -> str:
        return _text(value) if type(value) is str else _quote(write_cell(field, value))

    return {"string": text, "integer": integer, "number": number}.get(field.type, plain)


@functools.lru_cache(maxsize=4096)
def _text(text: str) -> str:
    return _quote(neutralise(text))


def _quote(cell: str) -> str:
    if _QUOTES_NEEDED.search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell
