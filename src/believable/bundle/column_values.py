"""A CSV table as arrays, by columns. Where a file has no quotes its bytes are taken apart at once,
without a string per cell.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from believable.bundle.cells import read_cell
from believable.bundle.tables import Cell, Field
from believable.core.errors import InvalidInput

#: The storage type of a column of each type.
ARRAYS: Mapping[str, Any] = MappingProxyType(
    {"integer": np.int64, "number": np.float64, "boolean": np.bool_, "string": object}
)
#: The stored value if there is no value.
BLANKS: Mapping[str, Cell] = MappingProxyType(
    {"integer": 0, "number": float("nan"), "boolean": False, "string": None}
)

#: Tables are read in blocks of about this number of bytes, or rows: quick by columns, without
#: holding all of a large file as text.
BLOCK_BYTES, BLOCK_ROWS = 1 << 20, 10_000
#: Numbers with this number of letters have no more digits than a float holds exactly, so that they
#: can be read all at once.
EXACT_LETTERS = 15
#: Longer texts rarely repeat and are read one by one.
LONGEST_NAME = 64

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CellBytes:
    """Some cells of a column: the start and end of each in the block that was read."""

    content: bytes
    begins: IntArray
    ends: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> CellBytes:
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([len(cell) for cell in encoded], dtype=np.int64)
        return cls(b"".join(encoded), np.r_[0, ends[:-1]], ends)

    def texts(self, rows: IntArray | slice = slice(None)) -> list[str]:
        places = zip(self.begins[rows].tolist(), self.ends[rows].tolist(), strict=True)
        return [self.content[begin:end].decode() for begin, end in places]

    def letters(self, width: int) -> NDArray[np.uint8]:
        """The last `width` bytes of each cell as rows, zeros before shorter ones."""
        padded = np.frombuffer(bytes(width) + self.content, np.uint8)
        letters: NDArray[np.uint8] = sliding_window_view(padded, width)[self.ends]
        letters[np.arange(width) < (width - (self.ends - self.begins))[:, None]] = 0
        return letters


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Some rows of a table, with the line of the file on which each ends."""

    lines: Sequence[int]
    columns: Sequence[CellBytes]


