"""Values as CSV cells and back, exactly. Text that a spreadsheet would run, or that tools mangle, is neutralised.

The rule, the same in every text column:
- nothing (no value) is an empty cell;
- text that is empty, or begins with `=`, `+`, `-`, `@`, a tab, a line break or an apostrophe, gets one apostrophe in front;
- text holding control characters, carriage returns, bidirectional overrides or half characters is written as an
  apostrophe and the text as a JSON string (`'"…"`), so that nothing invisible is left in the file.
"""

from __future__ import annotations

import json
import math
import re

from believable.bundle.tables import Cell, Field
from believable.core.errors import InvalidInput

#: What spreadsheets take for a formula, the full-width forms some of them also take, and our own mark.
_DANGEROUS_START = tuple("=+-@\t\r\n'＝＋－＠")

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def write_cell(field: Field, value: Cell) -> str:
    """The cell for a value of this column."""
    if value is None:
        return ""
    if field.type == "string":
        return neutralised(str(value))
    if field.type == "boolean":
        return "true" if value else "false"
    if field.type == "integer":
        return str(int(value))
    number = float(value)
    if not math.isfinite(number):
        raise InvalidInput(
            f"column {field.name}: expected a finite number, got {value!r}. Leave the cell empty and say why."
        )
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def read_cell(field: Field, cell: str) -> Cell:
    """The value that `write_cell` wrote."""
    if cell == "":
        return None
    if field.type == "string":
        return restored(cell)
    if field.type == "boolean":
        if cell not in ("true", "false"):
            raise InvalidInput(f"column {field.name}: expected true or false, got {cell!r}.")
        return cell == "true"
    try:
        return int(cell) if field.type == "integer" else float(cell)
    except ValueError:
        raise InvalidInput(f"column {field.name}: expected {field.type}, got {cell[:40]!r}.") from None


def neutralised(text: str) -> str:
    """Text as a cell that no spreadsheet runs and no reader changes."""
    if _INVISIBLE.search(text):
        return "'" + json.dumps(text)
    if text == "" or text.startswith(_DANGEROUS_START):
        return "'" + text
    return text


def restored(cell: str) -> str:
    """The text before it was neutralised."""
    if not cell.startswith("'"):
        return cell
    if cell.startswith("'\""):
        try:
            return str(json.loads(cell[1:]))
        except ValueError:
            raise InvalidInput(
                f"cell {cell[:40]!r}: expected a JSON string after the apostrophe. The file was changed."
            ) from None
    return cell[1:]


def csv_line(cells: list[str]) -> str:
    """One line of CSV. Quotes only where needed; ends with a line feed."""
    return ",".join(_quoted(cell) for cell in cells) + "\n"


def _quoted(cell: str) -> str:
    if any(mark in cell for mark in ',"\n\r') or cell[:1].isspace() or cell[-1:].isspace():
        return '"' + cell.replace('"', '""') + '"'
    return cell