class ColumnValues:
    """A column that grows by blocks: its values, and a mask of missing ones."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self._values: list[NDArray[Any]] = [np.empty(0, ARRAYS[field.type])]
        self._missing: list[NDArray[np.bool_]] = [np.empty(0, np.bool_)]
        self._known: dict[str, Cell] = {"": BLANKS[field.type]}

    def add(self, cells: CellBytes) -> None:
        missing = cells.begins == cells.ends
        if missing.all():
            values: NDArray[Any] = np.full(
                len(missing), BLANKS[self.field.type], ARRAYS[self.field.type]
            )
        elif self.field.type in ("integer", "number"):
            values = _numbers(cells, int if self.field.type == "integer" else float).astype(
                ARRAYS[self.field.type], copy=False
            )
            values[missing] = BLANKS[self.field.type]
        else:
            values = self._read_names(cells)
        self._values.append(values)
        self._missing.append(missing)

    def arrays(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        values, missing = np.concatenate(self._values), np.concatenate(self._missing)
        values.flags.writeable = missing.flags.writeable = False
        return values, missing

    def _read_names(self, cells: CellBytes) -> NDArray[Any]:
        """Repeated values, such as names, are read once; of equal adjacent cells only the first is
        taken.
        """
        lengths = cells.ends - cells.begins
        first = np.ones(len(lengths), np.bool_)
        if (width := int(lengths.max())) <= LONGEST_NAME:
            letters = cells.letters(width)
            first[1:] = (lengths[1:] != lengths[:-1]) | (letters[1:] != letters[:-1]).any(axis=1)
        rows = np.flatnonzero(first)
        texts = cells.texts(rows)
        for text in set(texts) - self._known.keys():
            self._known[text] = read_cell(self.field, text)
        values = np.empty(len(rows), ARRAYS[self.field.type])
        values[:] = [self._known[text] for text in texts]
        return np.repeat(values, np.diff(rows, append=len(lengths)))


def table_columns(path: Path, fields: Sequence[Field]) -> list[ColumnValues]:
    """The columns of a table. Raises `InvalidInput` that names the line of the first cell that
    cannot be read.
    """
    columns = [ColumnValues(field) for field in fields]
    for block in _blocks(path, [field.name for field in fields]):
        for column, cells in zip(columns, block.columns, strict=True):
            try:
                column.add(cells)
            except (InvalidInput, ValueError):
                _complain(path, fields, block)
                raise
    return columns


def _numbers(cells: CellBytes, number: Callable[[str], float]) -> NDArray[np.float64 | np.int64]:
    """Cells as numbers, those without a value as 0. A whole number of up to 15 digits, and its
    quotient by a power of ten, are what `number` makes of the text; whatever else a cell holds is
    left to it.
    """
    lengths = cells.ends - cells.begins
    width = min(int(lengths.max()), EXACT_LETTERS)
    letters = cells.letters(width)
    digits = letters - np.uint8(ord("0"))
    is_digit = digits <= 9
    place = np.arange(width)
    negative = letters[np.arange(len(lengths)), np.clip(width - lengths, 0, width - 1)] == ord("-")
    points = letters == ord(".")
    pointed = points.any(axis=1) if number is float else np.zeros(len(lengths), np.bool_)
    counts = is_digit.sum(axis=1)
    plain = (counts > 0) & (counts + negative + pointed == lengths)
    digits[~is_digit] = 0
    whole = digits @ 10.0 ** place[::-1]
    values: NDArray[Any]
    if number is int:
        values = np.where(negative, -whole, whole).astype(np.int64)
    else:
        rows = np.flatnonzero(plain & pointed)
        behind = width - 1 - points[rows].argmax(axis=1)
        scale = 10.0**behind
        before, after = np.divmod(whole[rows], 10 * scale)
        whole[rows] = (before * scale + after) / scale
        values = np.where(negative, -whole, whole)
    others = np.flatnonzero(~plain & (lengths > 0))
    values[others] = [number(text) for text in cells.texts(others)]
    return values


def _blocks(path: Path, header: Sequence[str]) -> Iterator[TableBlock]:
    with path.open("rb") as file:
        if next(csv.reader([file.readline().decode()], strict=True), None) != list(header):
            raise InvalidInput(
                f"{path}:1: the header differs from datapackage.json. Export the bundle again."
            )
        line = 2
        while content := file.read(BLOCK_BYTES):
            content += file.readline()
            ends = _cell_ends(content, len(header))
            if ends is None:
                file.seek(-len(content), io.SEEK_CUR)
                yield from _parsed_blocks(path, file, len(header), line)
                return
            begins = np.r_[0, ends.ravel()[:-1] + 1].reshape(ends.shape)
            columns = [
                CellBytes(content, begins[:, place], ends[:, place]) for place in range(len(header))
            ]
            yield TableBlock(range(line, line + len(ends)), columns)
            line += len(ends)


def _cell_ends(content: bytes, width: int) -> IntArray | None:
    """Where the cells end, by rows; None if only a parser can decide, or can report the error."""
    if b'"' in content or b"\r" in content or width < 2:
        return None
    letters = np.frombuffer(content if content.endswith(b"\n") else content + b"\n", np.uint8)
    line_ends = letters == ord("\n")
    ends = np.flatnonzero((letters == ord(",")) | line_ends)
    last = ends[width - 1 :: width]
    if (
        len(ends) != width * len(last)
        or not line_ends[last].all()
        or np.count_nonzero(line_ends) != len(last)
    ):
        return None
    return ends.reshape(-1, width)


def _parsed_blocks(path: Path, file: BinaryIO, width: int, line: int) -> Iterator[TableBlock]:
    """The rows from this line on."""
    # Answers may be a million characters long; the module's own limit is one for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), sys.maxsize >> 32))
    with io.TextIOWrapper(file, "utf-8", newline="") as text:
        rows = _rows(path, csv.reader(text, strict=True), width, line)
        while block := list(islice(rows, BLOCK_ROWS)):
            columns = [
                CellBytes.of(column) for column in zip(*(row for _, row in block), strict=True)
            ]
            yield TableBlock([at for at, _ in block], columns)


def _rows(path: Path, reader: Any, width: int, line: int) -> Iterator[tuple[int, list[str]]]:
    for row in reader:
        at = line - 1 + reader.line_num
        if len(row) != width:
            raise InvalidInput(
                f"{path}:{at}: expected {width} cells, got {len(row)}. Export the bundle again."
            )
        yield at, row


def _complain(path: Path, fields: Sequence[Field], block: TableBlock) -> None:
    """Raises for the first cell that cannot be read."""
    rows = zip(*(cells.texts() for cells in block.columns), strict=True)
    for line, row in zip(block.lines, rows, strict=True):
        for field, cell in zip(fields, row, strict=True):
            try:
                read_cell(field, cell)
            except InvalidInput as error:
                raise InvalidInput(f"{path}:{line}: {error}") from None
